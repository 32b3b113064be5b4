/*
 * The questions that the shim asks of librbd, librados and libceph-common, answered by the test. A library of its own, for the shim
 * finds them as it does in a program: by name, in what is loaded. The program loads it before the fake librbd.
 */
#include "queries.h"

#include <errno.h>
#include <string.h>

#include <rados/librados.h>
#include <rbd/librbd.h>

struct queries queries = {.name = "image"};

static int answer(char *to, size_t size, const char *from)
{
	queries.asked++;
	errno = queries.error;
	if (!from)
		return -EIO;
	if (strlen(from) >= size)
		return -ERANGE;
	strcpy(to, from);
	return 0;
}

int rbd_get_name(rbd_image_t image, char *name, size_t *length)
{
	(void)image;
	return answer(name, *length, queries.name);
}

int rbd_get_id(rbd_image_t image, char *id, size_t size)
{
	(void)image;
	return answer(id, size, queries.id);
}

int rbd_get_block_name_prefix(rbd_image_t image, char *prefix, size_t size)
{
	(void)image;
	return answer(prefix, size, queries.prefix);
}

int rbd_get_size(rbd_image_t image, uint64_t *size)
{
	(void)image;
	*size = queries.size_bytes;
	return 0;
}

int rbd_get_features(rbd_image_t image, uint64_t *features)
{
	(void)image;
	*features = queries.features;
	return 0;
}

int rbd_get_stripe_unit(rbd_image_t image, uint64_t *unit)
{
	(void)image;
	*unit = queries.stripe_unit_bytes;
	return 0;
}

int rbd_get_stripe_count(rbd_image_t image, uint64_t *count)
{
	(void)image;
	*count = queries.stripe_count;
	return 0;
}

int rbd_stat(rbd_image_t image, rbd_image_info_t *info, size_t size)
{
	(void)image;
	memset(info, 0, size);
	info->obj_size = queries.object_size_bytes;
	return 0;
}

rados_t rados_ioctx_get_cluster(rados_ioctx_t pool)
{
	return pool;
}

int64_t rados_ioctx_get_id(rados_ioctx_t pool)
{
	(void)pool;
	return queries.pool_id;
}

int rados_ioctx_get_pool_name(rados_ioctx_t pool, char *name, unsigned size)
{
	(void)pool;
	return answer(name, size, queries.pool);
}

int rados_ioctx_get_namespace(rados_ioctx_t pool, char *name, unsigned size)
{
	(void)pool;
	return answer(name, size, queries.space);
}

int rados_cluster_fsid(rados_t cluster, char *fsid, size_t size)
{
	(void)cluster;
	return answer(fsid, size, queries.cluster);
}

uint64_t rados_get_instance_id(rados_t cluster)
{
	(void)cluster;
	return queries.client;
}

int rados_conf_get(rados_t cluster, const char *option, char *value, size_t size)
{
	(void)cluster;
	if (!queries.option || strcmp(option, queries.option))
		return -ENOENT;
	return answer(value, size, queries.value);
}

void *rados_ioctx_cct(rados_ioctx_t pool)
{
	return pool;
}

int rados_aio_get_return_value(rados_completion_t completion)
{
	(void)completion;
	return queries.operation_result;
}

/* C++'s ceph_version_to_str(), which answers a C string. */
const char *_Z19ceph_version_to_strv(void);
const char *_Z19ceph_version_to_strv(void)
{
	return queries.release;
}
