/*
 * A program that rbdprof doctor is asked about: it uses librbd in the way that its first argument names, says so, and sleeps.
 *
 *   victim plain | seccomp | open FILE | local PLUGIN | deep PLUGIN
 *
 * LINKED: it calls librbd itself; else only the plugin does (compiled from this file too, with PLUGIN defined). CXX: it calls a function
 * of librbd's C++ interface that rbdprof does not know; CXX_KNOWN: one that it knows.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(PLUGIN) || defined(LINKED)
int rbd_open(void *, const char *, void **, const char *);
int rbd_aio_write(void *, unsigned long, unsigned long, const char *, void *);
int rbd_aio_read(void *, unsigned long, unsigned long, char *, void *);

int use_librbd(int really)
{
	return really ? rbd_open(0, "", 0, 0) + rbd_aio_write(0, 0, 0, "", 0) + rbd_aio_read(0, 0, 0, 0, 0) : 0;
}
#endif

#ifdef CXX
int _ZN6librbd5Image8read_oddEv(void);

int use_cxx(int really)
{
	return really ? _ZN6librbd5Image8read_oddEv() : 0;
}
#endif

#ifdef CXX_KNOWN
int _ZN6librbd5Image5flushEv(void);

int use_cxx_known(int really)
{
	return really ? _ZN6librbd5Image5flushEv() : 0;
}
#endif

#ifndef PLUGIN
static int filter(void)
{
	struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
	struct sock_fprog program = {1, &allow};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain", *what = argc > 2 ? argv[2] : "";
	int failed = 0;

	if (!strcmp(how, "seccomp"))
		failed = filter();
	else if (!strcmp(how, "open"))
		failed = open(what, O_RDONLY) < 0;
	else if (!strcmp(how, "local"))
		failed = !dlopen(what, RTLD_NOW | RTLD_LOCAL);
	else if (!strcmp(how, "deep"))
		failed = !dlopen(what, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#ifdef LINKED
	failed |= use_librbd(argc > 9);
#endif
#ifdef CXX
	failed |= use_cxx(argc > 9);
#endif
#ifdef CXX_KNOWN
	failed |= use_cxx_known(argc > 9);
#endif
	if (failed)
		return 1;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
#endif
