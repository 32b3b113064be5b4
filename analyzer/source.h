/*
 * Reads CTF traces and hands out their events in order of time. It knows the order of processes and who shares a clock; it does not know
 * the order within a process (feed.c does), babeltrace2 (trace.c), how fields are named (known.c), nor what an event means (the core).
 *
 * Every trace has a graph of its own, and the streams are merged here and not by babeltrace2's muxer: a stream that turns out to
 * be torn ends at its last whole packet and takes nothing else with it. Traces of one host (those whose clocks have the same
 * UUID) are ordered by the monotonic clock itself; its distance to wall clock, which LTTng samples anew for each process, only
 * serves to place hosts against each other. Memory depends on the number of streams and, where events are told in batches, on what a
 * process says between two watermarks (feed.h); not on the length of streams. A process is read no further than its own next event needs,
 * so one that was stopped for long makes nobody else's events wait in memory.
 */
#ifndef RBDPROF_ANALYZER_SOURCE_H
#define RBDPROF_ANALYZER_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/event.h"

struct source;

/* Where events and complaints go. Both functions are called by the thread that called source_*. */
struct source_handler {
	void *user;
	/* An event; it and its strings live until the function returns. Anything but 0 ends the reading. */
	int (*event)(void *user, const struct event *event);
	/* Something could not be read: one sentence, without a newline. What could be read goes on. */
	void (*problem)(void *user, const char *sentence);
};

/* What a reader saw besides events. */
struct source_counts {
	uint64_t events;   /* handed out, without EVENT_LOST */
	uint64_t problems; /* sentences said */
	uint64_t
	    unknown_events; /* of ours, but with a name that this analyzer does not know, or such a record */
	uint64_t missing_fields; /* events left out because a field was not there */
};

/* The handler is copied. NULL with *sentence (static) saying why. */
struct source *source_create(const struct source_handler *handler, const char **sentence);
void source_destroy(struct source *source);

/*
 * Adds the CTF trace in this folder (one with a file named metadata). A trace that cannot be opened is a problem, not an error.
 * Returns 0 or -ENOMEM.
 */
int source_add(struct source *source, const char *folder);

/* Reads everything that was added, once. Returns 0, what the handler's event function returned, or -ENOMEM. */
int source_run(struct source *source);

/* Valid until source_destroy; the counts grow while source_run runs. */
const struct source_counts *source_counts(const struct source *source);

#endif
