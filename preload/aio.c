/* Asynchronous requests, of the C interface and of the C++ one. */
#include <sys/uio.h>

#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"

/* Before the real call. A completion or an image that is not ours is let through and counted. */
static struct record *submit(rbd_image_t handle, rbd_completion_t completion, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes)
{
	struct record *record = record_find(completion);
	struct image *image = record ? images_find(handle) : NULL;

	if (!image) {
		record_pass_through();
		return NULL;
	}
	record_submit(record, image, kind, offset_bytes, length_bytes);
	return record;
}

static uint64_t vector_bytes(const struct iovec *vector, int count)
{
	uint64_t sum = 0;

	for (int i = 0; vector && i < count; i++)
		sum += vector[i].iov_len;
	return sum;
}

/* The real call, which may complete the request and free its record before it returns: only an error, after which no callback comes,
 * leaves the record ours. */
#define SUBMIT(handle, kind, offset, length, call)                                                                                         \
	do {                                                                                                                               \
		struct record *record_ = submit(handle, completion, RBDPROF_##kind, offset, length);                                       \
		uint64_t before_ __attribute__((cleanup(recorder_leave_call))) =                                                           \
		    recorder_enter_call(record_ ? record_->request.request : 0);                                                           \
		__typeof__(call) result_ = call;                                                                                           \
		if (record_ && result_ < 0)                                                                                                \
			record_refused(record_, result_);                                                                                  \
		return result_;                                                                                                            \
	} while (0)

WRAPS(rbd_aio_read)
int rbd_aio_read(rbd_image_t image, uint64_t offset, size_t length, char *data, rbd_completion_t completion)
{
	SUBMIT(image, READ, offset, length, REAL(rbd_aio_read)(image, offset, length, data, completion));
}

WRAPS(rbd_aio_read2)
int rbd_aio_read2(rbd_image_t image, uint64_t offset, size_t length, char *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image, READ, offset, length, REAL(rbd_aio_read2)(image, offset, length, data, completion, flags));
}

WRAPS(rbd_aio_readv)
int rbd_aio_readv(rbd_image_t image, const struct iovec *vector, int count, uint64_t offset, rbd_completion_t completion)
{
	SUBMIT(image, READ, offset, vector_bytes(vector, count), REAL(rbd_aio_readv)(image, vector, count, offset, completion));
}

WRAPS(rbd_aio_write)
int rbd_aio_write(rbd_image_t image, uint64_t offset, size_t length, const char *data, rbd_completion_t completion)
{
	SUBMIT(image, WRITE, offset, length, REAL(rbd_aio_write)(image, offset, length, data, completion));
}

WRAPS(rbd_aio_write2)
int rbd_aio_write2(rbd_image_t image, uint64_t offset, size_t length, const char *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image, WRITE, offset, length, REAL(rbd_aio_write2)(image, offset, length, data, completion, flags));
}

WRAPS(rbd_aio_writev)
int rbd_aio_writev(rbd_image_t image, const struct iovec *vector, int count, uint64_t offset, rbd_completion_t completion)
{
	SUBMIT(image, WRITE, offset, vector_bytes(vector, count), REAL(rbd_aio_writev)(image, vector, count, offset, completion));
}

WRAPS(rbd_aio_write_with_crc32c)
int rbd_aio_write_with_crc32c(rbd_image_t image, uint64_t offset, size_t length, const char *data, uint32_t crc32c,
			      rbd_completion_t completion, int flags)
{
	SUBMIT(image, WRITE, offset, length, REAL(rbd_aio_write_with_crc32c)(image, offset, length, data, crc32c, completion, flags));
}

WRAPS(rbd_aio_discard)
int rbd_aio_discard(rbd_image_t image, uint64_t offset, uint64_t length, rbd_completion_t completion)
{
	SUBMIT(image, DISCARD, offset, length, REAL(rbd_aio_discard)(image, offset, length, completion));
}

WRAPS(rbd_aio_writesame)
int rbd_aio_writesame(rbd_image_t image, uint64_t offset, size_t length, const char *data, size_t data_length, rbd_completion_t completion,
		      int flags)
{
	SUBMIT(image, WRITESAME, offset, length, REAL(rbd_aio_writesame)(image, offset, length, data, data_length, completion, flags));
}

WRAPS(rbd_aio_write_zeroes)
int rbd_aio_write_zeroes(rbd_image_t image, uint64_t offset, size_t length, rbd_completion_t completion, int zero_flags, int flags)
{
	SUBMIT(image, WRITE_ZEROES, offset, length, REAL(rbd_aio_write_zeroes)(image, offset, length, completion, zero_flags, flags));
}

WRAPS(rbd_aio_compare_and_write)
ssize_t rbd_aio_compare_and_write(rbd_image_t image, uint64_t offset, size_t length, const char *expected, const char *data,
				  rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	SUBMIT(image, COMPARE_AND_WRITE, offset, length,
	       REAL(rbd_aio_compare_and_write)(image, offset, length, expected, data, completion, mismatch, flags));
}

WRAPS(rbd_aio_compare_and_writev)
ssize_t rbd_aio_compare_and_writev(rbd_image_t image, uint64_t offset, const struct iovec *expected, int expected_count,
				   const struct iovec *vector, int count, rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	SUBMIT(image, COMPARE_AND_WRITE, offset, vector_bytes(vector, count),
	       REAL(rbd_aio_compare_and_writev)(image, offset, expected, expected_count, vector, count, completion, mismatch, flags));
}

WRAPS(rbd_aio_flush)
int rbd_aio_flush(rbd_image_t image, rbd_completion_t completion)
{
	SUBMIT(image, FLUSH, 0, 0, REAL(rbd_aio_flush)(image, completion));
}

WRAPS(cxx_aio_read)
int cxx_aio_read(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion)
{
	SUBMIT(image->handle, READ, offset, length, REAL(cxx_aio_read)(image, offset, length, data, completion));
}

WRAPS(cxx_aio_read_14)
int cxx_aio_read_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion)
{
	SUBMIT(image->handle, READ, offset, length, REAL(cxx_aio_read_14)(image, offset, length, data, completion));
}

WRAPS(cxx_aio_read2)
int cxx_aio_read2(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, READ, offset, length, REAL(cxx_aio_read2)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_read2_14)
int cxx_aio_read2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, READ, offset, length, REAL(cxx_aio_read2_14)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_write)
int cxx_aio_write(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion)
{
	SUBMIT(image->handle, WRITE, offset, length, REAL(cxx_aio_write)(image, offset, length, data, completion));
}

WRAPS(cxx_aio_write_14)
int cxx_aio_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion)
{
	SUBMIT(image->handle, WRITE, offset, length, REAL(cxx_aio_write_14)(image, offset, length, data, completion));
}

WRAPS(cxx_aio_write2)
int cxx_aio_write2(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, WRITE, offset, length, REAL(cxx_aio_write2)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_write2_14)
int cxx_aio_write2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, WRITE, offset, length, REAL(cxx_aio_write2_14)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_discard)
int cxx_aio_discard(struct cxx_image *image, uint64_t offset, uint64_t length, rbd_completion_t completion)
{
	SUBMIT(image->handle, DISCARD, offset, length, REAL(cxx_aio_discard)(image, offset, length, completion));
}

WRAPS(cxx_aio_writesame)
int cxx_aio_writesame(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, WRITESAME, offset, length, REAL(cxx_aio_writesame)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_writesame_14)
int cxx_aio_writesame_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags)
{
	SUBMIT(image->handle, WRITESAME, offset, length, REAL(cxx_aio_writesame_14)(image, offset, length, data, completion, flags));
}

WRAPS(cxx_aio_write_zeroes)
int cxx_aio_write_zeroes(struct cxx_image *image, uint64_t offset, size_t length, rbd_completion_t completion, int zero_flags, int flags)
{
	SUBMIT(image->handle, WRITE_ZEROES, offset, length,
	       REAL(cxx_aio_write_zeroes)(image, offset, length, completion, zero_flags, flags));
}

WRAPS(cxx_aio_compare_and_write)
int cxx_aio_compare_and_write(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data,
			      rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	SUBMIT(image->handle, COMPARE_AND_WRITE, offset, length,
	       REAL(cxx_aio_compare_and_write)(image, offset, length, expected, data, completion, mismatch, flags));
}

WRAPS(cxx_aio_compare_and_write_14)
int cxx_aio_compare_and_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data,
				 rbd_completion_t completion, uint64_t *mismatch, int flags)
{
	SUBMIT(image->handle, COMPARE_AND_WRITE, offset, length,
	       REAL(cxx_aio_compare_and_write_14)(image, offset, length, expected, data, completion, mismatch, flags));
}

WRAPS(cxx_aio_flush)
int cxx_aio_flush(struct cxx_image *image, rbd_completion_t completion)
{
	SUBMIT(image->handle, FLUSH, 0, 0, REAL(cxx_aio_flush)(image, completion));
}
