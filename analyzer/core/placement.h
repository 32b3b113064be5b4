/*
 * An image's data operations by placement group, so that an OSD or a disk that is slower than the others shows. It knows counts and
 * durations; which operations carried what is told to it.
 *
 * Its memory depends on the number of placement groups that the image's operations went to.
 */
#ifndef RBDPROF_ANALYZER_CORE_PLACEMENT_H
#define RBDPROF_ANALYZER_CORE_PLACEMENT_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"

struct placement_group {
	struct {
		int64_t pool_id;
		uint64_t number;
	} key;
	uint64_t operations;  /* that carried requests; those sent again count once */
	struct histogram n2c; /* ns, of the requests whose last operation went here */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct placement_groups {
	struct placement_group *groups;
};

void placement_groups_fini(struct placement_groups *groups);

/* The pool's group of that number, made if need be. NULL when memory ran out. */
struct placement_group *placement_groups_get(struct placement_groups *groups, int64_t pool_id, uint32_t number);

/* No more will come: drops those without operations and sorts the others by pool and number. */
void placement_groups_finish(struct placement_groups *groups);

/* The group after `previous` (NULL: the first); NULL after the last. */
const struct placement_group *placement_groups_next(const struct placement_groups *groups, const struct placement_group *previous);

/* The group as Ceph writes it, "1.2f". Returns `text`. */
#define PLACEMENT_GROUP_TEXT 32
const char *placement_group_text(const struct placement_group *group, char text[PLACEMENT_GROUP_TEXT]);

#endif
