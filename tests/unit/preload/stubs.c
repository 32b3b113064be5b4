/* A librbd in the test's hands. */
#include "stubs.h"

#include <stdlib.h>
#include <string.h>

#include "preload/real.h"

int stub_answer, stub_submissions;

static rbd_completion_t *polled;
static int polled_count;
static rbd_image_t next_handle;

static int allocate(rbd_completion_t *created)
{
	if (stub_answer < 0)
		return stub_answer;
	*created = calloc(1, sizeof(struct stub_completion));
	if (!*created)
		abort();
	return 0;
}

static void construct(rbd_completion_t constructed, void *arg, rbd_callback_t callback)
{
	struct stub_completion *completion = constructed;

	completion->callback = callback;
	completion->arg = arg;
}

static int create(void *arg, rbd_callback_t callback, rbd_completion_t *created)
{
	int result = allocate(created);

	if (!result)
		construct(*created, arg, callback);
	return result;
}

static int create_through_cxx(void *arg, rbd_callback_t callback, rbd_completion_t *created)
{
	int result = allocate(created);

	if (!result)
		cxx_aio_create_completion(*created, arg, callback);
	return result;
}

static int is_complete(rbd_completion_t completion)
{
	return ((struct stub_completion *)completion)->complete;
}

static bool is_complete_cxx(rbd_completion_t completion)
{
	return is_complete(completion);
}

static int is_complete_through_cxx(rbd_completion_t completion)
{
	return cxx_aio_is_complete(completion);
}

static int wait_for_complete(rbd_completion_t completion)
{
	(void)completion;
	return 0;
}

static ssize_t get_return_value(rbd_completion_t completion)
{
	return ((struct stub_completion *)completion)->result;
}

static void *get_arg(rbd_completion_t completion)
{
	return completion ? ((struct stub_completion *)completion)->arg : NULL;
}

/* The memory stays, for the test to look at. */
static void release(rbd_completion_t completion)
{
	((struct stub_completion *)completion)->released++;
}

static int poll_io_events(rbd_image_t image, rbd_completion_t *completions, int most)
{
	int count = polled_count < most ? polled_count : most;

	(void)image;
	if (count > 0)
		memcpy(completions, polled, (size_t)count * sizeof(*completions));
	return count;
}

static int set_image_notification(rbd_image_t image, int fd, int type)
{
	(void)image, (void)fd, (void)type;
	return 0;
}

static int open_image(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot)
{
	(void)pool, (void)name, (void)snapshot;
	*handle = next_handle;
	return stub_answer;
}

/* The handle is filled in by the test. */
static int open_later(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)
{
	(void)pool, (void)name, (void)handle, (void)snapshot, (void)completion;
	return stub_answer;
}

static int close_image(rbd_image_t image)
{
	(void)image;
	return stub_answer;
}

static int close_later(rbd_image_t image, rbd_completion_t completion)
{
	(void)image, (void)completion;
	return stub_answer;
}

static int aio_read(rbd_image_t image, uint64_t offset, size_t length, char *data, rbd_completion_t completion)
{
	(void)image, (void)offset, (void)length, (void)data, (void)completion;
	__atomic_fetch_add(&stub_submissions, 1, __ATOMIC_RELAXED);
	return stub_answer;
}

static int aio_write(rbd_image_t image, uint64_t offset, size_t length, const char *data, rbd_completion_t completion)
{
	(void)image, (void)offset, (void)length, (void)data, (void)completion;
	__atomic_fetch_add(&stub_submissions, 1, __ATOMIC_RELAXED);
	return stub_answer;
}

static int aio_writev(rbd_image_t image, const struct iovec *vector, int count, uint64_t offset, rbd_completion_t completion)
{
	(void)image, (void)vector, (void)count, (void)offset, (void)completion;
	__atomic_fetch_add(&stub_submissions, 1, __ATOMIC_RELAXED);
	return stub_answer;
}

static ssize_t read_now(rbd_image_t image, uint64_t offset, size_t length, char *data)
{
	(void)image, (void)offset, (void)data;
	__atomic_fetch_add(&stub_submissions, 1, __ATOMIC_RELAXED);
	return stub_answer < 0 ? stub_answer : (ssize_t)length;
}

static int read_iterate2(rbd_image_t image, uint64_t offset, uint64_t length, int (*each)(uint64_t, size_t, const char *, void *),
			 void *arg)
{
	(void)image;
	__atomic_fetch_add(&stub_submissions, 1, __ATOMIC_RELAXED);
	return each(offset, length, "", arg);
}

void stubs_install(void)
{
	stub_answer = stub_submissions = polled_count = 0;
	real_find_rbd();
	real.cxx_aio_create_completion = NULL;
	real.cxx_aio_is_complete = NULL;
	real.cxx_aio_wait_for_complete = NULL;
	real.cxx_aio_get_return_value = NULL;
	real.cxx_aio_get_arg = NULL;
	real.cxx_aio_release = NULL;
	real.rbd_aio_create_completion = create;
	real.rbd_aio_is_complete = is_complete;
	real.rbd_aio_wait_for_complete = wait_for_complete;
	real.rbd_aio_get_return_value = get_return_value;
	real.rbd_aio_get_arg = get_arg;
	real.rbd_aio_release = release;
	real.rbd_poll_io_events = poll_io_events;
	real.rbd_set_image_notification = set_image_notification;
	real.rbd_open = real.rbd_open_by_id = real.rbd_open_read_only = real.rbd_open_by_id_read_only = open_image;
	real.rbd_aio_open = real.rbd_aio_open_by_id = real.rbd_aio_open_read_only = real.rbd_aio_open_by_id_read_only = open_later;
	real.rbd_close = close_image;
	real.rbd_aio_close = close_later;
	real.rbd_aio_read = aio_read;
	real.rbd_aio_write = aio_write;
	real.rbd_aio_writev = aio_writev;
	real.rbd_read = read_now;
	real.rbd_read_iterate2 = read_iterate2;
}

void stubs_layer(void)
{
	real.cxx_aio_create_completion = construct;
	real.cxx_aio_is_complete = is_complete_cxx;
	real.cxx_aio_wait_for_complete = wait_for_complete;
	real.cxx_aio_get_return_value = get_return_value;
	real.cxx_aio_get_arg = get_arg;
	real.cxx_aio_release = release;
	real.rbd_aio_create_completion = create_through_cxx;
	real.rbd_aio_is_complete = is_complete_through_cxx;
	real.rbd_aio_wait_for_complete = cxx_aio_wait_for_complete;
	real.rbd_aio_get_return_value = cxx_aio_get_return_value;
	real.rbd_aio_get_arg = cxx_aio_get_arg;
	real.rbd_aio_release = cxx_aio_release;
}

void stub_finish(rbd_completion_t c, ssize_t result)
{
	struct stub_completion *completion = c;

	completion->result = result;
	completion->complete = true;
	if (completion->callback)
		completion->callback(completion, completion->arg);
}

void stub_poll(rbd_completion_t *completions, int count)
{
	polled = completions;
	polled_count = count;
}

void stub_next_handle(rbd_image_t handle)
{
	next_handle = handle;
}

void stub_open(rbd_image_t handle)
{
	rbd_image_t opened = NULL;

	stub_next_handle(handle);
	if (rbd_open(NULL, "image", &opened, NULL) || opened != handle)
		abort();
}
