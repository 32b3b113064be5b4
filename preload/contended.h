/*
 * What the wrappers of mutexes and rwlocks share: whether anybody wants to know of contended acquisitions, and saying one.
 *
 * A wrapper first tries without blocking. Only EBUSY means that the lock is held: every other answer, EOWNERDEAD and errors included, is
 * the call's own answer and is passed on. The record is made once the real call is over.
 */
#ifndef RBDPROF_PRELOAD_CONTENDED_H
#define RBDPROF_PRELOAD_CONTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/recorder.h"

static inline bool contended_wanted(void)
{
	const int *word = __atomic_load_n(&recorder_lock_waits, __ATOMIC_RELAXED);

	return __builtin_expect(__atomic_load_n(word, __ATOMIC_RELAXED) != 0, 0);
}

/* Says a wait that began at begin_ns and is over now, unless the caller is the tracer or held the lock itself. Keeps errno. */
void contended_say(uint8_t kind, const void *lock, const void *caller, uint64_t begin_ns, int result);

/* Whether a clock and a time are such that the real call would wait by them. It may refuse others even when the lock is free, so there must be
 * no try before it. */
static inline bool contended_sound(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until && until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

/*
 * The body of every wrapper that may block: with somebody recording, try first and time the real call when the lock is held.
 *   CONTENDED(RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex), REAL(pthread_mutex_lock)(mutex))
 * CONTENDED_IF leaves what does not meet its condition to the real call.
 */
#define CONTENDED_IF(condition, kind, lock, try, acquire)                                                                                  \
	do {                                                                                                                               \
		uint64_t begin_ns_;                                                                                                        \
		int result_;                                                                                                               \
		if (!contended_wanted() || recorder_thread.inside || !(condition))                                                         \
			return acquire;                                                                                                    \
		result_ = try;                                                                                                             \
		if (result_ != EBUSY)                                                                                                      \
			return result_;                                                                                                    \
		begin_ns_ = recorder_now_ns();                                                                                             \
		result_ = acquire;                                                                                                         \
		contended_say(kind, lock, __builtin_return_address(0), begin_ns_, result_);                                                \
		return result_;                                                                                                            \
	} while (0)

#define CONTENDED(kind, lock, try, acquire) CONTENDED_IF(true, kind, lock, try, acquire)

#endif
