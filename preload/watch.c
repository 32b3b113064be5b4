/*
 * Watches and notifications. Incoming ones are seen by standing in for the context that librados would call: a stand-in is an object with
 * a table of virtual functions of its own that forwards every call. It lives for ever, like the address it stands for: librados keeps
 * the pointer beyond the watch's end, and uses it again when it renews the watch.
 */
#include <string.h>

#include "preload/clients.h"
#include "preload/objects.h"
#include "preload/operation.h"
#include "preload/payload.h"
#include "preload/real.h"
#include "preload/recorder.h"

#define MOST_STAND_INS 4096
#define HEADER         "rbd_header."

/* librados::WatchCtx2 as the ABI lays it out: two destructors, then these two. */
enum { DESTROY, DESTROY_AND_FREE, HANDLE_NOTIFY, HANDLE_ERROR, VIRTUAL_COUNT };

struct stand_in {
	const void *const *functions; /* must be first: what the virtual call looks at */
	void *context;                /* librbd's; NULL: free */
	uint64_t client;
	char name[64];
	bool header; /* it watches an image's header: payloads are the exclusive lock's */
};

static struct stand_in stand_ins[MOST_STAND_INS];

typedef void (*notify_function)(void *context, uint64_t notify_id, uint64_t watch, uint64_t notifier, void *payload);
typedef void (*error_function)(void *context, uint64_t watch, int error);

static const void *function_of(const struct stand_in *s, int index)
{
	return (*(const void *const *const *)s->context)[index];
}

/* The object's number, said again when that is due. */
static uint64_t object_of(const struct stand_in *s)
{
	const struct cxx_string name = {.data = s->name, .length = strlen(s->name)};

	return objects_number(&name);
}

static void handle_notify(void *this, uint64_t notify_id, uint64_t watch, uint64_t notifier, void *payload)
{
	struct stand_in *s = this;

	if (recorder_wants_requests() && s->header) {
		struct rbdprof_notification_is is = {.client = s->client, .notify_id = notify_id, .notifier = notifier};

		is.object = object_of(s);
		if (payload_notification(&is, payload, bufferlist_native()))
			EMIT(notification(&is));
	}
	((notify_function)function_of(s, HANDLE_NOTIFY))(s->context, notify_id, watch, notifier, payload);
}

static void handle_error(void *this, uint64_t watch, int error)
{
	struct stand_in *s = this;

	if (recorder_wants_requests())
		EMIT(watch_error(s->client, object_of(s), watch, error));
	((error_function)function_of(s, HANDLE_ERROR))(s->context, watch, error);
}

static void destroy(void *this)
{
	(void)this; /* librados does not own contexts: it never destroys one */
}

/* Behind the offset to the top and the type, which nobody asks for. */
static const void *const table[2 + VIRTUAL_COUNT] = {
	[2 + DESTROY] = destroy,
	[2 + DESTROY_AND_FREE] = destroy,
	[2 + HANDLE_NOTIFY] = handle_notify,
	[2 + HANDLE_ERROR] = handle_error,
};

/* The stand-in for a context, the same one at each call; the context itself when there are too many, or none is worth it. */
static void *stand_in_for(void *context, const struct cxx_ioctx *ioctx, const struct cxx_string *oid)
{
	uint32_t place = (uint32_t)(((uintptr_t)context >> 4) * 2654435761u) % MOST_STAND_INS;

	if (!recorder_enabled() || !context || oid->length >= sizeof(stand_ins[0].name))
		return context;
	for (uint32_t i = 0; i < MOST_STAND_INS; i++) {
		struct stand_in *s = &stand_ins[(place + i) % MOST_STAND_INS];
		void *seen = NULL;

		if (!__atomic_compare_exchange_n(&s->context, &seen, context, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && seen != context)
			continue;
		s->functions = table + 2;
		s->client = clients_id(ioctx->ioctx);
		memcpy(s->name, oid->data, oid->length);
		s->name[oid->length] = '\0';
		s->header = !strncmp(s->name, HEADER, strlen(HEADER));
		return s;
	}
	if (recorder_wants_requests())
		EMIT(undecoded("watch, too many at once"));
	return context;
}

WRAPS(aio_watch)
int aio_watch(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, uint64_t *watch, void *context)
{
	struct operation_call is = {
		.kind = RBDPROF_OPERATION_WATCH, .ioctx = ioctx, .oid = oid, .completion = completion, .watch_out = watch};
	void *stand_in = stand_in_for(context, ioctx, oid);
	uint64_t number = operation_begin(&is);
	int result = REAL(aio_watch)(ioctx, oid, completion, watch, stand_in);

	operation_end(&is, number, result);
	return result;
}

WRAPS(watch2)
int watch2(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t *watch, void *context)
{
	struct operation_call is = {.kind = RBDPROF_OPERATION_WATCH, .ioctx = ioctx, .oid = oid, .watch_out = watch};
	void *stand_in = stand_in_for(context, ioctx, oid);
	uint64_t number = operation_begin(&is);
	int result = REAL(watch2)(ioctx, oid, watch, stand_in);

	operation_end(&is, number, result);
	return result;
}

WRAPS(aio_unwatch)
int aio_unwatch(struct cxx_ioctx *ioctx, uint64_t watch, void *completion)
{
	struct operation_call is = {.kind = RBDPROF_OPERATION_UNWATCH, .ioctx = ioctx, .completion = completion, .watch = watch};
	uint64_t number = operation_begin(&is);
	int result = REAL(aio_unwatch)(ioctx, watch, completion);

	operation_end(&is, number, result);
	return result;
}

WRAPS(unwatch2)
int unwatch2(struct cxx_ioctx *ioctx, uint64_t watch)
{
	struct operation_call is = {.kind = RBDPROF_OPERATION_UNWATCH, .ioctx = ioctx, .watch = watch};
	uint64_t number = operation_begin(&is);
	int result = REAL(unwatch2)(ioctx, watch);

	operation_end(&is, number, result);
	return result;
}

static bool about_header(const struct cxx_string *oid)
{
	return oid->length > strlen(HEADER) && !strncmp(oid->data, HEADER, strlen(HEADER));
}

/* Says what a notification is about, and the operation that carries it. */
static uint64_t notify(struct operation_call *call, const void *payload, enum bufferlist_age age)
{
	struct rbdprof_notification_is is = {0};
	bool known = recorder_wants_requests() && about_header(call->oid) && payload_notification(&is, payload, age);
	uint64_t number = operation_begin(call);

	if (known && number) {
		is.operation = number;
		is.client = clients_id(call->ioctx->ioctx);
		is.object = objects_number(call->oid);
		EMIT(notification(&is));
	}
	return number;
}

#define NOTIFY(completion_, age_, call_)                                                                                                   \
	do {                                                                                                                               \
		struct operation_call is_ = {                                                                                              \
			.kind = RBDPROF_OPERATION_NOTIFY, .ioctx = ioctx, .oid = oid, .completion = completion_, .out = reply, .age = age_}; \
		uint64_t number_ = notify(&is_, payload, age_);                                                                            \
		int result_ = call_;                                                                                                       \
		operation_end(&is_, number_, result_);                                                                                     \
		return result_;                                                                                                            \
	} while (0)

WRAPS(aio_notify)
int aio_notify(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *payload, uint64_t timeout_ms, void *reply)
{
	NOTIFY(completion, BUFFERLIST_15, REAL(aio_notify)(ioctx, oid, completion, payload, timeout_ms, reply));
}

WRAPS(aio_notify_14)
int aio_notify_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *payload, uint64_t timeout_ms, void *reply)
{
	NOTIFY(completion, BUFFERLIST_14, REAL(aio_notify_14)(ioctx, oid, completion, payload, timeout_ms, reply));
}

WRAPS(notify2)
int notify2(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *payload, uint64_t timeout_ms, void *reply)
{
	NOTIFY(NULL, BUFFERLIST_15, REAL(notify2)(ioctx, oid, payload, timeout_ms, reply));
}

WRAPS(notify2_14)
int notify2_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *payload, uint64_t timeout_ms, void *reply)
{
	NOTIFY(NULL, BUFFERLIST_14, REAL(notify2_14)(ioctx, oid, payload, timeout_ms, reply));
}

static void answer(const struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t notify_id, const void *reply, enum bufferlist_age age)
{
	int32_t result;
	bool answered;

	if (!recorder_wants_requests() || !about_header(oid))
		return;
	answered = payload_answer(&result, reply, age);
	EMIT(notify_ack(clients_id(ioctx->ioctx), objects_number(oid), notify_id, result, answered));
}

WRAPS(notify_ack)
void notify_ack(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t notify_id, uint64_t watch, void *reply)
{
	answer(ioctx, oid, notify_id, reply, BUFFERLIST_15);
	REAL(notify_ack)(ioctx, oid, notify_id, watch, reply);
}

WRAPS(notify_ack_14)
void notify_ack_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t notify_id, uint64_t watch, void *reply)
{
	answer(ioctx, oid, notify_id, reply, BUFFERLIST_14);
	REAL(notify_ack_14)(ioctx, oid, notify_id, watch, reply);
}

/* Of the cluster, not of a pool: whose it is cannot be told from C++'s Rados object without its layout. */
WRAPS(aio_watch_flush)
int aio_watch_flush(void *rados, void *completion)
{
	struct operation_call is = {.kind = RBDPROF_OPERATION_WATCH_FLUSH, .completion = completion};
	uint64_t number = operation_begin(&is);
	int result = REAL(aio_watch_flush)(rados, completion);

	operation_end(&is, number, result);
	return result;
}

static int blocklist(int (*add)(void *, const struct cxx_string *, uint32_t), void *rados, const struct cxx_string *address, uint32_t expire_s)
{
	struct operation_call is = {.kind = RBDPROF_OPERATION_BLOCKLIST, .oid = address};
	uint64_t number = operation_begin(&is);
	int result = add(rados, address, expire_s);

	operation_end(&is, number, result);
	return result;
}

WRAPS(blocklist_add)
int blocklist_add(void *rados, const struct cxx_string *address, uint32_t expire_s)
{
	return blocklist(REAL(blocklist_add), rados, address, expire_s);
}

WRAPS(blocklist_add_14)
int blocklist_add_14(void *rados, const struct cxx_string *address, uint32_t expire_s)
{
	return blocklist(REAL(blocklist_add_14), rados, address, expire_s);
}
