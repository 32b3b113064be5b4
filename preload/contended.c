/* Waits and the holds that others waited for. */
#include "preload/contended.h"

#include "preload/stack.h"
#include "preload/tracer.h"

#define HIGHEST_TID 4194304 /* that Linux ever gives */

static uint32_t plausible(int tid)
{
	return tid > 0 && tid <= HIGHEST_TID && (uint32_t)tid != recorder_tid() ? (uint32_t)tid : 0;
}

/* By glibc's own field, as of now: between the try and this the lock may have changed hands. */
static uint32_t holder_of(uint8_t kind, const void *lock)
{
	if (kind == RBDPROF_MUTEX)
		return plausible(__atomic_load_n(&((const pthread_mutex_t *)lock)->__data.__owner, __ATOMIC_RELAXED));
	return plausible(__atomic_load_n(&((const pthread_rwlock_t *)lock)->__data.__cur_writer, __ATOMIC_RELAXED));
}

static bool mine(uint8_t kind, const void *lock)
{
	return kind == RBDPROF_MUTEX &&
	       (uint32_t)__atomic_load_n(&((const pthread_mutex_t *)lock)->__data.__owner, __ATOMIC_RELAXED) == recorder_tid();
}

void contended_begin(struct contended *wait, uint8_t kind, const void *lock, const void *caller)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* who saw that locks are counted sees the tracer's addresses: pairs with recorder_install() */
	/* The tracer may hold a lock of its own here that emitting takes. */
	wait->foreign = !contended_wanted() || tracer_owns(caller);
	if (wait->foreign)
		return;
	wait->begin_ns = recorder_now_ns();
	/* Who waits for himself keeps nobody else waiting. */
	wait->mark = mine(kind, lock) ? NULL : waiters_arrive(lock, wait->begin_ns);
	wait->holder = holder_of(kind, lock);
	wait->stack = stack_take(caller, wait->begin_ns);
	lockstat_block(&(struct lockstat_blocked){
	    .begin_ns = wait->begin_ns,
	    .lock = (uintptr_t)lock,
	    .caller = (uintptr_t)caller,
	    .request = recorder_thread.request,
	    .stack = wait->stack,
	    .holder = wait->holder,
	    .kind = kind,
	});
}

void contended_end(const struct contended *wait, uint8_t kind, const void *lock, const void *caller, int result)
{
	uint64_t now_ns;
	bool got = contended_got(result);
	struct lockstat_slot *slot;
	struct rbdprof_lock_wait event;

	if (wait->foreign)
		return;
	now_ns = recorder_now_ns();
	lockstat_unblock();
	waiters_leave(wait->mark, now_ns, got);
	slot = got ? lockstat_acquired(lock, kind, caller) : NULL;
	if (slot)
		lockstat_waited(slot, now_ns - wait->begin_ns);
	if (result == EDEADLK)
		return; /* nobody was waited for */
	stack_judge(caller, now_ns - wait->begin_ns);
	event = (struct rbdprof_lock_wait){
	    .end_ns = now_ns,
	    .lock = (uintptr_t)lock,
	    .caller = (uintptr_t)caller,
	    .wait_ns = now_ns - wait->begin_ns,
	    .request = recorder_thread.request,
	    .stack = wait->stack,
	    .thread = recorder_thread_number(),
	    .holder = wait->holder,
	    .result = result,
	    .kind = kind,
	};
	EMIT(lock_wait(&event));
}

void contended_inherited(uint8_t kind, const void *lock, const void *caller)
{
	struct waiters *mark = waiters_likely(lock) ? waiters_find(lock) : NULL;

	if (mark)
		waiters_release(mark, lock, recorder_now_ns(), true);
	contended_acquired(kind, lock, caller);
}

void release_look(struct release *release, uint8_t kind, const void *lock)
{
	struct waiters *mark = waiters_find(lock);
	uint64_t now_ns, since_ns, hold_ns;

	/* A mutex that checks refuses those who do not hold it. */
	if (!mark || (kind == RBDPROF_MUTEX && (((const pthread_mutex_t *)lock)->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP &&
		      !mine(kind, lock)))
		return;
	now_ns = recorder_now_ns();
	since_ns = waiters_release(mark, lock, now_ns, kind != RBDPROF_RWLOCK_READ);
	if (!since_ns)
		return;
	release->now_ns = now_ns;
	release->blocked_ns = now_ns > since_ns ? now_ns - since_ns : 0;
	if (!release->begun)
		return;
	hold_ns = ticks_to_ns(release->hold_ticks);
	if (hold_ns < release->blocked_ns)
		release->blocked_ns = hold_ns;
}

void release_say(const struct release *release, uint8_t kind, const void *lock, const void *caller)
{
	struct rbdprof_lock_hold event = {
	    .lock = (uintptr_t)lock,
	    .caller = (uintptr_t)caller,
	    .kind = kind,
	};

	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* as in contended_begin() */
	if (tracer_owns(caller))
		return;
	event.thread = recorder_thread_number();
	event.released_ns = release->now_ns ? release->now_ns : recorder_now_ns();
	if (release->now_ns) {
		event.hold_ns = release->blocked_ns;
		EMIT(lock_hold(&event));
	}
	if (release->begun && lockstat_state.pairs) {
		event.hold_ns = ticks_to_ns(release->hold_ticks);
		EMIT(lock_pair(&event));
	}
}
