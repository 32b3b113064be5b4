/*
 * Has an image open beside the program that is examined, until it is killed.   peer WAY POOL IMAGE [N]
 *   open        does nothing else: a watcher
 *   flush       flushes every N milliseconds, and so takes the exclusive lock without ever writing; SIGTERM makes it close the image,
 *               so that it leaves no lock behind
 *   flush-once  flushes once: an idle owner that never wrote
 *   answer      writes once, and kills itself N microseconds after it has promised a peer to give up the lock, which takes longer
 * Prints its global id once that is so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <rbd/librbd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int die_after_us = -1;

/*
 * librados::IoCtx::notify_ack(oid, notify_id, cookie, reply), which librbd calls to answer: a definition in the program comes before the
 * library's. Only an owner answers with anything in the reply, whose length stands 24 bytes into it.
 */
#define NOTIFY_ACK                                                                                                                         \
	_ZN8librados7v14_2_05IoCtx10notify_ackERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEmmRN4ceph6buffer7v15_2_04listE
#define QUOTE_(name) #name
#define QUOTE(name)  QUOTE_(name)

void NOTIFY_ACK(void *ioctx, const void *oid, uint64_t notify_id, uint64_t cookie, const char *reply)
{
	void (*real)(void *, const void *, uint64_t, uint64_t, const char *) = dlsym(RTLD_NEXT, QUOTE(NOTIFY_ACK));

	real(ioctx, oid, notify_id, cookie, reply);
	if (die_after_us >= 0 && *(const uint32_t *)(reply + 24)) {
		usleep(die_after_us);
		raise(SIGKILL);
	}
}

static volatile sig_atomic_t over;

static void end(int signal)
{
	(void)signal;
	over = 1;
}

int main(int argc, char **argv)
{
	static char block[4096];
	const char *way = argc > 3 ? argv[1] : "";
	int interval = argc > 4 ? atoi(argv[4]) : 0, result = 0;
	rados_ioctx_t pool;
	rbd_image_t image;
	rados_t cluster;

	if (argc < 4 || rados_create(&cluster, "admin") || rados_conf_read_file(cluster, NULL) || rados_conf_parse_env(cluster, NULL) ||
	    rados_connect(cluster) || rados_ioctx_create(cluster, argv[2], &pool) || rbd_open(pool, argv[3], &image, NULL)) {
		fprintf(stderr, "peer: cannot open the image\n");
		return 1;
	}
	if (!strcmp(way, "flush") || !strcmp(way, "flush-once"))
		result = rbd_flush(image);
	else if (!strcmp(way, "answer"))
		result = rbd_write(image, 0, sizeof(block), block) == sizeof(block) ? 0 : -1;
	if (result) {
		fprintf(stderr, "peer: cannot %s\n", way);
		return 1;
	}
	printf("%" PRIu64 "\n", rados_get_instance_id(cluster));
	fflush(stdout);
	if (!strcmp(way, "answer"))
		die_after_us = interval;
	if (strcmp(way, "flush"))
		pause();
	signal(SIGTERM, end);
	while (!over) {
		usleep(interval * 1000);
		rbd_flush(image);
	}
	rbd_close(image);
	rados_ioctx_destroy(pool);
	rados_shutdown(cluster);
	return 0;
}
