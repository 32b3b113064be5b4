/*
 * From babeltrace2's events to the core's. It knows the names and fields of the shim's events (tracepoints/provider.h) and where
 * each goes in struct event; it does not know files, graphs or the order of streams (source.c does), nor what an event means.
 *
 * Fields are found by name once per event class and stream, and read by index from then on. One thread at a time.
 */
#ifndef RBDPROF_ANALYZER_DECODE_H
#define RBDPROF_ANALYZER_DECODE_H

#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "analyzer/event.h"

/* What could not be decoded, counted over all streams of one report. */
struct decode_counts {
	uint64_t unknown_events; /* of our provider, but with a name that this analyzer does not know: a newer shim's */
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
	uint64_t *numbers;              /* room for the sequences of one event; owned */
	uint64_t number_room;
};

/*
 * Fills *event from an event message. Strings in *event belong to the message, the numbers of a reap to the stream; both live
 * until the message is put or the stream's next event is decoded.
 * Returns 1; 0 when the event is not one of ours, or was counted in *counts; -ENOMEM.
 */
int decode_event(struct decode_stream *stream, const struct decode_process *process, const bt_message *message, struct decode_counts *counts,
		 struct event *event);

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
