/* Tables of locks, one a thread. */
#include "preload/lockstat.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.h"
#include "preload/tracer.h"

#define MOST_TABLES 512 /* address space; a page is used once something is written to it */
#define PROBES      16

struct lockstat_state lockstat_state;
__thread struct lockstat_thread lockstat_thread __attribute__((tls_model("initial-exec")));

static struct lockstat_table *tables;
static uint32_t table_count; /* that were ever taken */
static uint32_t last_epoch;
static uint32_t without_table;
static uint32_t crowded;

static struct lockstat_table *take(void)
{
	uint32_t count = __atomic_load_n(&table_count, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < MOST_TABLES; i++) {
		if (__atomic_load_n(&tables[i].taken, __ATOMIC_RELAXED) || __atomic_exchange_n(&tables[i].taken, 1, __ATOMIC_ACQUIRE))
			continue;
		while (count <= i && !__atomic_compare_exchange_n(&table_count, &count, i + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return &tables[i];
	}
	return NULL;
}

/* A slot without a key, in which nothing is counted. The flusher may be looking. */
static void empty(struct lockstat_table *table, struct lockstat_slot *slot)
{
	struct lockstat_times *times = &table->times[lockstat_place(table, slot)];
	struct lockstat_waits *waits = &table->waits[lockstat_place(table, slot)];

	__atomic_store_n(&slot->key, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(
	    __ATOMIC_RELEASE); /* pairs with lockstat_look()'s: who sees a number of the next life sees that this one is over */
	__atomic_store_n(&slot->acquisitions, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&times->holds, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&times->hold_ticks, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&waits->contended, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&waits->wait_ns, 0, __ATOMIC_RELAXED);
}

/* While it is being cleared it belongs to no epoch, so the flusher passes over it. */
static void clear(struct lockstat_table *table, uint32_t epoch)
{
	__atomic_store_n(&table->epoch, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (size_t i = 0; i < LOCKSTAT_SLOTS; i++)
		if (table->slots[i].key)
			empty(table, &table->slots[i]);
	__atomic_store_n(&table->uncounted, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&table->epoch, epoch, __ATOMIC_RELEASE);
}

/* The tracer's own threads are known by their names, and count nothing. */
static bool introduce(struct lockstat_table *table)
{
	prctl(PR_GET_NAME, table->name); /* ends with a zero */
	if (tracer_named(table->name))
		return false;
	table->thread = recorder_thread_number();
	table->stack = (uintptr_t)__builtin_frame_address(0);
	__atomic_store_n(&table->tid, recorder_tid(), __ATOMIC_RELEASE);
	return true;
}

static struct lockstat_table *first_table(void)
{
	struct lockstat_table *table = take();

	if (!table || introduce(table))
		return table;
	recorder_thread.inside = 1;
	lockstat_free(table);
	return NULL;
}

struct lockstat_table *lockstat_table(void)
{
	uint32_t epoch = __atomic_load_n(&lockstat_state.epoch, __ATOMIC_ACQUIRE);

	if (!epoch || recorder_thread.inside)
		return NULL;
	if (lockstat_thread.epoch == epoch)
		return lockstat_thread.table;
	if (!lockstat_thread.table)
		lockstat_thread.table = first_table();
	lockstat_thread.timed = 0;
	lockstat_thread.epoch = epoch;
	if (lockstat_thread.table)
		clear(lockstat_thread.table, epoch);
	else
		__atomic_fetch_add(&without_table, 1, __ATOMIC_RELAXED);
	return lockstat_thread.table;
}

static struct lockstat_slot *insert(struct lockstat_table *table, struct lockstat_slot *slot, uint64_t key, const void *caller)
{
	uint32_t *life = &table->lives[lockstat_place(table, slot)];

	if (slot->key)
		empty(table, slot);
	__atomic_store_n(life, (*life | 1) + 1 + tracer_owns(caller), __ATOMIC_RELAXED);
	__atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
	return slot;
}

/* The place of a lock's hold among those that this thread times, the latest first; 0: it is not timed. */
static uint32_t find_hold(uint64_t key)
{
	uint32_t i = lockstat_thread.timed;

	while (i && lockstat_thread.holds[i - 1].key != key)
		i--;
	return i;
}

static void drop_hold(uint32_t at)
{
	for (lockstat_thread.timed--; at <= lockstat_thread.timed; at++)
		lockstat_thread.holds[at - 1] = lockstat_thread.holds[at];
}

/* Whether nothing is lost when the slot becomes another lock's. */
static bool is_told(const struct lockstat_table *table, const struct lockstat_slot *slot)
{
	size_t at = lockstat_place(table, slot);
	const struct lockstat_times *times = &table->times[at];
	const struct lockstat_said *said = &table->said[at];

	if (find_hold(slot->key))
		return false;
	return (table->lives[at] & 1) || (__atomic_load_n(&said->life, __ATOMIC_RELAXED) == table->lives[at] &&
					  __atomic_load_n(&said->acquisitions, __ATOMIC_RELAXED) == slot->acquisitions &&
					  __atomic_load_n(&said->holds, __ATOMIC_RELAXED) == times->holds &&
					  __atomic_load_n(&said->contended, __ATOMIC_RELAXED) == table->waits[at].contended);
}

/* The i-th place where a key may be: near and in that line, then far. */
static struct lockstat_slot *candidate(struct lockstat_table *table, uint64_t key, size_t i)
{
	size_t near = lockstat_near(key), far;

	if (i < LOCKSTAT_LINE)
		return &table->slots[near ^ i];
	far = (size_t)(lockstat_hash(key) >> (64 - LOCKSTAT_FAR_BITS)) & ~(size_t)(LOCKSTAT_LINE - 1);
	return &table->slots[LOCKSTAT_NEAR + (far + i - LOCKSTAT_LINE) % LOCKSTAT_FAR];
}

struct lockstat_slot *lockstat_seek(struct lockstat_table *table, uint64_t key, const void *caller)
{
	struct lockstat_slot *slot;
	size_t count = 0;

	/* Places are taken in this order and never given up, only taken by others: behind a free one there is nothing. */
	for (; count < LOCKSTAT_LINE + PROBES && (slot = candidate(table, key, count))->key; count++)
		if (slot->key == key)
			return slot;
	if (!caller)
		return NULL;
	for (size_t i = 0; i < count && i < LOCKSTAT_LINE; i++)
		if (is_told(table, candidate(table, key, i)))
			return insert(table, candidate(table, key, i), key, caller);
	if (count < LOCKSTAT_LINE + PROBES)
		return insert(table, candidate(table, key, count), key, caller);
	for (size_t i = LOCKSTAT_LINE; i < count; i++)
		if (is_told(table, candidate(table, key, i)))
			return insert(table, candidate(table, key, i), key, caller);
	__atomic_store_n(&table->uncounted, table->uncounted + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&crowded, 1, __ATOMIC_RELAXED);
	return NULL;
}

static struct lockstat_slot *count(struct lockstat_slot *slot)
{
	__atomic_store_n(&slot->acquisitions, slot->acquisitions + 1, __ATOMIC_RELAXED);
	return slot;
}

static inline void time_hold(struct lockstat_table *table, const struct lockstat_slot *slot, uint64_t ticks, uint64_t counted)
{
	struct lockstat_times *times = &table->times[lockstat_place(table, slot)];

	__builtin_prefetch(times, 1); /* for the release */
	if (__builtin_expect(lockstat_thread.timed == LOCKSTAT_HOLDS, 0))
		drop_hold(1);
	lockstat_thread.holds[lockstat_thread.timed++] =
	    (struct lockstat_hold){slot->key, (ticks & ~(uint64_t)LOCKSTAT_COUNTED) | counted, times};
}

/* Apart, so that who reads the counter saves no register for it. */
static __attribute__((noinline)) struct lockstat_slot *acquired_timed_by_clock(struct lockstat_slot *slot)
{
	time_hold(lockstat_thread.table, slot, recorder_now_ns(), LOCKSTAT_COUNTED);
	return count(slot);
}

struct lockstat_slot *lockstat_acquired_timed(struct lockstat_slot *slot)
{
	if (!ticks_counted())
		return acquired_timed_by_clock(slot);
	time_hold(lockstat_thread.table, slot, ticks_count(), LOCKSTAT_COUNTED);
	return count(slot);
}

struct lockstat_slot *lockstat_acquired_anyhow(const void *lock, uint8_t kind, const void *caller)
{
	struct lockstat_table *table = lockstat_mine();
	struct lockstat_slot *slot = table ? lockstat_find(table, lockstat_key(lock, kind), caller) : NULL;

	if (!slot)
		return NULL;
	if (lockstat_is_timed(slot->acquisitions))
		return lockstat_acquired_timed(slot);
	if (waiters_likely(lock) && waiters_find(lock))
		time_hold(table, slot, ticks_now(), 0);
	return count(slot);
}

uint64_t lockstat_timed_below(uint64_t key, struct lockstat_times **times)
{
	uint32_t at = find_hold(key);
	struct lockstat_hold hold;

	if (!at)
		return 0;
	hold = lockstat_thread.holds[at - 1];
	drop_hold(at);
	*times = hold.times;
	return hold.begun;
}

void lockstat_waited(const struct lockstat_slot *slot, uint64_t wait_ns)
{
	struct lockstat_table *table = lockstat_thread.table;
	struct lockstat_waits *waits = &table->waits[lockstat_place(table, slot)];

	__atomic_store_n(&waits->wait_ns, waits->wait_ns + wait_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&waits->contended, waits->contended + 1, __ATOMIC_RELEASE);
}

void lockstat_block(const struct lockstat_blocked *blocked)
{
	struct lockstat_table *table = lockstat_mine();
	struct lockstat_blocked *mine;

	if (!table)
		return;
	mine = &table->blocked;
	__atomic_store_n(&mine->lock, blocked->lock, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->caller, blocked->caller, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->request, blocked->request, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->stack, blocked->stack, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->holder, blocked->holder, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->kind, blocked->kind, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->begin_ns, blocked->begin_ns, __ATOMIC_RELEASE);
}

/* The recording in which it was noted may be over, and another one have begun. */
void lockstat_unblock(void)
{
	struct lockstat_table *table = lockstat_thread.table;

	if (!table || !table->blocked.begin_ns)
		return;
	__atomic_store_n(&table->blocked.begin_ns, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* pairs with lockstat_blocked()'s, as in empty() */
}

bool lockstat_blocked(const struct lockstat_table *table, struct lockstat_blocked *blocked)
{
	const struct lockstat_blocked *its = &table->blocked;

	blocked->begin_ns = __atomic_load_n(&its->begin_ns, __ATOMIC_ACQUIRE);
	if (!blocked->begin_ns)
		return false;
	blocked->lock = __atomic_load_n(&its->lock, __ATOMIC_RELAXED);
	blocked->caller = __atomic_load_n(&its->caller, __ATOMIC_RELAXED);
	blocked->request = __atomic_load_n(&its->request, __ATOMIC_RELAXED);
	blocked->stack = __atomic_load_n(&its->stack, __ATOMIC_RELAXED);
	blocked->holder = __atomic_load_n(&its->holder, __ATOMIC_RELAXED);
	blocked->kind = __atomic_load_n(&its->kind, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&its->begin_ns, __ATOMIC_RELAXED) == blocked->begin_ns;
}

bool lockstat_look(const struct lockstat_table *table, size_t at, struct lockstat_view *view)
{
	const struct lockstat_slot *slot = &table->slots[at];
	const struct lockstat_times *times = &table->times[at];
	const struct lockstat_waits *waits = &table->waits[at];

	view->key = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
	view->life = __atomic_load_n(&table->lives[at], __ATOMIC_RELAXED);
	if (!view->key || (view->life & 1))
		return false;
	/* Waits before acquisitions, since the owner writes them the other way round: contended ones are among those. */
	view->contended = __atomic_load_n(&waits->contended, __ATOMIC_ACQUIRE);
	view->wait_ns = __atomic_load_n(&waits->wait_ns, __ATOMIC_RELAXED);
	view->holds = __atomic_load_n(&times->holds, __ATOMIC_ACQUIRE);
	view->hold_ticks = __atomic_load_n(&times->hold_ticks, __ATOMIC_RELAXED);
	view->acquisitions = __atomic_load_n(&slot->acquisitions, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&slot->key, __ATOMIC_RELAXED) == view->key &&
	       __atomic_load_n(&table->lives[at], __ATOMIC_RELAXED) == view->life;
}

bool lockstat_crowded(void)
{
	return __atomic_load_n(&crowded, __ATOMIC_RELAXED) && __atomic_exchange_n(&crowded, 0, __ATOMIC_RELAXED);
}

bool lockstat_begin(bool every, bool pairs, bool conds)
{
	if (!tables) {
		void *mapped =
		    mmap(NULL, MOST_TABLES * sizeof(*tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (mapped == MAP_FAILED)
			return false;
		tables = mapped;
	}
	waiters_sweep();
	__atomic_store_n(&crowded, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&without_table, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&lockstat_state.timed, every ? LOCKSTAT_EVERY : LOCKSTAT_SOME, __ATOMIC_RELAXED);
	__atomic_store_n(&lockstat_state.pairs, pairs, __ATOMIC_RELAXED);
	__atomic_store_n(&lockstat_state.conds, conds, __ATOMIC_RELAXED);
	last_epoch = last_epoch + 1 ? last_epoch + 1 : 1;
	__atomic_store_n(&lockstat_state.epoch, last_epoch, __ATOMIC_RELEASE);
	return true;
}

void lockstat_end(void)
{
	__atomic_store_n(&lockstat_state.epoch, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&lockstat_state.pairs, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&lockstat_state.conds, 0, __ATOMIC_RELAXED);
}

struct lockstat_table *lockstat_next(struct lockstat_table *previous)
{
	uint32_t end = __atomic_load_n(&table_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = previous ? (uint32_t)(previous - tables) + 1 : 0; i < end; i++)
		if (__atomic_load_n(&tables[i].tid, __ATOMIC_ACQUIRE))
			return &tables[i];
	return NULL;
}

bool lockstat_counts(const struct lockstat_table *table)
{
	uint32_t epoch = __atomic_load_n(&lockstat_state.epoch, __ATOMIC_RELAXED);

	return epoch && __atomic_load_n(&table->epoch, __ATOMIC_ACQUIRE) == epoch;
}

void lockstat_free(struct lockstat_table *table)
{
	__atomic_store_n(&table->epoch, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&table->blocked.begin_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&table->tid, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&table->taken, 0, __ATOMIC_RELEASE);
}

uint32_t lockstat_without_table(void)
{
	return __atomic_load_n(&without_table, __ATOMIC_RELAXED);
}

void lockstat_reset(void)
{
	struct lockstat_table *mine = lockstat_thread.table;

	lockstat_end();
	waiters_reset();
	for (uint32_t i = 0; i < table_count; i++)
		if (&tables[i] != mine)
			lockstat_free(&tables[i]);
	if (mine)
		mine->tid = recorder_tid();
}
