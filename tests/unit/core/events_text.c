#include "tests/unit/core/events_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE_MAX_BYTES 1024
#define LIST_MAX       64
#define LISTS_MAX      4 /* in one event */

enum field_type { U8, U16, U32, U64, I32, I64, TEXT, NUMBER, KIND_OF_REQUEST, KIND_OF_LOCK, KIND_OF_OPERATION, METHODS, LIST };

struct field {
	enum event_type type;
	const char *name;
	enum field_type holds;
	size_t offset;
};

#define F(event_type_, holds_, name_, member)                                                                                              \
	{                                                                                                                                  \
		EVENT_##event_type_, #name_, holds_, offsetof(struct event, member)                                                        \
	}

static const struct field fields[] = {
    F(PROCESS, U32, schema, process_is.schema),
    F(PROCESS, U32, pid, process_is.pid),
    F(PROCESS, TEXT, version, process_is.version),
    F(PROCESS, TEXT, comm, process_is.comm),
    F(PROCESS, TEXT, host, process_is.host),
    F(PROCESS, I64, clock_offset_ns, process_is.clock_offset_ns),
    F(THREAD, U32, thread, thread.thread),
    F(THREAD, U32, tid, thread.tid),
    F(THREAD, TEXT, name, thread.name),
    F(IMAGE, U32, image, image.image),
    F(IMAGE, U64, open_ns, image.open_ns),
    F(IMAGE, U64, client, image.client),
    F(IMAGE, I64, pool_id, image.pool_id),
    F(IMAGE, U64, size_bytes, image.size_bytes),
    F(IMAGE, U64, features, image.features),
    F(IMAGE, U64, object_size_bytes, image.object_size_bytes),
    F(IMAGE, U64, stripe_unit_bytes, image.stripe_unit_bytes),
    F(IMAGE, U64, stripe_count, image.stripe_count),
    F(IMAGE, U8, read_only, image.read_only),
    F(IMAGE, TEXT, cluster, image.cluster),
    F(IMAGE, TEXT, release, image.release),
    F(IMAGE, TEXT, pool, image.pool),
    F(IMAGE, TEXT, namespace, image.namespace_),
    F(IMAGE, TEXT, name, image.name),
    F(IMAGE, TEXT, id, image.id),
    F(IMAGE, TEXT, snapshot, image.snapshot),
    F(IMAGE, TEXT, prefix, image.prefix),
    F(CONFIG, U32, image, config.image),
    F(CONFIG, TEXT, option, config.option),
    F(CONFIG, TEXT, value, config.value),
    F(UNSEEN, TEXT, function, unseen.function),
    F(TOTALS, U64, emitted, totals.emitted),
    F(TOTALS, U64, passed_through, totals.passed_through),
    F(IMAGE_CLOSED, U32, image, image_closed.image),
    F(IMAGE_CLOSED, I32, result, image_closed.result),
    F(IMAGE_CLOSED, U64, close_ns, image_closed.close_ns),
    F(REQUEST, NUMBER, request, request.request),
    F(REQUEST, U64, offset_bytes, request.offset_bytes),
    F(REQUEST, U64, length_bytes, request.length_bytes),
    F(REQUEST, U64, age_ns, request.age_ns),
    F(REQUEST, U32, image, request.image),
    F(REQUEST, KIND_OF_REQUEST, kind, request.kind),
    F(REQUEST, U8, flags, request.flags),
    F(COMPLETE, NUMBER, request, complete.request),
    F(COMPLETE, I64, result, complete.result),
    F(COMPLETE, U64, c2d_ns, complete.c2d_ns),
    F(COMPLETE, U32, thread, complete.thread),
    F(COMPLETE, U8, looked, complete.looked),
    F(REAP, NUMBER, request, reap.one),
    F(REAP, LIST, requests, reap.requests),
    F(REAP, LIST, ago_ns, reap.ago_ns),
    F(LOCK_WAIT, U64, lock, wait.lock),
    F(LOCK_WAIT, U64, mutex, wait.mutex),
    F(LOCK_WAIT, U64, caller, wait.caller),
    F(LOCK_WAIT, U64, wait_ns, wait.wait_ns),
    F(LOCK_WAIT, NUMBER, request, wait.request),
    F(LOCK_WAIT, U64, stack, wait.stack),
    F(LOCK_WAIT, U32, thread, wait.thread),
    F(LOCK_WAIT, U32, holder, wait.holder),
    F(LOCK_WAIT, I32, result, wait.result),
    F(LOCK_WAIT, KIND_OF_LOCK, kind, wait.kind),
    F(LOCK_HOLD, U64, lock, hold.lock),
    F(LOCK_HOLD, U64, caller, hold.caller),
    F(LOCK_HOLD, U64, hold_ns, hold.hold_ns),
    F(LOCK_HOLD, U64, ago_ns, hold.ago_ns),
    F(LOCK_HOLD, U32, thread, hold.thread),
    F(LOCK_HOLD, KIND_OF_LOCK, kind, hold.kind),
    F(LOCK_COUNTS, U64, lock, counts.one.lock),
    F(LOCK_COUNTS, U64, series, counts.one.series),
    F(LOCK_COUNTS, U64, acquisitions, counts.one.acquisitions),
    F(LOCK_COUNTS, U64, contended, counts.one.contended),
    F(LOCK_COUNTS, U64, wait_ns, counts.one.wait_ns),
    F(LOCK_COUNTS, U64, holds, counts.one.holds),
    F(LOCK_COUNTS, U64, hold_ns, counts.one.hold_ns),
    F(LOCK_COUNTS, U32, thread, counts.one.thread),
    F(LOCK_COUNTS, KIND_OF_LOCK, kind, counts.one.kind),
    F(LOCK_NAME, U64, lock, lock_name.lock),
    F(LOCK_NAME, U64, offset_bytes, lock_name.offset_bytes),
    F(LOCK_NAME, TEXT, type, lock_name.type),
    F(STACK, U64, stack, stack.stack),
    F(STACK, LIST, frames, stack.frames),
    F(MODULE, U64, begin, module.begin),
    F(MODULE, U64, end, module.end),
    F(MODULE, U64, bias, module.bias),
    F(MODULE, TEXT, path, module.path),
    F(MODULE, TEXT, build_id, module.build_id),
    F(USAGE, U32, tid, usage.tid),
    F(USAGE, U64, cpu_ns, usage.cpu_ns),
    F(USAGE, U64, run_queue_ns, usage.run_queue_ns),
    F(USAGE, TEXT, name, usage.name),
    F(HOST, I64, throttled_ns, host.throttled_ns),
    F(HOST, I64, steal_ns, host.steal_ns),
    F(HOST, U32, processors, host.processors),
    F(HOST, U32, quota_milli, host.quota_milli),
    F(OBJECT, U64, object, object.object),
    F(OBJECT, TEXT, name, object.name),
    F(OPERATION, NUMBER, operation, operation.operation),
    F(OPERATION, U64, client, operation.client),
    F(OPERATION, I64, pool_id, operation.pool_id),
    F(OPERATION, U64, object, operation.object),
    F(OPERATION, METHODS, methods, operation.methods),
    F(OPERATION, U64, watch, operation.watch),
    F(OPERATION, KIND_OF_OPERATION, kind, operation.kind),
    F(OPERATION, U8, synchronous, operation.synchronous),
    F(OPERATION, U8, tracked, operation.tracked),
    F(OPERATION_DONE, NUMBER, operation, operation_done.operation),
    F(OPERATION_DONE, I32, result, operation_done.result),
    F(OPERATION_DONE, U64, reply_bytes, operation_done.reply_bytes),
    F(LOCK_CALL, NUMBER, operation, lock_call.operation),
    F(LOCK_CALL, U64, watch, lock_call.watch),
    F(LOCK_CALL, U64, locker, lock_call.locker),
    F(LOCK_CALL, U8, method, lock_call.method),
    F(LOCK_CALL, U8, lock_type, lock_call.lock_type),
    F(JOURNAL_APPEND, NUMBER, operation, journal_append.operation),
    F(JOURNAL_APPEND, U64, tag, journal_append.tag),
    F(JOURNAL_APPEND, U32, append_bytes, journal_append.append_bytes),
    F(JOURNAL_APPEND, LIST, entries, journal_append.entries),
    F(JOURNAL_APPEND, LIST, offsets_bytes, journal_append.offsets_bytes),
    F(JOURNAL_APPEND, LIST, lengths_bytes, journal_append.lengths_bytes),
    F(JOURNAL_APPEND, LIST, kinds, journal_append.kinds),
    F(NOTIFY_REPLY, NUMBER, operation, notify_reply.operation),
    F(NOTIFY_REPLY, U64, client, notify_reply.client),
    F(NOTIFY_REPLY, I32, result, notify_reply.result),
    F(NOTIFICATION, NUMBER, operation, notification.operation),
    F(NOTIFICATION, U64, client, notification.client),
    F(NOTIFICATION, U64, object, notification.object),
    F(NOTIFICATION, U64, notify_id, notification.notify_id),
    F(NOTIFICATION, U64, notifier, notification.notifier),
    F(NOTIFICATION, U64, about, notification.about),
    F(NOTIFICATION, U32, what, notification.what),
    F(NOTIFY_ACK, U64, client, notify_ack.client),
    F(NOTIFY_ACK, U64, object, notify_ack.object),
    F(NOTIFY_ACK, U64, notify_id, notify_ack.notify_id),
    F(NOTIFY_ACK, I32, result, notify_ack.result),
    F(NOTIFY_ACK, U8, answered, notify_ack.answered),
    F(WATCHING, U64, client, watch.client),
    F(WATCHING, U64, object, watch.object),
    F(WATCHING, U64, watch, watch.watch),
    F(WATCHING, I32, error, watch.error),
    F(LOCK_ACQUIRED, U32, image, lock_acquired.image),
    F(SENT, U64, client, sent.client),
    F(SENT, U64, transaction, sent.transaction),
    F(SENT, I64, pool_id, sent.pool_id),
    F(SENT, U32, placement_group, sent.placement_group),
    F(SENT, U32, object_hash, sent.object_hash),
    F(SENT, U32, flags, sent.flags),
    F(SENT, U16, code, sent.code),
    F(SENT, U16, extents, sent.extents),
    F(SENT, U64, offset_bytes, sent.offset_bytes),
    F(SENT, U64, length_bytes, sent.length_bytes),
    F(THROTTLED, U64, bucket, throttled.bucket),
    F(THROTTLED, U64, wanted, throttled.wanted),
    F(THROTTLED, U64, granted, throttled.granted),
    F(TIMER, U64, delay_ns, timer.delay_ns),
    F(UNDECODED, TEXT, what, undecoded.what),
    F(LOST, U64, begin_ns, lost.begin_ns),
    F(LOST, U64, events, lost.events),
};

static const struct {
	const char *name;
	enum event_type type;
	enum event_type fields_of; /* types that share their fields */
} types[] = {
    {"process", EVENT_PROCESS, EVENT_PROCESS},
    {"thread", EVENT_THREAD, EVENT_THREAD},
    {"image", EVENT_IMAGE, EVENT_IMAGE},
    {"config", EVENT_CONFIG, EVENT_CONFIG},
    {"unseen", EVENT_UNSEEN, EVENT_UNSEEN},
    {"totals", EVENT_TOTALS, EVENT_TOTALS},
    {"image_closed", EVENT_IMAGE_CLOSED, EVENT_IMAGE_CLOSED},
    {"request", EVENT_REQUEST, EVENT_REQUEST},
    {"request_open", EVENT_REQUEST_OPEN, EVENT_REQUEST},
    {"complete", EVENT_COMPLETE, EVENT_COMPLETE},
    {"reap", EVENT_REAP, EVENT_REAP},
    {"lock_wait", EVENT_LOCK_WAIT, EVENT_LOCK_WAIT},
    {"lock_wait_open", EVENT_LOCK_WAIT_OPEN, EVENT_LOCK_WAIT},
    {"cond_wait", EVENT_COND_WAIT, EVENT_LOCK_WAIT},
    {"lock_hold", EVENT_LOCK_HOLD, EVENT_LOCK_HOLD},
    {"lock_pair", EVENT_LOCK_PAIR, EVENT_LOCK_HOLD},
    {"lock_counts", EVENT_LOCK_COUNTS, EVENT_LOCK_COUNTS},
    {"hold_counts", EVENT_HOLD_COUNTS, EVENT_LOCK_COUNTS},
    {"lock_name", EVENT_LOCK_NAME, EVENT_LOCK_NAME},
    {"stack", EVENT_STACK, EVENT_STACK},
    {"module", EVENT_MODULE, EVENT_MODULE},
    {"usage", EVENT_USAGE, EVENT_USAGE},
    {"host", EVENT_HOST, EVENT_HOST},
    {"object", EVENT_OBJECT, EVENT_OBJECT},
    {"operation", EVENT_OPERATION, EVENT_OPERATION},
    {"operation_done", EVENT_OPERATION_DONE, EVENT_OPERATION_DONE},
    {"lock_call", EVENT_LOCK_CALL, EVENT_LOCK_CALL},
    {"journal_append", EVENT_JOURNAL_APPEND, EVENT_JOURNAL_APPEND},
    {"notification", EVENT_NOTIFICATION, EVENT_NOTIFICATION},
    {"notify_reply", EVENT_NOTIFY_REPLY, EVENT_NOTIFY_REPLY},
    {"notify_ack", EVENT_NOTIFY_ACK, EVENT_NOTIFY_ACK},
    {"watching", EVENT_WATCHING, EVENT_WATCHING},
    {"watch_error", EVENT_WATCH_ERROR, EVENT_WATCHING},
    {"lock_acquired", EVENT_LOCK_ACQUIRED, EVENT_LOCK_ACQUIRED},
    {"sent", EVENT_SENT, EVENT_SENT},
    {"throttled", EVENT_THROTTLED, EVENT_THROTTLED},
    {"timer", EVENT_TIMER, EVENT_TIMER},
    {"undecoded", EVENT_UNDECODED, EVENT_UNDECODED},
    {"lost", EVENT_LOST, EVENT_LOST},
};

static const char *const request_kinds[] = {
#define KIND(upper, lower) #lower,
    RBDPROF_KINDS(KIND)
#undef KIND
};

static const char *const lock_kinds[] = {
#define KIND(upper, lower) #lower,
    RBDPROF_LOCK_KINDS(KIND)
#undef KIND
};

static const char *const operation_kinds[] = {
#define OPERATION(upper, lower) #lower,
    RBDPROF_OPERATIONS(OPERATION)
#undef OPERATION
};

static const char *const methods[] = {
    "none",
#define METHOD(cls, method) #cls "." #method,
#include "tracepoints/methods.def"
#undef METHOD
};

/* The line being read, which the event's strings lie in, and its lists. */
static char line[LINE_MAX_BYTES];
static uint64_t lists[LISTS_MAX][LIST_MAX];
static size_t list_count;

static uint64_t number_of(const char *text, char **end)
{
	uint64_t number = strtoull(text, end, 0);

	if (*end == text)
		fail_msg("no number: %s", text);
	return number;
}

static uint64_t request_of(const char *text, char **end)
{
	uint64_t number = number_of(text, end);

	return **end == ':' ? REQUEST(number, number_of(*end + 1, end)) : number;
}

/* A kind's number; one that has no name may be written as a number. */
static uint8_t kind_of(const char *text, const char *const *names, size_t count)
{
	char *end;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], text))
			return (uint8_t)i;
	return (uint8_t)number_of(text, &end);
}

/* Methods joined by a plus. */
static uint64_t methods_of(char *text)
{
	uint64_t all = 0;
	unsigned shift = 0;
	char *rest;

	for (char *word = strtok_r(text, "+", &rest); word; word = strtok_r(NULL, "+", &rest), shift += 8)
		all |= (uint64_t)kind_of(word, methods, sizeof(methods) / sizeof(*methods)) << shift;
	return all;
}

static void read_list(struct event *event, const uint64_t **at, char *text)
{
	size_t *count = event->type == EVENT_REAP    ? &event->reap.count
			: event->type == EVENT_STACK ? &event->stack.count
						     : &event->journal_append.count;
	uint64_t *list = lists[list_count++ % LISTS_MAX];

	*at = list;
	*count = 0;
	while (*text && *count < LIST_MAX) {
		list[(*count)++] = request_of(text, &text);
		text += *text == ',';
	}
}

static void set_field(struct event *event, const struct field *field, char *text)
{
	void *at = (char *)event + field->offset;
	char *end;

	switch (field->holds) {
	case U8:
		*(uint8_t *)at = (uint8_t)number_of(text, &end);
		break;
	case U16:
		*(uint16_t *)at = (uint16_t)number_of(text, &end);
		break;
	case U32:
		*(uint32_t *)at = (uint32_t)number_of(text, &end);
		break;
	case U64:
		*(uint64_t *)at = number_of(text, &end);
		break;
	case I32:
		*(int32_t *)at = (int32_t)strtol(text, &end, 0);
		break;
	case I64:
		*(int64_t *)at = strtoll(text, &end, 0);
		break;
	case TEXT:
		*(const char **)at = text;
		break;
	case NUMBER:
		*(uint64_t *)at = request_of(text, &end);
		break;
	case KIND_OF_REQUEST:
		*(uint8_t *)at = kind_of(text, request_kinds, RBDPROF_KIND_COUNT);
		break;
	case KIND_OF_LOCK:
		*(uint8_t *)at = kind_of(text, lock_kinds, RBDPROF_LOCK_KIND_COUNT);
		break;
	case KIND_OF_OPERATION:
		*(uint8_t *)at = kind_of(text, operation_kinds, RBDPROF_OPERATION_COUNT);
		break;
	case METHODS:
		*(uint64_t *)at = methods_of(text);
		break;
	case LIST:
		read_list(event, at, text);
		break;
	}
}

static size_t type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].name, name))
			return i;
	fail_msg("no type of event: %s", name);
	return 0;
}

static const struct field *field_of(enum event_type type, const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].type == type && !strcmp(fields[i].name, name))
			return &fields[i];
	fail_msg("no such field: %s", name);
	return NULL;
}

/* Strings that are not given are empty, not NULL, and lists are zeros: the reader keeps the same promise. */
static void empty_pointers(struct event *event, enum event_type type)
{
	static const uint64_t zeros[LIST_MAX];

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		void *at = (char *)event + fields[i].offset;

		if (fields[i].type == type && fields[i].holds == TEXT)
			*(const char **)at = "";
		else if (fields[i].type == type && fields[i].holds == LIST)
			*(const uint64_t **)at = zeros;
	}
	if (type == EVENT_REAP)
		event->reap.requests = NULL; /* there is one, unless several are given */
}

/* Cuts `line` up. */
static void parse(struct event *event)
{
	char *rest, *word = strtok_r(line, " \t", &rest), *end;
	size_t type;

	memset(event, 0, sizeof(*event));
	event->time_ns = number_of(word, &end);
	word = strtok_r(NULL, " \t", &rest);
	if (!word || *word != 'p')
		fail_msg("no process: %s", word ? word : "");
	event->process = (uint32_t)number_of(word + 1, &end);
	word = strtok_r(NULL, " \t", &rest);
	type = type_of(word ? word : "");
	event->type = types[type].type;
	empty_pointers(event, types[type].fields_of);
	while ((word = strtok_r(NULL, " \t", &rest))) {
		char *value = strchr(word, '=');

		if (!value)
			fail_msg("no value: %s", word);
		*value++ = '\0';
		set_field(event, field_of(types[type].fields_of, word), value);
	}
}

/* Puts the next line that holds an event into `line`; returns what follows it, NULL when there is none. */
static const char *next_line(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length >= sizeof(line)) {
			fail_msg("line too long");
			return NULL;
		}
		memcpy(line, text, length);
		line[length] = '\0';
		text += length + (text[length] == '\n');
		if (length && line[0] != '#')
			return text;
	}
	return NULL;
}

int events_text_each(const char *text, int (*take)(void *context, const struct event *event), void *context)
{
	struct event event;

	while ((text = next_line(text))) {
		int status;

		parse(&event);
		status = take(context, &event);
		if (status)
			return status;
	}
	return 0;
}

struct event events_text_one(const char *text)
{
	struct event event;

	if (!next_line(text))
		fail_msg("no event");
	parse(&event);
	return event;
}

static int feed(void *context, const struct event *event)
{
	return model_feed(context, event);
}

struct model *events_text_model(const char *text)
{
	struct model *model = model_create();

	assert_non_null(model);
	assert_int_equal(events_text_each(text, feed, model), 0);
	assert_int_equal(model_finish(model), 0);
	return model;
}
