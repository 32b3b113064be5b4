/*
 * Requests in every way in which they can complete, on images opened in every way. The output is what the application sees of them.
 * Requests: 200 with callbacks, 200 polled, 3 times 50 without callback, 7 synchronous ones, 2 on an image opened asynchronously.
 */
#include <fcntl.h>
#include <sys/eventfd.h>

#include "victim.h"

#define MOST 200

static char data[MOST][512];
static int called;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void callback(rbd_completion_t completion, void *arg)
{
	if (rbd_aio_get_arg(completion) != arg || rbd_aio_get_return_value(completion) < 0)
		abort();
	pthread_mutex_lock(&mutex);
	called++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	rbd_aio_release(completion);
}

static void with_callbacks(rbd_image_t image)
{
	for (int i = 0; i < MOST; i++) {
		rbd_completion_t completion;

		memset(data[i], 'a' + i % 26, sizeof(data[i]));
		rbd_aio_create_completion(data[i], callback, &completion);
		if (rbd_aio_write(image, (uint64_t)i * 512, 512, data[i], completion))
			abort();
	}
	pthread_mutex_lock(&mutex);
	while (called < MOST)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	printf("called: %d\n", called);
}

static void nothing(rbd_completion_t completion, void *arg)
{
	(void)completion, (void)arg;
}

static void polled(rbd_image_t image)
{
	int fd = eventfd(0, EFD_SEMAPHORE), reaped = 0;
	uint64_t sum = 0;

	rbd_set_image_notification(image, fd, EVENT_TYPE_EVENTFD);
	for (int i = 0; i < MOST; i++) {
		rbd_completion_t completion;

		memset(data[i], 0, sizeof(data[i]));
		rbd_aio_create_completion(data[i], nothing, &completion);
		if (rbd_aio_read(image, (uint64_t)i * 512, 512, data[i], completion))
			abort();
	}
	while (reaped < MOST) {
		rbd_completion_t completions[100];
		uint64_t one;
		int count;

		if (read(fd, &one, sizeof(one)) < 0)
			abort();
		count = rbd_poll_io_events(image, completions, 100);
		for (int i = 0; i < count; i++) {
			const char *arg = rbd_aio_get_arg(completions[i]);

			sum += (unsigned char)arg[0] + (uint64_t)rbd_aio_get_return_value(completions[i]);
			rbd_aio_wait_for_complete(completions[i]);
			rbd_aio_release(completions[i]);
		}
		reaped += count;
	}
	printf("reaped: %d, sum %lu\n", reaped, (unsigned long)sum);
	close(fd);
}

static void without_callback(rbd_image_t image)
{
	ssize_t sum = 0;

	for (int i = 0; i < 150; i++) {
		rbd_completion_t completion;

		rbd_aio_create_completion(NULL, NULL, &completion);
		if (rbd_aio_read(image, (uint64_t)i * 512, 512, data[0], completion))
			abort();
		if (i % 3 == 0)
			rbd_aio_wait_for_complete(completion);
		while (i % 3 == 1 && !rbd_aio_is_complete(completion))
			sched_yield();
		if (i % 3 == 2)
			rbd_aio_wait_for_complete(completion);
		sum += rbd_aio_get_return_value(completion);
		rbd_aio_release(completion);
	}
	printf("waited: %zd\n", sum);
}

static int each(uint64_t offset, size_t length, const char *buffer, void *arg)
{
	*(unsigned *)arg += (unsigned)offset + (unsigned)length + (unsigned char)buffer[0];
	return 0;
}

static void synchronous(rbd_image_t image)
{
	unsigned sum = 0;

	printf("synchronous: %zd", rbd_write(image, 0, 512, data[1]));
	printf(" %zd", rbd_read(image, 0, 512, data[2]));
	printf(" %d", rbd_discard(image, 0, 512));
	printf(" %zd", rbd_read(image, 1 << 20, 512, data[2])); /* behind the end */
	printf(" %d", rbd_flush(image));
	printf(" %d", rbd_invalidate_cache(image));
	printf(" %d", rbd_read_iterate2(image, 512, 512, each, &sum));
	printf(" %u\n", sum);
}

static void asynchronously_opened(void)
{
	rbd_image_t image = NULL;
	rbd_completion_t completion;

	rbd_aio_create_completion(NULL, NULL, &completion);
	printf("opened: %d", rbd_aio_open(NULL, "other", &image, "snapshot", completion));
	rbd_aio_wait_for_complete(completion);
	rbd_aio_release(completion);
	printf(" %zd", rbd_read(image, 0, 512, data[0]));
	rbd_aio_create_completion(NULL, NULL, &completion);
	printf(" %d", rbd_aio_writesame(image, 0, 512, data[0], 100, completion, 0)); /* refused */
	rbd_aio_release(completion);
	rbd_aio_create_completion(NULL, NULL, &completion);
	rbd_aio_close(image, completion);
	rbd_aio_wait_for_complete(completion);
	printf(" %zd\n", rbd_aio_get_return_value(completion));
	rbd_aio_release(completion);
	printf("missing: %d\n", rbd_open(NULL, "missing", &image, NULL));
}

int main(void)
{
	rbd_image_t image;

	if (chdir("/"))
		abort();
	image = open_image();
	with_callbacks(image);
	without_callback(image);
	polled(image);
	synchronous(image);
	asynchronously_opened();
	return rbd_close(image);
}
