/*
 * The events of one process in order of time: merges the streams of its traces, and puts the records of its batches where they belong. It
 * knows batches and watermarks; it does not know other processes (source.c does), nor how anything is decoded.
 *
 * A batch comes later in a trace than its records' moments. So what is read is held until a watermark says that no earlier record can come:
 * as much as the process says between two watermarks, some 0.1 s. Events are held as babeltrace2's messages, undecoded, records as their
 * words. A process that says no watermarks, as those of older schemas do, is not read ahead; and at the end of its streams nothing
 * more can come, so one that was killed needs no last word.
 *
 * Time does not go back. What comes too late all the same, earlier than what was handed out already, is handed out next, and its time is
 * that of the event before it. How long before it other moments were is told by its own moment, so that its durations are right. Lost
 * events may have been batches: a loss comes, and begins, where the watermark stood when it was read, if that is earlier.
 *
 * One thread at a time.
 */
#ifndef RBDPROF_ANALYZER_FEED_H
#define RBDPROF_ANALYZER_FEED_H

#include <stdint.h>

#include "analyzer/event.h"
#include "analyzer/trace.h"

struct feed;

/* NULL when memory ran out. */
struct feed *feed_create(void);

/* Before the traces that were added are destroyed. */
void feed_destroy(struct feed *feed);

/* Adds a trace of the process, a chunk of a rotated one perhaps, before anything is read. The trace stays the caller's. Returns 0 or
 * -ENOMEM. */
int feed_add(struct feed *feed, struct trace *trace);

/* Reads until it is known what comes next. Returns 1, with its time on the host's monotonic clock; 0 at the end; -ENOMEM. */
int feed_ready(struct feed *feed, int64_t *time_ns);

/*
 * Hands out what feed_ready found, once. As stream_decode: 1, 0 when it cannot be decoded, -ENOMEM. The event's strings live until the next
 * call of either function.
 */
int feed_take(struct feed *feed, struct event *event);

#endif
