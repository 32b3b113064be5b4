/*
 * What crosses the boundary between librbd and the libraries below it, brought to where it belongs: operations on an image's metadata to
 * the image's ownership and journal, journal entries and data operations to the requests that they are for, and from these the moments Q,
 * L, J and N of each request. It knows which event concerns whom; the joins themselves are effects.h's, the timeline of owners is
 * ownership.h's.
 *
 * A process whose trace has none of these events is of a shim that could not see the boundary: of its requests no such moment is
 * observable.
 */
#ifndef RBDPROF_ANALYZER_CORE_BOUNDARY_H
#define RBDPROF_ANALYZER_CORE_BOUNDARY_H

#include <stdint.h>

#include "analyzer/core/health.h"
#include "analyzer/core/images.h"
#include "analyzer/core/requests.h"
#include "analyzer/event.h"

struct boundary;

/* Both are borrowed. NULL when memory ran out. */
struct boundary *boundary_create(struct images *images, struct health *health);

/* NULL is fine. What was joined is with the images. */
void boundary_destroy(struct boundary *boundary);

/* Each function below returns 0 or -ENOMEM. */

/* Takes an event of the boundary, from OBJECT to UNDECODED; others are left alone. */
int boundary_feed(struct boundary *boundary, struct process *process, const struct event *event);

/* The process's shim cannot see the function. */
void boundary_unseen(struct process *process, const char *function);

/* A client has its image open from now on, and has it open no more. */
int boundary_opened(struct client *client, uint64_t now_ns);
int boundary_closed(struct client *client, uint64_t now_ns);

/* A request with a client came into sight; `late` ones had been in flight before their client was known. */
int boundary_request_opened(struct request *request, uint64_t offset_bytes, int late);

/* Its C and D are known: sets the other moments and what of them is observable. */
int boundary_request_completed(struct request *request);

/*
 * It is still open where the trace ends: sets its moments as if it ended then, so that the phase in which it is has the rest of its time.
 * Returns 1; 0 when its moments make no sense.
 */
int boundary_request_left(struct request *request);

/* Its end is not known; that is learnt at now_ns. */
int boundary_request_dropped(struct request *request, uint64_t now_ns);

/* The process said its totals, which it does every second: gives up on what waits in vain. */
int boundary_round(struct boundary *boundary, const struct process *process, uint64_t now_ns);

/* The trace is over; begin_ns and end_ns of all processes. After the requests were finished. */
int boundary_finish(struct boundary *boundary, uint64_t begin_ns, uint64_t end_ns);

#endif
