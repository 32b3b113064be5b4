#include "analyzer/core/placement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void placement_groups_fini(struct placement_groups *groups)
{
	struct placement_group *group, *next;

	HASH_ITER(hh, groups->groups, group, next)
	{
		HASH_DEL(groups->groups, group);
		histogram_fini(&group->n2c);
		free(group);
	}
}

struct placement_group *placement_groups_get(struct placement_groups *groups, int64_t pool_id, uint32_t number)
{
	struct placement_group sought = {.key = {pool_id, number}}, *group;
	unsigned hash = hash_numbers(number, (uint64_t)pool_id);

	HASH_FIND_BYHASHVALUE(hh, groups->groups, &sought.key, sizeof(sought.key), hash, group);
	if (group)
		return group;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->key = sought.key;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, groups->groups, &group->key, sizeof(group->key), hash, group);
	if (!hash_failed(group))
		return group;
	free(group);
	return NULL;
}

const struct placement_group *placement_groups_next(const struct placement_groups *groups, const struct placement_group *previous)
{
	return previous ? previous->hh.next : groups->groups;
}

static int by_number(const struct placement_group *a, const struct placement_group *b)
{
	if (a->key.pool_id != b->key.pool_id)
		return a->key.pool_id < b->key.pool_id ? -1 : 1;
	return (a->key.number > b->key.number) - (a->key.number < b->key.number);
}

void placement_groups_finish(struct placement_groups *groups)
{
	struct placement_group *group, *next;

	HASH_ITER(hh, groups->groups, group, next)
	{
		if (group->operations)
			continue;
		HASH_DEL(groups->groups, group);
		free(group);
	}
	HASH_SORT(groups->groups, by_number);
}

const char *placement_group_text(const struct placement_group *group, char text[PLACEMENT_GROUP_TEXT])
{
	snprintf(text, PLACEMENT_GROUP_TEXT, "%" PRId64 ".%" PRIx64, group->key.pool_id, group->key.number);
	return text;
}
