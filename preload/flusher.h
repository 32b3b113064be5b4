/*
 * The shim's one thread: it lives while a recording wants requests. Ten times a second it tells what threads keep to tell it together, and about
 * once a second says what all threads have counted, what the contended locks are called, where code lies, and what the threads and the process
 * had of the processors. It is started from calls of librbd, never from a lock's; a process that nobody records has no such thread. It
 * knows when; each part says itself.
 */
#ifndef RBDPROF_PRELOAD_FLUSHER_H
#define RBDPROF_PRELOAD_FLUSHER_H

#include <stdbool.h>

/* Its name, by which it is left out wherever threads are told. */
#define FLUSHER_NAME "rbdprof-flusher"

/* It is there. Not any more: what was kept and counted up to then has been told. */
extern bool flusher_alive;

/* Starts the thread, and counting where a recording wants to know of locks, if they are wanted and not there. Any thread that may allocate. */
void flusher_ensure(void);

/* At the process's exit: says all that is left and ends the thread. Waits two seconds at most. */
void flusher_finish(void);

/* Around fork(): nothing is being said meanwhile, so that no lock of the C library's or the loader's is held in the child for ever. */
void flusher_pause(void);
void flusher_resume(void);

/* In the child: there is no thread. */
void flusher_reset(void);

#endif
