/*
 * Spells of one client in which the network and the OSDs were slow, told from its other times: the time from the first until now in slices
 * of equal width, so that the memory is the same for a trace of any length. It knows how long requests stood there and how much they
 * moved; not why, nor what was in flight.
 */
#ifndef RBDPROF_ANALYZER_CORE_SPELLS_H
#define RBDPROF_ANALYZER_CORE_SPELLS_H

#include <stdint.h>

/* Slices are as wide as makes the time fit into so many. */
#define SPELLS_SLICES 256

/* Requests that were completed in a slice. */
struct slice {
	uint64_t requests;
	uint64_t network_ns; /* that they stood at the network and the OSDs, summed */
	uint64_t bytes;
};

/* Reads and other requests apart. Zeroed memory is an empty one. */
struct spells {
	struct slice *slices[2]; /* owned, SPELLS_SLICES each; NULL where no request came */
	uint64_t origin_ns;
	unsigned doublings; /* of their width */
};

void spells_fini(struct spells *spells);

/* A request was completed. Returns 0 or -ENOMEM. */
int spells_add(struct spells *spells, int reads, uint64_t c_ns, uint64_t network_ns, uint64_t bytes);

/* Slow slices: in which a request stood there three times as long as in the best quarter and more, and not because more or larger ones
 * came: less was done, of requests of the same size. */
struct spells_slow {
	uint64_t lost_ns;  /* Σ over their requests, what they stood there longer than usual */
	uint64_t slow_ns;  /* so long it was, for one client */
	uint64_t begin_ns; /* of the first; 0: there is none */
};

/* Adds a client's to what is there. */
void spells_sum(const struct spells *spells, struct spells_slow *slow);

#endif
