/*
 * How long requests waited for a lock. Two ways, which are never mixed up: a wait within a request's own call delayed that request and
 * no other (exact); a wait of a thread that works for all requests, librbd's own, is held against every request that was in flight
 * meanwhile, as long as both lasted (overlap). It knows times and numbers of requests, not what a lock is called nor who held it.
 *
 * Overlap costs nothing per request in flight: a lock's waits are kept as a rising sum over time, and what a request suffered is the
 * difference between its C and its S. Of a lock that several threads wait for at once the time counts once, so that no request is delayed
 * longer than it took. A wait that was not over yet when the request's end was told does not count.
 *
 * Memory: waits that ended before the oldest request in flight was made are forgotten, and a lock keeps no more than DELAYS_WAITS_MAX:
 * where a request stays in flight for that long, two neighbours become one and only their sum stays exact.
 */
#ifndef RBDPROF_ANALYZER_CORE_DELAYS_H
#define RBDPROF_ANALYZER_CORE_DELAYS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/histogram.h"

#define DELAYS_WAITS_MAX 4096

struct request;

/* What one lock, or all locks of one kind together, did to requests. Zeroed memory is an empty one. */
struct delay {
	struct histogram delay; /* ns, one value for each request that was delayed */
	uint64_t exact;         /* requests in it that waited in their own call */
	uint64_t overlapping;   /* requests in it that overlapped with waits of others; one can be both */

	/* Below: while the trace is read. */
	struct delayed_by *waits; /* owned; ascending, apart */
	size_t count;
	size_t room;
	uint64_t last_ns;       /* end of the last of them */
	struct delay *previous; /* in the order in which they were last waited for */
	struct delay *next;
};

/* A process's. Zeroed memory is an empty one. */
struct delays {
	struct delay *recent;       /* the one that was waited for last */
	struct own_waits *requests; /* owned; of requests in flight that waited in their own call */
};

void delays_fini(struct delays *delays);
void delay_fini(struct delay *delay);

/* The call of that request, which is in flight, waited. Returns 0 or -ENOMEM. */
int delays_exact(struct delays *delays, struct delay *delay, uint64_t request, uint64_t wait_ns);

/*
 * One of the threads that work for all waited in [begin_ns, end_ns]; ends never go back. Of the process's requests in flight none was
 * made before oldest_ns. Returns 0 or -ENOMEM.
 */
int delays_overlap(struct delays *delays, struct delay *delay, uint64_t begin_ns, uint64_t end_ns, uint64_t oldest_ns);

/* A request is complete: its delays are added. Returns 0 or -ENOMEM. */
int delays_completed(struct delays *delays, uint64_t request, uint64_t s_ns, uint64_t c_ns);

/* A request is gone without a completion. */
void delays_dropped(struct delays *delays, uint64_t request);

#endif
