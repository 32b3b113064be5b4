#include "analyzer/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/trace.h"

/* A stream and the time of its message on a scale that all hosts share. */
struct entry {
	int64_t time_ns;
	int64_t offset_ns; /* from the stream's monotonic clock to that scale */
	struct stream *stream;
};

struct source {
	struct source_handler handler;
	struct source_counts counts;
	struct trace_reader reader;
	struct trace **traces;
	size_t trace_count;
	struct entry *heap; /* a binary heap of the streams that have a message, earliest first */
	size_t heap_count;
};

static void count_problem(void *user, const char *sentence)
{
	struct source *source = user;

	source->counts.problems++;
	source->handler.problem(source->handler.user, sentence);
}

struct source *source_create(const struct source_handler *handler, const char **sentence)
{
	struct source *source = calloc(1, sizeof(*source));

	*sentence = "out of memory";
	if (!source)
		return NULL;
	source->handler = *handler;
	source->reader.user = source;
	source->reader.problem = count_problem;
	*sentence = trace_reader_init(&source->reader);
	if (!*sentence)
		return source;
	source_destroy(source);
	return NULL;
}

void source_destroy(struct source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->trace_count; i++)
		trace_destroy(source->traces[i]);
	trace_reader_fini(&source->reader);
	free(source->traces);
	free(source->heap);
	free(source);
}

int source_add(struct source *source, const char *folder)
{
	struct trace **grown = realloc(source->traces, (source->trace_count + 1) * sizeof(*grown));
	struct trace *trace;

	if (!grown)
		return -ENOMEM;
	source->traces = grown;
	trace = trace_create(&source->reader, folder);
	if (!trace)
		return -ENOMEM;
	grown[source->trace_count++] = trace;
	return 0;
}

static int same_uuid(const uint8_t *a, const uint8_t *b)
{
	return a && b && memcmp(a, b, 16) == 0;
}

/* Gives the trace's process a number, that of an earlier chunk of the same trace where there is one; returns its host's offset. */
static int64_t place(struct source *source, size_t index)
{
	struct trace *trace = source->traces[index];
	int64_t offset_ns = trace->process.clock_offset_ns;

	trace->process.number = (uint32_t)index;
	for (size_t i = index; i-- > 0;) {
		const struct trace *other = source->traces[i];

		if (same_uuid(trace->clock_uuid, other->clock_uuid))
			offset_ns = other->process.clock_offset_ns;
		if (same_uuid(trace->uuid, other->uuid))
			trace->process.number = other->process.number;
	}
	return offset_ns;
}

static void sift_down(struct source *source, size_t at)
{
	struct entry *heap = source->heap, moving = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= source->heap_count)
			break;
		if (child + 1 < source->heap_count && heap[child + 1].time_ns < heap[child].time_ns)
			child++;
		if (moving.time_ns <= heap[child].time_ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

static int fill_heap(struct source *source)
{
	size_t streams = 1;

	for (size_t i = 0; i < source->trace_count; i++)
		streams += source->traces[i]->stream_count;
	source->heap = calloc(streams, sizeof(*source->heap));
	if (!source->heap)
		return -ENOMEM;
	for (size_t i = 0; i < source->trace_count; i++) {
		struct trace *trace = source->traces[i];
		int64_t offset_ns = place(source, i);

		for (uint64_t s = 0; s < trace->stream_count; s++) {
			struct stream *stream = &trace->streams[s];

			if (stream->message)
				source->heap[source->heap_count++] =
				    (struct entry){(int64_t)stream->time_ns + offset_ns, offset_ns, stream};
		}
	}
	for (size_t i = source->heap_count / 2; i-- > 0;)
		sift_down(source, i);
	return 0;
}

/* Hands out the stream's message and moves the stream on. */
static int step(struct source *source, struct stream *stream)
{
	struct event event;
	int got = stream_decode(stream, &event);

	source->counts.unknown_events = source->reader.undecoded.unknown_events;
	source->counts.missing_fields = source->reader.undecoded.missing_fields;
	if (got == 1) {
		source->counts.events += event.type != EVENT_LOST;
		got = source->handler.event(source->handler.user, &event);
	}
	return got ? got : stream_advance(stream);
}

int source_run(struct source *source)
{
	int err = fill_heap(source);

	while (!err && source->heap_count > 0) {
		struct entry *first = &source->heap[0];

		err = step(source, first->stream);
		if (first->stream->message)
			first->time_ns = (int64_t)first->stream->time_ns + first->offset_ns;
		else
			*first = source->heap[--source->heap_count];
		if (source->heap_count > 0)
			sift_down(source, 0);
	}
	return err;
}

const struct source_counts *source_counts(const struct source *source)
{
	return &source->counts;
}
