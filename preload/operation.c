/* The life of RADOS operations. */
#include "preload/operation.h"

#include <stddef.h>
#include <string.h>

#include "preload/clients.h"
#include "preload/objects.h"
#include "preload/payload.h"
#include "preload/pool.h"
#include "preload/real.h"
#include "preload/recorder.h"

#define MOST_PENDING     256  /* operations under construction, in all threads */
#define MOST_COMPLETIONS 8192 /* operations in flight */
#define REMEMBERED       4    /* completions that a thread has made and not yet used */

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

/* An operation under construction: a slot is its thread's alone from the first addition until it is submitted or gone. */
static struct pending {
	const void *operation; /* NULL: free */
	uint64_t number;
	uint64_t methods;
	uint32_t count; /* of methods */
	const void *out;
	enum bufferlist_age age;
} pending[MOST_PENDING];

static uint32_t place_of(const void *operation)
{
	return (uint32_t)(((uintptr_t)operation >> 4) * 2654435761u) % MOST_PENDING;
}

static struct pending *find_pending(const void *operation)
{
	uint32_t place = place_of(operation);

	for (uint32_t i = 0; operation && i < 8; i++) {
		struct pending *p = &pending[(place + i) % MOST_PENDING];

		if (__atomic_load_n(&p->operation, __ATOMIC_ACQUIRE) == operation)
			return p;
	}
	return NULL;
}

static struct pending *make_pending(const void *operation)
{
	uint32_t place = place_of(operation);

	for (uint32_t i = 0; i < 8; i++) {
		struct pending *p = &pending[(place + i) % MOST_PENDING];
		const void *free_one = NULL;

		if (!__atomic_compare_exchange_n(&p->operation, &free_one, operation, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		p->number = next_number();
		p->methods = p->count = 0;
		p->out = NULL;
		return p;
	}
	return NULL;
}

uint64_t operation_add(const void *operation, enum rbdprof_method method)
{
	struct pending *p = find_pending(operation);

	if (!p)
		p = make_pending(operation);
	if (!p)
		return 0;
	if (p->count < sizeof(p->methods))
		p->methods |= (uint64_t)method << 8 * p->count++;
	return p->number;
}

void operation_add_reply(const void *operation, const void *out, enum bufferlist_age age)
{
	struct pending *p = find_pending(operation);

	if (!p)
		return;
	p->out = out;
	p->age = age;
}

void operation_forget(const void *operation)
{
	struct pending *p = find_pending(operation);

	if (p)
		__atomic_store_n(&p->operation, NULL, __ATOMIC_RELEASE);
}

/* What stands behind a completion that librbd made while somebody recorded. */
struct flight {
	uint32_t link; /* the pool's */
	cxx_rados_callback callback;
	void *arg;
	uint64_t number; /* 0: no operation of ours uses it */
	uint64_t client;
	uint64_t object;
	const void *out;
	enum bufferlist_age age;
	const uint64_t *watch;
	uint8_t kind;
};

static struct flight flights[MOST_COMPLETIONS];
static struct pool pool = POOL(flights);

/* The completions that this thread made last: librbd makes one right before it submits what the completion is for. */
static __thread struct {
	const void *completion[REMEMBERED];
	struct flight *flight[REMEMBERED];
	uint32_t next;
} made __attribute__((tls_model("initial-exec")));

static void remember(const void *completion, struct flight *flight)
{
	uint32_t place = made.next++ % REMEMBERED;

	made.completion[place] = completion;
	made.flight[place] = flight;
}

/* Each completion is for one operation. */
static struct flight *recall(const void *completion)
{
	for (int i = 0; i < REMEMBERED; i++) {
		if (made.completion[i] != completion || !made.flight[i])
			continue;
		made.completion[i] = NULL;
		return made.flight[i];
	}
	return NULL;
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
	if (flight.number && recorder_wants_requests()) {
		static int (*result_of)(void *);

		if (!__atomic_load_n(&result_of, __ATOMIC_RELAXED))
			__atomic_store_n(&result_of, (int (*)(void *))real_symbol("librados.so.2", "rados_aio_get_return_value"), __ATOMIC_RELAXED);
		say_end(&flight, result_of ? result_of(completion) : 0);
	}
	flight.callback(completion, flight.arg);
}

/* Makes a completion whose callback comes through here, or as it was asked for. */
#define CREATE(callback_, create)                                                                                                          \
	do {                                                                                                                               \
		struct flight *flight = callback_ && recorder_wants_requests() ? pool_take(&pool) : NULL;                                  \
		void *completion;                                                                                                          \
		if (!flight)                                                                                                               \
			return create;                                                                                                     \
		*flight = (struct flight){.callback = callback_, .arg = arg};                                                              \
		callback_ = complete;                                                                                                      \
		arg = flight;                                                                                                              \
		completion = create;                                                                                                       \
		remember(completion, flight);                                                                                              \
		return completion;                                                                                                         \
	} while (0)

WRAPS(aio_create_completion)
void *aio_create_completion(void *arg, cxx_rados_callback callback)
{
	CREATE(callback, REAL(aio_create_completion)(arg, callback));
}

WRAPS(aio_create_completion_14)
void *aio_create_completion_14(void *arg, cxx_rados_callback callback, cxx_rados_callback safe)
{
	CREATE(callback, REAL(aio_create_completion_14)(arg, callback, safe));
}

uint64_t operation_begin(struct operation_call *call)
{
	struct rbdprof_operation is = {.kind = call->kind, .synchronous = !call->completion, .watch = call->watch, .client = call->client, .pool_id = -1};
	struct flight *flight = call->completion ? recall(call->completion) : NULL;
	struct pending *p = find_pending(call->operation);

	if (recorder_wants_requests()) {
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
		__atomic_store_n(&p->operation, NULL, __ATOMIC_RELEASE);
	if (flight) {
		flight->number = is.operation;
		flight->client = is.client;
		flight->object = is.object;
		flight->out = call->out;
		flight->age = call->age;
		flight->watch = call->watch_out;
		flight->kind = call->kind;
	}
	return is.operation;
}

void operation_end(const struct operation_call *call, uint64_t number, int result)
{
	if (!number || !recorder_wants_requests() || (call->completion && result >= 0))
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
