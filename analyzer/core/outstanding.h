/*
 * The operations on an image's metadata that a client has outstanding, and which step of a handover the oldest of them explains. It knows
 * what librbd does when it gives an exclusive lock up and when it takes it over (librbd's PreReleaseRequest and PostAcquireRequest),
 * in terms of objects and methods; it knows no owners and no times other than its own.
 *
 * Giving up: appends and notifications about the header come home (drain; librbd flushes its notifications before it goes on), the
 * journal is closed (whatever is done to its header, and the end of its watch), the object map is unlocked.
 * Taking over: the header is reread, the object map locked and loaded, the journal's header read; then the journal is replayed, from the
 * first read of its data to the first operation for a tag; then a tag is made, up to the end of the notification about it.
 * While the journal is replayed, the time without any operation outstanding is replay too: JournalPlayer decodes and checks the
 * entries that it read, one by one, in a thread of its own, and nothing else of the image moves until it is done. Its own commit of
 * what it replayed, with the reads and the notification that follow a commit, is replay as well.
 */
#ifndef RBDPROF_ANALYZER_CORE_OUTSTANDING_H
#define RBDPROF_ANALYZER_CORE_OUTSTANDING_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/handover.h"
#include "analyzer/core/operations.h"

/* How far a take-over has come. */
enum takeover {
	TAKEOVER_NONE, /* the client does not own the lock, or is done with it */
	TAKEOVER_OPEN,
	TAKEOVER_REPLAY,
	TAKEOVER_TAG,
};

struct outstanding_operation {
	uint64_t number, process;       /* the operation's key */
	enum handover_step taking_over; /* the step that it explains; STEP_LIBRBD: none */
	enum handover_step giving_up;
};

/* One client's, of one image. Zeroed memory is none. */
struct outstanding {
	struct outstanding_operation *list; /* owned; the oldest first */
	size_t count;
	size_t room;
	enum takeover takeover;
};

void outstanding_fini(struct outstanding *outstanding);

/* An operation begins. Returns 0 or -ENOMEM; nothing is kept of `operation`. */
int outstanding_begun(struct outstanding *outstanding, const struct operation *operation);

/* It is done; one that never began is ignored. */
void outstanding_done(struct outstanding *outstanding, const struct operation *operation);

/* The step that this moment belongs to. */
enum handover_step outstanding_step(const struct outstanding *outstanding);

#endif
