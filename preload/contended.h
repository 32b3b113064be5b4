/*
 * What the wrappers of mutexes, rwlocks and condition variables share: acquiring and releasing a lock while somebody records. It knows
 * glibc's locks as far as their public headers describe them: who holds one, and whether this is a recursive mutex taken again.
 *
 * A wrapper first tries without blocking. Only EBUSY means that the lock is held: every other answer, EOWNERDEAD and errors included, is
 * the call's own answer and is passed on. What is counted and said is so once the real call is over; a release's time is taken before it.
 */
#ifndef RBDPROF_PRELOAD_CONTENDED_H
#define RBDPROF_PRELOAD_CONTENDED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/lockstat.h"
#include "preload/recorder.h"

static inline bool contended_wanted(void)
{
	return __builtin_expect(__atomic_load_n(&lockstat_state.epoch, __ATOMIC_RELAXED) != 0, 0);
}

/* Whether a clock and a time are such that the real call would wait by them. It may refuse others even when the lock is free, so there must
 * be no try before it. */
static inline bool contended_sound(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && until && until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

static inline bool contended_got(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

/* Of a mutex that the caller holds: it is recursive and held more than once, so the hold began earlier, or goes on. */
static inline bool contended_again(const pthread_mutex_t *mutex)
{
	return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1;
}

/* A wait, from the failed try to the end of the real call. */
struct contended {
	uint64_t begin_ns;
	struct waiters *mark;
	uint64_t stack;  /* 0: not taken */
	uint32_t holder; /* kernel's; 0: not known */
	bool foreign;    /* the tracer's own, or nobody records any more: nothing is said */
};

void contended_begin(struct contended *wait, uint8_t kind, const void *lock, const void *caller);
void contended_end(const struct contended *wait, uint8_t kind, const void *lock, const void *caller, int result);

/* An acquisition that did not wait. Keeps errno. */
static inline void contended_acquired(uint8_t kind, const void *lock, const void *caller)
{
	if (kind != RBDPROF_MUTEX || !contended_again(lock))
		lockstat_acquired(lock, kind, caller);
}

/* The same of a mutex whose owner died: whoever gave up waiting for that one did not wait for this one. */
void contended_inherited(uint8_t kind, const void *lock, const void *caller);

/* A hold that ends. */
struct release {
	uint64_t begun;               /* as of struct lockstat_hold; 0: not timed */
	struct lockstat_times *times; /* of a timed one */
	uint64_t hold_ticks;
	uint64_t now_ns;     /* of one that others waited for; else 0 */
	uint64_t blocked_ns; /* so long */
};

/* Fills in what is known of the blocking hold. */
void release_look(struct release *release, uint8_t kind, const void *lock);

/* Says what of the hold is to be said. */
void release_say(const struct release *release, uint8_t kind, const void *lock, const void *caller);

/* Whether the hold that is about to end has to be dealt with; if so, it is over for all that is counted. */
static inline bool release_begin(struct release *release, uint8_t kind, const void *lock)
{
	bool likely = waiters_likely(lock);

	release->begun = lockstat_timed(lock, kind, &release->times);
	release->now_ns = 0;
	if (release->begun)
		release->hold_ticks = ticks_now() - (release->begun & ~(uint64_t)LOCKSTAT_COUNTED);
	else if (!likely)
		return false;
	if (likely)
		release_look(release, kind, lock);
	return release->begun || release->now_ns;
}

/* After the real call, unless that refused. Keeps errno. */
static inline void release_end(const struct release *release, uint8_t kind, const void *lock, const void *caller)
{
	if (release->begun & LOCKSTAT_COUNTED)
		lockstat_released(release->times, release->hold_ticks);
	if (release->now_ns || lockstat_state.pairs)
		release_say(release, kind, lock, caller);
}

/*
 * The body of every wrapper that acquires: with somebody recording, try first and time the real call when the lock is held.
 *   ACQUIRE_IF(sound, RBDPROF_MUTEX, mutex, CALLER, REAL(pthread_mutex_trylock)(mutex), REAL(pthread_mutex_timedlock)(mutex, until))
 * What does not meet the condition is left to the real call.
 *
 * The wrappers that are called most have it in functions of their own (APART), so that a dormant one saves no register before it jumps, and
 * one that is recorded only the registers that it needs: what is done when the try has not acquired, ACQUIRE_LATER, is in `later`.
 */
#define APART  static __attribute__((noinline))
#define CALLER __builtin_return_address(0)

/* Whether the original may be called at once. It may not have been found yet. */
#define DORMANT(name)                __builtin_expect(!contended_wanted() && real.name, 1)
#define RELEASES_QUIETLY(name, lock) __builtin_expect(!release_matters(lock) && real.name, 1)

#define ACQUIRE(kind, lock, caller, try, acquire, later)                                                                                   \
	do {                                                                                                                               \
		int result_;                                                                                                               \
		if (recorder_thread.inside)                                                                                                \
			return acquire;                                                                                                    \
		lockstat_expect(lock, kind);                                                                                               \
		result_ = try;                                                                                                             \
		if (__builtin_expect(result_ != 0, 0))                                                                                     \
			return later(lock, caller, result_);                                                                               \
		contended_acquired(kind, lock, caller);                                                                                    \
		return 0;                                                                                                                  \
	} while (0)

#define ACQUIRE_LATER(kind, lock, caller, tried, acquire)                                                                                  \
	do {                                                                                                                               \
		struct contended wait_;                                                                                                    \
		int got_ = tried;                                                                                                          \
		if (got_ == EOWNERDEAD)                                                                                                    \
			contended_inherited(kind, lock, caller);                                                                           \
		if (got_ != EBUSY)                                                                                                         \
			return got_;                                                                                                       \
		contended_begin(&wait_, kind, lock, caller);                                                                               \
		got_ = acquire;                                                                                                            \
		contended_end(&wait_, kind, lock, caller, got_);                                                                           \
		return got_;                                                                                                               \
	} while (0)

#define ACQUIRE_IF(condition, kind, lock, caller, try, acquire)                                                                            \
	do {                                                                                                                               \
		bool tried_;                                                                                                               \
		int result_;                                                                                                               \
		if (!contended_wanted() || recorder_thread.inside)                                                                         \
			return acquire;                                                                                                    \
		tried_ = condition;                                                                                                        \
		result_ = tried_ ?                                                                                                         \
		try : acquire                                                                                                              \
			;                                                                                                                  \
		if (result_ == 0)                                                                                                          \
			contended_acquired(kind, lock, caller);                                                                            \
		if (result_ == 0 || (result_ == EBUSY && !tried_))                                                                         \
			return result_;                                                                                                    \
		ACQUIRE_LATER(kind, lock, caller, result_, acquire);                                                                       \
	} while (0)

/* Of every wrapper that only tries. */
#define TRY(kind, lock, try)                                                                                                               \
	do {                                                                                                                               \
		int result_;                                                                                                               \
		if (!contended_wanted() || recorder_thread.inside)                                                                         \
			return try;                                                                                                        \
		result_ = try;                                                                                                             \
		if (result_ == EOWNERDEAD)                                                                                                 \
			contended_inherited(kind, lock, CALLER);                                                                           \
		else if (result_ == 0)                                                                                                     \
			contended_acquired(kind, lock, CALLER);                                                                            \
		return result_;                                                                                                            \
	} while (0)

/* Whether a release may have to be dealt with: only then is the rest worth a look. */
static inline bool release_matters(const void *lock)
{
	return contended_wanted() && (lockstat_thread.timed || waiters_likely(lock));
}

/* Of every wrapper that releases, once release_matters(). */
#define RELEASE(kind, lock, caller, real)                                                                                                  \
	do {                                                                                                                               \
		struct release release_;                                                                                                   \
		int result_;                                                                                                               \
		if (recorder_thread.inside || !release_begin(&release_, kind, lock))                                                       \
			return real;                                                                                                       \
		result_ = real;                                                                                                            \
		if (result_ == 0)                                                                                                          \
			release_end(&release_, kind, lock, caller);                                                                        \
		return result_;                                                                                                            \
	} while (0)

#endif
