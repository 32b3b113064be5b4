/*
 * librbdprof-lttng.so: the emitter that writes LTTng-UST events. The shim loads it when a process opens its first image, so a
 * program that never does has no tracer in it. It decides nothing: one line a function, and the tracepoints' own state words
 * for the shim to look at. It also brings libunwind, so that a program that opens no image has none in it.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracepoints/provider.h"

#include <signal.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <lttng/ust-fork.h>

#include "tracepoints/batch.h"

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

/* What is kept is among those that were emitted. */
static void emit_totals(uint64_t emitted, uint64_t passed_through)
{
	batches_tell_now();
	lttng_ust_tracepoint(rbdprof, totals, emitted, passed_through);
}

static void emit_image_closed(uint32_t image, uint64_t close_ns, int32_t result)
{
	lttng_ust_tracepoint(rbdprof, image_closed, image, close_ns, result);
	batches_tell_now(); /* the process may end without another word */
}

/* Begins what may be kept: `words` is where its words go, `own` where they are to be told at once. */
#define BEGIN(upper, moment_ns, count) uint64_t own[count], *words = batch_begin(RBDPROF_RECORD_##upper, moment_ns, count, own)
#define END(event, count)                                                                                                                  \
	do {                                                                                                                               \
		if (words == own)                                                                                                          \
			lttng_ust_tracepoint(rbdprof, event, words);                                                                       \
		else                                                                                                                       \
			batch_end(count);                                                                                                  \
	} while (0)

static void emit_request(const struct rbdprof_request *request, uint64_t start_ns)
{
	BEGIN(REQUEST, start_ns, RBDPROF_REQUEST_WORDS);

	words[0] = request->request;
	words[1] = request->offset_bytes;
	words[2] = request->length_bytes;
	words[3] = request->image | (uint64_t)request->kind << 32 | (uint64_t)request->flags << 40;
	END(request, RBDPROF_REQUEST_WORDS);
}

static void emit_complete(uint64_t request, uint32_t thread, int64_t result, uint64_t complete_ns, uint8_t looked)
{
	BEGIN(COMPLETE, batch_now_ns(), RBDPROF_COMPLETE_WORDS);

	words[0] = request;
	words[1] = (uint64_t)result;
	words[2] = complete_ns;
	words[3] = thread | (uint64_t)looked << 32;
	END(complete, RBDPROF_COMPLETE_WORDS);
}

static void emit_reap(uint64_t request, uint64_t looked_ns)
{
	BEGIN(REAP, looked_ns, RBDPROF_REAP_WORDS);

	words[0] = request;
	END(reap, RBDPROF_REAP_WORDS);
}

static void put_wait(uint64_t words[RBDPROF_WAIT_WORDS], const struct rbdprof_lock_wait *wait)
{
	words[0] = wait->lock;
	words[1] = wait->mutex;
	words[2] = wait->caller;
	words[3] = wait->wait_ns;
	words[4] = wait->request;
	words[5] = wait->stack;
	words[6] = wait->thread | (uint64_t)wait->holder << 32;
	words[7] = (uint32_t)wait->result | (uint64_t)wait->kind << 32;
}

static void tell_cond_wait(const struct rbdprof_lock_wait *wait)
{
	BEGIN(COND_WAIT, wait->end_ns, RBDPROF_WAIT_WORDS);

	put_wait(words, wait);
	END(cond_wait, RBDPROF_WAIT_WORDS);
}

static void tell_lock_wait(const struct rbdprof_lock_wait *wait)
{
	BEGIN(LOCK_WAIT, wait->end_ns, RBDPROF_WAIT_WORDS);

	put_wait(words, wait);
	END(lock_wait, RBDPROF_WAIT_WORDS);
}

static void emit_lock_wait(const struct rbdprof_lock_wait *wait)
{
	if (wait->kind == RBDPROF_COND)
		tell_cond_wait(wait);
	else
		tell_lock_wait(wait);
}

static void emit_lock_wait_open(const struct rbdprof_lock_wait *wait)
{
	uint64_t words[RBDPROF_WAIT_WORDS];

	put_wait(words, wait);
	lttng_ust_tracepoint(rbdprof, lock_wait_open, words);
}

/* ago_ns: how long it is over. */
static void put_hold(uint64_t words[RBDPROF_HOLD_WORDS], const struct rbdprof_lock_hold *hold, uint64_t ago_ns)
{
	words[0] = hold->lock;
	words[1] = hold->caller;
	words[2] = hold->hold_ns;
	words[3] = ago_ns;
	words[4] = hold->thread | (uint64_t)hold->kind << 32;
}

static void emit_lock_hold(const struct rbdprof_lock_hold *hold)
{
	BEGIN(LOCK_HOLD, hold->released_ns, RBDPROF_HOLD_WORDS);

	put_hold(words, hold, words == own ? batch_now_ns() - hold->released_ns : 0);
	END(lock_hold, RBDPROF_HOLD_WORDS);
}

static void emit_lock_pair(const struct rbdprof_lock_hold *hold)
{
	BEGIN(LOCK_PAIR, hold->released_ns, RBDPROF_HOLD_WORDS);

	put_hold(words, hold, words == own ? batch_now_ns() - hold->released_ns : 0);
	END(lock_pair, RBDPROF_HOLD_WORDS);
}

static void emit_lock_counts(const struct rbdprof_lock_counts *counts, size_t count, uint8_t all_holds)
{
	uint64_t words[RBDPROF_COUNTS_AT_ONCE * RBDPROF_COUNTS_WORDS], *to = words;

	for (size_t i = 0; i < count; i++) {
		*to++ = counts[i].lock;
		*to++ = counts[i].series;
		*to++ = counts[i].acquisitions;
		*to++ = counts[i].contended;
		*to++ = counts[i].wait_ns;
		*to++ = counts[i].holds;
		*to++ = counts[i].hold_ns;
		*to++ = counts[i].thread | (uint64_t)counts[i].kind << 32;
	}
	if (all_holds)
		lttng_ust_tracepoint(rbdprof, hold_counts, words, (size_t)(to - words));
	else
		lttng_ust_tracepoint(rbdprof, lock_counts, words, (size_t)(to - words));
}

static void emit_lock_name(uint64_t lock, uint64_t offset_bytes, const char *type)
{
	lttng_ust_tracepoint(rbdprof, lock_name, lock, offset_bytes, type);
}

static void emit_stack(uint64_t stack, const uint64_t *frames, size_t count)
{
	lttng_ust_tracepoint(rbdprof, stack, stack, frames, count);
}

static void emit_module(const struct rbdprof_module *module)
{
	lttng_ust_tracepoint(rbdprof, module, module);
}

static void emit_usage(uint32_t tid, uint64_t cpu_ns, uint64_t run_queue_ns, const char *name)
{
	lttng_ust_tracepoint(rbdprof, usage, tid, cpu_ns, run_queue_ns, name);
}

static void emit_host(const struct rbdprof_host *host)
{
	lttng_ust_tracepoint(rbdprof, host, host);
}

static void emit_object(uint64_t object, const char *name)
{
	lttng_ust_tracepoint(rbdprof, object, object, name);
}

static void emit_operation(const struct rbdprof_operation *operation)
{
	lttng_ust_tracepoint(rbdprof, operation, operation);
}

static void emit_operation_done(uint64_t operation, int32_t result, uint64_t reply_bytes)
{
	lttng_ust_tracepoint(rbdprof, operation_done, operation, result, reply_bytes);
}

static void emit_lock_call(const struct rbdprof_lock_call *call)
{
	lttng_ust_tracepoint(rbdprof, lock_call, call);
}

static void emit_journal_append(const struct rbdprof_journal_append *append)
{
	lttng_ust_tracepoint(rbdprof, journal_append, append);
}

static void emit_notification(const struct rbdprof_notification_is *notification)
{
	lttng_ust_tracepoint(rbdprof, notification, notification);
}

static void emit_notify_ack(uint64_t client, uint64_t object, uint64_t notify_id, int32_t result, uint8_t answered)
{
	lttng_ust_tracepoint(rbdprof, notify_ack, client, object, notify_id, result, answered);
}

static void emit_notify_reply(uint64_t operation, uint64_t client, int32_t result)
{
	lttng_ust_tracepoint(rbdprof, notify_reply, operation, client, result);
}

static void emit_watching(uint64_t client, uint64_t object, uint64_t watch)
{
	lttng_ust_tracepoint(rbdprof, watching, client, object, watch);
}

static void emit_watch_error(uint64_t client, uint64_t object, uint64_t watch, int32_t error)
{
	lttng_ust_tracepoint(rbdprof, watch_error, client, object, watch, error);
}

static void emit_lock_acquired(uint32_t image)
{
	lttng_ust_tracepoint(rbdprof, lock_acquired, image);
}

static void emit_sent(const struct rbdprof_sent *sent)
{
	BEGIN(SENT, batch_now_ns(), RBDPROF_SENT_WORDS);

	words[0] = sent->client;
	words[1] = sent->transaction;
	words[2] = (uint64_t)sent->pool_id;
	words[3] = sent->placement_group | (uint64_t)sent->object_hash << 32;
	words[4] = sent->flags | (uint64_t)sent->code << 32 | (uint64_t)sent->extents << 48;
	words[5] = sent->offset_bytes;
	words[6] = sent->length_bytes;
	END(sent, RBDPROF_SENT_WORDS);
}

static void emit_throttled(uint64_t bucket, uint64_t wanted, uint64_t granted)
{
	lttng_ust_tracepoint(rbdprof, throttled, bucket, wanted, granted);
}

static void emit_timer(uint64_t delay_ns)
{
	lttng_ust_tracepoint(rbdprof, timer, delay_ns);
}

static void emit_undecoded(const char *what)
{
	lttng_ust_tracepoint(rbdprof, undecoded, what);
}

void batch_emit(const uint64_t *words, size_t count)
{
	lttng_ust_tracepoint(rbdprof, batch, words, count);
}

static void emit_batches(int keep)
{
	uint64_t until_ns = batches_tell(keep);

	if (until_ns)
		lttng_ust_tracepoint(rbdprof, watermark, until_ns);
}

/* Addresses have the size of pointers. */
static size_t emit_unwind(uint64_t *frames, size_t most)
{
	int count = unw_backtrace((void **)frames, (int)most);

	return count < 0 ? 0 : (size_t)count;
}

/* The signal mask that lttng-ust changes before fork() and restores after it; fork handlers of a thread run on that thread. */
static __thread sigset_t fork_mask;

static void emit_fork_before(void)
{
	lttng_ust_before_fork(&fork_mask);
}

static void emit_fork_after(int in_child)
{
	if (in_child) {
		batches_forget();
		lttng_ust_after_fork_child(&fork_mask);
	} else {
		lttng_ust_after_fork_parent(&fork_mask);
	}
}

#define STATE(event) (&lttng_ust_tracepoint_rbdprof___##event.state)

extern const struct rbdprof_emitter rbdprof_lttng_emitter;

__attribute__((visibility("default"))) const struct rbdprof_emitter rbdprof_lttng_emitter = {
	.requests = STATE(request),
	.lock_waits = STATE(lock_wait),
	.cond_waits = STATE(cond_wait),
	.all_holds = STATE(hold_counts),
	.lock_pairs = STATE(lock_pair),
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
	.lock_wait_open = emit_lock_wait_open,
	.lock_hold = emit_lock_hold,
	.lock_pair = emit_lock_pair,
	.lock_counts = emit_lock_counts,
	.lock_name = emit_lock_name,
	.stack = emit_stack,
	.module = emit_module,
	.usage = emit_usage,
	.host = emit_host,
	.object = emit_object,
	.operation = emit_operation,
	.operation_done = emit_operation_done,
	.lock_call = emit_lock_call,
	.journal_append = emit_journal_append,
	.notification = emit_notification,
	.notify_ack = emit_notify_ack,
	.notify_reply = emit_notify_reply,
	.watching = emit_watching,
	.watch_error = emit_watch_error,
	.lock_acquired = emit_lock_acquired,
	.sent = emit_sent,
	.throttled = emit_throttled,
	.timer = emit_timer,
	.undecoded = emit_undecoded,
	.batches = emit_batches,
	.unwind = emit_unwind,
	.fork_before = emit_fork_before,
	.fork_after = emit_fork_after,
};
