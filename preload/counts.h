/* Saying what the threads have counted of locks, and who they are. Knows which counts have changed since they were said. The flusher only.
 */
#ifndef RBDPROF_PRELOAD_COUNTS_H
#define RBDPROF_PRELOAD_COUNTS_H

#include <stdbool.h>

/* Says what has changed since the last call, in all threads, and which of them have been waiting for a lock for a second or more; frees the
 * tables of those that are gone. every: all holds were timed. Hands locks that have been contended to locknames_want(). */
void counts_say(bool every);

#endif
