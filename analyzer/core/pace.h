/*
 * How fast a client was served while it had the lock: from requests that found it there and did not wait for it. Those that had waited are
 * sent all at once, on connections and objects that were idle, and say little about a client that is never interrupted. It knows times and
 * tenures, not why requests waited.
 */
#ifndef RBDPROF_ANALYZER_CORE_PACE_H
#define RBDPROF_ANALYZER_CORE_PACE_H

#include <stdint.h>

/* Zeroed memory is an empty one. */
struct pace {
	uint64_t requests; /* that did not wait for the lock … */
	uint64_t total_ns; /* … and Σ of their S to A */
	uint64_t followed; /* of them, those that were made after another one of the same tenure … */
	uint64_t span_ns;  /* … and Σ of the times from the first to the last one made, over tenures */

	/* The tenure at hand. */
	uint64_t tenure;
	uint64_t count;
	uint64_t first_s_ns;
	uint64_t last_s_ns;
};

/* A request that did not wait for the lock belongs to the tenure. Tenures come one after the other, what is told late of an earlier one
 * counts as one of its own. */
void pace_add(struct pace *pace, uint64_t tenure, uint64_t s_ns, uint64_t a_ns);

/* No more will come. */
void pace_finish(struct pace *pace);

/* Adds the sums of one that is finished to another's. */
void pace_merge(struct pace *into, const struct pace *from);

/*
 * Requests a second of one client with so many in flight that is never interrupted; 0: not known. Two estimates: by Little's law, depth
 * over the mean time that one takes; and the rate at which requests were made, which in a closed loop is that at which others ended. The
 * first still has the cold start of the tenures in it, and the second leaves it out altogether: the mean of their logarithms.
 */
double pace_rate(const struct pace *pace, double depth);

#endif
