#include "analyzer/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/salvage.h"
#include "tracepoints/schema.h"

bool trace_reads_ctf_2(void)
{
	return bt_version_get_major() > 2 || (bt_version_get_major() == 2 && bt_version_get_minor() >= 1);
}

static void complain(const struct trace *trace, const char *what, const char *why)
{
	char sentence[1024];

	snprintf(sentence, sizeof(sentence), "%s: %s%s%s", trace->folder, what, why ? ": " : "", why ? why : "");
	trace->reader->problem(trace->reader->user, sentence);
}

/* The deepest cause of this thread's current error, which is taken and dropped. The text is cut to fit. */
static void take_error(char *why, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	char *address;

	snprintf(why, size, "no reason given");
	if (!error)
		return;
	if (bt_error_get_cause_count(error) > 0)
		snprintf(why, size, "%s", bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	bt_error_release(error);
	why[strcspn(why, "\n")] = '\0';
	/* What follows are addresses within babeltrace2: ": msg-it-addr=0x…, …". */
	address = strstr(why, "-addr=");
	while (address && address > why && *address != ':')
		address--;
	if (address)
		*address = '\0';
}

/* The sink of one trace's graph: an input port for each stream, and one batch of one stream at a time. */

static bt_component_class_initialize_method_status
sink_initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *config, const bt_value *params, void *data)
{
	struct trace *trace = data;

	(void)config;
	(void)params;
	for (uint64_t i = 0; i < trace->stream_count; i++) {
		char name[32];

		snprintf(name, sizeof(name), "in%llu", (unsigned long long)i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) != BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), trace);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status sink_configured(bt_self_component_sink *self)
{
	struct trace *trace = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	char why[512];

	for (uint64_t i = 0; i < trace->stream_count; i++) {
		if (bt_message_iterator_create_from_sink_component(self, bt_self_component_sink_borrow_input_port_by_index(self, i),
								   &trace->streams[i].iterator) ==
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			continue;
		trace->streams[i].iterator = NULL;
		take_error(why, sizeof(why));
		complain(trace, "one of its streams could not be opened", why);
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static void end_stream(struct stream *stream)
{
	bt_message_iterator_put_ref(stream->iterator);
	stream->iterator = NULL;
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct trace *trace = bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	struct stream *stream = trace->wanted;
	char why[512];

	if (!stream || !stream->iterator)
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
	stream->batch_next = stream->batch_count = 0;
	switch (bt_message_iterator_next(stream->iterator, &stream->batch, &stream->batch_count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		end_stream(stream);
		break;
	default:
		take_error(why, sizeof(why));
		complain(trace, "one of its streams ends early, the rest of it could not be read", why);
		end_stream(stream);
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/* The trace's process and clock, from the first message of a stream. -EINVAL when the stream has no clock. */
static int describe(struct trace *trace, const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_trace *bt_trace = bt_stream_borrow_trace_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream));
	int err = clock ? decode_process_init(&trace->process, bt_trace, clock) : -EINVAL;

	if (err)
		return err;
	trace->uuid = bt_trace_get_uuid(bt_trace);
	trace->clock_uuid = bt_clock_class_get_uuid(clock);
	trace->has_watermarks = decode_has_watermarks(bt_trace);
	trace->described = true;
	return 0;
}

/* The moment of a message that has something to say; NULL for any other. */
static const bt_clock_snapshot *moment(const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return bt_message_event_borrow_default_clock_snapshot_const(message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		/* LTTng's always have times. It comes before the packet in which the loss was noticed, and ends only with it. */
		return bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message);
	default:
		return NULL;
	}
}

int stream_advance(struct stream *stream)
{
	struct trace *trace = stream->trace;

	for (;;) {
		const bt_clock_snapshot *clock;
		int err = 0;

		bt_message_put_ref(stream->message);
		stream->message = NULL;
		while (stream->batch_next == stream->batch_count) {
			if (!stream->iterator || trace->refused)
				return 0;
			trace->wanted = stream;
			if (bt_graph_run_once(trace->graph) == BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR)
				return -ENOMEM;
		}
		stream->message = stream->batch[stream->batch_next++];
		if (bt_message_get_type(stream->message) == BT_MESSAGE_TYPE_STREAM_BEGINNING && !trace->described)
			err = describe(trace, stream->message);
		if (err == -EINVAL) {
			complain(trace, "a stream without a clock is left out", NULL);
			end_stream(stream);
		} else if (err) {
			return err;
		}
		clock = trace->described ? moment(stream->message) : NULL;
		if (clock) {
			stream->time_ns = decode_clock_ns(&trace->process, bt_clock_snapshot_get_value(clock));
			return 0;
		}
	}
}

static void refuse(struct trace *trace, const struct event *event)
{
	char what[192];

	trace->refused = true;
	snprintf(what, sizeof(what),
		 "written by a newer library (rbdprof %.32s, schema %u; this program knows %d): read it with that rbdprof",
		 event->process_is.version, event->process_is.schema, RBDPROF_SCHEMA);
	complain(trace, what, NULL);
}

int stream_type(struct stream *stream)
{
	if (bt_message_get_type(stream->message) != BT_MESSAGE_TYPE_EVENT)
		return EVENT_LOST;
	return decode_type(&stream->decode, stream->message);
}

int stream_decode(struct stream *stream, const bt_message *message, struct event *event)
{
	struct trace *trace = stream->trace;
	int got;

	if (trace->refused)
		return 0;
	if (bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT) {
		got = decode_event(&stream->decode, &trace->process, message, &trace->reader->undecoded, event);
		if (got == 1 && event->type == EVENT_PROCESS && event->process_is.schema > RBDPROF_SCHEMA) {
			refuse(trace, event);
			return 0;
		}
		return got;
	}
	decode_lost(&trace->process, message, event);
	return 1;
}

int stream_decode_record(struct stream *stream, const uint64_t *words, uint64_t moment_ns, struct event *event)
{
	if (stream->trace->refused)
		return 0;
	decode_record(&stream->trace->process, words, moment_ns, event);
	return 1;
}

/* The parameters of source.ctf.fs for one folder; NULL without memory. */
static bt_value *make_params(const char *folder)
{
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (params && bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) == BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	    bt_value_array_append_string_element(inputs, folder) == BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
		return params;
	bt_value_put_ref(params);
	return NULL;
}

/* Builds the graph of a folder. Returns 0, -EIO with babeltrace2's reason, or -ENOMEM. */
static int build_graph(struct trace *trace, const char *folder, char *why, size_t size)
{
	const struct trace_reader *reader = trace->reader;
	const bt_component_source *input = NULL;
	const bt_component_sink *sink = NULL;
	bt_value *params = make_params(folder);
	int err = -EIO;

	trace->graph = params ? bt_graph_create(0) : NULL;
	if (!trace->graph) {
		bt_value_put_ref(params);
		return -ENOMEM;
	}
	if (bt_graph_add_source_component(trace->graph, reader->ctf_fs, "trace", params, BT_LOGGING_LEVEL_NONE, &input) !=
	    BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		goto out;

	trace->stream_count = bt_component_source_get_output_port_count(input);
	trace->streams = calloc(trace->stream_count ? trace->stream_count : 1, sizeof(*trace->streams));
	if (!trace->streams) {
		trace->stream_count = 0;
		err = -ENOMEM;
		goto out;
	}
	if (bt_graph_add_sink_component_with_initialize_method_data(trace->graph, reader->sink, "sink", NULL, trace, BT_LOGGING_LEVEL_NONE,
								    &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		goto out;
	for (uint64_t i = 0; i < trace->stream_count; i++) {
		trace->streams[i].trace = trace;
		if (bt_graph_connect_ports(trace->graph, bt_component_source_borrow_output_port_by_index_const(input, i),
					   bt_component_sink_borrow_input_port_by_index_const(sink, i),
					   NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			goto out;
	}
	err = 0;
out:
	if (err == -EIO)
		take_error(why, size);
	if (err) {
		bt_graph_put_ref(trace->graph);
		free(trace->streams);
		trace->graph = NULL;
		trace->streams = NULL;
		trace->stream_count = 0;
	}
	bt_value_put_ref(params);
	return err;
}

/* The graph of the folder, or of a shadow of it where it is torn. Returns 0, also when neither can be read, or -ENOMEM. */
static int open_graph(struct trace *trace)
{
	char why[512], what[256];
	int err;

	switch (salvage_metadata(trace->folder)) {
	case SALVAGE_METADATA_WHOLE:
		break;
	case SALVAGE_METADATA_MISSING:
		complain(trace, "its metadata is empty or cannot be opened, so none of its events can be read", NULL);
		return 0;
	case SALVAGE_METADATA_TORN:
		complain(trace, "its metadata is not whole, so none of its events can be read", NULL);
		return 0;
	case SALVAGE_METADATA_NEWER:
		if (bt_version_get_major() > 2 || bt_version_get_minor() > 0)
			break;
		complain(trace, "written in CTF 2, which needs babeltrace2 2.1 or newer to be read", NULL);
		return 0;
	}
	snprintf(why, sizeof(why), "zeroes take the place of events");
	err = salvage_has_zeroes(trace->folder) ? -EIO : build_graph(trace, trace->folder, why, sizeof(why));
	if (err != -EIO)
		return err;
	err = salvage_make(trace->folder, &trace->shadow, what, sizeof(what));
	if (err == -ENOMEM)
		return err;
	if (err == 0) {
		complain(trace, what, NULL);
		err = build_graph(trace, trace->shadow, why, sizeof(why));
		if (err != -EIO)
			return err;
	}
	/* Of what its parser met, babeltrace2 says no more than the name of the trace. */
	complain(trace, "could not be read", strncmp(why, "Cannot create trace", 19) == 0 ? "its metadata is not understood" : why);
	return 0;
}

struct trace *trace_create(struct trace_reader *reader, const char *folder)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	int err;

	if (!trace)
		return NULL;
	trace->reader = reader;
	trace->folder = strdup(folder);
	err = trace->folder ? open_graph(trace) : -ENOMEM;
	/* The first turn of a graph only makes the iterators. */
	if (!err && trace->graph && bt_graph_run_once(trace->graph) == BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR)
		err = -ENOMEM;
	for (uint64_t i = 0; !err && i < trace->stream_count; i++)
		err = stream_advance(&trace->streams[i]);
	if (!err)
		return trace;
	trace_destroy(trace);
	return NULL;
}

void trace_destroy(struct trace *trace)
{
	if (!trace)
		return;
	for (uint64_t i = 0; i < trace->stream_count; i++) {
		struct stream *stream = &trace->streams[i];

		bt_message_put_ref(stream->message);
		while (stream->batch_next < stream->batch_count)
			bt_message_put_ref(stream->batch[stream->batch_next++]);
		bt_message_iterator_put_ref(stream->iterator);
		decode_stream_fini(&stream->decode);
	}
	bt_graph_put_ref(trace->graph);
	decode_process_fini(&trace->process);
	salvage_remove(trace->shadow);
	free(trace->shadow);
	free(trace->streams);
	free(trace->folder);
	free(trace);
}

static bt_component_class_sink *make_sink_class(void)
{
	bt_component_class_sink *class = bt_component_class_sink_create("streams", sink_consume);

	if (class && bt_component_class_sink_set_initialize_method(class, sink_initialize) == BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK &&
	    bt_component_class_sink_set_graph_is_configured_method(class, sink_configured) == BT_COMPONENT_CLASS_SET_METHOD_STATUS_OK)
		return class;
	bt_component_class_sink_put_ref(class);
	return NULL;
}

const char *trace_reader_init(struct trace_reader *reader)
{
	bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &reader->ctf) == BT_PLUGIN_FIND_STATUS_OK)
		reader->ctf_fs = bt_plugin_borrow_source_component_class_by_name_const(reader->ctf, "fs");
	reader->sink = make_sink_class();
	bt_current_thread_clear_error();
	if (!reader->ctf_fs)
		return "babeltrace2's plugin for CTF is not installed (package libbabeltrace2-0)";
	return reader->sink ? NULL : "out of memory";
}

void trace_reader_fini(struct trace_reader *reader)
{
	bt_component_class_sink_put_ref(reader->sink);
	bt_plugin_put_ref(reader->ctf);
	memset(reader, 0, sizeof(*reader));
}
