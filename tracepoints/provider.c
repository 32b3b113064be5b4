/*
 * librbdprof-lttng.so: the emitter that writes LTTng-UST events. The shim loads it when a process opens its first image, so a
 * program that never does has no tracer in it. It decides nothing: one line a function, and the tracepoints' own state words
 * for the shim to look at.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracepoints/provider.h"

#include <signal.h>

#include <lttng/ust-fork.h>

static void emit_process(uint32_t schema, const char *version, uint32_t pid, const char *comm)
{
	lttng_ust_tracepoint(rbdprof, process, schema, version, pid, comm);
}

static void emit_thread(uint32_t thread, uint32_t tid, const char *name)
{
	lttng_ust_tracepoint(rbdprof, thread, thread, tid, name);
}

static void emit_image(const struct rbdprof_image *image)
{
	lttng_ust_tracepoint(rbdprof, image, image);
}

static void emit_config(uint32_t image, const char *option, const char *value)
{
	lttng_ust_tracepoint(rbdprof, config, image, option, value);
}

static void emit_unseen(const char *function)
{
	lttng_ust_tracepoint(rbdprof, unseen, function);
}

static void emit_request_open(const struct rbdprof_request *request, uint64_t age_ns)
{
	lttng_ust_tracepoint(rbdprof, request_open, request, age_ns);
}

static void emit_totals(uint64_t emitted, uint64_t passed_through)
{
	lttng_ust_tracepoint(rbdprof, totals, emitted, passed_through);
}

static void emit_image_closed(uint32_t image, uint64_t close_ns, int32_t result)
{
	lttng_ust_tracepoint(rbdprof, image_closed, image, close_ns, result);
}

static void emit_request(const struct rbdprof_request *request)
{
	lttng_ust_tracepoint(rbdprof, request, request);
}

static void emit_complete(uint64_t request, uint32_t thread, int64_t result, uint64_t c2d_ns, uint8_t looked)
{
	lttng_ust_tracepoint(rbdprof, complete, request, thread, result, c2d_ns, looked);
}

static void emit_reap(const uint64_t *requests, size_t count)
{
	lttng_ust_tracepoint(rbdprof, reap, requests, count);
}

static void emit_lock_wait(const struct rbdprof_lock_wait *wait)
{
	if (wait->kind == RBDPROF_COND)
		lttng_ust_tracepoint(rbdprof, cond_wait, wait);
	else
		lttng_ust_tracepoint(rbdprof, lock_wait, wait);
}

/* The signal mask that lttng-ust changes before fork() and restores after it; fork handlers of a thread run on that thread. */
static __thread sigset_t fork_mask;

static void emit_fork_before(void)
{
	lttng_ust_before_fork(&fork_mask);
}

static void emit_fork_after(int in_child)
{
	if (in_child)
		lttng_ust_after_fork_child(&fork_mask);
	else
		lttng_ust_after_fork_parent(&fork_mask);
}

#define STATE(event) (&lttng_ust_tracepoint_rbdprof___##event.state)

extern const struct rbdprof_emitter rbdprof_lttng_emitter;

__attribute__((visibility("default"))) const struct rbdprof_emitter rbdprof_lttng_emitter = {
	.requests = STATE(request),
	.lock_waits = STATE(lock_wait),
	.cond_waits = STATE(cond_wait),
	.process = emit_process,
	.thread = emit_thread,
	.image = emit_image,
	.config = emit_config,
	.unseen = emit_unseen,
	.request_open = emit_request_open,
	.totals = emit_totals,
	.image_closed = emit_image_closed,
	.request = emit_request,
	.complete = emit_complete,
	.reap = emit_reap,
	.lock_wait = emit_lock_wait,
	.fork_before = emit_fork_before,
	.fork_after = emit_fork_after,
};
