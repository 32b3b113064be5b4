/*
 * What is known of a lock that somebody had to wait for: how long, where, for whom, and what it did to requests. It knows waits and holds
 * as they are told; it does not know other locks beyond those that a holder was waiting for, nor what anything is called.
 */
#ifndef RBDPROF_ANALYZER_CORE_CONTENTION_H
#define RBDPROF_ANALYZER_CORE_CONTENTION_H

#include <stdint.h>

#include "analyzer/core/delays.h"
#include "analyzer/core/edges.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"
#include "analyzer/event.h"

struct image;
struct lock;
struct process;
struct request;

/* Waits of threads of one name with one stack, or at one site where no stack was taken. */
struct stack_wait {
	struct stack_wait_key {
		uint64_t stack;     /* its number in the process; 0: none */
		uint64_t site;      /* without a stack: return address of the call; else 0 */
		const char *thread; /* a name of the process's, "" when not known */
	} key;
	uint64_t count;
	uint64_t wait_ns;
	uint64_t max_ns;
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct contention {
	struct histogram wait;     /* waits that got it (or were woken), ns: count, sum, dist */
	struct histogram failed;   /* waits that did not: timed out, deadlock refused, … */
	struct histogram open;     /* waits that were not over at the end, until then */
	struct histogram blocking; /* holds that others waited for: from the first waiter's arrival to the release, ns */
	struct edges edges;
	struct stack_wait *stacks;   /* owned; read through stack_wait_next() */
	struct delay *delay;         /* borrowed, as is the next */
	struct delay *untyped_delay; /* from before its type was told; NULL: none */
	const struct image *image;   /* whose requests waited for it in their own calls; NULL: none did, or those of several images */
	uint8_t of_images;           /* those of several did */

	/* Waits outside of requests, in code that is not known to be Ceph's, of threads that make requests; and of the application's others. */
	uint64_t submitters_count;
	uint64_t submitters_ns;
	uint64_t others_count;
};

void contention_fini(struct contention *contention);

/* Whether a LOCK_WAIT_OPEN is no longer true: its thread has ended a wait since that one began. */
int contention_is_over(struct process *process, const struct event *event);

/* Notes of a LOCK_WAIT_OPEN that was not over at the end, as contention_wait() is given it later, that its thread waited meanwhile. */
void contention_open(const struct lock *lock, struct process *process, const struct event *event);

/*
 * Takes a LOCK_WAIT or COND_WAIT of the lock, which has `contention`; or a LOCK_WAIT_OPEN that was not over at the end, as if it ended
 * then. `request` is the one that the wait names if it is in flight, else NULL; none of the process's requests in flight was made before
 * oldest_ns. Returns 0 or -ENOMEM.
 */
int contention_wait(struct contention *contention, const struct lock *lock, struct process *process, const struct event *event,
		    const struct request *request, uint64_t oldest_ns);

/* Takes a LOCK_HOLD of the lock, or of the other way in which the same lock is asked for: that ends waits but is no hold of this one.
 * Returns 0 or -ENOMEM. */
int contention_hold(struct contention *contention, const struct lock *lock, const struct process *process, const struct event *event);

/* The waits by stack after `previous` (NULL: the first) in no certain order; NULL after the last. */
const struct stack_wait *stack_wait_next(const struct contention *contention, const struct stack_wait *previous);

#endif
