/*
 * How requests queue on RADOS objects: a placement group serves one operation on an object after the other, so requests for one object wait
 * for each other while those for others go on. It knows objects by number, and when requests for them are sent and completed; of requests
 * with several objects the first one. It does not know what else they wait for.
 *
 * The memory is fixed: objects in flight beyond OBJECTS_FOLLOWED are passed over, and the busiest are found among OBJECTS_COUNTED counters.
 */
#ifndef RBDPROF_ANALYZER_CORE_OBJECTS_H
#define RBDPROF_ANALYZER_CORE_OBJECTS_H

#include <stdint.h>

#define OBJECTS_FOLLOWED 1024
#define OBJECTS_COUNTED  128

/* One object with requests in flight. */
struct object_queue {
	uint64_t object; /* its number in the image, plus 1; 0: none */
	uint64_t in_flight;
	uint64_t sent_ns;   /* of the request completed last: those in one operation with it did not wait for it … */
	uint64_t last_ns;   /* … its completion … */
	uint64_t before_ns; /* … and that of the last one which was sent apart from it */
};

/* One object's requests, as far as they were counted: the busiest object's are nearly all. */
struct object_counts {
	uint64_t object; /* number */
	uint64_t requests;
	uint64_t sent_to_completed_ns; /* Σ of them */
	uint64_t queued_ns;            /* Σ of that: while one sent earlier was not completed */
	uint64_t credit;               /* falls when other objects come to this counter */
};

/* Of one client's use of an image. */
struct objects {
	struct object_queue queues[OBJECTS_FOLLOWED];
	struct object_counts counts[OBJECTS_COUNTED];
	uint64_t in_flight; /* objects */
	uint64_t most;
	uint64_t since_ns;   /* when in_flight changed last; 0: never */
	double in_flight_ns; /* ∫ objects in flight, while there are any … */
	uint64_t requests_in_flight;
	double requests_ns; /* … requests … */
	uint64_t busy_ns;   /* … and that time */
	double alone_ns;    /* requests_ns of that, while there is one object … */
	uint64_t alone;     /* … and how many were completed then */
	uint64_t requests;  /* completed */
	uint64_t sent_to_completed_ns;
	uint64_t queued_ns;
};

/* A request's first operation, on the object, is sent at now_ns. Times do not fall. Returns 1 if the request is followed, else 0. */
int objects_sent(struct objects *objects, uint64_t object, uint64_t now_ns);

/* A request that is followed was completed at c_ns, sent at sent_ns; it is learnt at now_ns. */
void objects_completed(struct objects *objects, uint64_t object, uint64_t sent_ns, uint64_t c_ns, uint64_t now_ns);

/* All of several clients together. */
struct objects_sum {
	uint64_t requests;    /* that were followed */
	uint64_t most;        /* objects in flight of one client */
	double in_flight;     /* objects with requests in flight, mean over the time with any … */
	double requests_each; /* … and requests on each */
	double queued_share;  /* the part of the time from the first operation to completion in which one sent earlier was not completed */
	double faster;        /* the part of that time which a request saves while several objects are in flight, and not one; 0 or above. Below 0:
				 not known, for too few were completed then */
};
void objects_sum(const struct objects *const *list, unsigned count, struct objects_sum *sum);

/*
 * The part of the time from the first operation to completion that would be saved if the requests went to many objects, 0 to 1. Where it is
 * not known whether they are faster on several, that is an upper bound: all of the time behind others.
 */
double objects_saved(const struct objects_sum *sum);

/* Those with the most requests of one client's, the busiest first. Returns how many. */
#define OBJECTS_HOTTEST 8
unsigned objects_hottest(const struct objects *const *list, unsigned count, struct object_counts hottest[OBJECTS_HOTTEST]);

/* It will not be seen completed. */
void objects_dropped(struct objects *objects, uint64_t object, uint64_t now_ns);

#endif
