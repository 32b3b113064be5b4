#include "analyzer/core/locks.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/images.h"

void locks_fini(struct locks *locks)
{
	struct lock *lock, *next_lock;
	struct lock_waiter *waiter, *next_waiter;

	HASH_ITER(hh, locks->locks, lock, next_lock)
	{
		HASH_ITER(hh, lock->waiters, waiter, next_waiter)
		{
			HASH_DEL(lock->waiters, waiter);
			free(waiter);
		}
		HASH_DEL(locks->locks, lock);
		histogram_fini(&lock->wait);
		histogram_fini(&lock->failed);
		free(lock);
	}
}

static struct lock *lock_get(struct locks *locks, const struct process *process, const struct event *event)
{
	struct lock sought = {.key = {event->wait.lock, process->number, event->wait.kind}}, *lock;

	HASH_FIND(hh, locks->locks, &sought.key, sizeof(sought.key), lock);
	if (lock)
		return lock;
	lock = calloc(1, sizeof(*lock));
	if (!lock)
		return NULL;
	lock->key = sought.key;
	lock->process = process;
	HASH_ADD(hh, locks->locks, key, sizeof(lock->key), lock);
	if (hash_failed(lock)) {
		free(lock);
		return NULL;
	}
	return lock;
}

static struct lock_waiter *waiter_get(struct lock *lock, const struct event *event)
{
	struct lock_waiter sought = {.key = {event->wait.caller, event->wait.thread}}, *waiter;

	HASH_FIND(hh, lock->waiters, &sought.key, sizeof(sought.key), waiter);
	if (waiter)
		return waiter;
	waiter = calloc(1, sizeof(*waiter));
	if (!waiter)
		return NULL;
	waiter->key = sought.key;
	HASH_ADD(hh, lock->waiters, key, sizeof(waiter->key), waiter);
	if (hash_failed(waiter)) {
		free(waiter);
		return NULL;
	}
	return waiter;
}

/* The caller has the lock, or was woken. A lock whose owner died is had all the same. */
static int succeeded(int32_t result)
{
	return result == 0 || result == EOWNERDEAD;
}

int locks_feed(struct locks *locks, const struct process *process, const struct event *event)
{
	struct lock_waiter *waiter;
	struct lock *lock;

	if (event->wait.kind >= RBDPROF_LOCK_KIND_COUNT)
		return -ENOENT;
	lock = lock_get(locks, process, event);
	if (!lock)
		return -ENOMEM;
	waiter = waiter_get(lock, event);
	if (!waiter || histogram_add(succeeded(event->wait.result) ? &lock->wait : &lock->failed, event->wait.wait_ns))
		return -ENOMEM;
	lock->mutex = event->wait.mutex;
	waiter->count++;
	waiter->wait_ns += event->wait.wait_ns;
	return 0;
}

static int descending(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_wait(const struct lock *a, const struct lock *b)
{
	return descending(a->wait.sum + a->failed.sum, b->wait.sum + b->failed.sum);
}

static int by_waiter(const struct lock_waiter *a, const struct lock_waiter *b)
{
	return descending(a->wait_ns, b->wait_ns);
}

void locks_sort(struct locks *locks)
{
	struct lock *lock, *next;

	HASH_SORT(locks->locks, by_wait);
	HASH_ITER(hh, locks->locks, lock, next)
	{
		HASH_SORT(lock->waiters, by_waiter);
	}
}

const struct lock_waiter *lock_waiter_next(const struct lock *lock, const struct lock_waiter *previous)
{
	return previous ? previous->hh.next : lock->waiters;
}
