/*
 * A blocking call with a deadline. liblttng-ctl has none of its own: a call to a session daemon that does not answer never
 * returns. This module knows threads and clocks, not what it calls.
 */
#ifndef RBDPROF_ANALYZER_DEADLINE_H
#define RBDPROF_ANALYZER_DEADLINE_H

#include <stdint.h>

/* Milliseconds of the monotonic clock. */
uint64_t deadline_now_ms(void);

/* Sleeps that many milliseconds. */
void deadline_sleep_ms(unsigned int ms);

/*
 * Runs call(data) on a thread of its own and waits at most `ms` milliseconds for it. Returns what it returned;
 * -ETIMEDOUT when it was still running: the thread is then left alone for ever, and so `data` must never be freed;
 * another negative errno when no thread could be made.
 */
int deadline_call(int (*call)(void *data), void *data, unsigned int ms);

#endif
