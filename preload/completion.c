/* The life of completions, and the application's looks at them, through the C interface or the C++ one. */
#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"

WRAPS(rbd_aio_create_completion)
int rbd_aio_create_completion(void *arg, rbd_callback_t callback, rbd_completion_t *completion)
{
	struct record *record = recorder_enabled() ? record_create(callback, arg) : NULL;
	int result;

	if (!record)
		return REAL(rbd_aio_create_completion)(arg, callback, completion);
	result = REAL(rbd_aio_create_completion)(record, callback ? record_callback : NULL, completion);
	if (result < 0)
		record_cancel(record);
	return result;
}

/* librbd's C function makes its completion here, and the argument is a record already. */
WRAPS(cxx_aio_create_completion)
void cxx_aio_create_completion(rbd_completion_t completion, void *arg, rbd_callback_t callback)
{
	struct record *record = recorder_enabled() && !record_from_arg(arg) ? record_create(callback, arg) : NULL;

	if (record)
		REAL(cxx_aio_create_completion)(completion, record, callback ? record_callback : NULL);
	else
		REAL(cxx_aio_create_completion)(completion, arg, callback);
}

WRAPS(rbd_aio_get_arg)
void *rbd_aio_get_arg(rbd_completion_t completion)
{
	struct record *record = record_find(completion);

	return record ? record->arg : REAL(rbd_aio_get_arg)(completion);
}

WRAPS(cxx_aio_get_arg)
void *cxx_aio_get_arg(rbd_completion_t completion)
{
	void *arg = REAL(cxx_aio_get_arg)(completion);
	struct record *record = record_from_arg(arg);

	return record ? record->arg : arg;
}

/* record: the completion's; NULL when it was passed through. */
static void look(struct record *record, rbd_completion_t completion)
{
	uint64_t request = record ? record_look(record, completion) : 0;

	if (request)
		record_reap(request, recorder_now_ns());
}

WRAPS(rbd_aio_is_complete)
int rbd_aio_is_complete(rbd_completion_t completion)
{
	int result = REAL(rbd_aio_is_complete)(completion);

	if (result)
		look(record_find(completion), completion);
	return result;
}

WRAPS(cxx_aio_is_complete)
bool cxx_aio_is_complete(rbd_completion_t completion)
{
	bool result = REAL(cxx_aio_is_complete)(completion);

	if (result)
		look(record_find(completion), completion);
	return result;
}

WRAPS(rbd_aio_wait_for_complete)
int rbd_aio_wait_for_complete(rbd_completion_t completion)
{
	int result = REAL(rbd_aio_wait_for_complete)(completion);

	look(record_find(completion), completion);
	return result;
}

WRAPS(cxx_aio_wait_for_complete)
int cxx_aio_wait_for_complete(rbd_completion_t completion)
{
	int result = REAL(cxx_aio_wait_for_complete)(completion);

	look(record_find(completion), completion);
	return result;
}

/* Asking for the result, or letting go, is a look only once there is a result. */
static struct record *look_at_result(rbd_completion_t completion)
{
	struct record *record = record_find(completion);

	if (record && (record->callback || ASK(aio_is_complete, completion)))
		look(record, completion);
	return record;
}

WRAPS(rbd_aio_get_return_value)
ssize_t rbd_aio_get_return_value(rbd_completion_t completion)
{
	look_at_result(completion);
	return REAL(rbd_aio_get_return_value)(completion);
}

WRAPS(cxx_aio_get_return_value)
ssize_t cxx_aio_get_return_value(rbd_completion_t completion)
{
	look_at_result(completion);
	return REAL(cxx_aio_get_return_value)(completion);
}

WRAPS(rbd_aio_release)
void rbd_aio_release(rbd_completion_t completion)
{
	struct record *record = look_at_result(completion);

	if (record)
		record_release(record, completion);
	else
		REAL(rbd_aio_release)(completion);
}

WRAPS(cxx_aio_release)
void cxx_aio_release(rbd_completion_t completion)
{
	struct record *record = look_at_result(completion);

	if (record)
		record_release(record, completion);
	else
		REAL(cxx_aio_release)(completion);
}

/* Completions that the application was handed. */
static void look_at_each(rbd_completion_t *completions, int count)
{
	uint64_t now_ns = recorder_now_ns();

	for (int i = 0; i < count; i++) {
		struct record *record = record_find(completions[i]);
		uint64_t request = record ? record_look(record, completions[i]) : 0;

		if (request)
			record_reap(request, now_ns);
	}
}

WRAPS(rbd_poll_io_events)
int rbd_poll_io_events(rbd_image_t image, rbd_completion_t *completions, int most)
{
	int count = REAL(rbd_poll_io_events)(image, completions, most);

	look_at_each(completions, count);
	return count;
}

WRAPS(cxx_poll_io_events)
int cxx_poll_io_events(struct cxx_image *image, rbd_completion_t *completions, int most)
{
	int count = REAL(cxx_poll_io_events)(image, completions, most);

	look_at_each(completions, count);
	return count;
}

static int notifies(int result, rbd_image_t handle)
{
	struct image *image = result >= 0 ? images_find(handle) : NULL;

	if (image)
		images_set_notifies(image);
	return result;
}

WRAPS(rbd_set_image_notification)
int rbd_set_image_notification(rbd_image_t image, int fd, int type)
{
	return notifies(REAL(rbd_set_image_notification)(image, fd, type), image);
}

WRAPS(cxx_set_image_notification)
int cxx_set_image_notification(struct cxx_image *image, int fd, int type)
{
	return notifies(REAL(cxx_set_image_notification)(image, fd, type), image->handle);
}
