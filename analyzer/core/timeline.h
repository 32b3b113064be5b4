/*
 * Who had something when, coarsely, for a drawing. It knows numbers of owners and times; not what is owned.
 *
 * The time is divided into at most TIMELINE_SLOTS slots of equal width, a power of two of nanoseconds, from the first time on. When
 * they are used up, two become one. Each keeps the TIMELINE_OWNERS owners that had most of it. So the memory is the same for a
 * trace of any length, and at least half of the slots are in use: a drawing of 120 slices has four or more slots to each.
 */
#ifndef RBDPROF_ANALYZER_CORE_TIMELINE_H
#define RBDPROF_ANALYZER_CORE_TIMELINE_H

#include <stdint.h>

#define TIMELINE_SLOTS  1024
#define TIMELINE_OWNERS 4

/* Stand for no owner, and for one that is not known. */
#define TIMELINE_NOBODY  UINT64_C(0)
#define TIMELINE_UNKNOWN UINT64_MAX

struct timeline_slot {
	struct {
		uint64_t owner;
		uint64_t ns; /* 0: unused */
	} parts[TIMELINE_OWNERS];
};

/* Zeroed memory is an empty one. */
struct timeline {
	struct timeline_slot *slots; /* owned */
	uint64_t origin_ns;          /* the first time added … */
	uint64_t end_ns;             /* … and the last */
	unsigned width_log2;
};

void timeline_fini(struct timeline *timeline);

/* The owner had it in [from_ns, to_ns); nothing before the first from_ns can be added later. Returns 0 or -ENOMEM. */
int timeline_add(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint64_t owner);

/* Cuts [begin_ns, end_ns] into `count` slices and writes to each who had most of it; TIMELINE_UNKNOWN where nothing was added. */
void timeline_cut(const struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns, uint64_t *slices, unsigned count);

#endif
