/*
 * What each thread does with each lock, counted without a cache line, a lock, a system call or an allocation of anybody else's:
 * acquisitions, waits, and the length of holds, of one acquisition in RBDPROF_HOLD_SAMPLING or of all; and what it waits for now. Each
 * thread has a table of its own from a pool that is mapped when counting begins; only the thread writes to it, and the flusher reads it
 * while it is being written. It knows no events.
 *
 * A lock is counted under its address and kind. What finds no slot in a thread's table, and threads that find no table, are counted in
 * their turn.
 */
#ifndef RBDPROF_PRELOAD_LOCKSTAT_H
#define RBDPROF_PRELOAD_LOCKSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/ticks.h"
#include "preload/waiters.h"
#include "tracepoints/schema.h"

/* Each key has one place among the near slots, which lie in two pages, three more in that one's cache line, and a row of places among the
 * far ones. */
#define LOCKSTAT_NEAR_BITS 9
#define LOCKSTAT_NEAR      (1 << LOCKSTAT_NEAR_BITS)
#define LOCKSTAT_FAR_BITS  11
#define LOCKSTAT_FAR       (1 << LOCKSTAT_FAR_BITS)
#define LOCKSTAT_SLOTS     (LOCKSTAT_NEAR + LOCKSTAT_FAR)

#define LOCKSTAT_KIND 7 /* the bits of a key that are the kind: locks are aligned to 8 bytes */

/* What every acquisition touches. */
struct lockstat_slot {
	uint64_t key; /* address | enum rbdprof_lock_kind; 0: free */
	uint64_t acquisitions;
};

/* So many are a cache line. */
#define LOCKSTAT_LINE 4

/* What only a hold that was timed touches. */
struct lockstat_times {
	uint64_t holds; /* that are over */
	uint64_t hold_ticks;
};

/* What only a wait touches. */
struct lockstat_waits {
	uint64_t contended;
	uint64_t wait_ns;
};

/* What a thread is about to wait for, or waits for. */
struct lockstat_blocked {
	uint64_t begin_ns; /* 0: it waits for nothing */
	uint64_t lock;
	uint64_t caller; /* return address of the call */
	uint64_t request;
	uint64_t stack;
	uint32_t holder; /* kernel's; 0: not known */
	uint8_t kind;    /* enum rbdprof_lock_kind */
};

/* What the flusher has said of a slot so far. Its owner looks, to know which slots have nothing left to say. */
struct lockstat_said {
	uint64_t acquisitions, holds, contended;
	uint32_t life; /* of which */
};

struct lockstat_table {
	struct lockstat_slot slots[LOCKSTAT_SLOTS] __attribute__((aligned(4096))); /* at its beginning, the near ones first */
	struct lockstat_times times[LOCKSTAT_SLOTS];
	struct lockstat_waits waits[LOCKSTAT_SLOTS];
	struct lockstat_said said[LOCKSTAT_SLOTS];
	uint32_t lives[LOCKSTAT_SLOTS]; /* counts the slot's keys in steps of 2; bit 0: the tracer's own lock, not to be said */
	uint32_t epoch;                 /* in which it counts; 0: its owner is clearing it */
	uint32_t said_epoch;            /* of `said` */
	uint32_t taken;                 /* it has an owner */
	uint32_t tid;                   /* the owner's, the kernel's; 0: not introduced yet */
	uint32_t thread;                /* its number */
	uint64_t uncounted;             /* acquisitions for which there was no slot */
	uint64_t stack;                 /* an address on the owner's stack */
	struct lockstat_blocked blocked;
	char name[16]; /* the owner's, when it took the table; afterwards as the flusher last saw it */
};

#define LOCKSTAT_SOME  (UINT32_MAX / RBDPROF_HOLD_SAMPLING)
#define LOCKSTAT_EVERY UINT32_MAX

/* Read by every lock call, and but for the thread's own words the only thing that one needs to know of recordings; written when counting
 * begins and ends. */
extern struct lockstat_state {
	uint32_t epoch; /* 0: nothing is counted */
	uint32_t timed; /* holds are timed whose number has no higher hash: LOCKSTAT_SOME of all, or LOCKSTAT_EVERY one */
	uint8_t pairs;  /* and each is an event */
	uint8_t conds;  /* so is each wait on a condition variable */
	char pad[54];
} lockstat_state __attribute__((aligned(64)));

/* A hold that is being timed. */
struct lockstat_hold {
	uint64_t key;
	uint64_t begun; /* ticks at the acquisition, with bit 0 as LOCKSTAT_COUNTED */
	struct lockstat_times *times;
};

/* It is timed by chance, and so stands for others, and not only because somebody waits for it. */
#define LOCKSTAT_COUNTED 1

/* So many at once, in one thread. One more makes it forget the first, whose end may never come: another thread may release it. */
#define LOCKSTAT_HOLDS 16

struct lockstat_thread {
	struct lockstat_table *table;
	uint32_t epoch; /* in which the table counts, or none was to be had */
	uint32_t timed; /* of these */
	struct lockstat_hold holds[LOCKSTAT_HOLDS];
};

extern __thread struct lockstat_thread lockstat_thread __attribute__((tls_model("initial-exec")));

/* A slot's place tells its thread's other arrays. */
static inline size_t lockstat_place(const struct lockstat_table *table, const struct lockstat_slot *slot)
{
	return (size_t)(slot - table->slots);
}

/* This thread's table in this epoch, cleared; NULL when nothing is counted, the thread is the tracer's, or there is no table. */
struct lockstat_table *lockstat_table(void);

/* The slot of a key that is not in its near place; a new one when there is none and `caller` is given. NULL: there is no place. */
struct lockstat_slot *lockstat_seek(struct lockstat_table *table, uint64_t key, const void *caller);

static inline uint64_t lockstat_key(const void *lock, uint8_t kind)
{
	return (uint64_t)(uintptr_t)lock | kind;
}

static inline struct lockstat_table *lockstat_mine(void)
{
	uint32_t epoch = __atomic_load_n(&lockstat_state.epoch, __ATOMIC_RELAXED);

	if (__builtin_expect(lockstat_thread.epoch == epoch, 1))
		return epoch ? lockstat_thread.table : NULL;
	return lockstat_table();
}

static inline uint64_t lockstat_hash(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* The number of a key's near slot. */
static inline size_t lockstat_near(uint64_t key)
{
	return lockstat_hash(key) >> (64 - LOCKSTAT_NEAR_BITS);
}

static inline struct lockstat_slot *lockstat_find(struct lockstat_table *table, uint64_t key, const void *caller)
{
	struct lockstat_slot *slot = &table->slots[lockstat_near(key)];

	return __builtin_expect(slot->key == key, 1) ? slot : lockstat_seek(table, key, caller);
}

/* Brings the near place of a lock that is about to be taken closer: in a busy program it is seldom in a cache. */
static inline void lockstat_expect(const void *lock, uint8_t kind)
{
	uintptr_t table = (uintptr_t)lockstat_thread.table; /* it may be none: nothing is read */

	__builtin_prefetch((const void *)(table + lockstat_near(lockstat_key(lock, kind)) * sizeof(struct lockstat_slot)), 1);
}

/* Whether the hold of the n-th acquisition of a lock is timed. Of some, the first is, and then one in 64, at distances of 34, 55 and 89
 * that no rhythm of the program's falls in with (multiples of the golden section are spread evenly among every second, third, … of them).
 */
static inline bool lockstat_is_timed(uint64_t n)
{
	return (uint32_t)n * UINT32_C(0x9e3779b9) <= lockstat_state.timed;
}

/* lockstat_acquired() of a slot of this thread's, with a hold that is timed. Returns the slot. */
struct lockstat_slot *lockstat_acquired_timed(struct lockstat_slot *slot);

/* lockstat_acquired(), whatever is to be done. */
struct lockstat_slot *lockstat_acquired_anyhow(const void *lock, uint8_t kind, const void *caller);

/* The caller has just acquired a lock for the first time, not again as a recursive one. Returns its slot, NULL: not counted. What is done
 * nearly always, a near slot's count of a hold that is not timed, takes no register that would have to be saved. */
static inline struct lockstat_slot *lockstat_acquired(const void *lock, uint8_t kind, const void *caller)
{
	uint32_t epoch = __atomic_load_n(&lockstat_state.epoch, __ATOMIC_RELAXED);

	/* While nothing is counted it is 0, which is the epoch of no table. */
	if (__builtin_expect(lockstat_thread.epoch == epoch && lockstat_thread.table, 1)) {
		struct lockstat_slot *slot = &lockstat_thread.table->slots[lockstat_near(lockstat_key(lock, kind))];
		uint64_t n = slot->acquisitions;

		if (__builtin_expect(slot->key == lockstat_key(lock, kind) && !waiters_likely(lock), 1)) {
			if (__builtin_expect(lockstat_is_timed(n), 0))
				return lockstat_acquired_timed(slot);
			__atomic_store_n(&slot->acquisitions, n + 1, __ATOMIC_RELAXED);
			return slot;
		}
	}
	return lockstat_acquired_anyhow(lock, kind, caller);
}

/* lockstat_timed() of a hold that is not the latest. */
uint64_t lockstat_timed_below(uint64_t key, struct lockstat_times **times);

/* The timing of a hold that this thread is about to end, which is over with this: its `begun`, and where it counts; 0: it is not timed. */
static inline uint64_t lockstat_timed(const void *lock, uint8_t kind, struct lockstat_times **times)
{
	const struct lockstat_hold *latest = &lockstat_thread.holds[lockstat_thread.timed];

	if (latest == lockstat_thread.holds)
		return 0;
	latest--;
	if (__builtin_expect(latest->key != lockstat_key(lock, kind), 0))
		return lockstat_timed_below(lockstat_key(lock, kind), times);
	lockstat_thread.timed--;
	*times = latest->times;
	return latest->begun;
}

/* Adds a counted hold that is over. In the next epoch these are cleared before anybody sees them. */
static inline void lockstat_released(struct lockstat_times *times, uint64_t ticks)
{
	__atomic_store_n(&times->hold_ticks, times->hold_ticks + ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&times->holds, times->holds + 1, __ATOMIC_RELEASE);
}

/* Adds a wait that ended in the acquisition that this thread's `slot` has counted. */
void lockstat_waited(const struct lockstat_slot *slot, uint64_t wait_ns);

/* This thread is about to wait; and does not any more. Nothing where it has no table. */
void lockstat_block(const struct lockstat_blocked *blocked);
void lockstat_unblock(void);

/* What the table's owner waits for; false when it does not, or has just begun or ended. */
bool lockstat_blocked(const struct lockstat_table *table, struct lockstat_blocked *blocked);

/* A slot as the flusher sees it at one moment of its life. */
struct lockstat_view {
	uint64_t key;
	uint64_t acquisitions, contended, wait_ns, holds, hold_ticks;
	uint32_t life;
};

/* False when the slot is free, the tracer's, or has just become another lock's. */
bool lockstat_look(const struct lockstat_table *table, size_t at, struct lockstat_view *view);

/* Whether some thread wanted for a slot since the last call: the sooner what is counted is said, the sooner there are some. */
bool lockstat_crowded(void);

/* Begins to count from 0 in all threads. every: all holds are timed; pairs, conds: as in lockstat_state. Maps the tables at the first call:
 * false when it cannot. Not at once with lockstat_end(). */
bool lockstat_begin(bool every, bool pairs, bool conds);
void lockstat_end(void);

/* The tables whose owners are known, one after the other: the one behind `previous` (NULL: the first); NULL after the last. */
struct lockstat_table *lockstat_next(struct lockstat_table *previous);

/* Whether its owner has counted in this epoch. */
bool lockstat_counts(const struct lockstat_table *table);

/* Its owner is gone, and what it counted has been said: another thread may have it. */
void lockstat_free(struct lockstat_table *table);

/* Threads that found no table in this epoch. */
uint32_t lockstat_without_table(void);

/* In a child of fork(): nothing is counted, and the other threads are gone. */
void lockstat_reset(void);

#endif
