/*
 * What threads keep for a while to tell it together: the records of schema.h, each thread's in a place of its own from a fixed number of
 * them. Only the thread itself puts records in; whoever tells takes them out. It knows how records are kept; provider.c knows what is in
 * them.
 *
 * Nothing here waits or allocates.
 */
#ifndef RBDPROF_TRACEPOINTS_BATCH_H
#define RBDPROF_TRACEPOINTS_BATCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where the calling thread's next record goes: `count` words, of that moment (ns, monotonic clock). `own`, the caller's, when it is not to
 * be kept and has to be told at once; else batch_end() with the same count must follow.
 */
uint64_t *batch_begin(uint8_t what, uint64_t moment_ns, size_t count, uint64_t *own);
void batch_end(size_t count);

/*
 * Tells all that is kept, in all threads. keep: threads may keep what comes from now on, until the next call, which has to follow soon.
 * Returns before which moment (ns, monotonic clock) everything has been told for certain; 0: not known. Not at once with itself.
 */
uint64_t batches_tell(int keep);

/* Tells all that is kept. Any thread. */
void batches_tell_now(void);

/* In a child of fork(): what is kept is the parent's, and nothing is kept from now on. */
void batches_forget(void);

/* The monotonic clock. */
uint64_t batch_now_ns(void);

/* How a batch is told. Not defined here: it is the provider's, or a test's. */
void batch_emit(const uint64_t *words, size_t count);

#endif
