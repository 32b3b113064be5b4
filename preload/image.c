/* Opening and closing images, blocking and asynchronous. */
#include <string.h>

#include "preload/clients.h"
#include "preload/images.h"
#include "preload/real.h"
#include "preload/reaps.h"
#include "preload/record.h"
#include "preload/recorder.h"

/* Before the real call: the tracer has to be there when the image's first request comes. Returns S, 0 when the shim stands aside. */
static uint64_t begin_open(rados_ioctx_t pool)
{
	if (!recorder_enabled())
		return 0;
	recorder_start();
	clients_note(pool);
	return recorder_now_ns();
}

static int opened(int result, uint64_t begin_ns, rados_ioctx_t pool, rbd_image_t *handle, const char *snapshot, bool read_only)
{
	if (begin_ns && result >= 0)
		images_opened(*handle, pool, snapshot, read_only, recorder_now_ns() - begin_ns);
	return result;
}

WRAPS(rbd_open)
int rbd_open(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot)
{
	uint64_t begin_ns = begin_open(pool);

	return opened(REAL(rbd_open)(pool, name, handle, snapshot), begin_ns, pool, handle, snapshot, false);
}

WRAPS(rbd_open_by_id)
int rbd_open_by_id(rados_ioctx_t pool, const char *id, rbd_image_t *handle, const char *snapshot)
{
	uint64_t begin_ns = begin_open(pool);

	return opened(REAL(rbd_open_by_id)(pool, id, handle, snapshot), begin_ns, pool, handle, snapshot, false);
}

WRAPS(rbd_open_read_only)
int rbd_open_read_only(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot)
{
	uint64_t begin_ns = begin_open(pool);

	return opened(REAL(rbd_open_read_only)(pool, name, handle, snapshot), begin_ns, pool, handle, snapshot, true);
}

WRAPS(rbd_open_by_id_read_only)
int rbd_open_by_id_read_only(rados_ioctx_t pool, const char *id, rbd_image_t *handle, const char *snapshot)
{
	uint64_t begin_ns = begin_open(pool);

	return opened(REAL(rbd_open_by_id_read_only)(pool, id, handle, snapshot), begin_ns, pool, handle, snapshot, true);
}

/* The handle is filled in when the completion is: what its description needs is kept with the completion. */
static struct record *begin_aio_open(rbd_completion_t completion, rados_ioctx_t pool, rbd_image_t *handle, const char *snapshot, bool read_only)
{
	uint64_t begin_ns = begin_open(pool);
	struct record *record = begin_ns ? record_find(completion) : NULL;

	if (!record)
		return NULL;
	record_claim(record, RECORD_OPEN);
	record->start_ns = begin_ns;
	record->open_handle = handle;
	record->open_pool = pool;
	record->open_read_only = read_only;
	record->open_snapshot[0] = '\0';
	if (snapshot)
		strncat(record->open_snapshot, snapshot, sizeof(record->open_snapshot) - 1);
	return record;
}

static int submitted(struct record *record, int result)
{
	if (record && result < 0)
		record_refused(record, result);
	return result;
}

WRAPS(rbd_aio_open)
int rbd_aio_open(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)
{
	struct record *record = begin_aio_open(completion, pool, handle, snapshot, false);

	return submitted(record, REAL(rbd_aio_open)(pool, name, handle, snapshot, completion));
}

WRAPS(rbd_aio_open_by_id)
int rbd_aio_open_by_id(rados_ioctx_t pool, const char *id, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)
{
	struct record *record = begin_aio_open(completion, pool, handle, snapshot, false);

	return submitted(record, REAL(rbd_aio_open_by_id)(pool, id, handle, snapshot, completion));
}

WRAPS(rbd_aio_open_read_only)
int rbd_aio_open_read_only(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)
{
	struct record *record = begin_aio_open(completion, pool, handle, snapshot, true);

	return submitted(record, REAL(rbd_aio_open_read_only)(pool, name, handle, snapshot, completion));
}

WRAPS(rbd_aio_open_by_id_read_only)
int rbd_aio_open_by_id_read_only(rados_ioctx_t pool, const char *id, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion)
{
	struct record *record = begin_aio_open(completion, pool, handle, snapshot, true);

	return submitted(record, REAL(rbd_aio_open_by_id_read_only)(pool, id, handle, snapshot, completion));
}

WRAPS(rbd_close)
int rbd_close(rbd_image_t handle)
{
	uint64_t begin_ns = recorder_now_ns();
	uint32_t number = images_forget(handle);
	int result;

	reaps_say();
	result = REAL(rbd_close)(handle);

	images_closed(number, recorder_now_ns() - begin_ns, result);
	return result;
}

WRAPS(rbd_aio_close)
int rbd_aio_close(rbd_image_t handle, rbd_completion_t completion)
{
	uint32_t number = images_forget(handle);
	struct record *record = number ? record_find(completion) : NULL;

	if (record) {
		record_claim(record, RECORD_CLOSE);
		record->start_ns = recorder_now_ns();
		record->close_image = number;
	}
	reaps_say();
	return submitted(record, REAL(rbd_aio_close)(handle, completion));
}
