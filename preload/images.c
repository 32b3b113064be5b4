/* The table of open images and their descriptions. */
#include "preload/images.h"

#include <stddef.h>
#include <string.h>

#include "preload/flusher.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "tracepoints/card.h"

#define MOST_IMAGES 1024
#define VALUE_BYTES 40 /* of a setting's value; a longer one counts as not known */

enum option {
#define OPTION(name) OPTION_##name,
#include "preload/options.def"
#undef OPTION
	OPTION_COUNT
};

static const char *const option_names[] = {
#define OPTION(name) #name,
#include "preload/options.def"
#undef OPTION
};

struct image {
	int taken;
	bool notifies;
	const void *cct; /* its client's context */
	void *group;     /* of librbd's counters; NULL: not tied yet */
	struct rbdprof_image is;
	char values[OPTION_COUNT][VALUE_BYTES]; /* "": not known to this release */
};

/* The images' handles, by index: apart, for every request looks for its own among them. NULL: free, or not yet to be found. */
static rbd_image_t handles[MOST_IMAGES];

static struct image images[MOST_IMAGES]; /* zero pages until used */
static uint32_t image_count;             /* ever opened: an image's number */
static uint32_t high_water;              /* slots at and above were never taken */

extern const struct rbdprof_card rbdprof_card;

__attribute__((visibility("default"))) const struct rbdprof_card rbdprof_card = {
    .magic = RBDPROF_CARD_MAGIC,
    .layout = RBDPROF_CARD_LAYOUT,
    .schema = RBDPROF_SCHEMA,
    .version = RBDPROF_VERSION,
    .handles = handles,
    .images = images,
    .slots = MOST_IMAGES,
    .stride = sizeof(struct image),
    .pool_at = offsetof(struct image, is.pool),
    .namespace_at = offsetof(struct image, is.namespace_),
    .name_at = offsetof(struct image, is.name),
    .snapshot_at = offsetof(struct image, is.snapshot),
    .release_at = offsetof(struct image, is.release),
    .string_bytes = sizeof(((struct image *)0)->is.name),
    .emitter = &recorder_emitter,
    .no_emitter = &recorder_silent,
    .flusher_alive = &flusher_alive,
};

/* Held while a handle is withdrawn and while images are said: what is being said cannot be closed and its slot filled anew. */
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

static struct queries {
#define QUERY(library, name) __typeof__(&name) name;
#include "preload/queries.def"
#undef QUERY
	const char *(*ceph_version)(void);
} ask;

/* Concurrent first calls store the same values. */
static void find_queries(void)
{
#define QUERY(library, name) __atomic_store_n(&ask.name, (__typeof__(&name))real_symbol(library, #name), __ATOMIC_RELAXED);
#include "preload/queries.def"
#undef QUERY
	ask.ceph_version = (const char *(*)(void))real_symbol("libceph-common.so.2", "_Z19ceph_version_to_strv");
}

static void copy(char *to, size_t size, const char *from)
{
	size_t length = from ? strnlen(from, size - 1) : 0;

	if (length)
		memcpy(to, from, length);
	to[length] = '\0';
}

static void describe_pool(struct image *image, rados_ioctx_t pool)
{
	struct rbdprof_image *is = &image->is;
	rados_t cluster;

	is->pool_id = ask.rados_ioctx_get_id ? ask.rados_ioctx_get_id(pool) : -1;
	if (ask.rados_ioctx_get_pool_name && ask.rados_ioctx_get_pool_name(pool, is->pool, sizeof(is->pool)) < 0)
		is->pool[0] = '\0';
	if (ask.rados_ioctx_get_namespace && ask.rados_ioctx_get_namespace(pool, is->namespace_, sizeof(is->namespace_)) < 0)
		is->namespace_[0] = '\0';
	if (!ask.rados_ioctx_get_cluster)
		return;
	cluster = ask.rados_ioctx_get_cluster(pool);
	if (ask.rados_get_instance_id)
		is->client = ask.rados_get_instance_id(cluster);
	if (ask.rados_cluster_fsid && ask.rados_cluster_fsid(cluster, is->cluster, sizeof(is->cluster)) < 0)
		is->cluster[0] = '\0';
	for (int i = 0; ask.rados_conf_get && i < OPTION_COUNT; i++)
		if (ask.rados_conf_get(cluster, option_names[i], image->values[i], VALUE_BYTES) < 0)
			image->values[i][0] = '\0';
}

static void describe_image(struct rbdprof_image *is, rbd_image_t handle)
{
	size_t length = sizeof(is->name);
	rbd_image_info_t info;

	if (ask.rbd_get_name && ask.rbd_get_name(handle, is->name, &length) < 0)
		is->name[0] = '\0';
	if (ask.rbd_get_id && ask.rbd_get_id(handle, is->id, sizeof(is->id)) < 0)
		is->id[0] = '\0';
	if (ask.rbd_get_block_name_prefix && ask.rbd_get_block_name_prefix(handle, is->prefix, sizeof(is->prefix)) < 0)
		is->prefix[0] = '\0';
	if (ask.rbd_get_size)
		ask.rbd_get_size(handle, &is->size_bytes);
	if (ask.rbd_get_features)
		ask.rbd_get_features(handle, &is->features);
	if (ask.rbd_get_stripe_unit)
		ask.rbd_get_stripe_unit(handle, &is->stripe_unit_bytes);
	if (ask.rbd_get_stripe_count)
		ask.rbd_get_stripe_count(handle, &is->stripe_count);
	if (ask.rbd_stat && ask.rbd_stat(handle, &info, sizeof(info)) >= 0)
		is->object_size_bytes = info.obj_size;
}

static struct image *take(void)
{
	for (uint32_t i = 0; i < MOST_IMAGES; i++) {
		uint32_t seen = __atomic_load_n(&high_water, __ATOMIC_RELAXED);

		if (__atomic_exchange_n(&images[i].taken, 1, __ATOMIC_ACQUIRE))
			continue;
		while (seen <= i && !__atomic_compare_exchange_n(&high_water, &seen, i + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return &images[i];
	}
	return NULL;
}

static void say(const struct image *image)
{
	EMIT(image(&image->is));
	for (uint32_t i = 0; i < OPTION_COUNT; i++)
		if (image->values[i][0])
			EMIT(config(image->is.image, option_names[i], image->values[i]));
}

void images_opened(rbd_image_t handle, rados_ioctx_t pool, const char *snapshot, bool read_only, uint64_t open_ns)
{
	struct image *image = take();
	int error = errno;

	if (!image)
		return;
	find_queries();
	image->notifies = false;
	image->group = NULL;
	image->cct = ask.rados_ioctx_cct ? ask.rados_ioctx_cct(pool) : NULL;
	memset(&image->is, 0, sizeof(image->is));
	image->is.image = __atomic_add_fetch(&image_count, 1, __ATOMIC_RELAXED);
	image->is.open_ns = open_ns;
	image->is.read_only = read_only;
	copy(image->is.snapshot, sizeof(image->is.snapshot), snapshot);
	copy(image->is.release, sizeof(image->is.release), ask.ceph_version ? ask.ceph_version() : "");
	describe_pool(image, pool);
	describe_image(&image->is, handle);
	/* First to be found, then said: a recording that begins in between says it too. Nobody closes it before the open has returned. */
	__atomic_store_n(&handles[image - images], handle, __ATOMIC_RELEASE);
	if (recorder_wants_requests())
		say(image);
	errno = error;
}

struct image *images_find(rbd_image_t handle)
{
	uint32_t end = __atomic_load_n(&high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; handle && i < end; i++)
		if (__atomic_load_n(&handles[i], __ATOMIC_ACQUIRE) == handle)
			return &images[i];
	return NULL;
}

uint32_t images_forget(rbd_image_t handle)
{
	struct image *image = images_find(handle);
	uint32_t number;

	if (!image)
		return 0;
	number = image->is.image;
	REAL(pthread_mutex_lock)(&saying);
	__atomic_store_n(&handles[image - images], NULL, __ATOMIC_RELEASE);
	REAL(pthread_mutex_unlock)(&saying);
	__atomic_store_n(&image->taken, 0, __ATOMIC_RELEASE);
	return number;
}

void images_closed(uint32_t number, uint64_t close_ns, int32_t result)
{
	if (number && recorder_wants_requests())
		EMIT(image_closed(number, close_ns, result));
}

uint32_t images_number(const struct image *image)
{
	return image->is.image;
}

bool images_notifies(const struct image *image)
{
	return __atomic_load_n(&image->notifies, __ATOMIC_RELAXED);
}

void images_set_notifies(struct image *image)
{
	__atomic_store_n(&image->notifies, true, __ATOMIC_RELAXED);
}

uint32_t images_link(const void *cct, const char *id_and_more, void *group)
{
	uint32_t end = __atomic_load_n(&high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		struct image *image = &images[i];
		size_t length;
		void *none = NULL;

		if (!__atomic_load_n(&handles[i], __ATOMIC_ACQUIRE) || image->cct != cct)
			continue;
		length = strlen(image->is.id);
		if (!length || strncmp(image->is.id, id_and_more, length) || id_and_more[length] != '-')
			continue;
		if (__atomic_compare_exchange_n(&image->group, &none, group, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) || none == group)
			return image->is.image;
	}
	return 0;
}

void *images_group(const struct image *image, uint32_t number)
{
	return image && image->is.image == number ? __atomic_load_n(&image->group, __ATOMIC_ACQUIRE) : NULL;
}

void images_say(void)
{
	uint32_t end = __atomic_load_n(&high_water, __ATOMIC_ACQUIRE);

	REAL(pthread_mutex_lock)(&saying);
	for (uint32_t i = 0; i < end; i++)
		if (__atomic_load_n(&handles[i], __ATOMIC_ACQUIRE))
			say(&images[i]);
	REAL(pthread_mutex_unlock)(&saying);
}

void images_reset(void)
{
	saying = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (uint32_t i = 0; i < high_water; i++) {
		handles[i] = NULL;
		images[i].taken = 0;
	}
}
