/*
 * Contended locks: who waited where for how long. A lock is an address in a process and the way it was asked for, so reading and writing
 * are apart. It knows waits only; not who held the lock, nor its name. An address that served two locks one after the other is one here.
 */
#ifndef RBDPROF_ANALYZER_CORE_LOCKS_H
#define RBDPROF_ANALYZER_CORE_LOCKS_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"
#include "analyzer/event.h"

struct process;

/* One thread's waits at one place in the code. */
struct lock_waiter {
	struct {
		uint64_t caller; /* return address of the call */
		uint64_t thread; /* number in the process; its name: process_thread_name() */
	} key;
	uint64_t count; /* failed waits too */
	uint64_t wait_ns;
	UT_hash_handle hh;
};

struct lock {
	struct {
		uint64_t address;
		uint32_t process;
		uint32_t kind; /* enum rbdprof_lock_kind */
	} key;
	const struct process *process;
	uint64_t mutex;              /* COND: address of the mutex that went with it last; else 0 */
	struct histogram wait;       /* waits that got it (or were woken), ns: count, sum, dist */
	struct histogram failed;     /* waits that did not: timed out, deadlock refused, … */
	struct lock_waiter *waiters; /* owned; read through lock_waiter_next() */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct locks {
	struct lock *locks; /* owned */
};

void locks_fini(struct locks *locks);

/* Takes a LOCK_WAIT or COND_WAIT event of the process. 0, -ENOMEM, or -ENOENT when its kind is not known. */
int locks_feed(struct locks *locks, const struct process *process, const struct event *event);

/* Puts the lock waited for longest first, failed waits included, and each lock's waiters likewise. */
void locks_sort(struct locks *locks);

/* The waiter after `previous` (NULL: the first); NULL after the last. */
const struct lock_waiter *lock_waiter_next(const struct lock *lock, const struct lock_waiter *previous);

#endif
