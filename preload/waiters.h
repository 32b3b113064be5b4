/*
 * Which locks are being waited for, and since when: a mark for each, set by a waiter before it blocks and looked at by whoever takes or
 * releases a lock while there are any. glibc's own word will not do: a condition wait leaves it saying "waiters" for nothing, and it
 * does not know since when. Marks come from a small fixed table; a lock that finds no place has none, and its blocking hold is not seen.
 *
 * Any thread may call any of these. Nothing here waits.
 */
#ifndef RBDPROF_PRELOAD_WAITERS_H
#define RBDPROF_PRELOAD_WAITERS_H

#include <stdbool.h>
#include <stdint.h>

struct waiters;

extern struct waiters_total {
	uint32_t marks; /* in use */
	char pad[60];   /* every lock call reads it */
} waiters_total __attribute__((aligned(64)));

/* Whether any lock is marked. */
static inline bool waiters_any(void)
{
	return __builtin_expect(__atomic_load_n(&waiters_total.marks, __ATOMIC_RELAXED) != 0, 0);
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
