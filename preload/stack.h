/*
 * Stacks of threads that are about to wait for a lock: whether one is taken, its number, and saying it. Nobody knows beforehand how long a
 * wait will be, and unwinding afterwards would lengthen a hold: a stack is taken before the thread blocks, at places in the code where
 * waits have lately been long. All stacks together cost no more than a fixed share of a processor's time. The unwinder is the provider's.
 */
#ifndef RBDPROF_PRELOAD_STACK_H
#define RBDPROF_PRELOAD_STACK_H

#include <stdint.h>

/* Reads RBDPROF_STACKS_OVER: waits of so many µs or more are long. Call once, early. */
void stack_init(void);

/* Learns where the loader and the allocator lie: in their calls no stack is taken. Call once the provider is loaded. */
void stack_prepare(void);

/* `caller` is about to wait, with nothing done yet that others wait for. Returns the number of its stack, which has been said; 0: none was
 * taken. */
uint64_t stack_take(const void *caller, uint64_t now_ns);

/* A wait at `caller` has ended. */
void stack_judge(const void *caller, uint64_t wait_ns);

/* In a child of fork(): another thread may have been in the unwinder, so none is taken any more. */
void stack_reset(void);

#endif
