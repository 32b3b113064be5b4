/*
 * What the wrappers of mutexes and rwlocks share: whether anybody wants to know of contended acquisitions, and saying one.
 *
 * A wrapper first tries without blocking. Only EBUSY means that another thread holds the lock: every other answer, EOWNERDEAD and
 * errors included, is the call's own answer and is passed on. The record is made once the real call is over.
 */
#ifndef RBDPROF_PRELOAD_CONTENDED_H
#define RBDPROF_PRELOAD_CONTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/recorder.h"

static inline bool contended_wanted(void)
{
	return __builtin_expect(*recorder_lock_waits != 0, 0);
}

/* Says a wait that began at begin_ns and is over now, unless the caller is the tracer. Keeps errno. */
void contended_say(uint8_t kind, const void *lock, const void *caller, uint64_t begin_ns, int result);

/*
 * The body of every wrapper that may block: with somebody recording, try first and time the real call when the lock is held.
 *   CONTENDED(RBDPROF_MUTEX, mutex, REAL(pthread_mutex_trylock)(mutex), REAL(pthread_mutex_lock)(mutex))
 */
#define CONTENDED(kind, lock, try, acquire)                                                                                                \
	do {                                                                                                                               \
		uint64_t begin_ns_;                                                                                                        \
		int result_;                                                                                                               \
		if (!contended_wanted() || recorder_thread.inside)                                                                         \
			return acquire;                                                                                                    \
		result_ = try;                                                                                                             \
		if (result_ != EBUSY)                                                                                                      \
			return result_;                                                                                                    \
		begin_ns_ = recorder_now_ns();                                                                                             \
		result_ = acquire;                                                                                                         \
		contended_say(kind, lock, __builtin_return_address(0), begin_ns_, result_);                                                \
		return result_;                                                                                                            \
	} while (0)

#endif
