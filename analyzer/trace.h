/*
 * One CTF trace, read through libbabeltrace2: a graph of its own with one stream for each of the tracer's. It knows graphs, messages
 * and torn files; it does not know the order between streams, which is feed.c's business, nor fields (decode.c).
 *
 * A stream that turns out to be torn ends at its last whole packet and takes no other stream with it. A trace whose process says that it
 * writes a newer schema is refused, which is a problem too.
 * Each is used by one thread at a time.
 */
#ifndef RBDPROF_ANALYZER_TRACE_H
#define RBDPROF_ANALYZER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/decode.h"

/* What all traces of one report share: babeltrace2's reader. Caller's memory. */
struct trace_reader {
	const bt_plugin *ctf;
	const bt_component_class_source *ctf_fs;
	bt_component_class_sink *sink;
	struct decode_counts undecoded; /* over all traces */
	void *user;
	/* Something could not be read: one sentence, without a newline. */
	void (*problem)(void *user, const char *sentence);
};

struct trace;

struct stream {
	struct trace *trace;
	bt_message_iterator *iterator; /* NULL once it has ended */
	bt_message_array_const batch;  /* babeltrace2's; its messages are ours to put */
	uint64_t batch_count;
	uint64_t batch_next;
	const bt_message *message; /* the next one to hand out, ours; NULL when there is none */
	uint64_t time_ns;          /* of that message, on the host's monotonic clock */
	struct decode_stream decode;
};

struct trace {
	struct trace_reader *reader;
	char *folder;
	char *shadow; /* a readable copy of a torn trace, removed at the end; NULL without */
	bt_graph *graph;
	struct stream *streams;
	uint64_t stream_count;
	struct stream *wanted; /* the stream whose next batch the sink is to fetch */
	bool described;        /* what follows is known: since the first message of any stream */
	struct decode_process process;
	bool has_watermarks;       /* its process says up to when it has told its records */
	bool refused;              /* its events mean what this program does not know: no more of them are handed out */
	const uint8_t *uuid;       /* 16 bytes of the graph's; NULL when the trace has none. Chunks of a rotated trace share it. */
	const uint8_t *clock_uuid; /* the same of its clock: traces of one boot of one host share it */
};

/* Whether the library that reads traces knows the second version of their format. */
bool trace_reads_ctf_2(void);

/* Returns NULL, or why no trace can be read (static). trace_reader_fini in both cases. */
const char *trace_reader_init(struct trace_reader *reader);
void trace_reader_fini(struct trace_reader *reader);

/*
 * Opens the trace in this folder. One that cannot be opened is a problem, not an error: it then has no streams.
 * Each stream stands at its first message. NULL when memory ran out.
 */
struct trace *trace_create(struct trace_reader *reader, const char *folder);
void trace_destroy(struct trace *trace);

/* Drops the stream's message and moves to the next one that says something; message is NULL at the end. Returns 0 or -ENOMEM. */
int stream_advance(struct stream *stream);

/* What the stream's message is: an enum event_type; -ENOENT when it is none that can be decoded; -ENOMEM. */
int stream_type(struct stream *stream);

/*
 * Decodes a message that is, or was, the stream's. As decode_event: 1, 0 when it is none of ours, was counted in the reader's or is of a
 * refused trace, -ENOMEM.
 */
int stream_decode(struct stream *stream, const bt_message *message, struct event *event);

/* The same of a record that one of the stream's batches had. Its words may be gone afterwards. */
int stream_decode_record(struct stream *stream, const uint64_t *words, uint64_t moment_ns, struct event *event);

#endif
