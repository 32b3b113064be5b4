/*
 * Requests in flight: from S, or from the first word of them, until the application looked. It knows each one's moments and which sequences
 * are impossible; it does not know statistics, and hands every request on through the consumer when something became of it.
 *
 * Its memory is that of the greatest number of requests in flight at once.
 */
#ifndef RBDPROF_ANALYZER_CORE_REQUESTS_H
#define RBDPROF_ANALYZER_CORE_REQUESTS_H

#include <stdint.h>

#include "analyzer/core/claims.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/health.h"
#include "analyzer/core/phases.h"
#include "analyzer/event.h"

struct carried;
struct client;
struct process;

struct request {
	struct {
		uint64_t number;
		uint64_t process;
	} key;
	struct process *process; /* the registry's, as is the client */
	struct client
	    *client; /* NULL while its image is not described, and for a kind that is not known: it is followed, and counts nowhere */
	struct moments moments;
	struct carried *carried; /* the consumer's: what became of it below librbd; NULL at first */
	struct held held;        /* likewise; zeroed at first */
	uint64_t length_bytes;
	int64_t result; /* once completed */
	uint64_t round; /* of the shim's announcements in which it was last spoken of */
	uint32_t image; /* number in the process */
	uint8_t kind;
	uint8_t announced; /* its S is by an announcement's word; the REQUEST event may still come */
	uint8_t irregular; /* an anomaly was met: its moments cannot be trusted */
	uint8_t no_callback; /* nothing is called when it is complete, or its call blocks: D is C, and A is its COMPLETE's time */
	UT_hash_handle hh;
};

/* What became of a request, with or without a client. The request is the table's and gone after all but `completed`. Each returns 0 or a
 * negative errno. */
struct requests_consumer {
	void *context;
	int (*completed)(void *context, struct request *request);                /* C and D are known; the other moments can be set now */
	int (*closed)(void *context, struct request *request);                   /* after completed: A is known, or will never be */
	int (*dropped)(void *context, struct request *request, uint64_t now_ns); /* its COMPLETE will not come */
	int (*left)(void *context, struct request *request);                     /* not completed when the trace ended */
};

struct requests;

/* Anomalies are counted in `health`, which is borrowed, as is what the consumer points to. NULL when memory ran out. */
struct requests *requests_create(struct health *health, const struct requests_consumer *consumer);

/* Forgets all without a word to the consumer. NULL is fine. */
void requests_destroy(struct requests *requests);

/*
 * Takes a REQUEST or REQUEST_OPEN of the client, which may be NULL. Returns 0 when it is new; -EALREADY when it was in flight without a
 * client and has one now; -EEXIST when it is in flight already, which is an anomaly unless one of the two was an announcement; -ENOMEM. The
 * request itself is put in *found except when memory ran out. `round` is the number of announcements that the process has finished.
 */
int requests_open(struct requests *requests, struct process *process, struct client *client, const struct event *event, uint64_t round,
		  struct request **found);

/* The bytes that a completed request moved: 0 when it failed, what a read returned, what another asked for. */
uint64_t request_bytes(const struct request *request);

/* The process's request of that number if it is in flight, else NULL. */
const struct request *requests_find(const struct requests *requests, uint32_t process, uint64_t number);

/* When the oldest request in flight was made, of all processes; UINT64_MAX when there is none. */
uint64_t requests_oldest_ns(const struct requests *requests);

/* Takes a COMPLETE. Returns 0, -ENOENT when there is no such request (no anomaly yet: the caller judges), or what the consumer returned. */
int requests_complete(struct requests *requests, const struct event *event);

/*
 * Takes one request of a REAP at `time_ns`. One that overtakes its COMPLETE is kept until then: the application looked before D, so A
 * is D. Returns as requests_complete().
 */
int requests_reap(struct requests *requests, uint32_t process, uint64_t number, uint64_t time_ns);

/*
 * Of the process's requests that were last spoken of before `round`, drops those that are not completed and closes those whose A is
 * awaited: where events were lost all of them, elsewhere only announced ones that are not completed. Returns what the consumer returned.
 */
int requests_sweep(struct requests *requests, const struct process *process, uint64_t round, uint64_t now_ns);

/* The trace is over: closes the completed ones and hands on those left open, in the order in which they were made. */
int requests_finish(struct requests *requests);

#endif
