/*
 * The application's looks at completed requests (A), kept until there are some to tell of: an event costs more than what it says of one. It
 * knows numbers and times, and nothing of what a look is. Nobody waits here: who finds another at work says his own at once.
 */
#ifndef RBDPROF_PRELOAD_REAPS_H
#define RBDPROF_PRELOAD_REAPS_H

#include <stddef.h>
#include <stdint.h>

/* The application looked at these just now. To be called while somebody records. Any thread. */
void reaps_add(const uint64_t *requests, size_t count);

/* Says what is kept, if somebody records; else forgets it. */
void reaps_say(void);

/* In a child of fork(). */
void reaps_reset(void);

#endif
