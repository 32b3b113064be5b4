#include "analyzer/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/feed.h"
#include "analyzer/heap.h"
#include "analyzer/trace.h"

/* What a process says, and how far its host's clock is from a scale that all hosts share. */
struct process {
	struct feed *feed; /* NULL: it has another number */
	int64_t offset_ns;
};

struct source {
	struct source_handler handler;
	struct source_counts counts;
	struct trace_reader reader;
	struct trace **traces;
	size_t trace_count;
	struct process *processes; /* by their numbers, of which there are no more than traces */
	struct heap heap;          /* those that have an event, by its time on that scale: struct process */
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
	for (size_t i = 0; source->processes && i < source->trace_count; i++)
		feed_destroy(source->processes[i].feed);
	for (size_t i = 0; i < source->trace_count; i++)
		trace_destroy(source->traces[i]);
	trace_reader_fini(&source->reader);
	heap_fini(&source->heap);
	free(source->processes);
	free(source->traces);
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

/* Gives every trace to the feed of its process. */
static int feed_traces(struct source *source)
{
	int err = 0;

	source->processes = calloc(source->trace_count + 1, sizeof(*source->processes));
	if (!source->processes)
		return -ENOMEM;
	for (size_t i = 0; !err && i < source->trace_count; i++) {
		int64_t offset_ns = place(source, i);
		struct process *process = &source->processes[source->traces[i]->process.number];

		if (!process->feed) {
			process->feed = feed_create();
			process->offset_ns = offset_ns;
		}
		err = process->feed ? feed_add(process->feed, source->traces[i]) : -ENOMEM;
	}
	return err;
}

static int fill_heap(struct source *source)
{
	int err = feed_traces(source);

	for (size_t i = 0; !err && i < source->trace_count; i++) {
		struct process *process = &source->processes[i];
		int64_t time_ns;
		int got = process->feed ? feed_ready(process->feed, &time_ns) : 0;

		err = got == 1 ? heap_push(&source->heap, time_ns + process->offset_ns, i, process) : got;
	}
	return err;
}

static void count_undecoded(struct source *source)
{
	source->counts.unknown_events = source->reader.undecoded.unknown_events;
	source->counts.missing_fields = source->reader.undecoded.missing_fields;
}

/* Hands out the event of the process that has the earliest, and moves the process on. */
static int step(struct source *source)
{
	struct heap_entry *first = &source->heap.entries[0];
	const struct process *process = first->what;
	struct event event;
	int64_t time_ns;
	int got = feed_take(process->feed, &event);

	count_undecoded(source);
	if (got == 1) {
		source->counts.events += event.type != EVENT_LOST;
		got = source->handler.event(source->handler.user, &event);
	}
	if (got)
		return got;
	got = feed_ready(process->feed, &time_ns);
	if (got < 0)
		return got;
	if (got == 1) {
		first->time_ns = time_ns + process->offset_ns;
		heap_settle(&source->heap);
	} else {
		heap_pop(&source->heap);
	}
	return 0;
}

int source_run(struct source *source)
{
	int err = fill_heap(source);

	while (!err && source->heap.count > 0)
		err = step(source);
	count_undecoded(source);
	return err;
}

const struct source_counts *source_counts(const struct source *source)
{
	return &source->counts;
}
