/* Counts of locks, from the tables into events. */
#include "preload/counts.h"

#include <string.h>

#include "preload/lockname.h"
#include "preload/lockstat.h"
#include "preload/proc.h"
#include "preload/recorder.h"

static bool too_many_threads, too_many_locks; /* said so */

/* A table that begins to count anew, or has another owner, has said nothing. */
static void begin(struct lockstat_table *table)
{
	if (table->said_epoch == lockstat_state.epoch)
		return;
	memset(table->said, 0, sizeof(table->said));
	table->said_epoch = lockstat_state.epoch;
	too_many_threads = too_many_locks = false;
}

static void say_slot(struct lockstat_table *table, size_t at, bool every)
{
	const struct lockstat_slot *slot = &table->slots[at];
	const struct lockstat_waits *waits = &table->waits[at];
	struct lockstat_said *said = &table->said[at];
	uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE), contended;
	uint32_t acquisitions, holds;
	struct rbdprof_lock_counts counts;

	if (!key || __atomic_load_n(&table->foreign[at], __ATOMIC_RELAXED))
		return;
	/* Waits before acquisitions, as the owner writes them the other way round: contended ones are among those. */
	contended = __atomic_load_n(&waits->contended, __ATOMIC_RELAXED);
	acquisitions = __atomic_load_n(&slot->acquisitions, __ATOMIC_RELAXED) - (uint32_t)said->acquisitions;
	holds = __atomic_load_n(&slot->holds, __ATOMIC_RELAXED) - (uint32_t)said->holds;
	if (contended != said->contended)
		locknames_want((const void *)(uintptr_t)(key & ~(uint64_t)LOCKSTAT_KIND));
	if (!acquisitions && !holds && contended == said->contended)
		return;
	said->acquisitions += acquisitions;
	said->holds += holds;
	said->contended = contended;
	counts = (struct rbdprof_lock_counts){
	    .lock = key & ~(uint64_t)LOCKSTAT_KIND,
	    .acquisitions = said->acquisitions,
	    .contended = contended,
	    .wait_ns = __atomic_load_n(&waits->wait_ns, __ATOMIC_RELAXED),
	    .holds = said->holds,
	    .hold_ns = ticks_to_ns(__atomic_load_n(&slot->hold_ticks, __ATOMIC_RELAXED)),
	    .thread = table->thread,
	    .kind = (uint8_t)(key & LOCKSTAT_KIND),
	};
	EMIT_ALONE(lock_counts(&counts, every));
}

static void say_table(struct lockstat_table *table, bool every)
{
	if (!lockstat_counts(table))
		return;
	begin(table);
	EMIT_ALONE(thread(table->thread, table->tid, table->name));
	for (size_t i = 0; i < LOCKSTAT_SLOTS; i++)
		say_slot(table, i, every);
	if (__atomic_load_n(&table->uncounted, __ATOMIC_RELAXED) && !too_many_locks) {
		too_many_locks = true;
		EMIT_ALONE(undecoded("lock counts: more locks than a thread's table holds"));
	}
}

void counts_say(bool every)
{
	struct lockstat_table *table = NULL;

	while ((table = lockstat_next(table))) {
		bool gone = !proc_thread_name(table->tid, table->name);

		say_table(table, every);
		if (gone)
			lockstat_free(table);
	}
	if (lockstat_without_table() && !too_many_threads) {
		too_many_threads = true;
		EMIT_ALONE(undecoded("lock counts: more threads than there are tables"));
	}
}
