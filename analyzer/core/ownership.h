/*
 * Who owned an image's exclusive lock: a timeline of tenures across all clients, processes and traces, what each handover between them is
 * made of, and what each tenure served. docs/architecture.md ("Ownership") defines the words. It is fed the moments that prove
 * a change of owner, in the order of their times; it knows no events, no tables of requests and no output.
 *
 * What proves what. A lock.lock with the reply 0 begins a tenure; lock.unlock sent, a break_lock by another, a lost watch that no
 * lock.set_cookie makes good, or the close ends it. A client that does what only an owner does (answers REQUEST_LOCK, gives the lock
 * up, finds it its own, sends what needs the lock) while the owner is not known is the owner, since when is not known. A client that is
 * not traced is known by the ACQUIRED and RELEASED that others receive from it. A lock.lock refused while no client in
 * the trace can have been the reason shows an owner that is not known. Before the first evidence the owner is not known
 * either, unless that evidence is a lock.lock that succeeds: then nobody was.
 *
 * A client is one librados client: two opens of an image through one client are one owner.
 *
 * Its memory is that of the tenures whose requests are not complete yet, of the clients, of the operations outstanding and of the first
 * tenures in brief; handovers are summed up as they become final.
 */
#ifndef RBDPROF_ANALYZER_CORE_OWNERSHIP_H
#define RBDPROF_ANALYZER_CORE_OWNERSHIP_H

#include <stdint.h>

#include "analyzer/core/handover.h"
#include "analyzer/core/histogram.h"
#include "analyzer/core/operations.h"

struct ownership; /* of one image */

struct ownership *ownership_create(void);
void ownership_destroy(struct ownership *ownership);

/* --- Feeding: times in ns of one clock, above 0, rising. Each returns 0 or -ENOMEM. -------------------------------------- */

/* A client has the image open, said once for each time it opens it, or closes it: the last close ends a tenure. */
int ownership_opened(struct ownership *ownership, uint64_t client, uint64_t now_ns);
int ownership_closed(struct ownership *ownership, uint64_t client, uint64_t now_ns);

/*
 * An operation on one of the image's metadata objects (header, object map, journal, journal data) begins, at its begin_ns, and is done, at
 * its end_ns. An unwatch or a watch flush of a client that has the image open may be handed in as well, with OBJECT_OTHER or, if that is
 * known, the object watched. Nothing of `operation` is kept. A NOTIFY about the header is best begun when `notifies` and `what` are
 * known; else they are taken from it when it is done.
 */
int ownership_operation_begun(struct ownership *ownership, const struct operation *operation);
int ownership_operation_done(struct ownership *ownership, const struct operation *operation);

/* Its reply will not be told: it explains nothing from now on. */
int ownership_operation_left(struct ownership *ownership, const struct operation *operation);

/* The client received a notification of another (`about`), or of its own. Sent ones come as operations. */
int ownership_notified(struct ownership *ownership, uint64_t client, uint32_t what, uint64_t about, uint64_t now_ns);

/* The client answered REQUEST_LOCK as an owner does, not with an empty answer: 0, or a negative errno. */
int ownership_answered(struct ownership *ownership, uint64_t client, int32_t result, uint64_t now_ns);

/* The client's lock is usable from now on (the counter lock_acquired_time). */
int ownership_usable(struct ownership *ownership, uint64_t client, uint64_t now_ns);

/* The client's watch on the header is lost. */
int ownership_watch_lost(struct ownership *ownership, uint64_t client, int32_t error, uint64_t now_ns);

/*
 * A request that needs the lock has its first effect: its first journal entry or data operation is sent. Only for images with the
 * exclusive lock, since it proves that the client owns it where the owner is not known. Returns the number of the tenure that
 * it belongs to, from 1; 0 when the client does not own the lock, or when memory runs out, which the next call returns then.
 */
uint64_t ownership_effect(struct ownership *ownership, uint64_t client, uint64_t now_ns);

/* That request is complete. c_ns: its C, at any time in the past. One call for each effect, in any order. */
int ownership_served(struct ownership *ownership, uint64_t tenure, uint64_t c_ns, uint64_t bytes);

/* When the client's current lock became usable; 0: it has none, or that is not known. A request whose S is before it was parked. */
uint64_t ownership_usable_since(const struct ownership *ownership, uint64_t client);

/* When the client began to ask for its current lock: its first request that needed it had come so far. 0: as above. */
uint64_t ownership_wanted_since(const struct ownership *ownership, uint64_t client);

/* The client that owns the lock now; 0: nobody, or that is not known. */
uint64_t ownership_owner(const struct ownership *ownership);

/* How the client came to own the lock in the tenure of that number, or for 0 in its current one. */
enum lock_origin {
	LOCK_OF_NOBODY, /* nobody had had it, or that is not known */
	LOCK_OF_PEER,   /* another client had had it, or had asked this one for it */
	LOCK_BROKEN,
};
enum lock_origin ownership_origin(const struct ownership *ownership, uint64_t client, uint64_t tenure);

/* No more will come. begin_ns, now_ns: of the trace. */
int ownership_finish(struct ownership *ownership, uint64_t begin_ns, uint64_t now_ns);

/* --- Results, after ownership_finish(). ------------------------------------------------------------------------------- */

struct owner {
	uint64_t client;
	uint64_t owned_ns;
	uint64_t tenures;
};

/* One tenure in brief; at most the first OWNERSHIP_SEQUENCE are kept. */
#define OWNERSHIP_SEQUENCE 4096
struct tenure_brief {
	uint64_t client;
	uint64_t begin_ns;     /* 0: was not seen */
	uint64_t end_ns;       /* 0: lasted when the trace ended */
	uint64_t requests;     /* complete; meaningless if not traced */
	uint64_t replay_bytes; /* read back from the journal while taking over; likewise */
	uint8_t traced;        /* the client was */
};

/* The slices of the trace for a text drawing. */
#define OWNERSHIP_SLICES 120

/* Breaks, lost watches, refusals and long waits, each with when and whose. At most the first OWNERSHIP_INCIDENTS are kept. */
#define OWNERSHIP_INCIDENTS 64
enum incident_kind {
	INCIDENT_BREAK,      /* client broke the lock of `other`; waited: since its first lock.lock that was refused */
	INCIDENT_WATCH_LOST, /* of client; error: why */
	INCIDENT_REFUSED,    /* client asked for the lock, `other` answered `error`; waited: since its first lock.lock that was refused */
	INCIDENT_REQUEST_TIMEOUT, /* client asked for the lock, of `other` as far as known, and somebody did not answer in time */
	INCIDENT_NOTIFY_TIMEOUT   /* client told something else to all, and somebody did not answer in time; waited: until it went on */
};
struct incident {
	enum incident_kind kind;
	uint64_t at_ns;
	uint64_t client;    /* 0: not known, as other */
	uint64_t other;     /* 0: nobody */
	uint64_t waited_ns; /* how long it held the client up; 0: not known */
	int32_t error;      /* negative errno; 0: none */
};

/* Handovers by bytes read back in them: none, up to 1 MiB, up to 2, 4, 8 … 128, more. */
#define OWNERSHIP_REPLAY_CLASSES 10
struct replay_class {
	uint64_t handovers;
	struct histogram handover; /* ns */
	struct histogram replay;   /* ns; the step of this name */
};

struct ownership_result {
	uint64_t tenures, handovers, reacquired;    /* tenures = 1 + handovers, when there were any */
	uint64_t failed_attempts;                   /* lock.lock that was refused, but for "it is yours already" */
	uint64_t breaks, watches_lost, refusals;    /* incidents, of which `incidents` may keep only the first */
	uint64_t request_timeouts, notify_timeouts; /* likewise */
	uint64_t span_ns, unowned_ns, unknown_ns;   /* of [begin, end] of the trace; with the owners' owned_ns they fill the span */
	uint64_t serving_ns;                        /* Σ first to last completion of each tenure; with `handover` up to the last of all */
	struct histogram tenure;                    /* ns; of those whose begin was seen */
	struct histogram tenure_requests;           /* a number, as are bytes; of clients that were traced */
	struct histogram tenure_bytes;              /* of completed requests */
	struct histogram tenure_until_asked;        /* ns, of those that a peer asked for: from usable to its REQUEST_LOCK … */
	struct histogram tenure_drain;              /* … and from there, or from usable if that is later, to the unlock's submission */
	struct histogram handover;                  /* ns, from last completion to first completion, where both were seen */
	struct histogram steps[STEP_COUNT];         /* ns; a value for each of these handovers; all sums add up to its sum exactly */
	struct replay_class replay[OWNERSHIP_REPLAY_CLASSES];
	const struct owner *owners; /* the longest first */
	uint32_t owner_count;
	const struct tenure_brief *sequence; /* by time */
	uint32_t sequence_count;
	uint64_t slices[OWNERSHIP_SLICES]; /* which client owned most of each slice of [begin, end]; 0: nobody, UINT64_MAX: unknown */
	const struct incident *incidents;  /* by at_ns */
	uint32_t incident_count;
};

/* Handovers a second between the first completion under the lock and the last; over the whole trace where requests were not seen. */
double ownership_handovers_per_s(const struct ownership_result *result);

/* Until ownership_destroy(). NULL when nobody was seen to use the image's exclusive lock. */
const struct ownership_result *ownership_result(const struct ownership *ownership);

#endif
