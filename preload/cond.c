/*
 * Condition variables. A wait is waiting for work until it can be tied to a request, so waits are recorded only when all locks are asked
 * for; but each ends a hold of its mutex and begins another. glibc releases and re-takes the mutex inside, out of our sight. A wait that is
 * cancelled unwinds through here and leaves no record.
 */
#include "preload/contended.h"
#include "preload/real.h"
#include "preload/wakers.h"
#include "preload/tracer.h"

static inline bool wanted(void)
{
	return __atomic_load_n(&lockstat_state.conds, __ATOMIC_RELAXED) != 0;
}

/* The mutex is about to be released inside the wait. What is said of it is said now, while it is held: after the wait it is held again. */
static void release(const pthread_mutex_t *mutex, const void *caller)
{
	struct release release;

	if (release_begin(&release, RBDPROF_MUTEX, mutex))
		release_end(&release, RBDPROF_MUTEX, mutex, caller);
}

static void say(const void *cond, const void *mutex, const void *caller, uint64_t begin_ns, int result)
{
	uint64_t end_ns = recorder_now_ns();
	struct rbdprof_lock_wait wait = {
	    .end_ns = end_ns,
	    .lock = (uintptr_t)cond,
	    .mutex = (uintptr_t)mutex,
	    .caller = (uintptr_t)caller,
	    .wait_ns = end_ns - begin_ns,
	    .request = recorder_thread.request,
	    .holder = wakers_last(cond),
	    .result = result,
	    .kind = RBDPROF_COND,
	};

	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* as in contended_begin() */
	if (tracer_owns(caller))
		return;
	wait.thread = recorder_thread_number();
	EMIT(lock_wait(&wait));
}

/* What the C library refused did not release the mutex. */
static inline bool waited(int result)
{
	return result != EINVAL && result != EPERM;
}

#define WAITED(cond, mutex, wait)                                                                                                          \
	do {                                                                                                                               \
		bool wanted_ = wanted(), held_;                                                                                            \
		uint64_t begin_ns_;                                                                                                        \
		int result_;                                                                                                               \
		if (!contended_wanted() || recorder_thread.inside)                                                                         \
			return wait;                                                                                                       \
		held_ = !contended_again(mutex);                                                                                           \
		if (held_)                                                                                                                 \
			release(mutex, __builtin_return_address(0));                                                                       \
		begin_ns_ = wanted_ ? recorder_now_ns() : 0;                                                                               \
		result_ = wait;                                                                                                            \
		if (held_ && waited(result_))                                                                                              \
			contended_acquired(RBDPROF_MUTEX, mutex, __builtin_return_address(0));                                             \
		if (wanted_)                                                                                                               \
			say(cond, mutex, __builtin_return_address(0), begin_ns_, result_);                                                 \
		return result_;                                                                                                            \
	} while (0)

WRAPS(pthread_cond_wait)
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	WAITED(cond, mutex, REAL(pthread_cond_wait)(cond, mutex));
}

WRAPS(pthread_cond_timedwait)
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	WAITED(cond, mutex, REAL(pthread_cond_timedwait)(cond, mutex, until));
}

WRAPS(pthread_cond_clockwait)
int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	WAITED(cond, mutex, REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
}

#define SIGNALS(cond, signal)                                                                                                              \
	do {                                                                                                                               \
		if (__builtin_expect(wanted(), 0) && !recorder_thread.inside)                                                              \
			wakers_note(cond);                                                                                                 \
		return signal;                                                                                                             \
	} while (0)

WRAPS(pthread_cond_signal)
int pthread_cond_signal(pthread_cond_t *cond)
{
	SIGNALS(cond, REAL(pthread_cond_signal)(cond));
}

WRAPS(pthread_cond_broadcast)
int pthread_cond_broadcast(pthread_cond_t *cond)
{
	SIGNALS(cond, REAL(pthread_cond_broadcast)(cond));
}
