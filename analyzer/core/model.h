/*
 * What a trace says, from its events: feed them all, finish, then read the results below. The model hands each event to the module that
 * understands it and judges what only the whole can tell. It knows no trace library and no output format.
 *
 *	struct model *model = model_create();
 *	while (next event)
 *		model_feed(model, &event);
 *	model_finish(model);
 *	... model_trace(), model_image_next() ...
 *	model_destroy(model);
 *
 * Its memory depends on requests and operations in flight and on the numbers of processes, threads, images, clients, RADOS objects of
 * their metadata, placement groups, locks and the threads that took each, stacks and modules, not on the length of the trace; and on images
 * of which a snapshot is made it is a bit more for each object. One thread at a time. Times are a host's monotonic clock in nanoseconds
 * except where a name says wall; process->clock_offset_ns leads from one to the other.
 *
 * Everything that is handed out belongs to the model and lives until model_destroy().
 */
#ifndef RBDPROF_ANALYZER_CORE_MODEL_H
#define RBDPROF_ANALYZER_CORE_MODEL_H

#include <stdint.h>

#include "analyzer/core/health.h"
#include "analyzer/core/histogram.h"
#include "analyzer/core/images.h"
#include "analyzer/core/locks.h"
#include "analyzer/core/phases.h"
#include "analyzer/core/stats.h"
#include "analyzer/event.h"

struct model;

/* The trace as a whole. */
struct trace_summary {
	int64_t begin_wall_ns; /* of the first and last event of any process; both 0 when there was none */
	int64_t end_wall_ns;
	uint64_t events;                   /* read */
	int64_t lost_events;               /* where the tracer dropped some; the intervals are with the processes */
	uint64_t unaccounted_events;       /* emitted, not read, and not among the lost: torn buffers, full disks */
	uint64_t passed_through;           /* calls that the shim could not record */
	uint64_t untracked_operations;     /* of librados whose end the shim could not record */
	uint64_t unmatched;                /* completed requests that are in no count, since an event of theirs was lost */
	uint64_t before_recording;         /* completed requests made before the recording began and never described; in no count */
	uint64_t requests;                 /* completed, of all clients and kinds */
	uint64_t images;                   /* 0: the program never opened one */
	uint64_t anomalies[ANOMALY_COUNT]; /* by enum anomaly; anomaly_name() names them */
};

/* NULL when memory ran out. */
struct model *model_create(void);

/* NULL is fine. */
void model_destroy(struct model *model);

/*
 * Takes one event; events of one process in the order of their times, LOST at any time. Keeps no pointer of it. Data that
 * contradicts itself is counted, not refused. Returns 0, or -ENOMEM: the model is then good for model_destroy() only.
 */
int model_feed(struct model *model, const struct event *event);

/* No more events will come: judges what was left open. Once. Returns as model_feed(). */
int model_finish(struct model *model);

/* Results, after model_finish(). */
const struct trace_summary *model_trace(const struct model *model);

/* The monotonic clock at the first event of any process; 0 when there was none. */
uint64_t model_begin_ns(const struct model *model);

/* Each gives the one after `previous` (NULL: the first), NULL after the last. Processes by number, images in the order in which they were
 * seen, locks by time waited, longest first. */
const struct process *model_process_next(const struct model *model, const struct process *previous);
const struct image *model_image_next(const struct model *model, const struct image *previous);
const struct lock *model_lock_next(const struct model *model, const struct lock *previous);
size_t model_lock_count(const struct model *model);
const struct unseen *model_unseen_next(const struct model *model, const struct unseen *previous);
const struct undecoded *model_undecoded_next(const struct model *model, const struct undecoded *previous);

#endif
