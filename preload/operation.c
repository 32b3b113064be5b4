/* The life of RADOS operations. */
#include "preload/operation.h"

#include <stddef.h>
#include <string.h>

#include "preload/clients.h"
#include "preload/keyed.h"
#include "preload/objects.h"
#include "preload/payload.h"
#include "preload/pool.h"
#include "preload/real.h"
#include "preload/recorder.h"

#define MOST_PENDING 256  /* operations under construction, in all threads */
#define MOST_MADE    1024 /* completions made and not yet used */
#define MOST_FLIGHTS 8192 /* operations in flight */

enum rbdprof_method operation_method(const char *cls, const char *method)
{
	static const struct {
		const char *cls, *method;
	} names[] = {
#define METHOD(cls, method) [RBDPROF_METHOD_##cls##_##method] = {#cls, #method},
#include "tracepoints/methods.def"
#undef METHOD
	};

	for (int i = RBDPROF_METHOD_NONE + 1; i < RBDPROF_METHOD_COUNT; i++)
		if (!strcmp(names[i].method, method) && !strcmp(names[i].cls, cls))
			return i;
	return RBDPROF_METHOD_OTHER;
}

static uint64_t next_number(void)
{
	static __thread uint64_t count __attribute__((tls_model("initial-exec")));

	return (uint64_t)recorder_thread_number() << RBDPROF_THREAD_SHIFT | ++count;
}

/* An operation under construction, from the first addition until it is submitted or gone. */
static struct pending {
	const void *operation; /* the key */
	uint64_t number;
	uint64_t methods;
	uint32_t count; /* of methods */
	const void *out;
	enum bufferlist_age age;
} pendings[MOST_PENDING];
static const struct keyed pending = KEYED(pendings);

static struct pending *make_pending(const void *operation)
{
	struct pending *p = keyed_take(&pending, operation);

	if (!p)
		return NULL;
	p->number = next_number();
	p->methods = p->count = 0;
	p->out = NULL;
	return p;
}

uint64_t operation_add(const void *operation, enum rbdprof_method method)
{
	struct pending *p = keyed_find(&pending, operation);

	if (!p)
		p = make_pending(operation);
	if (!p) {
		EMIT(undecoded("operation, too many at once"));
		return 0;
	}
	if (p->count < sizeof(p->methods))
		p->methods |= (uint64_t)method << 8 * p->count++;
	return p->number;
}

uint64_t operation_methods(const void *operation, uint64_t *number)
{
	const struct pending *p = keyed_find(&pending, operation);

	*number = p ? p->number : 0;
	return p ? p->methods : 0;
}

void operation_add_reply(const void *operation, const void *out, enum bufferlist_age age)
{
	struct pending *p = keyed_find(&pending, operation);

	if (!p)
		return;
	p->out = out;
	p->age = age;
}

void operation_forget(const void *operation)
{
	struct pending *p = keyed_find(&pending, operation);

	if (p)
		keyed_give_back(p);
}

/* A completion that was made while somebody recorded, until it is used or gone. */
static struct made {
	const void *completion; /* the key */
	cxx_rados_callback callback;
	void *arg;
	bool safe; /* it is the second callback of Ceph 14, for when a write is safe: the same moment, since its OSDs answer once only */
} mades[MOST_MADE];
static const struct keyed made = KEYED(mades);

/* An operation in flight: what its completion's callback is given instead of its own argument. */
struct flight {
	uint32_t link; /* the pool's */
	cxx_rados_callback callback;
	void *arg;
	bool safe; /* as of struct made */
	uint64_t number;
	uint64_t client;
	uint64_t object;
	const void *out;
	enum bufferlist_age age;
	const uint64_t *watch;
	uint8_t kind;
};

static struct flight flights[MOST_FLIGHTS];
static struct pool pool = POOL(flights);

static void remember(const void *completion, cxx_rados_callback callback, void *arg, bool safe)
{
	struct made *m = completion ? keyed_take(&made, completion) : NULL;

	if (!m)
		return;
	m->callback = callback;
	m->arg = arg;
	m->safe = safe;
}

static void forget(const void *completion)
{
	struct made *m = keyed_find(&made, completion);

	if (m)
		keyed_give_back(m);
}

/* What an ended operation has to say: the flight of an asynchronous one, or one made for the occasion. */
static void say_end(const struct flight *flight, int result)
{
	if (flight->watch && !result)
		EMIT(watching(flight->client, flight->object, *flight->watch));
	if (flight->kind == RBDPROF_OPERATION_NOTIFY && flight->out)
		payload_replies(flight->number, flight->out, flight->age);
	EMIT(operation_done(flight->number, result, flight->out ? bufferlist_length(flight->out, flight->age) : 0));
}

/* librados calls this with its own half of the completion; librbd's may be gone by now. */
static void complete(void *completion, void *arg)
{
	struct flight flight = *(struct flight *)arg;

	pool_give_back(&pool, arg);
	if (recorder_wants_requests()) {
		static int (*result_of)(void *);

		if (!__atomic_load_n(&result_of, __ATOMIC_RELAXED))
			__atomic_store_n(&result_of, (int (*)(void *))real_symbol("librados.so.2", "rados_aio_get_return_value"), __ATOMIC_RELAXED);
		say_end(&flight, result_of ? result_of(completion) : 0);
	}
	flight.callback(completion, flight.arg);
}

WRAPS(aio_create_completion)
void *aio_create_completion(void *arg, cxx_rados_callback callback)
{
	void *completion = REAL(aio_create_completion)(arg, callback);

	if (callback && recorder_wants_requests())
		remember(completion, callback, arg, false);
	return completion;
}

WRAPS(aio_create_completion_14)
void *aio_create_completion_14(void *arg, cxx_rados_callback callback, cxx_rados_callback safe)
{
	void *completion = REAL(aio_create_completion_14)(arg, callback, safe);

	if ((callback || safe) && recorder_wants_requests())
		remember(completion, callback ? callback : safe, arg, !callback);
	return completion;
}

WRAPS(completion_set_callback)
int completion_set_callback(void *completion, void *arg, cxx_rados_callback callback)
{
	forget(completion);
	return REAL(completion_set_callback)(completion, arg, callback);
}

WRAPS(completion_set_safe_callback_14)
int completion_set_safe_callback_14(void *completion, void *arg, cxx_rados_callback callback)
{
	forget(completion);
	return REAL(completion_set_safe_callback_14)(completion, arg, callback);
}

WRAPS(completion_destroy)
void completion_destroy(void *completion)
{
	forget(completion);
	REAL(completion_destroy)(completion);
}

WRAPS(completion_destroy_14)
void completion_destroy_14(void *completion)
{
	forget(completion);
	REAL(completion_destroy_14)(completion);
}

/* What gives a completion its callback; NULL where there is no such thing. */
static int (*setter(bool safe))(void *completion, void *arg, cxx_rados_callback callback)
{
	return safe ? real.completion_set_safe_callback_14 : real.completion_set_callback;
}

/*
 * Gives a completion that is about to be used a callback of ours. Nobody else touches it now: it was made for this call, and librados has
 * not seen it yet. NULL: its own callback stays, and nothing will be heard of the operation's end.
 */
static struct flight *follow(void *completion)
{
	struct made *m = keyed_find(&made, completion);
	struct flight *flight = m && setter(m->safe) ? pool_take(&pool) : NULL;

	if (!flight)
		return NULL;
	*flight = (struct flight){.callback = m->callback, .arg = m->arg, .safe = m->safe};
	keyed_give_back(m);
	setter(flight->safe)(completion, flight, complete);
	return flight;
}

/* The call was refused: no callback comes. The completion may serve for another. */
static void leave(void *completion, struct flight *flight)
{
	setter(flight->safe)(completion, flight->arg, flight->callback);
	remember(completion, flight->callback, flight->arg, flight->safe);
	pool_give_back(&pool, flight);
}

uint64_t operation_begin(struct operation_call *call)
{
	struct rbdprof_operation is = {.kind = call->kind, .synchronous = !call->completion, .watch = call->watch, .client = call->client, .pool_id = -1};
	struct pending *p = keyed_find(&pending, call->operation);
	struct flight *flight = NULL;

	if (recorder_wants_requests()) {
		flight = call->completion ? follow(call->completion) : NULL;
		is.operation = p ? p->number : next_number();
		is.methods = p ? p->methods : 0;
		if (call->ioctx) {
			is.client = clients_id(call->ioctx->ioctx);
			is.pool_id = clients_pool(call->ioctx->ioctx);
		}
		is.object = call->oid ? objects_number(call->oid) : 0;
		is.tracked = is.synchronous || flight;
		if (p && p->out) {
			call->out = p->out;
			call->age = p->age;
		}
		EMIT(operation(&is));
	}
	if (p)
		keyed_give_back(p);
	if (flight) {
		flight->number = is.operation;
		flight->client = is.client;
		flight->object = is.object;
		flight->out = call->out;
		flight->age = call->age;
		flight->watch = call->watch_out;
		flight->kind = call->kind;
	}
	call->flight = flight;
	return is.operation;
}

void operation_end(const struct operation_call *call, uint64_t number, int result)
{
	if (call->completion && result >= 0)
		return;
	if (call->flight)
		leave(call->completion, call->flight);
	if (!number || !recorder_wants_requests())
		return;
	say_end(&(struct flight){.number = number,
				 .client = call->ioctx ? clients_id(call->ioctx->ioctx) : call->client,
				 .object = call->oid ? objects_number(call->oid) : 0,
				 .out = call->out,
				 .age = call->age,
				 .watch = call->watch_out,
				 .kind = call->kind},
		result);
}
