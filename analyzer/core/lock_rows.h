/*
 * Contended locks as a report tells them: locks of one process that have one name and are asked for in one way are one row. It adds up
 * what locks.h knows of each; names come from the caller, since symbols and type names are none of the core's business.
 *
 * Only locks that somebody had to wait for are in a row: instances, acquisitions and holds are of these.
 */
#ifndef RBDPROF_ANALYZER_CORE_LOCK_ROWS_H
#define RBDPROF_ANALYZER_CORE_LOCK_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"
#include "analyzer/core/locks.h"
#include "analyzer/core/model.h"

/* What the holds of a row are taken from. */
enum hold_basis {
	HOLD_UNKNOWN,
	HOLD_BLOCKING, /* those that others waited for, from the first waiter's arrival to the release: a distribution */
	HOLD_SAMPLED,  /* one in RBDPROF_HOLD_SAMPLING, from the acquisition to the release: a mean */
	HOLD_ALL,      /* every one, from the acquisition to the release: a mean, or a distribution where each was recorded */
};

/* Of one row and others: the holder of this row's lock was itself waiting for one of that row. */
struct nested_row {
	const struct lock_row *row; /* NULL: that is all */
	uint64_t count;
	uint64_t wait_ns;
};

struct edge_row {
	struct edge_row_key {
		uint64_t waiter_site;
		uint64_t holder_site; /* 0: not known */
		const char *waiter;   /* thread's name, "" when not known */
		const char *holder;   /* the same; NULL: not known who, or readers */
		uint64_t holder_tid;  /* of one without a name; else 0 */
	} key;
	const struct lock_row *row; /* of the lock */
	uint64_t count;
	uint64_t wait_ns;
	struct nested_row nested[NESTED_MAX];
};

struct lock_row {
	char *name;       /* owned */
	uint8_t inferred; /* the name is a guess from the memory around the lock */
	uint32_t kind;    /* enum rbdprof_lock_kind */
	const struct process *process;
	const struct image *image; /* the only one whose requests waited for it in their own calls; NULL: none or several */
	uint64_t instances;

	uint8_t counted;       /* acquisitions are known of some of its locks */
	uint64_t acquisitions; /* at least contended */
	uint64_t contended;    /* that got it */
	uint64_t failed;       /* that did not */
	uint64_t open;         /* waits that were not over at the end */
	uint64_t open_max_ns;  /* the longest of these until then */
	uint64_t uncounted;    /* contended ones that the process did not come to count: acquisitions is too low */
	uint64_t waited_ns;    /* in vain and until the end too */
	struct histogram wait; /* of those that got it, as far as each is in the trace */

	enum hold_basis basis; /* of hold, or of hold_count and hold_ns where hold is empty */
	struct histogram hold;
	uint64_t hold_count;
	uint64_t hold_ns;
	struct counts timed; /* holds and hold_ns of its locks, whatever the basis */

	struct histogram delay; /* of requests: count is how many it delayed */
	uint64_t exact;         /* of these, waited in their own call */
	uint64_t overlapping;   /* overlapped with waits of threads that work for all */
	uint64_t submitters_ns; /* lock_submitters_ns() */

	struct edge_row *edges; /* owned; the greatest wait first */
	size_t edge_count;
	struct stack_wait *stacks; /* owned; without hh; the greatest wait first */
	size_t stack_count;
	const struct lock **locks; /* owned; the one waited for longest first */
	UT_hash_handle hh;
	char *key; /* owned */
};

/* Names a lock. */
struct lock_namer {
	void *context;
	/* Puts a name that the caller frees in *name. Returns 0 or -ENOMEM. */
	int (*name)(void *context, const struct lock *lock, char **name, uint8_t *inferred);
};

/* Zeroed memory is an empty one. */
struct lock_rows {
	struct lock_row *rows; /* owned; the one waited for longest first */
	struct lock_row **of;  /* owned; by place of the lock; NULL: in none */
	size_t count;
	uint64_t free_locks;        /* counted, and nobody had to wait for them */
	uint64_t free_acquisitions; /* of these */
};

/* Makes the rows of a finished model, which they borrow from. Returns 0 or -ENOMEM; then too the caller calls lock_rows_fini(). */
int lock_rows_build(struct lock_rows *rows, const struct model *model, const struct lock_namer *namer);

void lock_rows_fini(struct lock_rows *rows);

/* The row after `previous` (NULL: the first); NULL after the last. */
const struct lock_row *lock_rows_next(const struct lock_rows *rows, const struct lock_row *previous);

/* The row that the lock is in; NULL when it is in none. */
const struct lock_row *lock_rows_of(const struct lock_rows *rows, const struct lock *lock);

/* Mean of the holds; 0 when none is known. */
double lock_row_hold_mean(const struct lock_row *row);

#endif
