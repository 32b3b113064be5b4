/*
 * What stands in the payloads that cross the boundary, as far as a diagnosis needs it: the lock class's calls, journal entries, and what
 * clients notify each other of. Formats: Ceph's encoding, little-endian, a versioned structure beginning with version, oldest compatible
 * version and length. A payload that does not decode is said to be so, by name, and never guessed at.
 */
#ifndef RBDPROF_PRELOAD_PAYLOAD_H
#define RBDPROF_PRELOAD_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/bufferlist.h"
#include "tracepoints/emit.h"

/* The input of a method of an object class; says what is worth it. operation: the number of the operation that the call is part of. */
void payload_call(uint64_t operation, enum rbdprof_method method, const void *in, enum bufferlist_age age);

/* Journal entries that are appended to an object as they are, by Ceph 14 and for OSDs as old. */
void payload_entries(uint64_t operation, const void *list, enum bufferlist_age age);

/* A notification about an image's header; fills `what` and `about`. False when it does not decode, which is said. */
bool payload_notification(struct rbdprof_notification_is *is, const void *payload, enum bufferlist_age age);

/*
 * The reply to a notification: says who refused it, and who did not answer in time (as −ETIMEDOUT). operation: the number of the notify. Those who
 * agreed, or had nothing to say, are not worth an event.
 */
void payload_replies(uint64_t operation, const void *reply, enum bufferlist_age age);

/* The answer to a notification: its result. False when it is empty, which means that the answerer has nothing to say. */
bool payload_answer(int32_t *result, const void *reply, enum bufferlist_age age);

#endif
