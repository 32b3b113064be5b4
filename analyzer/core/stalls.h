/*
 * When a client's requests stood still: requests were in flight and none was completed for long, measured by what is usual for it. Such
 * intervals do not show in p50 and p99. It also knows how much of the time the client had nothing in flight. It knows moments, not causes.
 */
#ifndef RBDPROF_ANALYZER_CORE_STALLS_H
#define RBDPROF_ANALYZER_CORE_STALLS_H

#include <stdint.h>

#include "analyzer/core/coverage.h"
#include "analyzer/core/histogram.h"
#include "analyzer/core/phases.h"

/* What is shorter than this is no stall, nor what is shorter than so many times the usual time between two completions … */
#define STALL_LEAST_NS UINT64_C(400000000)
#define STALL_UNUSUAL  50

/* … of which so many make one usual. */
#define STALL_USUAL 20

/* The longest are kept. */
#define STALLS_KEPT 16

struct stall {
	uint64_t begin_ns; /* the last completion before it, or when the client had begun to have something in flight */
	uint64_t end_ns;   /* the first completion after it */
	uint64_t in_flight;
	uint64_t requests[PHASE_COUNT]; /* those that it held up and that were completed, by the phase in which most of it fell */
};

/* Zeroed memory is an empty one. */
struct stalls {
	struct coverage standing; /* all of them */
	struct stall kept[STALLS_KEPT];
	uint32_t kept_count;
	uint64_t count; /* all */
	uint64_t sum_ns;

	uint64_t in_flight;   /* made and not seen completed */
	uint64_t completed;   /* that were */
	uint64_t progress_ns; /* the last completion; or if later, when the client began to have something in flight */
	uint64_t busy_ns;     /* the time with something in flight, up to that, without stalls */
	uint64_t idle_ns;     /* the time without, between the first request and the last */
};

void stalls_fini(struct stalls *stalls);

/* A request came into sight at s_ns, not before others that did so earlier. */
void stalls_opened(struct stalls *stalls, uint64_t s_ns);

/* One was completed at c_ns; told in any order. Returns 0 or -ENOMEM. */
int stalls_completed(struct stalls *stalls, uint64_t c_ns);

/* One will not be seen completed. */
void stalls_dropped(struct stalls *stalls);

/* A completed request's moments and phases: adds it to those stalls that held it up. */
void stalls_held(struct stalls *stalls, const struct moments *moments, const struct phase_split *split);

/* The trace ends at end_ns: a stall may have lasted until then. Returns 0 or -ENOMEM. */
int stalls_finish(struct stalls *stalls, uint64_t end_ns);

/* The part of the time between first request and last completion in which the client had nothing in flight, 0 to 1. */
double stalls_idle_share(const struct stalls *stalls);

#endif
