/* Opening and closing images, blocking and asynchronous, through the C interface or the C++ one. */
#include <string.h>

#include "preload/clients.h"
#include "preload/counters.h"
#include "preload/images.h"
#include "preload/real.h"
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

/* One of these functions may have been called by another one of them, within librbd. */
static int opened(int result, uint64_t begin_ns, rados_ioctx_t pool, rbd_image_t *handle, const char *snapshot, bool read_only)
{
	if (begin_ns && result >= 0 && !images_find(*handle)) {
		images_opened(*handle, pool, snapshot, read_only, recorder_now_ns() - begin_ns);
		counters_image_opened();
	}
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

/* What the object has open is closed first. */
static uint64_t begin_open_cxx(struct cxx_ioctx *pool, const struct cxx_image *image)
{
	images_closed(images_forget(image->handle), 0, 0);
	return begin_open(pool->ioctx);
}

WRAPS(cxx_open)
int cxx_open(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open)(rbd, pool, image, name, snapshot), begin_ns, pool->ioctx, &image->handle, snapshot, false);
}

WRAPS(cxx_open_head)
int cxx_open_head(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open_head)(rbd, pool, image, name), begin_ns, pool->ioctx, &image->handle, NULL, false);
}

WRAPS(cxx_open_by_id)
int cxx_open_by_id(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open_by_id)(rbd, pool, image, id, snapshot), begin_ns, pool->ioctx, &image->handle, snapshot, false);
}

WRAPS(cxx_open_by_id_head)
int cxx_open_by_id_head(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open_by_id_head)(rbd, pool, image, id), begin_ns, pool->ioctx, &image->handle, NULL, false);
}

WRAPS(cxx_open_read_only)
int cxx_open_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open_read_only)(rbd, pool, image, name, snapshot), begin_ns, pool->ioctx, &image->handle, snapshot, true);
}

WRAPS(cxx_open_by_id_read_only)
int cxx_open_by_id_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot)
{
	uint64_t begin_ns = begin_open_cxx(pool, image);

	return opened(REAL(cxx_open_by_id_read_only)(rbd, pool, image, id, snapshot), begin_ns, pool->ioctx, &image->handle, snapshot,
		      true);
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

static struct record *begin_aio_open_cxx(rbd_completion_t completion, struct cxx_ioctx *pool, struct cxx_image *image, const char *snapshot,
					 bool read_only)
{
	images_closed(images_forget(image->handle), 0, 0);
	return begin_aio_open(completion, pool->ioctx, &image->handle, snapshot, read_only);
}

WRAPS(cxx_aio_open)
int cxx_aio_open(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot,
		 rbd_completion_t completion)
{
	struct record *record = begin_aio_open_cxx(completion, pool, image, snapshot, false);

	return submitted(record, REAL(cxx_aio_open)(rbd, pool, image, name, snapshot, completion));
}

WRAPS(cxx_aio_open_by_id)
int cxx_aio_open_by_id(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot,
		       rbd_completion_t completion)
{
	struct record *record = begin_aio_open_cxx(completion, pool, image, snapshot, false);

	return submitted(record, REAL(cxx_aio_open_by_id)(rbd, pool, image, id, snapshot, completion));
}

WRAPS(cxx_aio_open_read_only)
int cxx_aio_open_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot,
			   rbd_completion_t completion)
{
	struct record *record = begin_aio_open_cxx(completion, pool, image, snapshot, true);

	return submitted(record, REAL(cxx_aio_open_read_only)(rbd, pool, image, name, snapshot, completion));
}

WRAPS(cxx_aio_open_by_id_read_only)
int cxx_aio_open_by_id_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot,
				 rbd_completion_t completion)
{
	struct record *record = begin_aio_open_cxx(completion, pool, image, snapshot, true);

	return submitted(record, REAL(cxx_aio_open_by_id_read_only)(rbd, pool, image, id, snapshot, completion));
}

struct closing {
	uint64_t begin_ns;
	uint32_t number; /* of the image; 0: unknown */
};

/* Before the real call: the handle may be another's at once after it. */
static struct closing begin_close(rbd_image_t handle)
{
	return (struct closing){recorder_now_ns(), images_forget(handle)};
}

static int closed(int result, struct closing closing)
{
	images_closed(closing.number, recorder_now_ns() - closing.begin_ns, result);
	return result;
}

WRAPS(rbd_close)
int rbd_close(rbd_image_t handle)
{
	struct closing closing = begin_close(handle);

	return closed(REAL(rbd_close)(handle), closing);
}

WRAPS(cxx_close)
int cxx_close(struct cxx_image *image)
{
	struct closing closing = begin_close(image->handle);

	return closed(REAL(cxx_close)(image), closing);
}

WRAPS(cxx_destroy)
void cxx_destroy(struct cxx_image *image)
{
	struct closing closing = begin_close(image->handle);

	REAL(cxx_destroy)(image);
	closed(0, closing);
}

static struct record *begin_aio_close(rbd_image_t handle, rbd_completion_t completion)
{
	struct closing closing = begin_close(handle);
	struct record *record = closing.number ? record_find(completion) : NULL;

	if (record) {
		record_claim(record, RECORD_CLOSE);
		record->start_ns = closing.begin_ns;
		record->close_image = closing.number;
	}
	return record;
}

WRAPS(rbd_aio_close)
int rbd_aio_close(rbd_image_t handle, rbd_completion_t completion)
{
	struct record *record = begin_aio_close(handle, completion);

	return submitted(record, REAL(rbd_aio_close)(handle, completion));
}

WRAPS(cxx_aio_close)
int cxx_aio_close(struct cxx_image *image, rbd_completion_t completion)
{
	struct record *record = begin_aio_close(image->handle, completion);

	return submitted(record, REAL(cxx_aio_close)(image, completion));
}
