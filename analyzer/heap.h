/*
 * A binary heap: which of some things is the earliest. It knows times and nothing of what has them.
 * Zeroed memory is an empty one. One thread at a time.
 */
#ifndef RBDPROF_ANALYZER_HEAP_H
#define RBDPROF_ANALYZER_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_entry {
	int64_t time_ns;
	uint64_t order; /* which of two comes first that have the same time */
	void *what;     /* the caller's */
};

struct heap {
	struct heap_entry *entries; /* owned; the first is the earliest */
	size_t count;
	size_t room;
};

/* Returns 0 or -ENOMEM. */
int heap_push(struct heap *heap, int64_t time_ns, uint64_t order, void *what);

/* Puts the first where it belongs after its time has become later. */
void heap_settle(struct heap *heap);

/* Takes the first out. Not of an empty heap. */
void heap_pop(struct heap *heap);

/* The heap is empty again; what was in it is not freed. */
void heap_fini(struct heap *heap);

#endif
