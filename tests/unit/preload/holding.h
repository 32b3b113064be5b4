/*
 * Two threads and a lock: one holds it for a time that the test knows, another asks for it meanwhile. What the test's own clock says of
 * each step is what the events are held against, within a twentieth or 20 µs.
 */
#ifndef RBDPROF_TESTS_HOLDING_H
#define RBDPROF_TESTS_HOLDING_H

#include <stdbool.h>
#include <stdint.h>

/* What the two threads do. Each returns what the lock's function returned. */
struct holding {
	int (*acquire)(void *lock);   /* the holder; waits a moment until the lock is certainly its */
	int (*release)(void *lock);   /* NULL: it ends while it holds the lock */
	int (*ask)(void *lock);       /* the waiter */
	int (*give_back)(void *lock); /* after ask() succeeded */
	void *lock;
	uint64_t before_ns; /* held before it is asked for */
	uint64_t after_ns;  /* and from then on */
};

struct held {
	uint32_t holder, waiter;               /* kernel thread ids */
	uint32_t holder_thread, waiter_thread; /* the shim's numbers */
	uint64_t wait_ns;                      /* from before ask() to its return */
	uint64_t blocked_ns;                   /* from before ask() to before release() */
	uint64_t hold_ns;                      /* from after acquire() to before release() */
	int result;                            /* ask()'s */
};

struct held hold_and_ask(const struct holding *holding);

void sleep_ns(uint64_t ns);

/* Whether a measured time agrees with the test's own. */
bool agrees(uint64_t measured_ns, uint64_t own_ns);

/* On a busy machine a thread may lose the processor between a reading of the test's clock and the call that it is about: such a run says
 * nothing. Repeats `run` until it says true; fails after ten that did not. */
void at_last(bool (*run)(void));

#endif
