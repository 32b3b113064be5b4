#include "analyzer/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/known.h"

/* What an event class of a trace is to us. */
struct decode_layout {
	const struct known_event *known; /* NULL: not decoded */
	bool ours;                       /* of our provider: counted when it cannot be decoded */
	bool unknown;                    /* its name is not known; else a field is missing, unless it is decoded */
	bool has_numbers;                /* a member is a sequence */
	uint8_t member_count;
	uint16_t index[KNOWN_MEMBERS_MAX]; /* of each member's field within the payload */
};

/* Whether the class is an array with that word. */
static bool has_word(const bt_field_class *class, unsigned int word)
{
	return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_STATIC_ARRAY &&
	       bt_field_class_array_static_get_length(class) >= word &&
	       bt_field_class_get_type(bt_field_class_array_borrow_element_field_class_const(class)) ==
		   BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
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
	for (size_t i = 0; i < KNOWN_MEMBERS_MAX && known->members[i].field; i++) {
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

	layout->ours = name && strncmp(name, KNOWN_PROVIDER, strlen(KNOWN_PROVIDER)) == 0;
	layout->unknown = true;
	for (const struct known_event *known = known_events; layout->ours && known->name; known++) {
		if (strcmp(name, known->name) != 0)
			continue;
		layout->unknown = false;
		if (payload && !layout->known && matches(layout, known, payload))
			layout->known = known;
	}
}

bool decode_has_watermarks(const bt_trace *trace)
{
	const bt_trace_class *class = bt_trace_borrow_class_const(trace);

	for (uint64_t s = 0; s < bt_trace_class_get_stream_class_count(class); s++) {
		const bt_stream_class *stream = bt_trace_class_borrow_stream_class_by_index_const(class, s);

		for (uint64_t e = 0; e < bt_stream_class_get_event_class_count(stream); e++) {
			struct decode_layout layout = {0};

			resolve(&layout, bt_stream_class_borrow_event_class_by_index_const(stream, e));
			if (layout.known && layout.known->type == EVENT_WATERMARK)
				return true;
		}
	}
	return false;
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
			count +=
			    bt_field_array_get_length(bt_field_structure_borrow_member_field_by_index_const(payload, layout->index[i]));
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

int decode_type(struct decode_stream *stream, const bt_message *message)
{
	const struct decode_layout *layout = find_layout(stream, bt_event_borrow_class_const(bt_message_event_borrow_event_const(message)));

	if (!layout)
		return -ENOMEM;
	return layout->known ? (int)layout->known->type : -ENOENT;
}

static void begin_event(struct event *event, enum event_type type, const struct decode_process *process, uint64_t time_ns)
{
	event->type = type;
	event->process = process->number;
	event->time_ns = time_ns;
	/* Members that an event of this type may be without. */
	event->request.age_ns = 0;
	event->reap.requests = NULL;
	event->counts.several = NULL;
	event->counts.one.series = 0;
}

/* The number begins at the member's lowest bit; what is above the member is not its own. */
static void put_number(struct event *event, const struct member *member, uint64_t number)
{
	void *to = (char *)event + member->offset;

	switch (member->type) {
	case MEMBER_U8:
		*(uint8_t *)to = (uint8_t)number;
		break;
	case MEMBER_U16:
		*(uint16_t *)to = (uint16_t)number;
		break;
	case MEMBER_U32:
		*(uint32_t *)to = (uint32_t)number;
		break;
	case MEMBER_U64:
		*(uint64_t *)to = number;
		break;
	case MEMBER_I32:
		*(int32_t *)to = (int32_t)number;
		break;
	case MEMBER_I64:
		*(int64_t *)to = (int64_t)number;
		break;
	case MEMBER_MOMENT:
		*(uint64_t *)to = number < event->time_ns ? event->time_ns - number : 0;
		break;
	case MEMBER_STRING:
	case MEMBER_NUMBERS:
	case MEMBER_ROWS:
		break; /* none of these is one number */
	}
}

int decode_event(struct decode_stream *stream, const struct decode_process *process, const bt_message *message,
		 struct decode_counts *counts, struct event *event)
{
	const bt_event *bt_event = bt_message_event_borrow_event_const(message);
	const bt_clock_snapshot *clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	const struct decode_layout *layout = find_layout(stream, bt_event_borrow_class_const(bt_event));
	const bt_field *payload;
	uint64_t *next;

	if (!layout)
		return -ENOMEM;
	if (!layout->known) {
		if (layout->ours && layout->unknown)
			counts->unknown_events++;
		else if (layout->ours)
			counts->missing_fields++;
		return 0;
	}

	begin_event(event, layout->known->type, process, decode_clock_ns(process, bt_clock_snapshot_get_value(clock)));
	payload = bt_event_borrow_payload_field_const(bt_event);
	if (layout->has_numbers && make_room(stream, layout, payload))
		return -ENOMEM;
	next = stream->numbers;
	for (unsigned int i = 0; i < layout->member_count; i++) {
		const struct member *member = &layout->known->members[i];
		const bt_field *field = bt_field_structure_borrow_member_field_by_index_const(payload, layout->index[i]);

		if (is_sequence(member))
			next = read_numbers(next, field, member, event);
		else if (member->type == MEMBER_STRING)
			*(const char **)((char *)event + member->offset) = bt_field_string_get_value(field);
		else
			put_number(event, member, read_number(field, member));
		if (member->type == MEMBER_ROWS)
			make_rows(event, member);
	}
	if (event->type == EVENT_PROCESS) {
		event->process_is.host = process->host;
		event->process_is.clock_offset_ns = process->clock_offset_ns;
	}
	return 1;
}

size_t decode_record_size(const uint64_t *words, size_t count, uint64_t told_ns, uint64_t *moment_ns)
{
	static const size_t sizes[] = {
#define RECORD(upper, lower, payload) [RBDPROF_RECORD_##upper] = 1 + (payload),
	    RBDPROF_RECORDS(RECORD)
#undef RECORD
	};
	uint64_t record = words[0] >> RBDPROF_RECORD_SHIFT;
	uint64_t ago_ns = (told_ns - words[0]) & ((UINT64_C(1) << RBDPROF_RECORD_SHIFT) - 1);

	if (record == RBDPROF_RECORD_NONE || record >= RBDPROF_RECORD_COUNT || sizes[record] > count || ago_ns > told_ns)
		return 0;
	*moment_ns = told_ns - ago_ns;
	return sizes[record];
}

void decode_record(const struct decode_process *process, const uint64_t *words, uint64_t moment_ns, struct event *event)
{
	const struct known_event *known = known_record(words[0] >> RBDPROF_RECORD_SHIFT);

	begin_event(event, known->type, process, moment_ns);
	/* A member's word is counted from 1, as the words of a record are that follow its header. */
	for (const struct member *member = known->members; member->field; member++)
		put_number(event, member, words[member->word] >> member->bit);
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
