#include "analyzer/core/entries.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/effects.h"
#include "analyzer/core/operations.h"
#include "tracepoints/schema.h"

void range_free(struct range *range)
{
	while (range) {
		struct range *next = range->next;

		free(range);
		range = next;
	}
}

void entries_fini(struct entries *entries)
{
	range_free(entries->spare);
	*entries = (struct entries){0};
}

static int add_range(struct entries *entries, struct carried *request, uint64_t begin_bytes, uint64_t end_bytes)
{
	struct range *range = entries->spare;

	if (range)
		entries->spare = range->next;
	else
		range = malloc(sizeof(*range));
	if (!range)
		return -ENOMEM;
	*range = (struct range){request->ranges, begin_bytes, end_bytes};
	request->ranges = range;
	return 0;
}

static void drop_range(struct entries *entries, struct range **at)
{
	struct range *range = *at;

	*at = range->next;
	range->next = entries->spare;
	entries->spare = range;
}

/* At the place that its making gives it: mostly the last. */
static void enqueue(struct entries *entries, struct carried *request)
{
	struct carried *before = entries->last;

	if (request->waiting)
		return;
	request->waiting = 1;
	while (before && before->sequence > request->sequence)
		before = before->queue_previous;
	request->queue_previous = before;
	request->queue_next = before ? before->queue_next : entries->first;
	*(before ? &before->queue_next : &entries->first) = request;
	*(request->queue_next ? &request->queue_next->queue_previous : &entries->last) = request;
}

int entries_expect(struct entries *entries, struct carried *request, uint64_t begin_bytes, uint64_t end_bytes)
{
	enqueue(entries, request);
	return begin_bytes < end_bytes ? add_range(entries, request, begin_bytes, end_bytes) : 0;
}

void entries_expect_none(struct entries *entries, struct carried *request)
{
	if (!request->waiting)
		return;
	request->waiting = 0;
	*(request->queue_previous ? &request->queue_previous->queue_next : &entries->first) = request->queue_next;
	*(request->queue_next ? &request->queue_next->queue_previous : &entries->last) = request->queue_previous;
}

void entries_clear(struct entries *entries, struct carried *request)
{
	entries_expect_none(entries, request);
	while (request->ranges)
		drop_range(entries, &request->ranges);
}

/* Whether an entry of that kind can be the request's. */
static int holds(const struct entry *entry, const struct carried *request)
{
	switch (request->kind) {
	case RBDPROF_WRITE:
		return entry->kind == RBDPROF_ENTRY_WRITE;
	case RBDPROF_WRITESAME:
		return entry->kind == RBDPROF_ENTRY_WRITESAME;
	case RBDPROF_COMPARE_AND_WRITE:
		return entry->kind == RBDPROF_ENTRY_COMPARE_AND_WRITE;
	case RBDPROF_DISCARD:
		return entry->kind == RBDPROF_ENTRY_DISCARD;
	case RBDPROF_WRITE_ZEROES:
		/* A discard to the byte; or, asked for thickly, one block over and over, and the rest written. */
		return entry->kind == RBDPROF_ENTRY_DISCARD || entry->kind == RBDPROF_ENTRY_WRITESAME || entry->kind == RBDPROF_ENTRY_WRITE;
	case RBDPROF_FLUSH:
		return entry->kind == RBDPROF_ENTRY_FLUSH;
	default:
		return 0;
	}
}

/* Takes the entry's bytes off what the request lacks. Returns 0; -ENOENT when they are not among it; -ENOMEM. */
static int take_bytes(struct entries *entries, struct carried *request, const struct entry *entry)
{
	uint64_t begin_bytes = entry->offset_bytes, end_bytes = begin_bytes + entry->length_bytes;

	for (struct range **at = &request->ranges; *at; at = &(*at)->next) {
		struct range *range = *at;
		uint64_t rest_bytes = range->end_bytes;

		if (begin_bytes < range->begin_bytes || end_bytes > rest_bytes)
			continue;
		/* What is left before them, and behind them. */
		range->end_bytes = begin_bytes;
		if (range->begin_bytes < range->end_bytes)
			return end_bytes < rest_bytes ? add_range(entries, request, end_bytes, rest_bytes) : 0;
		range->begin_bytes = end_bytes;
		range->end_bytes = rest_bytes;
		if (end_bytes == rest_bytes)
			drop_range(entries, at);
		return 0;
	}
	return -ENOENT;
}

int entries_join(struct entries *entries, struct entry *entry)
{
	entry->carried = NULL;
	for (struct carried *request = entries->first; request; request = request->queue_next) {
		int status = 0;

		if (!holds(entry, request))
			continue;
		if (request->kind != RBDPROF_FLUSH)
			status = take_bytes(entries, request, entry);
		if (status == -ENOENT)
			continue;
		if (status)
			return status;
		entry->carried = request;
		if (!request->ranges)
			entries_expect_none(entries, request);
		return 0;
	}
	return 0;
}
