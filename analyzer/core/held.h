/*
 * Notes on what may hold requests up, taken as it crosses the boundary: when a client rereads a header or updates an object map, when
 * notifications wait for somebody who does not answer, what happened to a request's operations, and which object it waits at. It knows
 * what to note; claims.h divides the requests' time by it.
 */
#ifndef RBDPROF_ANALYZER_CORE_HELD_H
#define RBDPROF_ANALYZER_CORE_HELD_H

#include "analyzer/core/images.h"
#include "analyzer/core/operations.h"
#include "analyzer/core/requests.h"

/* An operation on one of the image's metadata objects begins, and ends: done with a reply, or left without. Return 0 or -ENOMEM. */
int held_operation_begun(struct image *image, const struct operation *operation);
int held_operation_done(struct image *image, const struct operation *operation);
int held_operation_left(struct image *image, const struct operation *operation);

/*
 * The client received a notification about the image's header. While a snapshot is made, from the request for it or the call to be quiet
 * until all reread the header, writes are held back; after it objects are copied at the OSDs. Returns 0 or -ENOMEM.
 */
int held_notified(struct client *client, uint32_t what, uint64_t now_ns);

/* The first data operation of a client's request is sent. A queue that there is no memory for is not followed. */
void held_sent(struct client *client, struct carried *carried);

/* The request's C and D are known. Returns 0 or -ENOMEM. */
int held_completed(struct request *request, const struct carried *carried);

/* It is still open where the trace ends; parked: it waits for its client to get the lock. */
void held_left(struct request *request, const struct carried *carried, int parked);

/* The trace ends at end_ns, and an owner may not have answered yet. Returns 0 or -ENOMEM. */
int held_finish(struct image *image, uint64_t end_ns);

/* Its end is not known. Returns 0 or -ENOMEM. */
int held_dropped(struct client *client, const struct carried *carried, uint64_t now_ns);

/* How requests of all the image's clients queue on its objects; and the busiest of these. */
void image_objects(const struct image *image, struct objects_sum *sum);
unsigned image_hottest(const struct image *image, struct object_counts hottest[OBJECTS_HOTTEST]);

#endif
