/*
 * From babeltrace2's events, and the records of a batch, to the core's events. It knows how the fields of known.h are read; it does not
 * know files or graphs (trace.c does), order (feed.c and source.c), nor what an event means.
 *
 * Fields are found by name once per event class and stream, and read by index from then on. One thread at a time.
 */
#ifndef RBDPROF_ANALYZER_DECODE_H
#define RBDPROF_ANALYZER_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "analyzer/event.h"

/* What could not be decoded, counted over all streams of one report. */
struct decode_counts {
	uint64_t unknown_events; /* of our provider, but unknown to this analyzer: a newer shim's event, or record and what follows it */
	uint64_t missing_fields; /* events left out because their class lacks a field, or has it with another type */
};

/* The process behind one CTF trace, from the trace's environment; strings are owned by whoever made it. */
struct decode_process {
	uint32_t number;         /* within the report; set by source.c */
	uint32_t pid;            /* 0 when the trace does not say */
	char *host;              /* never NULL */
	char *comm;              /* never NULL */
	int64_t clock_offset_ns; /* wall clock = monotonic clock + this */
	uint64_t clock_hz;       /* of the trace's clock; not 0 */
};

/* What is known about one stream's event classes. Caller's memory, zeroed before its first use. */
struct decode_stream {
	struct decode_layout **layouts; /* by the event class's number within its stream class; owned */
	uint64_t layout_count;
	uint64_t *numbers; /* room for the sequences of one event; owned */
	uint64_t number_room;
};

/*
 * Fills *event from an event message. Strings in *event belong to the message, sequences of numbers to the stream; both live
 * until the message is put or the stream's next event is decoded.
 * Returns 1; 0 when the event is not one of ours, or was counted in *counts; -ENOMEM.
 */
int decode_event(struct decode_stream *stream, const struct decode_process *process, const bt_message *message,
		 struct decode_counts *counts, struct event *event);

/* What decode_event would make of an event message: an enum event_type; -ENOENT when it would return 0; -ENOMEM. */
int decode_type(struct decode_stream *stream, const bt_message *message);

/* Whether the trace's process can say watermarks. */
bool decode_has_watermarks(const bt_trace *trace);

/*
 * Looks at the record that the words of a batch begin with (tracepoints/schema.h); there are `count` of them, one at least, and the batch
 * was told at told_ns. Returns how many of them it is, header included, with its moment; 0 when it is not whole, or not known: then no more
 * can be said of what follows.
 */
size_t decode_record_size(const uint64_t *words, size_t count, uint64_t told_ns, uint64_t *moment_ns);

/* Fills *event from a record that decode_record_size knew. */
void decode_record(const struct decode_process *process, const uint64_t *words, uint64_t moment_ns, struct event *event);

/* Fills *event (EVENT_LOST) from a message about discarded events. */
void decode_lost(const struct decode_process *process, const bt_message *message, struct event *event);

/* A clock value in cycles as nanoseconds of the monotonic clock. */
uint64_t decode_clock_ns(const struct decode_process *process, uint64_t cycles);

/*
 * Reads the environment and the clock of a trace. The strings of *process are allocated; decode_process_fini frees them.
 * Returns 0 or -ENOMEM.
 */
int decode_process_init(struct decode_process *process, const bt_trace *trace, const bt_clock_class *clock);
void decode_process_fini(struct decode_process *process);

/* Frees what belongs to the stream; the struct may then be used again. */
void decode_stream_fini(struct decode_stream *stream);

#endif
