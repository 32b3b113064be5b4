/*
 * The verdict: what held an image's requests up, most important first, with the numbers that show it, what else it could be, what one may
 * do, and what that would give. Made from a finished model. It knows rules and numbers; words and forms are the writers'.
 */
#ifndef RBDPROF_ANALYZER_CORE_VERDICT_H
#define RBDPROF_ANALYZER_CORE_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/causes.h"
#include "analyzer/core/model.h"

/* What a share is a part of. */
enum whole {
	WHOLE_REQUESTS,   /* the time of all requests, S to A */
	WHOLE_SUBMITTERS, /* the time of the threads that submit them */
	WHOLE_WALL,       /* the time from the first request to the last */
};

/* How a fact is written. */
enum fact_unit { FACT_NS, FACT_COUNT, FACT_NUMBER, FACT_SHARE, FACT_BYTES, FACT_STEP, FACT_ID, FACT_ADDRESS, FACT_TEXT };

/* FACT(NAME, name in sentences and JSON, unit, what it is). */
#define FACTS(FACT)                                                                                                                        \
	FACT(IOPS, iops, NUMBER, "requests completed a second, of all clients")                                                            \
	FACT(IN_FLIGHT, in_flight, NUMBER, "requests in flight, mean, of all clients")                                                     \
	FACT(IN_FLIGHT_MAX, in_flight_max, COUNT, "most requests in flight of one client")                                                 \
	FACT(LATENCY_P50, latency_p50, NS, "call until the program looked, p50")                                                           \
	FACT(N2C_SHARE, n2c_share, SHARE, "network, OSDs and the way back, of the requests' time")                                         \
	FACT(N2C_P50, n2c_p50, NS, "network, OSDs and the way back, p50")                                                                  \
	FACT(N2C_P99, n2c_p99, NS, "the same, p99")                                                                                        \
	FACT(C2D_P50, c2d_p50, NS, "the program's callback and waiting for its turn, p50")                                                 \
	FACT(D2A_P50, d2a_p50, NS, "until the program looked, p50")                                                                        \
	FACT(OWNERS, owners, COUNT, "clients that owned the lock")                                                                         \
	FACT(HANDOVERS_PER_S, handovers_per_s, NUMBER, "handovers a second")                                                               \
	FACT(HANDOVER_P50, handover_p50, NS, "one handover, p50")                                                                          \
	FACT(HANDOVER_P90, handover_p90, NS, "one handover, p90")                                                                          \
	FACT(STEP, step, STEP, "the step that takes most of a handover")                                                                   \
	FACT(STEP_SHARE, step_share, SHARE, "that step, of all handovers' time")                                                           \
	FACT(TENURE_P50, tenure_p50, NS, "one tenure, p50")                                                                                \
	FACT(TENURE_REQUESTS, tenure_requests, NUMBER, "requests served in a tenure, mean")                                                \
	FACT(REPLAY_BYTES, replay_bytes, BYTES, "journal read back in a handover, mean")                                                   \
	FACT(REPLAY_SHARE, replay_share, SHARE, "the journal's part of all handovers' time")                                               \
	FACT(FLUSHER, flusher, ID, "the client that only flushes")                                                                         \
	FACT(FLUSHES, flushes, COUNT, "its flushes")                                                                                       \
	FACT(BREAKS, breaks, COUNT, "locks broken")                                                                                        \
	FACT(BEGIN, begin, NS, "it began so long after the trace did")                                                                     \
	FACT(WAITED_MAX, waited_max, NS, "the longest wait")                                                                               \
	FACT(OWNER, owner, ID, "the owner that was silent")                                                                                \
	FACT(SILENT, silent, ID, "a client that did not answer")                                                                           \
	FACT(NOTIFY_TIMEOUTS, notify_timeouts, COUNT, "notifications that nobody answered in time")                                        \
	FACT(FAILED, failed, COUNT, "requests that failed")                                                                                \
	FACT(REFUSALS, refusals, COUNT, "requests for the lock that its owner refused")                                                    \
	FACT(LIMIT, limit, NUMBER, "the limit")                                                                                            \
	FACT(LIMIT_OPTION, limit_option, TEXT, "its setting")                                                                              \
	FACT(APPEND_P50, append_p50, NS, "a journal append, p50")                                                                          \
	FACT(APPENDS_PER_WRITE, appends_per_write, NUMBER, "appends a write")                                                              \
	FACT(REFRESHES, refreshes, COUNT, "times that headers were reread or changed")                                                     \
	FACT(MAP_UPDATES, map_updates, COUNT, "updates of the object map, those at once as one")                                           \
	FACT(COPIED, copied, SHARE, "writes that were sent twice")                                                                         \
	FACT(STALLS, stalls, COUNT, "intervals in which no request was completed")                                                         \
	FACT(STALLED_MAX, stalled_max, NS, "the longest of them")                                                                          \
	FACT(STALLED_IN_FLIGHT, stalled_in_flight, COUNT, "requests in flight in it")                                                      \
	FACT(RESENT, resent, COUNT, "operations sent again")                                                                               \
	FACT(OBJECTS_IN_FLIGHT, objects_in_flight, NUMBER, "objects with requests in flight, mean")                                        \
	FACT(REQUESTS_AT_OBJECT, requests_at_object, NUMBER, "requests on each, mean")                                                     \
	FACT(QUEUED_SHARE, queued_share, SHARE, "of their time behind another request for the same object")                                \
	FACT(FASTER, faster, SHARE, "of it saved while they were on several objects")                                                      \
	FACT(SLOW_GROUP, slow_group, TEXT, "the slowest placement group")                                                                  \
	FACT(SLOW_GROUPS, slow_groups, COUNT, "placement groups that stand out")                                                           \
	FACT(SLOW_TIME, slow_time, NS, "so long it was much slower than at other times")                                                   \
	FACT(BASELINE_N2C, baseline_n2c, NS, "network, OSDs and the way back in the baseline, mean")                                       \
	FACT(N2C_MEAN, n2c_mean, NS, "the same here")                                                                                      \
	FACT(LOCK, lock, ADDRESS, "the lock")                                                                                              \
	FACT(LOCK_WAITS, lock_waits, COUNT, "waits for it")                                                                                \
	FACT(LOCK_WAIT_P50, lock_wait_p50, NS, "one wait, p50")                                                                            \
	FACT(SUBMITTERS, submitters, COUNT, "threads that submit requests")                                                                \
	FACT(THREAD, thread, TEXT, "the thread")                                                                                           \
	FACT(CPU, cpu, SHARE, "of the time it was on a processor")

enum fact {
#define FACT(upper, lower, unit, meaning) FACT_OF_##upper,
	FACTS(FACT)
#undef FACT
	    FACT_COUNT_OF
};

/* Static: the fact's name, what it is, and its unit. */
const char *fact_name(enum fact fact);
const char *fact_meaning(enum fact fact);
enum fact_unit fact_unit(enum fact fact);

#define VERDICT_FACTS     12
#define VERDICT_FORECASTS 2
#define VERDICT_TEXT      48

struct noted_fact {
	enum fact fact;
	double value;
	uint64_t number;         /* ID, ADDRESS */
	char text[VERDICT_TEXT]; /* TEXT; ADDRESS: the lock's name once it is known */
};

struct forecast {
	char what[24]; /* as in docs/report-json.md */
	double iops_low;
	double iops_high;
};

struct verdict {
	enum cause cause;
	const struct image *image;
	const struct client *client; /* NULL: of all clients of the image */
	enum whole share_of;
	double share_mean;
	double share_p50; /* of the requests around the p50 and p99 of their time; negative: not meaningful for this whole */
	double share_p99;
	uint64_t also_possible; /* bits 1 << enum cause */
	uint64_t advise;        /* bits 1 << enum advise_when that hold */
	struct noted_fact facts[VERDICT_FACTS];
	unsigned fact_count;
	struct forecast forecasts[VERDICT_FORECASTS];
	unsigned forecast_count;
	int marked; /* events were lost while its requests were made */
};

struct verdicts {
	struct verdict *list; /* owned; images in the model's order, the most important cause of each first */
	size_t count;
};

/* What was usual at another time: mean n2c by kind of request, in ns; 0: not known. */
struct baseline {
	double n2c_ns[RBDPROF_KIND_COUNT];
};

/* The baseline that another trace's finished model makes. */
void baseline_of(const struct model *model, struct baseline *baseline);

/*
 * Judges every image of a finished model; baseline may be NULL. Each image with requests gets a verdict at least. Returns 0 or -ENOMEM;
 * `verdicts` is the caller's to give to verdicts_fini().
 */
int verdicts_build(struct verdicts *verdicts, const struct model *model, const struct baseline *baseline);
void verdicts_fini(struct verdicts *verdicts);


#endif
