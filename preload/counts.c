/* Counts of locks, from the tables into events. */
#include "preload/counts.h"

#include <string.h>

#include "preload/lockname.h"
#include "preload/lockstat.h"
#include "preload/proc.h"
#include "preload/recorder.h"

#define LONG_NS 1000000000u /* a wait is said once it has lasted so long */

static uint32_t epoch;                        /* that these are of: */
static bool too_many_threads, too_many_locks; /* said so */

/* Counts of a thread that are to be said together. */
struct kept {
	size_t count;
	struct rbdprof_lock_counts of[RBDPROF_COUNTS_AT_ONCE];
};

static void say_kept(struct kept *kept, bool every)
{
	if (kept->count)
		EMIT_ALONE(lock_counts(kept->of, kept->count, every));
	kept->count = 0;
}

static void say_slot(struct lockstat_table *table, size_t at, struct kept *kept, bool every)
{
	struct lockstat_said *said = &table->said[at];
	struct lockstat_view view;
	bool anew;

	if (!lockstat_look(table, at, &view))
		return;
	anew = said->life != view.life;
	if (view.contended != (anew ? 0 : said->contended))
		locknames_want((const void *)(uintptr_t)(view.key & ~(uint64_t)LOCKSTAT_KIND));
	if (!anew && view.acquisitions == said->acquisitions && view.holds == said->holds && view.contended == said->contended)
		return;
	kept->of[kept->count++] = (struct rbdprof_lock_counts){
	    .lock = view.key & ~(uint64_t)LOCKSTAT_KIND,
	    .series = (uint64_t)view.life * LOCKSTAT_SLOTS + at,
	    .acquisitions = view.acquisitions,
	    .contended = view.contended,
	    .wait_ns = view.wait_ns,
	    .holds = view.holds,
	    .hold_ns = ticks_to_ns(view.hold_ticks),
	    .thread = table->thread,
	    .kind = (uint8_t)(view.key & LOCKSTAT_KIND),
	};
	if (kept->count == RBDPROF_COUNTS_AT_ONCE)
		say_kept(kept, every);
	__atomic_store_n(&said->life, view.life, __ATOMIC_RELAXED);
	__atomic_store_n(&said->contended, view.contended, __ATOMIC_RELAXED);
	__atomic_store_n(&said->holds, view.holds, __ATOMIC_RELAXED);
	__atomic_store_n(&said->acquisitions, view.acquisitions, __ATOMIC_RELAXED);
}

/* A wait that is not over, whichever recording it began in. */
static void say_blocked(const struct lockstat_table *table)
{
	uint64_t now_ns = recorder_now_ns();
	struct lockstat_blocked blocked;
	struct rbdprof_lock_wait wait;

	if (!lockstat_blocked(table, &blocked) || now_ns < blocked.begin_ns + LONG_NS)
		return;
	wait = (struct rbdprof_lock_wait){
	    .end_ns = now_ns,
	    .lock = blocked.lock,
	    .caller = blocked.caller,
	    .wait_ns = now_ns - blocked.begin_ns,
	    .request = blocked.request,
	    .stack = blocked.stack,
	    .thread = table->thread,
	    .holder = blocked.holder,
	    .kind = blocked.kind,
	};
	locknames_want((const void *)(uintptr_t)blocked.lock);
	EMIT_ALONE(thread(table->thread, table->tid, table->name));
	EMIT_ALONE(lock_wait_open(&wait));
}

static void say_table(struct lockstat_table *table, bool every)
{
	struct kept kept;

	if (!lockstat_counts(table))
		return;
	EMIT_ALONE(thread(table->thread, table->tid, table->name));
	kept.count = 0;
	for (size_t i = 0; i < LOCKSTAT_SLOTS; i++)
		say_slot(table, i, &kept, every);
	say_kept(&kept, every);
	if (__atomic_load_n(&table->uncounted, __ATOMIC_RELAXED) && !too_many_locks) {
		too_many_locks = true;
		EMIT_ALONE(undecoded("lock counts: more locks than a thread's table holds"));
	}
}

void counts_say(bool every)
{
	struct lockstat_table *table = NULL;

	if (epoch != lockstat_state.epoch)
		too_many_threads = too_many_locks = false;
	epoch = lockstat_state.epoch;
	while ((table = lockstat_next(table))) {
		bool gone = !proc_thread_name(table->tid, table->name);

		say_table(table, every);
		if (!gone)
			say_blocked(table);
		if (gone)
			lockstat_free(table);
	}
	if (lockstat_without_table() && !too_many_threads) {
		too_many_threads = true;
		EMIT_ALONE(undecoded("lock counts: more threads than there are tables"));
	}
}
