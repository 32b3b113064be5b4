/*
 * Between the wrappers and the tracer: the emitter in use, what a thread needs to emit, and whether anybody listens. It knows when
 * the tracer is loaded and who may emit; it knows nothing of requests, images or locks.
 *
 * Nothing here allocates, and errno is the caller's again when an emission is over.
 */
#ifndef RBDPROF_PRELOAD_RECORDER_H
#define RBDPROF_PRELOAD_RECORDER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "tracepoints/emit.h"

struct recorder_thread {
	uint64_t requests;    /* that this thread has made */
	uint64_t request;     /* whose call of librbd this thread is in; 0: none */
	uint32_t number;      /* of this thread within the process, from 1; 0: none yet */
	uint32_t tid;         /* the kernel's; 0: not asked yet. Read through recorder_tid() */
	uint32_t described;   /* the round of descriptions in which this thread said its name */
	int inside;           /* this thread is emitting, or is the tracer's own: locks taken now are not the program's */
};

extern __thread struct recorder_thread recorder_thread __attribute__((tls_model("initial-exec")));
extern const struct rbdprof_emitter *recorder_emitter;
extern const struct rbdprof_emitter recorder_silent; /* it is this one while no tracer is in use */

static inline uint64_t recorder_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* False when the shim stands aside: RBDPROF_DISABLE, or a required function is missing. Any thread. */
bool recorder_enabled(void);

/* Called when an image is about to be opened: asks the recording whether this process is traced, and loads the tracer. Any thread; the
 * first call does the work, others wait for it. */
void recorder_start(void);

/* Installs an emitter: the provider's, or a test's. */
void recorder_install(const struct rbdprof_emitter *emitter);

static inline bool recorder_wants_requests(void)
{
	const struct rbdprof_emitter *emitter = __atomic_load_n(&recorder_emitter, __ATOMIC_RELAXED);

	return __atomic_load_n(emitter->requests, __ATOMIC_RELAXED) != 0;
}

/* This thread's number; assigns one at its first call. */
uint32_t recorder_thread_number(void);

/* This thread's kernel id; asks for it at its first call. */
uint32_t recorder_ask_tid(void);

static inline uint32_t recorder_tid(void)
{
	return __builtin_expect(recorder_thread.tid != 0, 1) ? recorder_thread.tid : recorder_ask_tid();
}

/* This thread enters a call of librbd that makes a request; recorder_leave_call() takes what it returns. Also when the call is left by an
 * exception:  uint64_t before __attribute__((cleanup(recorder_leave_call))) = recorder_enter_call(request). */
static inline uint64_t recorder_enter_call(uint64_t request)
{
	uint64_t before = recorder_thread.request;

	recorder_thread.request = request;
	return before;
}

static inline void recorder_leave_call(const uint64_t *before)
{
	recorder_thread.request = *before;
}

/* Begins a round of descriptions: each thread will say its name again with its next event. */
void recorder_describe_again(void);

/* The number of that round. */
uint32_t recorder_round(void);

/* How many events were emitted, in all threads, since the tracer was loaded. */
uint64_t recorder_emitted(void);

/* Begins an emission: false when this thread must not emit now. Says the thread's name when it is due. Counts one event. */
bool recorder_enter(void);

static inline void recorder_leave(void)
{
	recorder_thread.inside--;
}

/* One event through the emitter:  EMIT(reap(request, looked_ns)). */
#define EMIT(call)                                                                                                                         \
	do {                                                                                                                               \
		int emit_errno_ = errno;                                                                                                   \
		if (recorder_enter()) {                                                                                                    \
			recorder_emitter->call;                                                                                            \
			recorder_leave();                                                                                                  \
		}                                                                                                                          \
		errno = emit_errno_;                                                                                                       \
	} while (0)

/* Whether a thread of the shim's own, which is inside always and has no number, may emit now. Counts one event. */
bool recorder_enter_alone(void);

/* One event from such a thread. */
#define EMIT_ALONE(call)                                                                                                                   \
	do {                                                                                                                               \
		if (recorder_enter_alone())                                                                                                \
			recorder_emitter->call;                                                                                            \
	} while (0)

#endif
