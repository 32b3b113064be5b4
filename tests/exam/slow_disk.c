/*
 * A disk that takes a while, for a BlueStore OSD that it is preloaded into. The OSD's worker threads wait for what they read under their
 * placement group's lock, so the group's objects are served one read at a time, and those of others side by side, without anybody using
 * the processor.
 *
 * SLOW_DISK_US: how long, in µs. Other threads of the OSD, such as its database's, have the disk as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*real_submit)(void *context, long count, void **requests);
static useconds_t delay_us;

__attribute__((constructor)) static void start(void)
{
	const char *delay = getenv("SLOW_DISK_US");

	delay_us = delay ? (useconds_t)atoi(delay) : 0;
	real_submit = (__typeof__(real_submit))dlsym(RTLD_NEXT, "io_submit");
}

static int is_worker(void)
{
	static __thread int known; /* 1: it is; 2: it is not */
	char name[16];

	if (!known)
		known = !pthread_getname_np(pthread_self(), name, sizeof(name)) && !strcmp(name, "tp_osd_tp") ? 1 : 2;
	return known == 1;
}

/* libaio's: the context of some requests to the disk, and those. */
int io_submit(void *context, long count, void **requests)
{
	if (delay_us && is_worker())
		usleep(delay_us);
	return real_submit(context, count, requests);
}
