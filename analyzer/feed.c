#include "analyzer/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/heap.h"

/* What was read and not handed out yet: an event, or a record of a batch. */
struct held {
	struct stream *stream;
	const bt_message *message; /* ours; NULL: a record, of these words: */
	uint64_t words[];
};

struct feed {
	struct heap streams; /* those that have a message, by its time: struct stream */
	struct heap held;    /* by their moments: struct held */
	uint64_t held_count; /* of all that were ever held: what has the same time keeps the order in which it was read */
	struct held *taken;  /* what was handed out last; the event's strings are its message's */
	int64_t until_ns;    /* no record with an earlier moment comes any more; without watermarks the end of all time */
	int64_t last_ns;     /* time of what was handed out last */
};

struct feed *feed_create(void)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (feed)
		feed->until_ns = INT64_MAX;
	return feed;
}

static void drop(struct held *held)
{
	if (held)
		bt_message_put_ref(held->message);
	free(held);
}

void feed_destroy(struct feed *feed)
{
	if (!feed)
		return;
	drop(feed->taken);
	for (size_t i = 0; i < feed->held.count; i++)
		drop(feed->held.entries[i].what);
	heap_fini(&feed->held);
	heap_fini(&feed->streams);
	free(feed);
}

int feed_add(struct feed *feed, struct trace *trace)
{
	int err = 0;

	if (trace->has_watermarks)
		feed->until_ns = 0;
	for (uint64_t i = 0; !err && i < trace->stream_count; i++) {
		struct stream *stream = &trace->streams[i];

		if (stream->message)
			err = heap_push(&feed->streams, (int64_t)stream->time_ns, feed->streams.count, stream);
	}
	return err;
}

/* Holds a message, of which it takes a reference, or a record. */
static int hold(struct feed *feed, struct stream *stream, int64_t time_ns, const bt_message *message, const uint64_t *words, size_t count)
{
	struct held *held = malloc(sizeof(*held) + count * sizeof(*words));

	if (!held)
		return -ENOMEM;
	held->stream = stream;
	held->message = message;
	bt_message_get_ref(message);
	if (count > 0)
		memcpy(held->words, words, count * sizeof(*words));
	if (heap_push(&feed->held, time_ns, feed->held_count, held) == 0) {
		feed->held_count++;
		return 0;
	}
	drop(held);
	return -ENOMEM;
}

static int hold_records(struct feed *feed, struct stream *stream, const struct event *batch)
{
	const uint64_t *words = batch->batch.words;
	size_t left = batch->batch.count;
	int err = 0;

	while (!err && left > 0) {
		uint64_t moment_ns;
		size_t size = decode_record_size(words, left, batch->time_ns, &moment_ns);

		if (size == 0) {
			stream->trace->reader->undecoded.unknown_events++;
			return 0;
		}
		err = hold(feed, stream, (int64_t)moment_ns, NULL, words, size);
		words += size;
		left -= size;
	}
	return err;
}

/* Takes in what a message says to the reader itself. Returns 1 when there is nothing else to it, 0 when it is for others, or -ENOMEM. */
static int take_in(struct feed *feed, struct stream *stream, int type)
{
	struct event event;
	int got;

	if (type != EVENT_PROCESS && type != EVENT_BATCH && type != EVENT_WATERMARK)
		return 0;
	/* The process too: if it writes a newer schema, its batches cannot be understood from here on. */
	got = stream_decode(stream, stream->message, &event);
	if (got < 0)
		return got;
	if (got == 1 && type == EVENT_BATCH && hold_records(feed, stream, &event))
		return -ENOMEM;
	if (got == 1 && type == EVENT_WATERMARK && (int64_t)event.watermark.until_ns > feed->until_ns)
		feed->until_ns = (int64_t)event.watermark.until_ns;
	return type != EVENT_PROCESS;
}

/* Reads the earliest message of all streams. */
static int read_message(struct feed *feed)
{
	struct heap_entry *first = &feed->streams.entries[0];
	struct stream *stream = first->what;
	int64_t time_ns = first->time_ns;
	int type = stream_type(stream), got, err;

	got = type == -ENOMEM ? -ENOMEM : take_in(feed, stream, type);
	if (got < 0)
		return got;
	/* Lost events may have been batches, with records of any moment since the watermark. */
	if (type == EVENT_LOST && time_ns > feed->until_ns)
		time_ns = feed->until_ns;
	err = got ? 0 : hold(feed, stream, time_ns, stream->message, NULL, 0);
	if (!err)
		err = stream_advance(stream);
	if (err)
		return err;
	if (stream->message) {
		first->time_ns = (int64_t)stream->time_ns;
		heap_settle(&feed->streams);
	} else {
		heap_pop(&feed->streams);
	}
	return 0;
}

int feed_ready(struct feed *feed, int64_t *time_ns)
{
	const struct heap *held = &feed->held;

	while (feed->streams.count > 0 && (held->count == 0 || held->entries[0].time_ns > feed->until_ns)) {
		int err = read_message(feed);

		if (err)
			return err;
	}
	if (held->count == 0)
		return 0;
	*time_ns = held->entries[0].time_ns < feed->last_ns ? feed->last_ns : held->entries[0].time_ns;
	return 1;
}

int feed_take(struct feed *feed, struct event *event)
{
	const struct heap_entry first = feed->held.entries[0];
	struct held *held = first.what;
	int got;

	heap_pop(&feed->held);
	drop(feed->taken);
	feed->taken = held;
	if (feed->last_ns < first.time_ns)
		feed->last_ns = first.time_ns;
	if (held->message)
		got = stream_decode(held->stream, held->message, event);
	else
		got = stream_decode_record(held->stream, held->words, (uint64_t)first.time_ns, event);
	if (got != 1)
		return got;
	if (event->type == EVENT_LOST && event->lost.begin_ns > (uint64_t)first.time_ns)
		event->lost.begin_ns = (uint64_t)first.time_ns;
	if (event->time_ns < (uint64_t)feed->last_ns)
		event->time_ns = (uint64_t)feed->last_ns;
	return 1;
}
