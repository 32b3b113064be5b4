#include "analyzer/osdmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "analyzer/core/hash.h"

/* What Ceph writes where an OSD is missing. */
#define NO_OSD 0x7fffffff

struct group {
	char *name;    /* owned, "1.2f" */
	int32_t *osds; /* owned, the primary first */
	size_t count;
	UT_hash_handle hh;
};

struct osdmap {
	struct group *groups;
};

static void free_group(struct group *group)
{
	free(group->name);
	free(group->osds);
	free(group);
}

void osdmap_free(struct osdmap *map)
{
	struct group *group, *next;

	if (!map)
		return;
	HASH_ITER(hh, map->groups, group, next)
	{
		HASH_DEL(map->groups, group);
		free_group(group);
	}
	free(map);
}

static void put_first(struct group *group, int32_t primary)
{
	for (size_t i = 1; i < group->count; i++) {
		if (group->osds[i] != primary)
			continue;
		memmove(group->osds + 1, group->osds, i * sizeof(*group->osds));
		group->osds[0] = primary;
		return;
	}
}

/* Returns 0, -ENOMEM, or -EBADMSG when it is no placement group. */
static int add(struct osdmap *map, struct json_object *stat)
{
	struct json_object *name, *acting, *primary;
	struct group *group;

	if (!json_object_object_get_ex(stat, "pgid", &name) || !json_object_is_type(name, json_type_string) ||
	    !json_object_object_get_ex(stat, "acting", &acting) || !json_object_is_type(acting, json_type_array))
		return -EBADMSG;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->name = strdup(json_object_get_string(name));
	group->osds = calloc(json_object_array_length(acting) + 1, sizeof(*group->osds));
	if (group->name && group->osds)
		HASH_ADD_KEYPTR(hh, map->groups, group->name, strlen(group->name), group);
	if (!group->name || !group->osds || hash_failed(group)) {
		free_group(group);
		return -ENOMEM;
	}
	for (size_t i = 0; i < json_object_array_length(acting); i++) {
		int32_t osd = json_object_get_int(json_object_array_get_idx(acting, i));

		if (osd != NO_OSD)
			group->osds[group->count++] = osd;
	}
	if (json_object_object_get_ex(stat, "acting_primary", &primary))
		put_first(group, json_object_get_int(primary));
	return 0;
}

/* The groups: from Ceph 14 on one member of an object, before that all there is. */
static struct json_object *stats_of(struct json_object *root)
{
	struct json_object *stats = root;

	if (json_object_is_type(root, json_type_object) && !json_object_object_get_ex(root, "pg_stats", &stats))
		return NULL;
	return json_object_is_type(stats, json_type_array) ? stats : NULL;
}

struct osdmap *osdmap_read(const char *path, const char **why)
{
	struct osdmap *map = calloc(1, sizeof(*map));
	struct json_object *root, *stats;
	int err = map ? 0 : -ENOMEM;

	errno = 0;
	root = json_object_from_file(path);
	*why = errno ? strerror(errno) : "this is not what ceph pg dump pgs_brief -f json writes";
	stats = stats_of(root);
	if (!stats || !json_object_array_length(stats))
		err = -EBADMSG;
	for (size_t i = 0; !err && i < json_object_array_length(stats); i++)
		err = add(map, json_object_array_get_idx(stats, i));
	json_object_put(root);
	if (!err)
		return map;
	if (err == -ENOMEM)
		*why = strerror(ENOMEM);
	osdmap_free(map);
	return NULL;
}

const int32_t *osdmap_acting(const struct osdmap *map, const char *name, size_t *count)
{
	struct group *group = NULL;

	if (map)
		HASH_FIND_STR(map->groups, name, group);
	*count = group ? group->count : 0;
	return group ? group->osds : NULL;
}
