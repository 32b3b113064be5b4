/*
 * Small CTF traces for the tests of the reader, made as LTTng-UST 2 makes them: one stream file a processor, each of packets with LTTng's
 * head. The metadata is plain text. It knows a few of the shim's events; a file can be damaged afterwards as a test likes.
 */
#ifndef RBDPROF_TESTS_CTF_H
#define RBDPROF_TESTS_CTF_H

#include <stdint.h>
#include <stdio.h>

#define CTF_HEAD_BYTES 72 /* of a packet, with the count of discarded events */

struct ctf_trace {
	char folder[256];
	uint8_t uuid;       /* every byte of the trace's */
	uint8_t clock_uuid; /* every byte of the clock's: which host's boot */
	int64_t clock_offset_ns;
	uint32_t pid;
	const char *more; /* events that its metadata has besides, as ctf_batches; NULL: none */
};

struct ctf_stream {
	const struct ctf_trace *trace;
	FILE *file;
	char path[300];
	uint64_t instance; /* of the stream: two files with one would be one stream to babeltrace2 */
	long packet_at;    /* where the open packet begins; -1: none */
	uint64_t begin_ns, last_ns;
	uint64_t discarded; /* said by the next packet that ends */
};

/* For a trace's `more`: batches and watermarks, which schemas from 5 on have. */
extern const char ctf_batches[];

/* Makes the folder (below a temporary one of the test's) and its metadata. */
void ctf_begin(const struct ctf_trace *trace);

/* A stream file; events are added in order of time. ctf_packet begins a new packet, and so does the first event. */
void ctf_stream_begin(struct ctf_stream *stream, const struct ctf_trace *trace, const char *name);
void ctf_packet(struct ctf_stream *stream);
void ctf_stream_end(struct ctf_stream *stream);

void ctf_process(struct ctf_stream *stream, uint64_t at_ns);
void ctf_process_of_schema(struct ctf_stream *stream, uint64_t at_ns, uint32_t schema);
void ctf_request(struct ctf_stream *stream, uint64_t at_ns, uint64_t request);
void ctf_complete(struct ctf_stream *stream, uint64_t at_ns, uint32_t schema, uint64_t request, uint64_t c_ns); /* C is at c_ns */
/* The events that are told in words, by their numbers in the metadata; as many words as docs/events.md gives them. */
enum ctf_worded { CTF_REQUEST = 8, CTF_COMPLETE, CTF_SENT, CTF_WAIT = 14, CTF_HOLD, CTF_COND_WAIT = 19, CTF_PAIR, CTF_REAP = 23 };
void ctf_words(struct ctf_stream *stream, uint64_t at_ns, enum ctf_worded event, const uint64_t *words);

void ctf_sent_2(struct ctf_stream *stream, uint64_t at_ns); /* of schemas 1 and 2 */
void ctf_wait_3(struct ctf_stream *stream, uint64_t at_ns); /* before they were told in words, in schema 3 */
void ctf_hold_3(struct ctf_stream *stream, uint64_t at_ns);
void ctf_counts(struct ctf_stream *stream, uint64_t at_ns, const uint64_t *words, uint32_t count); /* eight a lock */
void ctf_counts_3(struct ctf_stream *stream, uint64_t at_ns, uint64_t series); /* series 0: of schemas 1 and 2, without it */
void ctf_batch(struct ctf_stream *stream, uint64_t at_ns, const uint64_t *words, uint32_t count);
void ctf_watermark(struct ctf_stream *stream, uint64_t at_ns, uint64_t until_ns);
void ctf_reap(struct ctf_stream *stream, uint64_t at_ns, uint64_t first, uint64_t second);
void ctf_unknown(struct ctf_stream *stream, uint64_t at_ns);   /* rbdprof:of_tomorrow */
void ctf_lacking(struct ctf_stream *stream, uint64_t at_ns);   /* rbdprof:totals with one field instead of two */
void ctf_foreign(struct ctf_stream *stream, uint64_t at_ns);   /* another provider's */
void ctf_senseless(struct ctf_stream *stream, uint64_t at_ns); /* an event number that the metadata does not have */

#endif
