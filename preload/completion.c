/* The life of completions, and the application's looks at them. */
#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"

#define REAP_AT_ONCE 64

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

WRAPS(rbd_aio_get_arg)
void *rbd_aio_get_arg(rbd_completion_t completion)
{
	struct record *record = record_find(completion);

	return record ? record->arg : REAL(rbd_aio_get_arg)(completion);
}

static void look(rbd_completion_t completion)
{
	struct record *record = record_find(completion);
	uint64_t request = record ? record_look(record, completion) : 0;

	if (request)
		record_reap(&request, 1);
}

WRAPS(rbd_aio_is_complete)
int rbd_aio_is_complete(rbd_completion_t completion)
{
	int result = REAL(rbd_aio_is_complete)(completion);

	if (result)
		look(completion);
	return result;
}

WRAPS(rbd_aio_wait_for_complete)
int rbd_aio_wait_for_complete(rbd_completion_t completion)
{
	int result = REAL(rbd_aio_wait_for_complete)(completion);

	look(completion);
	return result;
}

/* Asking for the result is a look only once there is one. */
WRAPS(rbd_aio_get_return_value)
ssize_t rbd_aio_get_return_value(rbd_completion_t completion)
{
	struct record *record = record_find(completion);

	if (record && (record->callback || REAL(rbd_aio_is_complete)(completion)))
		look(completion);
	return REAL(rbd_aio_get_return_value)(completion);
}

WRAPS(rbd_aio_release)
void rbd_aio_release(rbd_completion_t completion)
{
	struct record *record = record_find(completion);

	if (record && (record->callback || REAL(rbd_aio_is_complete)(completion)))
		look(completion);
	if (record)
		record_release(record, completion);
	else
		REAL(rbd_aio_release)(completion);
}

WRAPS(rbd_poll_io_events)
int rbd_poll_io_events(rbd_image_t image, rbd_completion_t *completions, int most)
{
	int count = REAL(rbd_poll_io_events)(image, completions, most);
	uint64_t requests[REAP_AT_ONCE];
	size_t reaped = 0;

	for (int i = 0; i < count; i++) {
		struct record *record = record_find(completions[i]);
		uint64_t request = record ? record_look(record, completions[i]) : 0;

		if (request)
			requests[reaped++] = request;
		if (reaped == REAP_AT_ONCE || (i == count - 1 && reaped)) {
			record_reap(requests, reaped);
			reaped = 0;
		}
	}
	return count;
}

WRAPS(rbd_set_image_notification)
int rbd_set_image_notification(rbd_image_t handle, int fd, int type)
{
	int result = REAL(rbd_set_image_notification)(handle, fd, type);
	struct image *image = result >= 0 ? images_find(handle) : NULL;

	if (image)
		images_set_notifies(image);
	return result;
}
