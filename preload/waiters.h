/*
 * Which locks are being waited for, and since when: a mark for each, set by a waiter before it blocks and looked at by whoever takes or
 * releases a lock of a group that has any. glibc's own word will not do: a condition wait leaves it saying "waiters" for nothing, and it
 * does not know since when. Marks come from a small fixed table; a lock that finds no place has none, and its blocking hold is not seen.
 *
 * Any thread may call any of these. Nothing here waits.
 */
#ifndef RBDPROF_PRELOAD_WAITERS_H
#define RBDPROF_PRELOAD_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

struct waiters;

#define WAITERS_BITS   5
#define WAITERS_GROUPS (1 << WAITERS_BITS)

/* Marks in use, of the locks of each group: every lock call reads this one cache line and goes on when its lock's group has none. */
extern uint16_t waiters_marks[WAITERS_GROUPS];

static inline uint64_t waiters_hash(const void *lock)
{
	return (uint64_t)(uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint16_t *waiters_group(const void *lock)
{
	return &waiters_marks[waiters_hash(lock) >> (64 - WAITERS_BITS)];
}

/* Whether the lock may be marked. */
static inline bool waiters_likely(const void *lock)
{
	return __builtin_expect(__atomic_load_n(waiters_group(lock), __ATOMIC_RELAXED) != 0, 0);
}

/* The caller is about to wait. Returns the lock's mark, NULL when there is no place. */
struct waiters *waiters_arrive(const void *lock, uint64_t now_ns);

/* The caller waits no longer; acquired: it has the lock, whose others have been waiting for *it* from now on. mark may be NULL. */
void waiters_leave(struct waiters *mark, uint64_t now_ns, bool acquired);

/* The lock's mark; NULL: nobody waits for it. */
struct waiters *waiters_find(const void *lock);

/* The lock is about to be released. exclusive: it is free then, or the next one's; not: other readers may still have it. Returns since when
 * somebody has been waiting for this hold; 0 when nobody has. */
uint64_t waiters_release(struct waiters *mark, const void *lock, uint64_t now_ns, bool exclusive);

/* Forgets marks that a release should have removed and did not: a lock whose holder died, or released it while nobody recorded. */
void waiters_sweep(void);

/* In a child of fork(): nobody waits. */
void waiters_reset(void);

#endif
