#include "analyzer/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PROVIDER "rbdprof:"

/* How a field of a trace becomes a member of struct event. The numbers' width is the member's. */
enum member_type {
	MEMBER_U8,
	MEMBER_U16,
	MEMBER_U32,
	MEMBER_U64,
	MEMBER_I32,
	MEMBER_I64,
	MEMBER_MOMENT,  /* of the event's clock; kept is how long before the event it was, in ns */
	MEMBER_STRING,
	MEMBER_NUMBERS, /* a sequence of numbers, as 64 bits each; its length is kept where `count` says */
	MEMBER_ROWS,    /* such a sequence in which RBDPROF_COUNTS_WORDS are a struct event_counts; kept is how many of these there are */
};

struct member {
	const char *field;
	enum member_type type;
	uint16_t offset; /* within struct event */
	uint16_t count;  /* NUMBERS, ROWS: where their count goes */
	uint8_t word;    /* 0: a field of its own. Else the member is in that word of an array, from 1, and begins at this bit: */
	uint8_t bit;
};

#define MEMBER(TYPE, group, field) {#field, MEMBER_##TYPE, offsetof(struct event, group.field), 0, 0, 0}
#define NUMBERS(group, field) {#field, MEMBER_NUMBERS, offsetof(struct event, group.field), offsetof(struct event, group.count), 0, 0}
#define ROWS(group, field) {"words", MEMBER_ROWS, offsetof(struct event, group.field), offsetof(struct event, group.count), 0, 0}
#define WORD(number, bit, TYPE, group, field) {"words", MEMBER_##TYPE, offsetof(struct event, group.field), 0, (number) + 1, bit}
#define MEMBERS_MAX 20
#define EVENT(TYPE, name, ...) {PROVIDER #name, EVENT_##TYPE, {__VA_ARGS__}}

#define REQUEST_MEMBERS                                                                                                                    \
	MEMBER(U64, request, request), MEMBER(U32, request, image), MEMBER(U8, request, kind), MEMBER(U8, request, flags),                 \
		MEMBER(U64, request, offset_bytes), MEMBER(U64, request, length_bytes)
#define WAIT_MEMBERS                                                                                                                       \
	MEMBER(U64, wait, lock), MEMBER(U64, wait, mutex), MEMBER(U64, wait, caller), MEMBER(U64, wait, wait_ns), MEMBER(U64, wait, request), \
		MEMBER(U64, wait, stack), MEMBER(U32, wait, thread), MEMBER(U32, wait, holder), MEMBER(I32, wait, result), MEMBER(U8, wait, kind)
#define HOLD_MEMBERS                                                                                                                       \
	MEMBER(U64, hold, lock), MEMBER(U64, hold, caller), MEMBER(U64, hold, hold_ns), MEMBER(U64, hold, ago_ns), MEMBER(U32, hold, thread), \
		MEMBER(U8, hold, kind)
#define REQUEST_WORDS                                                                                                                      \
	WORD(0, 0, U64, request, request), WORD(1, 0, U64, request, offset_bytes), WORD(2, 0, U64, request, length_bytes),                 \
		WORD(3, 0, U32, request, image), WORD(3, 32, U8, request, kind), WORD(3, 40, U8, request, flags)
#define COMPLETE_WORDS                                                                                                                     \
	WORD(0, 0, U64, complete, request), WORD(1, 0, I64, complete, result), WORD(2, 0, MOMENT, complete, c2d_ns),                       \
		WORD(3, 0, U32, complete, thread), WORD(3, 32, U8, complete, looked)
#define SENT_WORDS                                                                                                                         \
	WORD(0, 0, U64, sent, client), WORD(1, 0, U64, sent, transaction), WORD(2, 0, I64, sent, pool_id),                                 \
		WORD(3, 0, U32, sent, placement_group), WORD(3, 32, U32, sent, object_hash), WORD(4, 0, U32, sent, flags),                 \
		WORD(4, 32, U16, sent, code), WORD(4, 48, U16, sent, extents), WORD(5, 0, U64, sent, offset_bytes),                        \
		WORD(6, 0, U64, sent, length_bytes)
#define WAIT_WORDS                                                                                                                         \
	WORD(0, 0, U64, wait, lock), WORD(1, 0, U64, wait, mutex), WORD(2, 0, U64, wait, caller), WORD(3, 0, U64, wait, wait_ns),          \
		WORD(4, 0, U64, wait, request), WORD(5, 0, U64, wait, stack), WORD(6, 0, U32, wait, thread), WORD(6, 32, U32, wait, holder), \
		WORD(7, 0, I32, wait, result), WORD(7, 32, U8, wait, kind)
#define HOLD_WORDS                                                                                                                         \
	WORD(0, 0, U64, hold, lock), WORD(1, 0, U64, hold, caller), WORD(2, 0, U64, hold, hold_ns), WORD(3, 0, U64, hold, ago_ns),         \
		WORD(4, 0, U32, hold, thread), WORD(4, 32, U8, hold, kind)
#define COMPLETE_MEMBERS                                                                                                                   \
	MEMBER(U64, complete, request), MEMBER(U32, complete, thread), MEMBER(I64, complete, result), MEMBER(U8, complete, looked)
#define COUNTS_MEMBERS                                                                                                                     \
	MEMBER(U64, counts.one, lock), MEMBER(U64, counts.one, acquisitions), MEMBER(U64, counts.one, contended),                          \
		MEMBER(U64, counts.one, wait_ns), MEMBER(U64, counts.one, holds), MEMBER(U64, counts.one, hold_ns),                        \
		MEMBER(U32, counts.one, thread), MEMBER(U8, counts.one, kind)

/* An event that looked different in an earlier schema has a row for each. */
/* clang-format off */
static const struct known_event {
	const char *name;
	enum event_type type;
	struct member members[MEMBERS_MAX]; /* ends with the first that has no field */
} known_events[] = {
	EVENT(PROCESS, process, MEMBER(U32, process_is, schema), MEMBER(U32, process_is, pid), MEMBER(STRING, process_is, version),
	      MEMBER(STRING, process_is, comm)),
	EVENT(THREAD, thread, MEMBER(U32, thread, thread), MEMBER(U32, thread, tid), MEMBER(STRING, thread, name)),
	EVENT(IMAGE, image, MEMBER(U32, image, image), MEMBER(U64, image, open_ns), MEMBER(U64, image, client), MEMBER(I64, image, pool_id),
	      MEMBER(U64, image, size_bytes), MEMBER(U64, image, features), MEMBER(U64, image, object_size_bytes),
	      MEMBER(U64, image, stripe_unit_bytes), MEMBER(U64, image, stripe_count), MEMBER(U8, image, read_only),
	      MEMBER(STRING, image, cluster), MEMBER(STRING, image, release), MEMBER(STRING, image, pool),
	      {"namespace", MEMBER_STRING, offsetof(struct event, image.namespace_), 0, 0, 0}, MEMBER(STRING, image, name), MEMBER(STRING, image, id),
	      MEMBER(STRING, image, snapshot), MEMBER(STRING, image, prefix)),
	EVENT(CONFIG, config, MEMBER(U32, config, image), MEMBER(STRING, config, option), MEMBER(STRING, config, value)),
	EVENT(UNSEEN, unseen, MEMBER(STRING, unseen, function)),
	EVENT(TOTALS, totals, MEMBER(U64, totals, emitted), MEMBER(U64, totals, passed_through)),
	EVENT(IMAGE_CLOSED, image_closed, MEMBER(U32, image_closed, image), MEMBER(U64, image_closed, close_ns),
	      MEMBER(I32, image_closed, result)),
	EVENT(REQUEST, request, REQUEST_WORDS),
	EVENT(REQUEST, request, REQUEST_MEMBERS), /* schema 2 */
	EVENT(REQUEST_OPEN, request_open, REQUEST_MEMBERS, MEMBER(U64, request, age_ns)),
	EVENT(COMPLETE, complete, COMPLETE_WORDS),
	EVENT(COMPLETE, complete, COMPLETE_MEMBERS, {"complete_ns", MEMBER_MOMENT, offsetof(struct event, complete.c2d_ns), 0, 0, 0}), /* schema 2 */
	EVENT(COMPLETE, complete, COMPLETE_MEMBERS, MEMBER(U64, complete, c2d_ns)), /* schema 1 */
	EVENT(REAP, reap, NUMBERS(reap, requests), NUMBERS(reap, ago_ns)),
	EVENT(LOCK_WAIT, lock_wait, WAIT_WORDS),
	EVENT(LOCK_WAIT, lock_wait, WAIT_MEMBERS), /* schema 3 */
	EVENT(LOCK_WAIT_OPEN, lock_wait_open, WAIT_WORDS),
	EVENT(LOCK_WAIT_OPEN, lock_wait_open, WAIT_MEMBERS), /* schema 3 */
	EVENT(COND_WAIT, cond_wait, WAIT_WORDS),
	EVENT(COND_WAIT, cond_wait, WAIT_MEMBERS), /* schema 3 */
	EVENT(LOCK_HOLD, lock_hold, HOLD_WORDS),
	EVENT(LOCK_HOLD, lock_hold, HOLD_MEMBERS), /* schema 3 */
	EVENT(LOCK_PAIR, lock_pair, HOLD_WORDS),
	EVENT(LOCK_PAIR, lock_pair, HOLD_MEMBERS), /* schema 3 */
	EVENT(LOCK_COUNTS, lock_counts, ROWS(counts, several)),
	EVENT(LOCK_COUNTS, lock_counts, COUNTS_MEMBERS, MEMBER(U64, counts.one, series)), /* schema 3 */
	EVENT(LOCK_COUNTS, lock_counts, COUNTS_MEMBERS), /* schema 2 */
	EVENT(HOLD_COUNTS, hold_counts, ROWS(counts, several)),
	EVENT(HOLD_COUNTS, hold_counts, COUNTS_MEMBERS, MEMBER(U64, counts.one, series)), /* schema 3 */
	EVENT(HOLD_COUNTS, hold_counts, COUNTS_MEMBERS), /* schema 2 */
	EVENT(LOCK_NAME, lock_name, MEMBER(U64, lock_name, lock), MEMBER(U64, lock_name, offset_bytes), MEMBER(STRING, lock_name, type)),
	EVENT(STACK, stack, MEMBER(U64, stack, stack), NUMBERS(stack, frames)),
	EVENT(MODULE, module, MEMBER(U64, module, begin), MEMBER(U64, module, end), MEMBER(U64, module, bias), MEMBER(STRING, module, path),
	      MEMBER(STRING, module, build_id)),
	EVENT(USAGE, usage, MEMBER(U32, usage, tid), MEMBER(U64, usage, cpu_ns), MEMBER(U64, usage, run_queue_ns), MEMBER(STRING, usage, name)),
	EVENT(HOST, host, MEMBER(I64, host, throttled_ns), MEMBER(I64, host, steal_ns), MEMBER(U32, host, processors),
	      MEMBER(U32, host, quota_milli)),
	EVENT(OBJECT, object, MEMBER(U64, object, object), MEMBER(STRING, object, name)),
	EVENT(OPERATION, operation, MEMBER(U64, operation, operation), MEMBER(U64, operation, client), MEMBER(I64, operation, pool_id),
	      MEMBER(U64, operation, object), MEMBER(U64, operation, methods), MEMBER(U64, operation, watch), MEMBER(U8, operation, kind),
	      MEMBER(U8, operation, synchronous), MEMBER(U8, operation, tracked)),
	EVENT(OPERATION_DONE, operation_done, MEMBER(U64, operation_done, operation), MEMBER(I32, operation_done, result),
	      MEMBER(U64, operation_done, reply_bytes)),
	EVENT(LOCK_CALL, lock_call, MEMBER(U64, lock_call, operation), MEMBER(U64, lock_call, watch), MEMBER(U64, lock_call, locker),
	      MEMBER(U8, lock_call, method), MEMBER(U8, lock_call, lock_type)),
	EVENT(JOURNAL_APPEND, journal_append, MEMBER(U64, journal_append, operation), MEMBER(U64, journal_append, tag),
	      MEMBER(U32, journal_append, append_bytes), NUMBERS(journal_append, entries), NUMBERS(journal_append, offsets_bytes),
	      NUMBERS(journal_append, lengths_bytes), NUMBERS(journal_append, kinds)),
	EVENT(NOTIFICATION, notification, MEMBER(U64, notification, operation), MEMBER(U64, notification, client),
	      MEMBER(U64, notification, object), MEMBER(U64, notification, notify_id), MEMBER(U64, notification, notifier),
	      MEMBER(U64, notification, about), MEMBER(U32, notification, what)),
	EVENT(NOTIFY_ACK, notify_ack, MEMBER(U64, notify_ack, client), MEMBER(U64, notify_ack, object), MEMBER(U64, notify_ack, notify_id),
	      MEMBER(I32, notify_ack, result), MEMBER(U8, notify_ack, answered)),
	EVENT(NOTIFY_REPLY, notify_reply, MEMBER(U64, notify_reply, operation), MEMBER(U64, notify_reply, client),
	      MEMBER(I32, notify_reply, result)),
	EVENT(WATCHING, watching, MEMBER(U64, watch, client), MEMBER(U64, watch, object), MEMBER(U64, watch, watch)),
	EVENT(WATCH_ERROR, watch_error, MEMBER(U64, watch, client), MEMBER(U64, watch, object), MEMBER(U64, watch, watch),
	      MEMBER(I32, watch, error)),
	EVENT(LOCK_ACQUIRED, lock_acquired, MEMBER(U32, lock_acquired, image)),
	EVENT(SENT, sent, SENT_WORDS),
	EVENT(SENT, sent, MEMBER(U64, sent, client), MEMBER(U64, sent, transaction), MEMBER(I64, sent, pool_id),
	      MEMBER(U32, sent, placement_group), MEMBER(U32, sent, object_hash), MEMBER(U32, sent, flags), MEMBER(U16, sent, code),
	      MEMBER(U16, sent, extents), MEMBER(U64, sent, offset_bytes), MEMBER(U64, sent, length_bytes)), /* schema 2 */
	EVENT(THROTTLED, throttled, MEMBER(U64, throttled, bucket), MEMBER(U64, throttled, wanted), MEMBER(U64, throttled, granted)),
	EVENT(TIMER, timer, MEMBER(U64, timer, delay_ns)),
	EVENT(UNDECODED, undecoded, MEMBER(STRING, undecoded, what)),
};
/* clang-format on */

/* What an event class of a trace is to us. */
struct decode_layout {
	const struct known_event *known; /* NULL: not decoded */
	bool ours;                       /* of our provider: counted when it cannot be decoded */
	bool unknown;                    /* its name is not known; else a field is missing, unless it is decoded */
	bool has_numbers;                /* a member is a sequence */
	uint8_t member_count;
	uint16_t index[MEMBERS_MAX]; /* of each member's field within the payload */
};

/* Whether the class is an array with that word. */
static bool has_word(const bt_field_class *class, unsigned int word)
{
	return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_STATIC_ARRAY &&
	       bt_field_class_array_static_get_length(class) >= word &&
	       bt_field_class_get_type(bt_field_class_array_borrow_element_field_class_const(class)) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
}

static bool is_sequence(const struct member *member)
{
	return member->type == MEMBER_NUMBERS || member->type == MEMBER_ROWS;
}

static bool type_fits(const struct member *member, const bt_field_class *class)
{
	if (member->word)
		return has_word(class, member->word);
	switch (member->type) {
	case MEMBER_U8:
	case MEMBER_U16:
	case MEMBER_U32:
	case MEMBER_U64:
	case MEMBER_MOMENT:
		return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
	case MEMBER_I32:
	case MEMBER_I64:
		return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_SIGNED_INTEGER;
	case MEMBER_STRING:
		return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_STRING;
	case MEMBER_NUMBERS:
	case MEMBER_ROWS:
		return bt_field_class_type_is(bt_field_class_get_type(class), BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY) &&
		       bt_field_class_get_type(bt_field_class_array_borrow_element_field_class_const(class)) ==
			       BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
	}
	return false;
}

/* The field's place in the payload, or -1 when it is not there or of another type. */
static int field_index(const bt_field_class *payload, const struct member *member)
{
	uint64_t count = bt_field_class_structure_get_member_count(payload);

	for (uint64_t i = 0; i < count; i++) {
		const bt_field_class_structure_member *field = bt_field_class_structure_borrow_member_by_index_const(payload, i);

		if (strcmp(bt_field_class_structure_member_get_name(field), member->field) == 0)
			return type_fits(member, bt_field_class_structure_member_borrow_field_class_const(field)) ? (int)i : -1;
	}
	return -1;
}

/* Whether a class has all the fields of a row; the layout then has their places. */
static bool matches(struct decode_layout *layout, const struct known_event *known, const bt_field_class *payload)
{
	layout->member_count = 0;
	layout->has_numbers = false;
	for (size_t i = 0; i < MEMBERS_MAX && known->members[i].field; i++) {
		int index = field_index(payload, &known->members[i]);

		if (index < 0)
			return false;
		layout->has_numbers |= is_sequence(&known->members[i]);
		layout->index[layout->member_count++] = (uint16_t)index;
	}
	return true;
}

static void resolve(struct decode_layout *layout, const bt_event_class *class)
{
	const char *name = bt_event_class_get_name(class);
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);

	layout->ours = name && strncmp(name, PROVIDER, strlen(PROVIDER)) == 0;
	layout->unknown = true;
	for (size_t i = 0; layout->ours && i < sizeof(known_events) / sizeof(known_events[0]); i++) {
		if (strcmp(name, known_events[i].name) != 0)
			continue;
		layout->unknown = false;
		if (payload && !layout->known && matches(layout, &known_events[i], payload))
			layout->known = &known_events[i];
	}
}

static struct decode_layout *find_layout(struct decode_stream *stream, const bt_event_class *class)
{
	uint64_t id = bt_event_class_get_id(class);

	if (id >= stream->layout_count) {
		struct decode_layout **grown = realloc(stream->layouts, (id + 1) * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + stream->layout_count, 0, (id + 1 - stream->layout_count) * sizeof(*grown));
		stream->layouts = grown;
		stream->layout_count = id + 1;
	}
	if (!stream->layouts[id]) {
		stream->layouts[id] = calloc(1, sizeof(struct decode_layout));
		if (stream->layouts[id])
			resolve(stream->layouts[id], class);
	}
	return stream->layouts[id];
}

/* An event's sequences lie behind each other in the stream's room, which is large enough for all of them before the first is read. */
static int make_room(struct decode_stream *stream, const struct decode_layout *layout, const bt_field *payload)
{
	uint64_t count = 0;
	uint64_t *grown;

	for (unsigned int i = 0; i < layout->member_count; i++)
		if (is_sequence(&layout->known->members[i]))
			count += bt_field_array_get_length(bt_field_structure_borrow_member_field_by_index_const(payload, layout->index[i]));
	if (count <= stream->number_room)
		return 0;
	grown = realloc(stream->numbers, count * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	stream->numbers = grown;
	stream->number_room = count;
	return 0;
}

/* Returns where the next sequence goes. */
static uint64_t *read_numbers(uint64_t *to, const bt_field *field, const struct member *member, struct event *event)
{
	uint64_t count = bt_field_array_get_length(field);

	for (uint64_t i = 0; i < count; i++)
		to[i] = bt_field_integer_unsigned_get_value(bt_field_array_borrow_element_field_by_index_const(field, i));
	*(const uint64_t **)((char *)event + member->offset) = to;
	*(size_t *)((char *)event + member->count) = count;
	return to + count;
}

/* Words become rows where they are. */
static void make_rows(struct event *event, const struct member *member)
{
	uint64_t *words = *(uint64_t **)((char *)event + member->offset);
	size_t *count = (size_t *)((char *)event + member->count);

	_Static_assert(sizeof(struct event_counts) == RBDPROF_COUNTS_WORDS * sizeof(*words), "a row takes its words' place");
	*count /= RBDPROF_COUNTS_WORDS;
	for (size_t i = 0; i < *count; i++, words += RBDPROF_COUNTS_WORDS) {
		struct event_counts row = {
		    .lock = words[0],
		    .series = words[1],
		    .acquisitions = words[2],
		    .contended = words[3],
		    .wait_ns = words[4],
		    .holds = words[5],
		    .hold_ns = words[6],
		    .thread = (uint32_t)words[7],
		    .kind = (uint8_t)(words[7] >> 32),
		};

		memcpy(words, &row, sizeof(row));
	}
}

/* The number of a member that is not a sequence or a string, as it stands in the trace. */
static uint64_t read_number(const bt_field *field, const struct member *member)
{
	if (member->word)
		return bt_field_integer_unsigned_get_value(bt_field_array_borrow_element_field_by_index_const(field, member->word - 1u)) >>
		       member->bit;
	if (member->type == MEMBER_I32 || member->type == MEMBER_I64)
		return (uint64_t)bt_field_integer_signed_get_value(field);
	return bt_field_integer_unsigned_get_value(field);
}

int decode_event(struct decode_stream *stream, const struct decode_process *process, const bt_message *message, struct decode_counts *counts,
		 struct event *event)
{
	const bt_event *bt_event = bt_message_event_borrow_event_const(message);
	const struct decode_layout *layout = find_layout(stream, bt_event_borrow_class_const(bt_event));
	const bt_field *payload;
	uint64_t *next, moment_ns;

	if (!layout)
		return -ENOMEM;
	if (!layout->known) {
		if (layout->ours && layout->unknown)
			counts->unknown_events++;
		else if (layout->ours)
			counts->missing_fields++;
		return 0;
	}

	event->type = layout->known->type;
	event->process = process->number;
	event->time_ns = decode_clock_ns(
		process, bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(message)));
	/* Members that an event of this type may be without. */
	event->request.age_ns = 0;
	event->counts.several = NULL;
	event->counts.one.series = 0;
	payload = bt_event_borrow_payload_field_const(bt_event);
	if (layout->has_numbers && make_room(stream, layout, payload))
		return -ENOMEM;
	next = stream->numbers;
	for (unsigned int i = 0; i < layout->member_count; i++) {
		const struct member *member = &layout->known->members[i];
		const bt_field *field = bt_field_structure_borrow_member_field_by_index_const(payload, layout->index[i]);
		void *to = (char *)event + member->offset;

		switch (member->type) {
		case MEMBER_U8:
			*(uint8_t *)to = (uint8_t)read_number(field, member);
			break;
		case MEMBER_U16:
			*(uint16_t *)to = (uint16_t)read_number(field, member);
			break;
		case MEMBER_U32:
			*(uint32_t *)to = (uint32_t)read_number(field, member);
			break;
		case MEMBER_U64:
			*(uint64_t *)to = read_number(field, member);
			break;
		case MEMBER_I32:
			*(int32_t *)to = (int32_t)read_number(field, member);
			break;
		case MEMBER_I64:
			*(int64_t *)to = (int64_t)read_number(field, member);
			break;
		case MEMBER_MOMENT:
			moment_ns = read_number(field, member);
			*(uint64_t *)to = moment_ns < event->time_ns ? event->time_ns - moment_ns : 0;
			break;
		case MEMBER_STRING:
			*(const char **)to = bt_field_string_get_value(field);
			break;
		case MEMBER_NUMBERS:
			next = read_numbers(next, field, member, event);
			break;
		case MEMBER_ROWS:
			next = read_numbers(next, field, member, event);
			make_rows(event, member);
			break;
		}
	}
	if (event->type == EVENT_PROCESS) {
		event->process_is.host = process->host;
		event->process_is.clock_offset_ns = process->clock_offset_ns;
	}
	return 1;
}

void decode_lost(const struct decode_process *process, const bt_message *message, struct event *event)
{
	const bt_clock_snapshot *begin = bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message);
	const bt_clock_snapshot *end = bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message);
	uint64_t count = 0;

	/* A difference of two counters that may have wrapped (seen: 2^64 - 2183): exact only when summed modulo 2^64. */
	if (bt_message_discarded_events_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	event->type = EVENT_LOST;
	event->process = process->number;
	event->time_ns = decode_clock_ns(process, bt_clock_snapshot_get_value(end));
	event->lost.begin_ns = decode_clock_ns(process, bt_clock_snapshot_get_value(begin));
	event->lost.events = count;
}

uint64_t decode_clock_ns(const struct decode_process *process, uint64_t cycles)
{
	if (process->clock_hz == 1000000000)
		return cycles;
	return (uint64_t)((unsigned __int128)cycles * 1000000000 / process->clock_hz);
}

static char *environment_string(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return strdup(value && bt_value_is_string(value) ? bt_value_string_get(value) : "");
}

int decode_process_init(struct decode_process *process, const bt_trace *trace, const bt_clock_class *clock)
{
	const bt_value *pid = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
	int64_t seconds = 0;
	uint64_t cycles = 0;

	process->pid = pid && bt_value_is_signed_integer(pid) ? (uint32_t)bt_value_integer_signed_get(pid) : 0;
	process->clock_hz = bt_clock_class_get_frequency(clock);
	bt_clock_class_get_offset(clock, &seconds, &cycles);
	process->clock_offset_ns = seconds * 1000000000 + (int64_t)decode_clock_ns(process, cycles);
	process->host = environment_string(trace, "hostname");
	process->comm = environment_string(trace, "procname");
	if (process->host && process->comm)
		return 0;
	decode_process_fini(process);
	return -ENOMEM;
}

void decode_process_fini(struct decode_process *process)
{
	free(process->host);
	free(process->comm);
	process->host = process->comm = NULL;
}

void decode_stream_fini(struct decode_stream *stream)
{
	for (uint64_t i = 0; i < stream->layout_count; i++)
		free(stream->layouts[i]);
	free(stream->layouts);
	free(stream->numbers);
	memset(stream, 0, sizeof(*stream));
}
