/*
 * Condition variables. A wait is waiting for work until it can be tied to a request, so waits are recorded only when all locks are asked
 * for. A wait that is cancelled unwinds through here and leaves no record; glibc re-takes the mutex inside, out of our sight.
 */
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/tracer.h"

static inline bool wanted(void)
{
	const int *word = __atomic_load_n(&recorder_cond_waits, __ATOMIC_RELAXED);

	return __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

static void say(const void *cond, const void *mutex, const void *caller, uint64_t begin_ns, int result)
{
	struct rbdprof_lock_wait wait = {
		.lock = (uintptr_t)cond,
		.mutex = (uintptr_t)mutex,
		.caller = (uintptr_t)caller,
		.wait_ns = recorder_now_ns() - begin_ns,
		.result = result,
		.kind = RBDPROF_COND,
	};

	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* as in contended_say() */
	if (tracer_owns(caller))
		return;
	wait.thread = recorder_thread_number();
	EMIT(lock_wait(&wait));
}

#define WAITED(cond, mutex, wait)                                                                                                          \
	do {                                                                                                                               \
		uint64_t begin_ns_;                                                                                                        \
		int result_;                                                                                                               \
		if (__builtin_expect(!wanted(), 1) || recorder_thread.inside)                                                              \
			return wait;                                                                                                       \
		begin_ns_ = recorder_now_ns();                                                                                             \
		result_ = wait;                                                                                                            \
		say(cond, mutex, __builtin_return_address(0), begin_ns_, result_);                                                         \
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

WRAPS(pthread_cond_signal)
int pthread_cond_signal(pthread_cond_t *cond)
{
	return REAL(pthread_cond_signal)(cond);
}

WRAPS(pthread_cond_broadcast)
int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return REAL(pthread_cond_broadcast)(cond);
}
