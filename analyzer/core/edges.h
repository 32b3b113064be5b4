/*
 * Who blocked whom at one lock: waiter's thread and site, holder's thread and site, how often and how long. It knows waits and holds of
 * this lock as they are told, in the order of their events, and which other locks the holder was itself waiting for meanwhile (nested).
 * It does not know what a site or a lock is called.
 *
 * Who held the lock is the wait's own word. Where it let it go is told by another event, of the holder's: of that thread's releases
 * within the wait the last one ended it. That event may come before the wait's or after it, so both are remembered for EDGES_RECENT
 * more of their kind; a wait for which none came has a holder without a site.
 *
 * Memory depends on the number of different edges, and names of threads stand for threads.
 */
#ifndef RBDPROF_ANALYZER_CORE_EDGES_H
#define RBDPROF_ANALYZER_CORE_EDGES_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/threads.h"

#define EDGES_RECENT 16

/* Locks that one holder is seen waiting for within one wait, and those that one edge remembers. */
#define NESTED_MAX 4

struct lock;

/* The holder of this lock was itself waiting for another one. */
struct nested {
	const struct lock *lock;
	uint64_t count;
	uint64_t wait_ns; /* of the outer wait, while the inner one lasted */
};

/* Edges and their parts that are compared are all pointers and numbers. */
struct edge {
	struct edge_key {
		uint64_t waiter_site;        /* return address of the call that waited */
		uint64_t holder_site;        /* of the release; 0: not known */
		const char *waiter;          /* name of the thread, of its process; "" when not known */
		const char *holder;          /* the same; NULL: nobody is known to have held it, or readers */
		const struct task *nameless; /* the holder, where it had no name yet; else NULL */
	} key;
	uint64_t count;
	uint64_t wait_ns;
	struct nested nested[NESTED_MAX];
	UT_hash_handle hh;
};

/* A wait that is over. */
struct waited {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t site;
	const char *waiter;               /* a name of the process's, or "" */
	const struct task *holder;        /* NULL: not known */
	struct nested nested[NESTED_MAX]; /* count 1 each; the rest has no lock */
};

/* A hold that was ended while others waited. */
struct released {
	uint64_t at_ns;
	uint64_t site;
	const struct task *holder;
};

/* Zeroed memory is an empty one. */
struct edges {
	struct edge *edges; /* owned; the greatest wait first after edges_finish() */
	struct {
		struct waited waited;
		struct released by; /* the best release so far; no holder: none */
	} waits[EDGES_RECENT];
	struct released releases[EDGES_RECENT];
	unsigned wait_count; /* ever; the place of the next is the rest of the division */
	unsigned release_count;
};

void edges_fini(struct edges *edges);

/* Takes a wait, copied. Returns 0 or -ENOMEM. */
int edges_wait(struct edges *edges, const struct waited *waited);

/* Takes a release, copied. */
void edges_release(struct edges *edges, const struct released *released);

/* No more will come. Returns 0 or -ENOMEM. */
int edges_finish(struct edges *edges);

/* The edge after `previous` (NULL: the first); NULL after the last. */
const struct edge *edges_next(const struct edges *edges, const struct edge *previous);

#endif
