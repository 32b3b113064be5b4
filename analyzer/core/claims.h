/*
 * What held each request up: its time divided among claims, so that they add up to it exactly, and the sums by how long requests took.
 * Phases are divided first come first served, in the order of docs/architecture.md ("Causes over phases"): what one claim has, no other
 * gets. It knows one client's requests and what went on meanwhile; which claim makes which cause is the verdict's business.
 */
#ifndef RBDPROF_ANALYZER_CORE_CLAIMS_H
#define RBDPROF_ANALYZER_CORE_CLAIMS_H

#include <stdint.h>

#include "analyzer/core/copying.h"
#include "analyzer/core/coverage.h"
#include "analyzer/core/ownership.h"
#include "analyzer/core/pace.h"
#include "analyzer/core/phases.h"
#include "analyzer/core/spells.h"
#include "analyzer/core/stalls.h"

struct request;

#define CLAIMS(CLAIM)                                                                                                                      \
	CLAIM(QOS)         /* s2q */                                                                                                       \
	CLAIM(REFUSED)     /* all of a request that failed with EROFS before an exclusive lock */                                          \
	CLAIM(NOTIFY)      /* q2l while a notification waited for a client that did not answer */                                          \
	CLAIM(LOCK_SILENT) /* q2l while the owner itself did not answer, or had to have its lock broken */                                 \
	CLAIM(LOCK_PEER)   /* q2l before another client gave the lock up */                                                                \
	CLAIM(LOCK_TAKEN)  /* other q2l: nobody had it */                                                                                  \
	CLAIM(JOURNAL)     /* l2j */                                                                                                       \
	CLAIM(REFRESH)     /* j2n while the header was reread; j2n and n2c for a snapshot; n2c for copies after it */                      \
	CLAIM(OBJECT_MAP)  /* j2n while the object map was updated */                                                                      \
	CLAIM(COPYUP)      /* of a write that had to be made twice, what came after the first attempt, in j2n and n2c */                   \
	CLAIM(CACHE) /* other j2n of reads and writes that were complete before anything was sent: the way to the cache, and room there */ \
	CLAIM(LIBRBD)       /* other j2n */                                                                                                \
	CLAIM(RESENT)       /* n2c until an operation was sent again; j2n while nothing could be sent before that */                       \
	CLAIM(STALLED)      /* n2c while nothing came back at all */                                                                       \
	CLAIM(WRITETHROUGH) /* half of other j2n, and other n2c of writes that a cache would have acknowledged, had there been a flush */  \
	CLAIM(NETWORK)      /* other n2c */                                                                                                \
	CLAIM(APPENDS)      /* of the other j2n and n2c, what the OSDs' work for the journal has: the evidence tells it from those */      \
	CLAIM(OTHER)        /* not told apart */                                                                                           \
	CLAIM(CALLBACK)     /* c2d */                                                                                                      \
	CLAIM(SATURATED)    /* the same, where the threads that call callbacks can do no more: claims_sum() tells it from the other */     \
	CLAIM(APPLICATION)  /* d2a */

enum claimant {
#define CLAIM(upper) CLAIM_##upper,
	CLAIMS(CLAIM)
#undef CLAIM
	    CLAIM_COUNT
};

/* What is noted of a request on its way. Times in ns; 0: it did not happen. */
struct held {
	uint64_t first_sent_ns;  /* its first data operation was handed to the network */
	uint64_t resent_ns;      /* one of its operations was, once more, for the last time */
	uint8_t copied;          /* the same bytes were sent twice, as copy-up does */
	enum lock_origin origin; /* of the lock that it waited for */
	uint64_t tenure;         /* that it belongs to; 0: none */
};

/* Requests that took about as long as each other. */
struct band {
	uint64_t count;
	uint64_t total_ns; /* Σ ns[] */
	uint64_t ns[CLAIM_COUNT];
};

/* Bands by the time S to A: each power of two from 2^k on is divided into so many. */
#define BANDS_IN_ROW 8
#define BAND_ROWS    62

/* One client's use of one image. Zeroed memory is an empty one. */
struct claims {
	struct band *rows[BAND_ROWS]; /* owned, BANDS_IN_ROW each; row k − 3 for 2^k; NULL where no request fell */
	struct coverage refreshing;   /* the client rereads the header */
	uint64_t metadata_ns;         /* it has read the image's settings for that, and reads those of the pool; 0: it does not */
	struct coverage changing;     /* a snapshot is being made */
	struct copying copying;       /* and what comes after it */
	struct coverage cut;          /* nothing was sent, and then what had been sent was sent again */
	struct coverage updating;     /* it updates the object map */
	struct stalls stalls;
	struct spells spells; /* of what NETWORK has */
	struct pace pace;
	uint64_t promised_ns; /* an owner has promised the client the lock, and has not said that it is released; 0: none has */
	uint64_t copied;     /* writes whose bytes were sent twice */
	uint64_t early;      /* writes complete before any operation of theirs was sent, */
	uint64_t late;       /* and others */
	uint64_t quick;      /* those of the former for which no OSD can have been waited */
	uint64_t flushed_ns; /* C of the first flush that was seen; 0: none */
	uint8_t flushed;     /* the program flushed, or must have: librbd's cache may acknowledge early from then on */
	uint8_t changes;     /* a snapshot was begun and is not known to everybody yet */
	uint8_t cached;      /* its settings say that the cache writes through until then */
};

void claims_fini(struct claims *claims);

/*
 * The request is done with, its C, D and A are known and in order. `notifying` and `silent`: the image's, see struct image. Returns 0 or
 * -ENOMEM.
 */
int claims_add(struct claims *claims, const struct request *request, const struct coverage *notifying, const struct coverage *silent);

/* The request is complete, and its N is known if it has one. Where the cache acknowledges early, the program must have flushed before the
 * recording began. */
void claims_completed(struct claims *claims, const struct request *request);

/* One client's, as they are summed. */
struct claimed {
	const struct claims *claims;
	int saturated; /* what CALLBACK has is SATURATED's */
};

/* The sums over all bands that hold the requests from the `from`-th to the `to`-th part (0 to 1) of those of several clients, by time. */
void claims_sum(const struct claimed *list, unsigned count, double from, double to, struct band *sum);

#endif
