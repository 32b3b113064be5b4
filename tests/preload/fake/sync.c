/* The fake librbd's blocking calls. */
#include <errno.h>
#include <string.h>

#include "image.h"

ssize_t move(struct image *image, enum what what, uint64_t offset, const struct iovec *vector, int count, size_t length)
{
	if (offset + length > IMAGE_BYTES)
		return -EINVAL;
	pthread_mutex_lock(&image->lock);
	if (what == ZERO)
		memset(image->data + offset, 0, length);
	for (int i = 0; i < count; i++) {
		if (what == READ)
			memcpy(vector[i].iov_base, image->data + offset, vector[i].iov_len);
		else if (what == WRITE)
			memcpy(image->data + offset, vector[i].iov_base, vector[i].iov_len);
		offset += vector[i].iov_len;
	}
	pthread_mutex_unlock(&image->lock);
	return what == READ ? (ssize_t)length : 0;
}

ssize_t rbd_read(rbd_image_t image, uint64_t offset, size_t length, char *data)
{
	const struct iovec one = {.iov_base = data, .iov_len = length};

	return move(image, READ, offset, &one, 1, length);
}

ssize_t rbd_read2(rbd_image_t image, uint64_t offset, size_t length, char *data, int flags)
{
	(void)flags;
	return rbd_read(image, offset, length, data);
}

int64_t rbd_read_iterate(rbd_image_t i, uint64_t offset, size_t length, int (*each)(uint64_t, size_t, const char *, void *), void *arg)
{
	struct image *image = i;

	return each(offset, length, image->data + offset, arg) < 0 ? -EIO : (int64_t)length;
}

int rbd_read_iterate2(rbd_image_t i, uint64_t offset, uint64_t length, int (*each)(uint64_t, size_t, const char *, void *), void *arg)
{
	struct image *image = i;

	return each(offset, length, image->data + offset, arg);
}

ssize_t rbd_write(rbd_image_t image, uint64_t offset, size_t length, const char *data)
{
	const struct iovec one = {.iov_base = (char *)data, .iov_len = length};
	ssize_t result = move(image, WRITE, offset, &one, 1, length);

	return result < 0 ? result : (ssize_t)length;
}

ssize_t rbd_write2(rbd_image_t image, uint64_t offset, size_t length, const char *data, int flags)
{
	(void)flags;
	return rbd_write(image, offset, length, data);
}

int rbd_discard(rbd_image_t image, uint64_t offset, uint64_t length)
{
	return (int)move(image, ZERO, offset, NULL, 0, length);
}

ssize_t rbd_writesame(rbd_image_t image, uint64_t offset, size_t length, const char *data, size_t data_length, int flags)
{
	(void)flags;
	return length % data_length ? -EINVAL : rbd_write(image, offset, data_length, data);
}

ssize_t rbd_write_zeroes(rbd_image_t image, uint64_t offset, size_t length, int zero_flags, int flags)
{
	(void)zero_flags, (void)flags;
	return move(image, ZERO, offset, NULL, 0, length);
}

ssize_t rbd_compare_and_write(rbd_image_t image, uint64_t offset, size_t length, const char *expected, const char *data, uint64_t *mismatch,
			      int flags)
{
	(void)expected, (void)mismatch, (void)flags;
	return rbd_write(image, offset, length, data);
}

int rbd_flush(rbd_image_t image)
{
	(void)image;
	return 0;
}

int rbd_invalidate_cache(rbd_image_t image)
{
	(void)image;
	return 0;
}

int rbd_get_name(rbd_image_t i, char *name, size_t *length)
{
	struct image *image = i;

	if (strlen(image->name) >= *length)
		return -ERANGE;
	strcpy(name, image->name);
	return 0;
}

int rbd_get_size(rbd_image_t image, uint64_t *size)
{
	(void)image;
	*size = IMAGE_BYTES;
	return 0;
}
