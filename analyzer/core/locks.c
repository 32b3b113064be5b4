#include "analyzer/core/locks.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/images.h"

/* A delay stays where it is for as long as the locks live: requests in flight point to it. */
struct owned_delay {
	struct {
		const void *of; /* a type, or a lock without one */
		uint32_t process;
		uint32_t kind;
	} key;
	struct delay delay;
	UT_hash_handle hh;
};

/* A thread's wait that was not over when it was last said. */
struct open_wait {
	struct {
		uint32_t process;
		uint32_t thread;
	} key;
	struct process *told_by;
	uint64_t passes; /* of the process's flusher before that: each ends with a HOST */
	struct event event;
	UT_hash_handle hh;
};

static void lock_destroy(struct lock *lock)
{
	if (lock->contention)
		contention_fini(lock->contention);
	if (lock->pairs)
		histogram_fini(lock->pairs);
	free(lock->contention);
	free(lock->pairs);
	free(lock);
}

static void forget_open(struct locks *locks, struct open_wait *open)
{
	HASH_DEL(locks->open, open);
	free(open);
}

void locks_fini(struct locks *locks)
{
	struct owned_delay *delay, *next;
	struct open_wait *open, *next_open;

	HASH_CLEAR(hh, locks->current);
	for (size_t i = 0; i < locks->count; i++)
		lock_destroy(locks->all[i]);
	free(locks->all);
	HASH_ITER(hh, locks->delays, delay, next)
	{
		HASH_DEL(locks->delays, delay);
		delay_fini(&delay->delay);
		free(delay);
	}
	HASH_ITER(hh, locks->open, open, next_open)
	{
		forget_open(locks, open);
	}
	lock_types_fini(&locks->types);
	lock_counts_fini(&locks->counts);
	*locks = (struct locks){0};
}

static struct lock *find(const struct locks *locks, uint32_t process, uint64_t address, uint32_t kind)
{
	struct lock_key key = {address, process, kind};
	struct lock *lock;

	HASH_FIND(hh, locks->current, &key, sizeof(key), lock);
	return lock;
}

static int make_room(struct locks *locks)
{
	size_t room = locks->room ? locks->room * 2 : 64;
	struct lock **grown;

	if (locks->count < locks->room)
		return 0;
	grown = realloc(locks->all, room * sizeof(struct lock *));
	if (!grown)
		return -ENOMEM;
	locks->all = grown;
	locks->room = room;
	return 0;
}

static struct lock *get(struct locks *locks, const struct process *process, uint64_t address, uint32_t kind)
{
	struct lock *lock = find(locks, process->number, address, kind);

	if (lock)
		return lock;
	lock = make_room(locks) ? NULL : calloc(1, sizeof(*lock));
	if (!lock)
		return NULL;
	lock->key = (struct lock_key){address, process->number, kind};
	lock->process = process;
	lock->type = lock_types_find(&locks->types, process->number, address);
	HASH_ADD(hh, locks->current, key, sizeof(lock->key), lock);
	if (hash_failed(lock)) {
		free(lock);
		return NULL;
	}
	locks->all[locks->count++] = lock;
	return lock;
}

/* The delay of all locks of this one's type and kind in its process, or its own. */
static struct delay *delay_get(struct locks *locks, const struct lock *lock)
{
	struct owned_delay sought = {.key = {lock->type ? (const void *)lock->type : lock, lock->key.process, lock->key.kind}}, *owned;

	HASH_FIND(hh, locks->delays, &sought.key, sizeof(sought.key), owned);
	if (owned)
		return &owned->delay;
	owned = calloc(1, sizeof(*owned));
	if (!owned)
		return NULL;
	owned->key = sought.key;
	HASH_ADD(hh, locks->delays, key, sizeof(owned->key), owned);
	if (hash_failed(owned)) {
		free(owned);
		return NULL;
	}
	return &owned->delay;
}

static struct contention *contention_get(struct locks *locks, struct lock *lock)
{
	struct delay *delay;

	if (lock->contention)
		return lock->contention;
	delay = delay_get(locks, lock);
	lock->contention = delay ? calloc(1, sizeof(*lock->contention)) : NULL;
	if (lock->contention)
		lock->contention->delay = delay;
	return lock->contention;
}

static struct open_wait *find_open(const struct locks *locks, const struct process *process, uint32_t thread)
{
	struct open_wait sought = {.key = {process->number, thread}}, *open;

	HASH_FIND(hh, locks->open, &sought.key, sizeof(sought.key), open);
	return open;
}

/* It is said again and again while it lasts; what it was in the end is known at the end. */
static int feed_open(struct locks *locks, struct process *process, const struct event *event)
{
	struct open_wait *open = find_open(locks, process, event->wait.thread);

	/* Its end may have been told while it was being said. */
	if (contention_is_over(process, event))
		return 0;
	if (!open) {
		open = calloc(1, sizeof(*open));
		if (!open)
			return -ENOMEM;
		open->key.process = process->number;
		open->key.thread = event->wait.thread;
		HASH_ADD(hh, locks->open, key, sizeof(open->key), open);
		if (hash_failed(open)) {
			free(open);
			return -ENOMEM;
		}
	}
	open->told_by = process;
	open->passes = process->tasks.host.samples;
	open->event = *event;
	return 0;
}

static int feed_wait(struct locks *locks, struct process *process, const struct event *event, const struct request *request,
		     uint64_t oldest_ns)
{
	struct open_wait *over = find_open(locks, process, event->wait.thread);
	struct lock *lock = get(locks, process, event->wait.lock, event->wait.kind);
	struct contention *contention = lock ? contention_get(locks, lock) : NULL;

	if (over)
		forget_open(locks, over);
	if (!contention)
		return -ENOMEM;
	lock->mutex = event->wait.mutex;
	return contention_wait(contention, lock, process, event, request, oldest_ns);
}

/* A release ends waits of all who wait for the same lock, in whichever way they asked for it. */
static int feed_hold(struct locks *locks, const struct process *process, const struct event *event)
{
	int is_rwlock = event->hold.kind == RBDPROF_RWLOCK_READ || event->hold.kind == RBDPROF_RWLOCK_WRITE;
	uint32_t first = is_rwlock ? RBDPROF_RWLOCK_READ : event->hold.kind, last = is_rwlock ? RBDPROF_RWLOCK_WRITE : event->hold.kind;

	for (uint32_t kind = first; kind <= last; kind++) {
		struct lock *lock = get(locks, process, event->hold.lock, kind);
		struct contention *contention = lock ? contention_get(locks, lock) : NULL;

		if (!contention || contention_hold(contention, lock, process, event))
			return -ENOMEM;
	}
	return 0;
}

static int feed_pair(struct locks *locks, const struct process *process, const struct event *event)
{
	struct lock *lock = get(locks, process, event->hold.lock, event->hold.kind);

	if (lock && !lock->pairs)
		lock->pairs = calloc(1, sizeof(*lock->pairs));
	return lock && lock->pairs ? histogram_add(lock->pairs, event->hold.hold_ns) : -ENOMEM;
}

static int feed_counts_of(struct locks *locks, const struct process *process, const struct event_counts *told, int all_timed)
{
	struct lock *lock;
	struct counts added;

	if (told->kind >= RBDPROF_LOCK_KIND_COUNT)
		return -ENOENT;
	lock = get(locks, process, told->lock, told->kind);
	if (!lock || lock_counts_feed(&locks->counts, process->number, told, &added))
		return -ENOMEM;
	counts_add(&lock->counts, &added);
	lock->counted = 1;
	lock->all_timed = all_timed;
	return 0;
}

static int feed_counts(struct locks *locks, const struct process *process, const struct event *event)
{
	int all_timed = event->type == EVENT_HOLD_COUNTS, status = 0, worst = 0;

	if (!event->counts.several)
		return feed_counts_of(locks, process, &event->counts.one, all_timed);
	for (size_t i = 0; i < event->counts.count && status != -ENOMEM; i++) {
		status = feed_counts_of(locks, process, &event->counts.several[i], all_timed);
		worst = status ? status : worst;
	}
	return worst;
}

/* Its waits so far stay where they are: with the locks of its type they would be held against some requests twice. */
static int take_type(struct locks *locks, struct lock *lock, const struct lock_type *type)
{
	struct delay *delay;

	lock->type = type;
	if (!lock->contention)
		return 0;
	delay = delay_get(locks, lock);
	if (!delay)
		return -ENOMEM;
	lock->contention->untyped_delay = lock->contention->delay;
	lock->contention->delay = delay;
	return 0;
}

static int feed_name(struct locks *locks, const struct process *process, const struct event *event)
{
	const struct lock_type *type;
	int status = lock_types_tell(&locks->types, process->number, event->lock_name.lock, event->lock_name.offset_bytes,
				     event->lock_name.type, &type);

	for (uint32_t kind = 0; kind < RBDPROF_LOCK_KIND_COUNT && !status; kind++) {
		struct lock *lock = find(locks, process->number, event->lock_name.lock, kind);

		if (lock && !lock->type)
			status = take_type(locks, lock, type);
		else if (lock && lock->type != type)
			HASH_DEL(locks->current, lock);
	}
	return status;
}

static uint32_t kind_of(const struct event *event)
{
	switch (event->type) {
	case EVENT_LOCK_HOLD:
	case EVENT_LOCK_PAIR:
		return event->hold.kind;
	case EVENT_LOCK_COUNTS: /* each has its own */
	case EVENT_HOLD_COUNTS:
	case EVENT_LOCK_NAME:
		return 0;
	default:
		return event->wait.kind;
	}
}

int locks_feed(struct locks *locks, struct process *process, const struct event *event, const struct request *request, uint64_t oldest_ns)
{
	if (kind_of(event) >= RBDPROF_LOCK_KIND_COUNT)
		return -ENOENT;
	switch (event->type) {
	case EVENT_LOCK_HOLD:
		return feed_hold(locks, process, event);
	case EVENT_LOCK_PAIR:
		return feed_pair(locks, process, event);
	case EVENT_LOCK_COUNTS:
	case EVENT_HOLD_COUNTS:
		return feed_counts(locks, process, event);
	case EVENT_LOCK_NAME:
		return feed_name(locks, process, event);
	case EVENT_LOCK_WAIT_OPEN:
		return feed_open(locks, process, event);
	default:
		return feed_wait(locks, process, event, request, oldest_ns);
	}
}

uint64_t lock_waited_ns(const struct lock *lock)
{
	uint64_t told_ns = lock->contention ? lock->contention->wait.sum + lock->contention->failed.sum : 0;
	uint64_t open_ns = lock->contention ? lock->contention->open.sum : 0;

	/* Where events were lost, the counts know of more. */
	return open_ns + (lock->counted && lock->counts.wait_ns > told_ns ? lock->counts.wait_ns : told_ns);
}

uint64_t lock_submitters_ns(const struct lock *lock)
{
	const struct contention *contention = lock->contention;

	if (!contention || (!lock->process->code.module_count && contention->others_count))
		return 0;
	return contention->submitters_ns;
}

static uint64_t told(const struct lock *lock)
{
	return lock->contention ? lock->contention->wait.count : 0;
}

uint64_t lock_contended(const struct lock *lock)
{
	uint64_t count = told(lock);

	return lock->counted && lock->counts.contended > count ? lock->counts.contended : count;
}

uint64_t lock_uncounted(const struct lock *lock)
{
	uint64_t count = told(lock);

	return lock->counted && count > lock->counts.contended ? count - lock->counts.contended : 0;
}

int lock_acquisitions_known(const struct lock *lock)
{
	return lock->counted || lock->pairs;
}

uint64_t lock_acquisitions(const struct lock *lock)
{
	uint64_t most = lock->pairs ? lock->pairs->count : 0, counted = lock->counts.acquisitions + lock_uncounted(lock);

	if (!lock_acquisitions_known(lock))
		return 0;
	most = counted > most ? counted : most;
	return most > lock_contended(lock) ? most : lock_contended(lock);
}

static int by_wait(const void *a, const void *b)
{
	uint64_t first = lock_waited_ns(*(struct lock *const *)a), second = lock_waited_ns(*(struct lock *const *)b);

	return first < second ? 1 : first > second ? -1 : 0;
}

/* Unless a whole pass has not said it any more: then its end was lost. */
static int is_open(const struct open_wait *open)
{
	return open->told_by->tasks.host.samples <= open->passes + 1;
}

/* Waits that are still open last until their process's last event. All are noted before any is taken: threads may wait for each other. */
static int finish_open(struct locks *locks)
{
	struct open_wait *open, *next;

	HASH_ITER(hh, locks->open, open, next)
	{
		struct event *event = &open->event;
		struct lock *lock = is_open(open) ? get(locks, open->told_by, event->wait.lock, event->wait.kind) : NULL;
		uint64_t end_ns = open->told_by->health.last_ns;

		if (!is_open(open)) {
			forget_open(locks, open);
			continue;
		}
		if (!lock)
			return -ENOMEM;
		if (end_ns > event->time_ns) {
			event->wait.wait_ns += end_ns - event->time_ns;
			event->time_ns = end_ns;
		}
		contention_open(lock, open->told_by, event);
	}
	HASH_ITER(hh, locks->open, open, next)
	{
		struct lock *lock = get(locks, open->told_by, open->event.wait.lock, open->event.wait.kind);
		struct contention *contention = lock ? contention_get(locks, lock) : NULL;

		if (!contention || contention_wait(contention, lock, open->told_by, &open->event, NULL, 0))
			return -ENOMEM;
	}
	return 0;
}

int locks_finish(struct locks *locks)
{
	if (finish_open(locks))
		return -ENOMEM;
	for (size_t i = 0; i < locks->count; i++)
		if (locks->all[i]->contention && edges_finish(&locks->all[i]->contention->edges))
			return -ENOMEM;
	if (locks->count)
		qsort(locks->all, locks->count, sizeof(*locks->all), by_wait);
	for (size_t i = 0; i < locks->count; i++)
		locks->all[i]->place = i;
	return 0;
}
