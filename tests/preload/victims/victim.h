/* What the victims share. Each opens an image, which is what loads the tracer; none prints anything that depends on time or order. */
#ifndef RBDPROF_TESTS_PRELOAD_VICTIM_H
#define RBDPROF_TESTS_PRELOAD_VICTIM_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rbd/librbd.h>

static inline rbd_image_t open_image(void)
{
	rbd_image_t image = NULL;

	if (rbd_open(NULL, "disk", &image, NULL))
		abort();
	return image;
}

static inline struct timespec from_now(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static inline void sleep_ms(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

#endif
