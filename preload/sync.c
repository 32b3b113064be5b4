/* Blocking requests, of the C interface and of the C++ one. */
#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"

struct blocking {
	struct record *record; /* NULL: let through */
	uint64_t before;       /* the request in whose call this one was made */
	int64_t result;
};

static struct blocking begin(rbd_image_t handle, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes)
{
	struct image *image = images_find(handle);
	struct blocking call = {.result = -EINTR}; /* what a call that is left by an exception, a caller's callback's, ends with */

	if (image)
		call.record = record_begin_synchronous(image, kind, offset_bytes, length_bytes);
	else
		record_pass_through();
	call.before = recorder_enter_call(call.record ? call.record->request.request : 0);
	return call;
}

static void end(struct blocking *call)
{
	recorder_leave_call(&call->before);
	if (call->record)
		record_end_synchronous(call->record, call->result);
}

#define BLOCK(handle, kind, offset, length, call)                                                                                          \
	do {                                                                                                                               \
		struct blocking blocking_ __attribute__((cleanup(end))) = begin(handle, RBDPROF_##kind, offset, length);                   \
		__typeof__(call) result_ = call;                                                                                           \
		blocking_.result = result_;                                                                                                \
		return result_;                                                                                                            \
	} while (0)

WRAPS(rbd_read)
ssize_t rbd_read(rbd_image_t image, uint64_t offset, size_t length, char *data)
{
	BLOCK(image, READ, offset, length, REAL(rbd_read)(image, offset, length, data));
}

WRAPS(rbd_read2)
ssize_t rbd_read2(rbd_image_t image, uint64_t offset, size_t length, char *data, int flags)
{
	BLOCK(image, READ, offset, length, REAL(rbd_read2)(image, offset, length, data, flags));
}

WRAPS(rbd_read_iterate)
int64_t rbd_read_iterate(rbd_image_t image, uint64_t offset, size_t length, int (*each)(uint64_t, size_t, const char *, void *), void *arg)
{
	BLOCK(image, READ, offset, length, REAL(rbd_read_iterate)(image, offset, length, each, arg));
}

WRAPS(rbd_read_iterate2)
int rbd_read_iterate2(rbd_image_t image, uint64_t offset, uint64_t length, int (*each)(uint64_t, size_t, const char *, void *), void *arg)
{
	BLOCK(image, READ, offset, length, REAL(rbd_read_iterate2)(image, offset, length, each, arg));
}

WRAPS(rbd_write)
ssize_t rbd_write(rbd_image_t image, uint64_t offset, size_t length, const char *data)
{
	BLOCK(image, WRITE, offset, length, REAL(rbd_write)(image, offset, length, data));
}

WRAPS(rbd_write2)
ssize_t rbd_write2(rbd_image_t image, uint64_t offset, size_t length, const char *data, int flags)
{
	BLOCK(image, WRITE, offset, length, REAL(rbd_write2)(image, offset, length, data, flags));
}

WRAPS(rbd_discard)
int rbd_discard(rbd_image_t image, uint64_t offset, uint64_t length)
{
	BLOCK(image, DISCARD, offset, length, REAL(rbd_discard)(image, offset, length));
}

WRAPS(rbd_writesame)
ssize_t rbd_writesame(rbd_image_t image, uint64_t offset, size_t length, const char *data, size_t data_length, int flags)
{
	BLOCK(image, WRITESAME, offset, length, REAL(rbd_writesame)(image, offset, length, data, data_length, flags));
}

WRAPS(rbd_write_zeroes)
ssize_t rbd_write_zeroes(rbd_image_t image, uint64_t offset, size_t length, int zero_flags, int flags)
{
	BLOCK(image, WRITE_ZEROES, offset, length, REAL(rbd_write_zeroes)(image, offset, length, zero_flags, flags));
}

WRAPS(rbd_compare_and_write)
ssize_t rbd_compare_and_write(rbd_image_t image, uint64_t offset, size_t length, const char *expected, const char *data, uint64_t *mismatch,
			      int flags)
{
	BLOCK(image, COMPARE_AND_WRITE, offset, length,
	      REAL(rbd_compare_and_write)(image, offset, length, expected, data, mismatch, flags));
}

WRAPS(rbd_flush)
int rbd_flush(rbd_image_t image)
{
	BLOCK(image, FLUSH, 0, 0, REAL(rbd_flush)(image));
}

WRAPS(rbd_invalidate_cache)
int rbd_invalidate_cache(rbd_image_t image)
{
	BLOCK(image, INVALIDATE_CACHE, 0, 0, REAL(rbd_invalidate_cache)(image));
}

WRAPS(cxx_read)
ssize_t cxx_read(struct cxx_image *image, uint64_t offset, size_t length, void *data)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read)(image, offset, length, data));
}

WRAPS(cxx_read_14)
ssize_t cxx_read_14(struct cxx_image *image, uint64_t offset, size_t length, void *data)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read_14)(image, offset, length, data));
}

WRAPS(cxx_read2)
ssize_t cxx_read2(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read2)(image, offset, length, data, flags));
}

WRAPS(cxx_read2_14)
ssize_t cxx_read2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read2_14)(image, offset, length, data, flags));
}

WRAPS(cxx_read_iterate)
int64_t cxx_read_iterate(struct cxx_image *image, uint64_t offset, size_t length, int (*each)(uint64_t, size_t, const char *, void *),
			 void *arg)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read_iterate)(image, offset, length, each, arg));
}

WRAPS(cxx_read_iterate2)
int cxx_read_iterate2(struct cxx_image *image, uint64_t offset, uint64_t length, int (*each)(uint64_t, size_t, const char *, void *),
		      void *arg)
{
	BLOCK(image->handle, READ, offset, length, REAL(cxx_read_iterate2)(image, offset, length, each, arg));
}

WRAPS(cxx_write)
ssize_t cxx_write(struct cxx_image *image, uint64_t offset, size_t length, void *data)
{
	BLOCK(image->handle, WRITE, offset, length, REAL(cxx_write)(image, offset, length, data));
}

WRAPS(cxx_write_14)
ssize_t cxx_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *data)
{
	BLOCK(image->handle, WRITE, offset, length, REAL(cxx_write_14)(image, offset, length, data));
}

WRAPS(cxx_write2)
ssize_t cxx_write2(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, WRITE, offset, length, REAL(cxx_write2)(image, offset, length, data, flags));
}

WRAPS(cxx_write2_14)
ssize_t cxx_write2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, WRITE, offset, length, REAL(cxx_write2_14)(image, offset, length, data, flags));
}

WRAPS(cxx_discard)
int cxx_discard(struct cxx_image *image, uint64_t offset, uint64_t length)
{
	BLOCK(image->handle, DISCARD, offset, length, REAL(cxx_discard)(image, offset, length));
}

WRAPS(cxx_writesame)
ssize_t cxx_writesame(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, WRITESAME, offset, length, REAL(cxx_writesame)(image, offset, length, data, flags));
}

WRAPS(cxx_writesame_14)
ssize_t cxx_writesame_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags)
{
	BLOCK(image->handle, WRITESAME, offset, length, REAL(cxx_writesame_14)(image, offset, length, data, flags));
}

WRAPS(cxx_write_zeroes)
ssize_t cxx_write_zeroes(struct cxx_image *image, uint64_t offset, size_t length, int zero_flags, int flags)
{
	BLOCK(image->handle, WRITE_ZEROES, offset, length, REAL(cxx_write_zeroes)(image, offset, length, zero_flags, flags));
}

WRAPS(cxx_compare_and_write)
ssize_t cxx_compare_and_write(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data, uint64_t *mismatch,
			      int flags)
{
	BLOCK(image->handle, COMPARE_AND_WRITE, offset, length,
	      REAL(cxx_compare_and_write)(image, offset, length, expected, data, mismatch, flags));
}

WRAPS(cxx_compare_and_write_14)
ssize_t cxx_compare_and_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data, uint64_t *mismatch,
				 int flags)
{
	BLOCK(image->handle, COMPARE_AND_WRITE, offset, length,
	      REAL(cxx_compare_and_write_14)(image, offset, length, expected, data, mismatch, flags));
}

WRAPS(cxx_flush)
int cxx_flush(struct cxx_image *image)
{
	BLOCK(image->handle, FLUSH, 0, 0, REAL(cxx_flush)(image));
}

WRAPS(cxx_invalidate_cache)
int cxx_invalidate_cache(struct cxx_image *image)
{
	BLOCK(image->handle, INVALIDATE_CACHE, 0, 0, REAL(cxx_invalidate_cache)(image));
}
