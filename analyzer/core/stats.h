/*
 * What is told of a client's requests on one image: counts, distributions and phases by kind, and the number in flight. It knows
 * finished arithmetic, not events: requests are handed to it as they are made, completed and closed.
 */
#ifndef RBDPROF_ANALYZER_CORE_STATS_H
#define RBDPROF_ANALYZER_CORE_STATS_H

#include "analyzer/core/histogram.h"
#include "analyzer/core/in_flight.h"
#include "analyzer/core/phases.h"
#include "tracepoints/schema.h"

struct request;

/* One kind of request. Durations in nanoseconds; a distribution of count 0 was not observed and is null in a report. */
struct kind_stats {
	uint64_t completed;  /* C was seen; the failed ones among them */
	uint64_t failed;     /* result below 0 */
	uint64_t bytes;      /* of those that did not fail: what a read returned, what another asked for */
	uint64_t first_s_ns; /* the span of iops; a request made before the recording counts from the recording's begin */
	uint64_t last_c_ns;
	uint64_t irregular; /* completed, but in no distribution: an anomaly was met */

	struct histogram latency; /* S to C, of every regular one */
	struct histogram total;   /* S to A, of those that the application looked at within the trace */

	/* The same requests as total's: Σ phases[].sum = total.sum exactly; share of a phase = phases[].sum / total.sum. */
	struct histogram phases[PHASE_COUNT];
};

struct client_stats {
	struct kind_stats *kinds[RBDPROF_KIND_COUNT]; /* owned; NULL where none was made */
	uint8_t begun;                                /* a request was made */
	uint64_t first_s_ns;                          /* of all kinds; meaningless before that */
	uint64_t last_c_ns;
	uint64_t open_requests; /* made and not completed when the trace ended; valid after model_finish() */
	struct in_flight in_flight;
};

void stats_fini(struct client_stats *stats);

/* A request came into sight at `now_ns`; `begin_ns` is its process's first event, before which nothing is known. Returns 0 or -ENOMEM. */
int stats_opened(struct client_stats *stats, const struct request *request, uint64_t now_ns, uint64_t begin_ns);

/* Its C and D are known. */
void stats_completed(struct client_stats *stats, const struct request *request, uint64_t begin_ns);

/* It is done with, and was completed. Distributions are filled here. Returns 0, -ENOMEM, or -ERANGE when its moments are in disorder. */
int stats_closed(struct client_stats *stats, const struct request *request);

/* It was not completed, and its end is not known: the event was lost. */
void stats_dropped(struct client_stats *stats, uint64_t now_ns);

/* It was open when the trace ended; after all completed ones. `counts` is 0 where losses make that doubtful: then it is not in the mean. */
void stats_left_open(struct client_stats *stats, const struct request *request, uint64_t begin_ns, int counts);

/* completed / (last C − first S), per second; 0 when the span has no length. */
double kind_stats_iops(const struct kind_stats *kind);

/* Part of the kind's total time that was spent in the phase, 0 to 1; 0 when no total is known. */
double kind_stats_share(const struct kind_stats *kind, enum phase phase);

/* Time-weighted mean of requests between S and C over [first S, last C]; 0 when the span has no length. */
double client_stats_in_flight_mean(const struct client_stats *stats);

/* Their greatest number. */
uint64_t client_stats_in_flight_max(const struct client_stats *stats);

#endif
