/*
 * The processor's cycle counter as a clock that costs a third of clock_gettime(): reading it, its rate, and whether it can be trusted. It
 * knows nothing of what is timed. Where it cannot be trusted, ticks are nanoseconds of the monotonic clock.
 */
#ifndef RBDPROF_PRELOAD_TICKS_H
#define RBDPROF_PRELOAD_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/recorder.h"

/* Not 0: the counter runs at one rate in all states of all processors, and this process may read it. Read on every timed hold. */
extern int ticks_invariant;

static inline bool ticks_counted(void)
{
	return __builtin_expect(__atomic_load_n(&ticks_invariant, __ATOMIC_RELAXED) != 0, 1);
}

/* The counter's value, where ticks_counted(). */
static inline uint64_t ticks_count(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

static inline uint64_t ticks_now(void)
{
	return ticks_counted() ? ticks_count() : recorder_now_ns();
}

/* Notes a first moment, from which the rate is reckoned. Call once, early. */
void ticks_init(void);

/*
 * Reckons the rate anew, from the first moment to now, and holds it against what it was. Sleeps when the first moment is less than 10 ms
 * ago. Returns NULL, or why the counter is not used (any more): a static string.
 */
const char *ticks_calibrate(void);

/* A difference of two readings, in ns. */
uint64_t ticks_to_ns(uint64_t ticks);

#endif
