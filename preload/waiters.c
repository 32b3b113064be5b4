/* Marks of locks that are waited for. */
#include "preload/waiters.h"

#include <stddef.h>
#include <string.h>

#define MARKS  1024
#define PROBES 4
#define SHIFT  16 /* addresses have 48 bits */
#define COUNT  ((UINT64_C(1) << SHIFT) - 1)

/* A mark with a count of 0 was left by a waiter that gave up: the hold that it waited for is not over. Such a mark may be taken away. */
struct waiters {
	uint64_t who;      /* the lock << SHIFT | how many wait; 0: free */
	uint64_t since_ns; /* 0: not yet known */
	char pad[48];
};

uint16_t waiters_marks[WAITERS_GROUPS] __attribute__((aligned(64)));

static struct waiters marks[MARKS] __attribute__((aligned(64)));

static uint64_t tag(const void *lock)
{
	return (uint64_t)(uintptr_t)lock << SHIFT;
}

static struct waiters *place(const void *lock, unsigned int probe)
{
	return &marks[((waiters_hash(lock) >> 32) + probe) % MARKS];
}

/* A mark that was this came into use, or went out of it. */
static void count(uint64_t who, uint16_t change)
{
	__atomic_fetch_add(waiters_group((const void *)(uintptr_t)(who >> SHIFT)), change, __ATOMIC_RELEASE);
}

static struct waiters *join(const void *lock, uint64_t now_ns)
{
	struct waiters *mark = waiters_find(lock);
	uint64_t who, none = 0;

	if (!mark)
		return NULL;
	who = __atomic_load_n(&mark->who, __ATOMIC_RELAXED);
	do {
		if ((who & ~COUNT) != tag(lock) || (who & COUNT) == COUNT)
			return NULL;
	} while (!__atomic_compare_exchange_n(&mark->who, &who, who + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	__atomic_compare_exchange_n(&mark->since_ns, &none, now_ns, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return mark;
}

struct waiters *waiters_arrive(const void *lock, uint64_t now_ns)
{
	struct waiters *mark = join(lock, now_ns);

	for (unsigned int i = 0; !mark && i < PROBES; i++) {
		struct waiters *free = place(lock, i);
		uint64_t who = __atomic_load_n(&free->who, __ATOMIC_RELAXED);

		if ((who & COUNT) ||
		    !__atomic_compare_exchange_n(&free->who, &who, tag(lock) | 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&free->since_ns, now_ns, __ATOMIC_RELAXED);
		count(tag(lock), 1);
		if (who)
			count(who, -1);
		mark = free;
	}
	return mark;
}

void waiters_leave(struct waiters *mark, uint64_t now_ns, bool acquired)
{
	uint64_t who, rest;

	if (!mark)
		return;
	who = __atomic_load_n(&mark->who, __ATOMIC_RELAXED);
	do {
		rest = who - 1;
		if (acquired && !(rest & COUNT)) {
			rest = 0;
			__atomic_store_n(&mark->since_ns, 0, __ATOMIC_RELAXED);
		}
	} while (!__atomic_compare_exchange_n(&mark->who, &who, rest, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (!rest)
		count(who, -1);
	else if (acquired)
		__atomic_store_n(&mark->since_ns, now_ns, __ATOMIC_RELAXED);
}

struct waiters *waiters_find(const void *lock)
{
	for (unsigned int i = 0; i < PROBES; i++) {
		struct waiters *mark = place(lock, i);

		if ((__atomic_load_n(&mark->who, __ATOMIC_ACQUIRE) & ~COUNT) == tag(lock))
			return mark;
	}
	return NULL;
}

uint64_t waiters_release(struct waiters *mark, const void *lock, uint64_t now_ns, bool exclusive)
{
	uint64_t who = __atomic_load_n(&mark->who, __ATOMIC_ACQUIRE), since_ns = __atomic_load_n(&mark->since_ns, __ATOMIC_RELAXED);

	if ((who & ~COUNT) != tag(lock))
		return 0;
	if (who & COUNT) {
		if (exclusive)
			__atomic_store_n(&mark->since_ns, now_ns, __ATOMIC_RELAXED);
	} else if (__atomic_compare_exchange_n(&mark->who, &who, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		count(who, -1);
	}
	return since_ns;
}

void waiters_sweep(void)
{
	for (size_t i = 0; i < MARKS; i++) {
		uint64_t who = __atomic_load_n(&marks[i].who, __ATOMIC_RELAXED);

		if (who && !(who & COUNT) && __atomic_compare_exchange_n(&marks[i].who, &who, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			count(who, -1);
	}
}

void waiters_reset(void)
{
	memset(marks, 0, sizeof(marks));
	memset(waiters_marks, 0, sizeof(waiters_marks));
}
