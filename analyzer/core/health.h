/*
 * How far a trace can be trusted: what was read, what was lost, what contradicts itself, which functions were not seen. It
 * counts; it does not know what makes an event an anomaly, which is for the module that meets it.
 */
#ifndef RBDPROF_ANALYZER_CORE_HEALTH_H
#define RBDPROF_ANALYZER_CORE_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"

/* Sequences that cannot happen; the names are also the keys of the JSON report. */
#define ANOMALIES(ANOMALY)                                                                                                                 \
	ANOMALY(COMPLETE_WITHOUT_REQUEST, complete_without_request) /* though nothing was lost and it was made while recording */          \
	ANOMALY(DUPLICATE_REQUEST, duplicate_request)               /* a number in flight was given again */                               \
	ANOMALY(DUPLICATE_COMPLETE, duplicate_complete)             /* a request was completed twice */                                    \
	ANOMALY(REAP_OF_UNKNOWN_REQUEST, reap_of_unknown_request)   /* never made, or looked at for the first time twice */                \
	ANOMALY(REAP_WITHOUT_COMPLETE, reap_without_complete)       /* the application looked, yet it was never completed */               \
	ANOMALY(NEGATIVE_PHASE, negative_phase)                     /* C earlier than S, or another moment than one before it */           \
	ANOMALY(UNKNOWN_IMAGE, unknown_image)                       /* a request or setting of an image that was never described */        \
	ANOMALY(UNKNOWN_KIND, unknown_kind)                         /* a kind of request or lock that this analyzer does not have */       \
	ANOMALY(TIME_WENT_BACK, time_went_back)                     /* an event earlier than the one read before it from its process */    \
	ANOMALY(NEWER_SCHEMA, newer_schema)                         /* a process whose events this analyzer may misread */

enum anomaly {
#define ANOMALY(upper, lower) ANOMALY_##upper,
	ANOMALIES(ANOMALY)
#undef ANOMALY
	    ANOMALY_COUNT
};

/* A function of the process's librbd whose calls are not in the trace. */
struct unseen {
	char *function; /* owned */
	UT_hash_handle hh;
};

/* A kind of payload that the shim met and could not read: of another release, or corrupt. */
struct undecoded {
	char *what; /* owned */
	uint64_t count;
	UT_hash_handle hh;
};

/* Trace-wide. Zeroed memory is an empty one. */
struct health {
	uint64_t anomalies[ANOMALY_COUNT];
	struct unseen *unseen;       /* owned; read through model_unseen_next() */
	struct undecoded *undecoded; /* owned; read through model_undecoded_next() */
};

/* When events were dropped. The tracer's counts are differences that can be negative one by one; their sum is right. */
struct lost_interval {
	uint64_t begin_ns; /* the process's monotonic clock */
	uint64_t end_ns;
	int64_t events;
};

/* No process keeps more intervals than this; the two that lie closest become one. */
#define LOST_INTERVALS_MAX 256

/* One process's part. Zeroed memory is an empty one. */
struct process_health {
	uint64_t events;   /* read; losses are none */
	uint64_t first_ns; /* time of the first of them; 0 before it */
	uint64_t last_ns;  /* the greatest time */
	int64_t lost_events; /* by the tracer's count */
	struct lost_interval *lost; /* owned; in the order of time, none overlap */
	size_t lost_count;
	uint64_t passed_through;  /* calls that the shim let through unrecorded since the process began */
	uint64_t totals;          /* how often the shim said its totals */
	int64_t missing_at_first; /* emitted − read, when it did so first and last: a constant but for losses */
	int64_t missing_at_last;
	uint64_t unmatched_completes; /* no request of theirs was seen, though made while recording; judged at the end */
	uint64_t unmatched_reaps;
	uint64_t untracked_operations; /* whose reply the shim said it would not tell */
};

void health_fini(struct health *health);
void process_health_fini(struct process_health *health);

/* The anomaly's name; static. */
const char *anomaly_name(enum anomaly anomaly);

/* Counts one anomaly. */
void health_count(struct health *health, enum anomaly anomaly);

/* Notes a function that is not seen; once for all processes. Returns 0 or -ENOMEM. */
int health_unseen(struct health *health, const char *function);

/* Counts a payload that could not be read. Returns 0 or -ENOMEM. */
int health_undecoded(struct health *health, const char *what);

/* Notes that an event was read. Returns 0, or -ERANGE when it is earlier than the latest of its process. */
int process_health_event(struct process_health *health, uint64_t time_ns);

/* Notes what the shim said it had emitted and let through so far; the event itself has been noted. */
void process_health_totals(struct process_health *health, uint64_t emitted, uint64_t passed_through);

/* Notes that `events` (modulo 2^64) were dropped in [begin_ns, end_ns]. Returns 0 or -ENOMEM. */
int process_health_lost(struct process_health *health, uint64_t begin_ns, uint64_t end_ns, uint64_t events);

/*
 * Events that the shim emitted, that were not read. Where the tracer admits to losses they are lost, more than it says, since one of its events may
 * have been a batch; else they are unaccounted for: those of a torn buffer or a full disk, or what a process that was killed still kept.
 * `threads` is the number of the process's threads, each of which may be between counting and recording one event when the totals
 * are said; so few are none. Counted between the first and the last totals in the trace.
 */
int64_t process_health_lost_events(const struct process_health *health, uint64_t threads);
uint64_t process_health_unaccounted(const struct process_health *health, uint64_t threads);

#endif
