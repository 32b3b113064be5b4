/*
 * How many requests a client had between S and C: the greatest number, and the sums for the mean. It knows moments only, not
 * requests, and takes memory in proportion to the greatest number.
 *
 * The difficulty is that C is learnt at D, when later requests have been counted already. The greatest number is reached at
 * some S; what is kept are the S at which a new greatest number was reached ("rises"). Learning a C lowers the number at every S from C on
 * by one, hence the first rise from C on ceases to be one, and no S that was no rise can become one: it had an S before it with
 * as many requests or more, which is lowered only when it is lowered as well.
 */
#ifndef RBDPROF_ANALYZER_CORE_IN_FLIGHT_H
#define RBDPROF_ANALYZER_CORE_IN_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory is an empty one. */
struct in_flight {
	uint64_t now;    /* entered and not left */
	uint64_t sum_ns; /* Σ (C − S) of those that left; for the mean */
	uint64_t *rises; /* owned; ascending times; their number is the greatest number in flight */
	size_t rise_count;
	size_t rise_room;
};

/* Frees what it owns and empties it. */
void in_flight_fini(struct in_flight *in_flight);

/* A request was made at `s_ns`, not before any that was made earlier. Returns 0 or -ENOMEM. */
int in_flight_enter(struct in_flight *in_flight, uint64_t s_ns);

/* A request that entered at `s_ns` was completed at `c_ns`. One with C before S leaves without adding to the sum. */
void in_flight_leave(struct in_flight *in_flight, uint64_t s_ns, uint64_t c_ns);

/* The greatest number so far. */
uint64_t in_flight_max(const struct in_flight *in_flight);

#endif
