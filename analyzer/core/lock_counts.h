/*
 * What the shim counts of every lock, and not only of those that are waited for. Each thread says sums that only grow; this keeps the
 * last of them and knows what is new, and nothing else. A sum that shrank began anew.
 */
#ifndef RBDPROF_ANALYZER_CORE_LOCK_COUNTS_H
#define RBDPROF_ANALYZER_CORE_LOCK_COUNTS_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/event.h"

struct counts {
	uint64_t acquisitions; /* contended ones among them */
	uint64_t contended;
	uint64_t wait_ns; /* of the contended ones */
	uint64_t holds;   /* that were timed */
	uint64_t hold_ns; /* of these */
};

/* Zeroed memory is an empty one. */
struct lock_counts {
	struct thread_counts *threads; /* owned */
};

void lock_counts_fini(struct lock_counts *counts);

/* Takes what a thread of the process said of a lock; *added is what came to it since its last word of this lock. Returns 0 or -ENOMEM. */
int lock_counts_feed(struct lock_counts *counts, uint32_t process, const struct event_counts *told, struct counts *added);

/* Adds one to the other. */
void counts_add(struct counts *to, const struct counts *added);

#endif
