/*
 * Locks of the processes: how often each was taken, who waited where for how long, who held it, and what that did to requests. A lock is an
 * address in a process and the way it is asked for, so reading and writing are apart, and a condition variable is one too. It knows the
 * type of the object that a lock lies in where the shim found that out; what a report calls a lock, and which locks are told together, is
 * for lock_rows.h.
 *
 * An address whose type changes serves another lock from then on; one that is used again without that is one lock here.
 */
#ifndef RBDPROF_ANALYZER_CORE_LOCKS_H
#define RBDPROF_ANALYZER_CORE_LOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/contention.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"
#include "analyzer/core/lock_counts.h"
#include "analyzer/core/lock_types.h"
#include "analyzer/event.h"

struct process;
struct request;

struct lock {
	struct lock_key {
		uint64_t address;
		uint32_t process;
		uint32_t kind; /* enum rbdprof_lock_kind */
	} key;
	size_t place; /* among all, after locks_finish() */
	const struct process *process;
	const struct lock_type *type; /* NULL: not known */
	uint64_t mutex;               /* COND: address of the mutex that went with it last; else 0 */

	struct counts counts; /* of all threads; meaningful when `counted` */
	uint8_t counted;
	uint8_t all_timed;             /* every hold was timed; else one in RBDPROF_HOLD_SAMPLING */
	struct histogram *pairs;       /* owned; every hold, where each was recorded, ns; else NULL */
	struct contention *contention; /* owned; NULL: nobody is known to have waited for it */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct locks {
	struct lock *current; /* by key: those that are at their addresses now */
	struct lock **all;    /* owned; all there ever were, the one waited for longest first after locks_finish() */
	size_t count;
	size_t room;
	struct lock_types types;
	struct lock_counts counts;
	struct owned_delay *delays; /* owned; one for each type, and one for each lock without */
	struct open_wait *open;     /* owned; by thread: said, and neither over nor found to be over */
};

void locks_fini(struct locks *locks);

/*
 * Takes a LOCK_WAIT, LOCK_WAIT_OPEN, COND_WAIT, LOCK_HOLD, LOCK_PAIR, LOCK_COUNTS, HOLD_COUNTS or LOCK_NAME of the process. `request` is
 * the one that a wait names if it is in flight, else NULL; none in flight was made before oldest_ns. Returns 0, -ENOMEM, or -ENOENT when
 * the lock's kind is not known.
 */
int locks_feed(struct locks *locks, struct process *process, const struct event *event, const struct request *request, uint64_t oldest_ns);

/* No more will come: waits that are still open last until their process's last event; settles edges and sorts. Returns 0 or -ENOMEM. */
int locks_finish(struct locks *locks);

/* Time waited for the lock, in vain and until the end too; 0 when nobody had to. */
uint64_t lock_waited_ns(const struct lock *lock);

/*
 * Time that threads which make requests waited for it outside of librbd's functions: the application's own lock keeps them from making
 * requests. Where the process told its modules, code that is none of Ceph's; else of a lock for which no other threads waited.
 */
uint64_t lock_submitters_ns(const struct lock *lock);

/* How often it was not free when it was asked for and was got in the end: what events tell, or the counts where these know of more. */
uint64_t lock_contended(const struct lock *lock);

/*
 * How often it was got; meaningful where it was counted or every hold was recorded, else 0. Never below lock_contended(): contended
 * acquisitions that came after a thread's last counts (it was killed, or the recording ended) are added, the free ones of that time
 * are lost.
 */
uint64_t lock_acquisitions(const struct lock *lock);
int lock_acquisitions_known(const struct lock *lock);

/* Contended acquisitions that the counts do not know of; 0 where nothing was counted. */
uint64_t lock_uncounted(const struct lock *lock);

#endif
