/*
 * A librbd for tests, without Ceph: images live in memory, and asynchronous requests are completed by a thread of the library's own,
 * in the order in which they were made. It knows the C API's contract; it has nothing of librbd's insides.
 *
 * FAKE_LACKS_DISCARD leaves a required function out. rbd_aio_write_with_crc32c, of newer releases, is always missing.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "image.h"

struct completion {
	rbd_callback_t callback;
	void *arg;
	ssize_t result;
	int state; /* 0 pending, 1 in its callback, 2 complete */
	int references;
};

struct job {
	struct job *next;
	enum what what;
	struct image *image;
	uint64_t offset;
	size_t length;
	struct iovec *vector; /* a copy */
	int count;
	rbd_image_t *opened;
	ssize_t result;
	struct completion *completion;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the queue and completions' states */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t completed = PTHREAD_COND_INITIALIZER;
static struct job *first_job, **last_job = &first_job;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct image *new_image(const char *name)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		abort();
	strncpy(image->name, name, sizeof(image->name) - 1);
	pthread_mutex_init(&image->lock, NULL);
	image->notify_fd = -1;
	return image;
}

static void free_image(struct image *image)
{
	pthread_mutex_destroy(&image->lock);
	free(image);
}

static void put(struct completion *completion)
{
	if (!__atomic_sub_fetch(&completion->references, 1, __ATOMIC_ACQ_REL))
		free(completion);
}

static void finish(struct job *job)
{
	struct completion *completion = job->completion;

	pthread_mutex_lock(&lock);
	completion->result = job->result;
	completion->state = 1;
	pthread_mutex_unlock(&lock);
	if (completion->callback)
		completion->callback(completion, completion->arg);
	if (job->image && job->image->notify_fd >= 0) {
		struct image *image = job->image;
		uint64_t one = 1;

		pthread_mutex_lock(&image->lock);
		image->finished[(image->first + image->count++) % QUEUE_LENGTH] = completion;
		pthread_mutex_unlock(&image->lock);
		if (write(image->notify_fd, &one, sizeof(one)) < 0)
			abort();
	}
	pthread_mutex_lock(&lock);
	completion->state = 2;
	pthread_cond_broadcast(&completed);
	pthread_mutex_unlock(&lock);
	put(completion);
}

static void run(struct job *job)
{
	if (job->what == OPEN) {
		*job->opened = job->image;
		job->image = NULL; /* not of an open image */
	} else if (job->what == CLOSE) {
		free_image(job->image);
		job->image = NULL;
	} else {
		job->result = move(job->image, job->what, job->offset, job->vector, job->count, job->length);
	}
	finish(job);
	free(job->vector);
	free(job);
}

static pthread_t server;
static pid_t server_pid; /* a child of fork() does not have the thread */
static int stopping;

static void *serve(void *unused)
{
	for (;;) {
		struct job *job;

		pthread_mutex_lock(&lock);
		while (!first_job && !stopping)
			pthread_cond_wait(&work, &lock);
		job = first_job;
		if (job)
			first_job = job->next;
		if (!first_job)
			last_job = &first_job;
		pthread_mutex_unlock(&lock);
		if (!job)
			return unused;
		run(job);
	}
}

static void start(void)
{
	if (pthread_create(&server, NULL, serve, NULL))
		abort();
	server_pid = getpid();
}

/* A program may close the plugin that brought this library: the thread must not outlive its code. */
__attribute__((destructor)) static void stop(void)
{
	if (server_pid != getpid())
		return;
	pthread_mutex_lock(&lock);
	stopping = 1;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	pthread_join(server, NULL);
}

static int submit(struct job wanted, const struct iovec *vector, int count, rbd_completion_t completion)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		abort();
	*job = wanted;
	job->next = NULL;
	job->completion = completion;
	if (count) {
		job->vector = malloc((size_t)count * sizeof(*vector));
		if (!job->vector)
			abort();
		memcpy(job->vector, vector, (size_t)count * sizeof(*vector));
		job->count = count;
		for (int i = 0; i < count; i++)
			job->length += vector[i].iov_len;
	}
	__atomic_add_fetch(&job->completion->references, 1, __ATOMIC_ACQ_REL);
	pthread_once(&once, start);
	pthread_mutex_lock(&lock);
	*last_job = job;
	last_job = &job->next;
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
	return 0;
}

static int submit_buffer(enum what what, rbd_image_t image, uint64_t offset, size_t length, const void *data, rbd_completion_t completion)
{
	const struct iovec one = {.iov_base = (void *)data, .iov_len = length};

	return submit((struct job){.what = what, .image = image, .offset = offset}, &one, 1, completion);
}

static int submit_vector(enum what what, rbd_image_t image, uint64_t offset, const struct iovec *vector, int count, rbd_completion_t c)
{
	return submit((struct job){.what = what, .image = image, .offset = offset}, vector, count, c);
}

static int submit_plain(enum what what, rbd_image_t image, uint64_t offset, size_t length, rbd_completion_t completion)
{
	return submit((struct job){.what = what, .image = image, .offset = offset, .length = length}, NULL, 0, completion);
}

static int open_now(const char *name, rbd_image_t *image)
{
	if (!strcmp(name, "missing"))
		return -ENOENT;
	*image = new_image(name);
	return 0;
}

static int open_later(const char *name, rbd_image_t *image, rbd_completion_t completion)
{
	if (!strcmp(name, "missing"))
		return submit((struct job){.what = FLUSH, .image = NULL, .result = -ENOENT}, NULL, 0, completion);
	return submit((struct job){.what = OPEN, .image = new_image(name), .opened = image}, NULL, 0, completion);
}

#define OPENS(name)                                                                                                                        \
	int name(rados_ioctx_t pool, const char *image, rbd_image_t *handle, const char *snapshot)                                         \
	{                                                                                                                                  \
		(void)pool, (void)snapshot;                                                                                                \
		return open_now(image, handle);                                                                                            \
	}
OPENS(rbd_open)
OPENS(rbd_open_by_id)
OPENS(rbd_open_read_only)
OPENS(rbd_open_by_id_read_only)

#define OPENS_LATER(name)                                                                                                                  \
	int name(rados_ioctx_t pool, const char *image, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)            \
	{                                                                                                                                  \
		(void)pool, (void)snapshot;                                                                                                \
		return open_later(image, handle, completion);                                                                              \
	}
OPENS_LATER(rbd_aio_open)
OPENS_LATER(rbd_aio_open_by_id)
OPENS_LATER(rbd_aio_open_read_only)
OPENS_LATER(rbd_aio_open_by_id_read_only)

int rbd_close(rbd_image_t image)
{
	free_image(image);
	return 0;
}

int rbd_aio_close(rbd_image_t image, rbd_completion_t completion)
{
	return submit_plain(CLOSE, image, 0, 0, completion);
}

int rbd_aio_create_completion(void *arg, rbd_callback_t callback, rbd_completion_t *created)
{
	struct completion *completion = calloc(1, sizeof(*completion));

	if (!completion)
		return -ENOMEM;
	completion->callback = callback;
	completion->arg = arg;
	completion->references = 1;
	*created = completion;
	return 0;
}

/* True from the callback's entry on, as librbd's is. */
int rbd_aio_is_complete(rbd_completion_t c)
{
	struct completion *completion = c;
	int state;

	pthread_mutex_lock(&lock);
	state = completion->state;
	pthread_mutex_unlock(&lock);
	return state != 0;
}

int rbd_aio_wait_for_complete(rbd_completion_t c)
{
	struct completion *completion = c;

	pthread_mutex_lock(&lock);
	while (completion->state != 2)
		pthread_cond_wait(&completed, &lock);
	pthread_mutex_unlock(&lock);
	return 0;
}

ssize_t rbd_aio_get_return_value(rbd_completion_t c)
{
	struct completion *completion = c;
	ssize_t result;

	pthread_mutex_lock(&lock);
	result = completion->result;
	pthread_mutex_unlock(&lock);
	return result;
}

void *rbd_aio_get_arg(rbd_completion_t c)
{
	struct completion *completion = c;

	return completion->arg;
}

void rbd_aio_release(rbd_completion_t completion)
{
	put(completion);
}

int rbd_poll_io_events(rbd_image_t i, rbd_completion_t *completions, int most)
{
	struct image *image = i;
	int count = 0;

	pthread_mutex_lock(&image->lock);
	while (image->count && count < most) {
		completions[count++] = image->finished[image->first++ % QUEUE_LENGTH];
		image->count--;
	}
	pthread_mutex_unlock(&image->lock);
	return count;
}

int rbd_set_image_notification(rbd_image_t i, int fd, int type)
{
	struct image *image = i;

	(void)type;
	image->notify_fd = fd;
	return 0;
}

int rbd_aio_read(rbd_image_t image, uint64_t offset, size_t length, char *data, rbd_completion_t completion)
{
	return submit_buffer(READ, image, offset, length, data, completion);
}

int rbd_aio_read2(rbd_image_t image, uint64_t offset, size_t length, char *data, rbd_completion_t completion, int flags)
{
	(void)flags;
	return submit_buffer(READ, image, offset, length, data, completion);
}

int rbd_aio_readv(rbd_image_t image, const struct iovec *vector, int count, uint64_t offset, rbd_completion_t completion)
{
	return submit_vector(READ, image, offset, vector, count, completion);
}

int rbd_aio_write(rbd_image_t image, uint64_t offset, size_t length, const char *data, rbd_completion_t completion)
{
	return submit_buffer(WRITE, image, offset, length, data, completion);
}

int rbd_aio_write2(rbd_image_t image, uint64_t offset, size_t length, const char *data, rbd_completion_t completion, int flags)
{
	(void)flags;
	return submit_buffer(WRITE, image, offset, length, data, completion);
}

int rbd_aio_writev(rbd_image_t image, const struct iovec *vector, int count, uint64_t offset, rbd_completion_t completion)
{
	return submit_vector(WRITE, image, offset, vector, count, completion);
}

#ifndef FAKE_LACKS_DISCARD
int rbd_aio_discard(rbd_image_t image, uint64_t offset, uint64_t length, rbd_completion_t completion)
{
	return submit_plain(ZERO, image, offset, length, completion);
}
#endif

int rbd_aio_writesame(rbd_image_t image, uint64_t offset, size_t length, const char *data, size_t data_length, rbd_completion_t completion,
		      int flags)
{
	(void)flags;
	return length % data_length ? -EINVAL : submit_buffer(WRITE, image, offset, data_length, data, completion);
}

int rbd_aio_write_zeroes(rbd_image_t image, uint64_t offset, size_t length, rbd_completion_t completion, int zero_flags, int flags)
{
	(void)zero_flags, (void)flags;
	return submit_plain(ZERO, image, offset, length, completion);
}

ssize_t rbd_aio_compare_and_write(rbd_image_t image, uint64_t offset, size_t length, const char *expected, const char *data,
				  rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	(void)expected, (void)mismatch, (void)flags;
	return submit_buffer(WRITE, image, offset, length, data, completion);
}

ssize_t rbd_aio_compare_and_writev(rbd_image_t image, uint64_t offset, const struct iovec *expected, int expected_count,
				   const struct iovec *vector, int count, rbd_completion_t completion, uint64_t *mismatch, int flags);
ssize_t rbd_aio_compare_and_writev(rbd_image_t image, uint64_t offset, const struct iovec *expected, int expected_count,
				   const struct iovec *vector, int count, rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	(void)expected, (void)expected_count, (void)mismatch, (void)flags;
	return submit_vector(WRITE, image, offset, vector, count, completion);
}

int rbd_aio_flush(rbd_image_t image, rbd_completion_t completion)
{
	return submit_plain(FLUSH, image, 0, 0, completion);
}

/* Two functions that move data and that no table knows, one that only sounds so, and one of mirroring. */
int rbd_aio_teleport(rbd_image_t image, rbd_completion_t completion);
int rbd_aio_teleport(rbd_image_t image, rbd_completion_t completion)
{
	return submit_plain(FLUSH, image, 0, 0, completion);
}

int rbd_write_backwards(void);
int rbd_write_backwards(void)
{
	return 0;
}

int rbd_get_readiness(void);
int rbd_get_readiness(void)
{
	return 0;
}

int rbd_aio_mirror_image_admire(void);
int rbd_aio_mirror_image_admire(void)
{
	return 0;
}
