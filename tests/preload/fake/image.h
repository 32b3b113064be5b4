/* An image of the fake librbd, and what can be done to its data. */
#ifndef RBDPROF_TESTS_FAKE_IMAGE_H
#define RBDPROF_TESTS_FAKE_IMAGE_H

#include <pthread.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <rbd/librbd.h>

#define IMAGE_BYTES  (1 << 20)
#define QUEUE_LENGTH 256

struct image {
	char name[64];
	pthread_mutex_t lock;
	int notify_fd; /* -1: completions are not queued for rbd_poll_io_events */
	rbd_completion_t finished[QUEUE_LENGTH];
	unsigned int first, count;
	char data[IMAGE_BYTES];
};

enum what { READ, WRITE, ZERO, FLUSH, OPEN, CLOSE };

/* Does it at once, under the image's lock. count: of vectors; length: of all bytes. Returns the bytes read, else 0, or -EINVAL behind the
 * end. */
__attribute__((visibility("hidden"))) ssize_t move(struct image *image, enum what what, uint64_t offset, const struct iovec *vector,
						   int count, size_t length);

#endif
