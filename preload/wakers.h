/* Who signalled which condition variable last: a small table, each entry one word, written without order and good enough to name a thread.
 */
#ifndef RBDPROF_PRELOAD_WAKERS_H
#define RBDPROF_PRELOAD_WAKERS_H

#include <stdint.h>

/* This thread is about to signal it. Any thread. */
void wakers_note(const void *cond);

/* Kernel id of the thread that signalled it last; 0: not known. */
uint32_t wakers_last(const void *cond);

#endif
