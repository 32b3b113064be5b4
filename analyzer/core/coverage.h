/*
 * When something was going on, lately: a union of intervals, and how much of a given time lies within it. It knows times only, not what
 * goes on. The last COVERAGE_KEPT intervals are remembered; what lies before them counts as free of it, so memory does not grow.
 */
#ifndef RBDPROF_ANALYZER_CORE_COVERAGE_H
#define RBDPROF_ANALYZER_CORE_COVERAGE_H

#include <stdint.h>

#define COVERAGE_KEPT 256

struct interval {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t before_ns; /* covered by all intervals before this one */
};

/* Zeroed memory is an empty one. */
struct coverage {
	struct interval *ring; /* owned; rising, apart from each other; COVERAGE_KEPT of them, NULL before the first */
	uint64_t oldest;       /* number of the first that is remembered, which is at this modulo COVERAGE_KEPT … */
	uint64_t next;         /* … and of the next one that comes: how many there were so far, those joined being one */
	uint64_t going_on;     /* begun and not ended */
	uint64_t since_ns;     /* while that is above 0: since when */
};

void coverage_fini(struct coverage *coverage);

/* It begins, at a time in ns that does not fall; it may do so again before it ended. */
void coverage_begin(struct coverage *coverage, uint64_t now_ns);

/* One of its begins ends. Without a begin nothing happens. Returns 0 or -ENOMEM. */
int coverage_end(struct coverage *coverage, uint64_t now_ns);

/* It went on in [begin, end]; ends do not fall. Returns 0 or -ENOMEM. */
int coverage_add(struct coverage *coverage, uint64_t begin_ns, uint64_t end_ns);

/* The last interval; NULL: none has ended yet. */
const struct interval *coverage_last(const struct coverage *coverage);

/* How much of [from, to] it went on, in ns. */
uint64_t coverage_overlap(const struct coverage *coverage, uint64_t from_ns, uint64_t to_ns);

#endif
