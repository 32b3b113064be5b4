/*
 * The state behind ownership.h, and what changes it: who owns the lock, since when, and the clients. It knows how to begin and end
 * a tenure and to account for the time between; what proves that one begins or ends is ownership.c's. Nobody else includes this.
 */
#ifndef RBDPROF_ANALYZER_CORE_OWNERS_H
#define RBDPROF_ANALYZER_CORE_OWNERS_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/outstanding.h"
#include "analyzer/core/ownership.h"
#include "analyzer/core/tenures.h"
#include "analyzer/core/timeline.h"

struct lock_client {
	uint64_t id; /* global id: the key */
	int traced;
	uint64_t opens; /* how often it has the image open */
	uint64_t owned_ns;
	uint64_t tenures;
	struct outstanding outstanding;
	struct tenure_moments coming; /* of the tenure that it tries to begin */
	int trying;                   /* its lock.lock is outstanding */
	uint64_t wanted_ns;           /* it began to ask for the lock, which it has not got yet; 0: it did not */
	uint64_t heard_ns;            /* RELEASED of another came in last */
	uint64_t refused_ns;          /* its first lock.lock that was refused since it last owned the lock; 0: none was */
	uint64_t asker;               /* whose REQUEST_LOCK came in last */
	uint64_t given_up;            /* the tenure that it gave up last; 0: none */
	UT_hash_handle hh;
};

struct ownership {
	struct lock_client *clients; /* owned */
	struct tenures tenures;
	struct tenure *current; /* NULL: nobody's, or not known whose */
	uint64_t lost_ns;       /* the current owner's watch was lost; 0: it was not, or that was made good */
	uint64_t owner;         /* the current tenure's client, TIMELINE_NOBODY or TIMELINE_UNKNOWN … */
	uint64_t since_ns;      /* … since then */
	uint64_t first_owner;   /* the owner before the first change, which was at … */
	uint64_t first_ns;      /* 0: there was none */
	uint64_t last_owner;    /* of the tenure before the current one; 0: there was none */
	int last_asked;         /* another had asked for that one */
	uint64_t evident_ns;    /* while the owner is not known: since when it is certain that it was the same one; 0: it is not */
	uint64_t unlocked_ns;   /* the last lock.unlock was done; UINT64_MAX: it is outstanding */
	uint64_t trying;        /* lock.lock outstanding, of all clients */
	int evidence;           /* there was some of an owner */
	int in_use;
	int failed; /* memory ran out where it could not be said */
	struct timeline timeline;
	struct incident incidents[OWNERSHIP_INCIDENTS];
	struct owner *owners; /* owned */
	struct ownership_result result;
};

/* The client with this global id; it is made if need be. NULL when memory runs out. */
struct lock_client *owners_client(struct ownership *ownership, uint64_t id);

/* 1 when the client owns the lock. */
int owners_is(const struct ownership *ownership, const struct lock_client *client);

/*
 * A tenure of the client begins. seen: by lock.lock with the reply 0; else it is only certain that it owns the lock since begin_ns. A
 * tenure of another, whose end was missed, ends. Returns 0 or -ENOMEM.
 */
int owners_begin(struct ownership *ownership, struct lock_client *client, uint64_t begin_ns, int seen);

/* The client proves to be the owner while the owner is not known. Returns 0 or -ENOMEM; nothing happens if the owner is known. */
int owners_prove(struct ownership *ownership, struct lock_client *client, uint64_t now_ns);

/* The current tenure ends, or ended when its watch was lost. Returns 0 or -ENOMEM. */
int owners_end(struct ownership *ownership, enum tenure_end end, uint64_t now_ns);

/* Nobody seems to own the lock, but somebody must: since when that is certain. Returns 0 or -ENOMEM. */
int owners_unknown(struct ownership *ownership, uint64_t now_ns);

/* The owner that nobody knows is none any more. Returns 0 or -ENOMEM. */
int owners_nobody(struct ownership *ownership, uint64_t now_ns);

/* Takes down which step this moment of the client's tenure belongs to, if it has one. Returns 0 or -ENOMEM. */
int owners_note(struct ownership *ownership, struct lock_client *client, uint64_t now_ns);

/* The client's take-over is complete. Returns 0 or -ENOMEM. */
int owners_taken_over(struct ownership *ownership, struct lock_client *client, uint64_t now_ns);

/* One incident more; the caller counts it. */
void owners_incident(struct ownership *ownership, struct incident incident);

#endif
