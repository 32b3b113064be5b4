/*
 * What is said once in a trace is said again: when a recording begins, and every second while requests flow, so that a trace that begins
 * late, is cut into chunks or overwrites its own beginning still explains its numbers. At first it is said after 10 ms, 20, 40 and so on: the
 * tracer wants events from a program some moments before it writes them. Knows when, and the order; each part says itself.
 */
#ifndef RBDPROF_PRELOAD_SAID_H
#define RBDPROF_PRELOAD_SAID_H

#include <stdint.h>

/* Called with each request while somebody records; says everything when it is due. now_ns: this request's S. Any thread. */
void said_when_due(uint64_t now_ns);

/* Called when nobody records: the next recording hears everything at once. */
void said_nothing(void);

/* Says how much was emitted and passed through so far, if somebody records. */
void said_totals(void);

#endif
