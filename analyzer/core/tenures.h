/*
 * Tenures of an image's exclusive lock, from their begin until nothing more can come of them, and what they sum up to: durations,
 * requests, handovers. It knows what a tenure is made of; who owns the lock, and what proves it, is ownership.c's.
 *
 * The difficulty is that a completion is learnt at D, often after the lock has gone on, and with an earlier C. So tenures are settled
 * in their order, each when it has ended and all of its requests are complete; a handover is final when both tenures around it are settled.
 * The memory is that of the tenures not settled, never more than TENURES_UNSETTLED: beyond that the oldest is settled as it is
 * (its program was killed and its requests will never be completed).
 */
#ifndef RBDPROF_ANALYZER_CORE_TENURES_H
#define RBDPROF_ANALYZER_CORE_TENURES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/handover.h"

#define TENURES_UNSETTLED 512

struct ownership_result;

/* How a tenure ended. */
enum tenure_end {
	TENURE_LASTS,
	TENURE_GIVEN_UP, /* all its requests were complete before: librbd waits for them */
	TENURE_TAKEN,    /* broken, or its watch lost: what is completed later was not served under the lock */
	TENURE_CUT,      /* the trace ended */
};

struct tenure {
	uint64_t number; /* from 1, by the order of their begins */
	uint64_t client;
	uint64_t begin_ns;
	uint64_t end_ns; /* as long as it lasts: 0 */
	enum tenure_end end;
	uint8_t begin_seen;    /* else it began at begin_ns or before */
	uint8_t traced;        /* the client is */
	uint8_t from_peer;     /* another client had the lock before, or had asked the owner before for it */
	uint8_t after_unknown; /* somebody owned the lock between the tenure before and this one, and nobody knows who */
	uint64_t wanted_ns;    /* its client began to ask for the lock; 0: that was not seen */
	uint64_t usable_ns;    /* librbd said that the lock is usable; 0: it did not */
	uint64_t asked_ns;     /* a peer's first REQUEST_LOCK came in; 0: none did */
	uint64_t replay_bytes; /* read back from the journal while taking over */
	uint64_t pending;      /* requests sent and not complete */
	uint64_t requests;     /* complete */
	uint64_t bytes;
	uint64_t served; /* completions that have a time within the tenure; and then the first's C and the last's */
	uint64_t first_ns;
	uint64_t last_ns;
	struct tenure_moments moments;
	struct segments segments;
};

/* Zeroed memory, but for `result`, is none. */
struct tenures {
	struct ownership_result *result; /* borrowed; what is settled is added to it */
	struct tenure **queue;           /* owned, as are they; not settled, by number */
	size_t count;
	size_t room;
	uint64_t begun;                /* how many began so far */
	struct tenure *settled;        /* owned; the last that was settled: the next handover begins with it */
	struct handover between;       /* since the last one that served anything … */
	uint64_t replay_bytes;         /* … and what was replayed meanwhile */
	int open;                      /* there was one that served anything */
	struct tenure_brief *sequence; /* owned; result->sequence */
	size_t sequence_room;
};

void tenures_fini(struct tenures *tenures);

/* A tenure of the client begins; begin_ns not before the end of the one before. Returns it, or NULL when memory runs out. */
struct tenure *tenures_begin(struct tenures *tenures, uint64_t client, uint64_t begin_ns);

/* The tenure with this number, if it may still matter; else NULL. */
struct tenure *tenures_find(const struct tenures *tenures, uint64_t number);

/* It ends, now or as early as end_ns. */
void tenure_end(struct tenure *tenure, enum tenure_end end, uint64_t end_ns);

/* One of its requests is complete since c_ns. */
void tenure_served(struct tenure *tenure, uint64_t c_ns, uint64_t bytes);

/* Settles what can be, or at the end of the trace all. Returns 0 or -ENOMEM. */
int tenures_settle(struct tenures *tenures, int all);

#endif
