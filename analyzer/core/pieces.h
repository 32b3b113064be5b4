/*
 * What of which object the requests of a client still wait to see handed to the network, and which of them an operation on an object
 * carries. It knows extents of objects and the order in which requests were made; what a request is, is its owner's business.
 *
 * One operation can carry many requests (librbd merges those that follow each other), and a request can need many operations (one an
 * object). Since operations do not say whose bytes they carry, they are tied by object, direction and extent:
 *
 *	1. a piece of exactly the operation's extent, the oldest if there are several; else
 *	2. all pieces within the extent, the oldest first where they overlap: those that were merged; else
 *	3. pieces that contain the extent or overlap it, the oldest first: a request that was cut; else
 *	4. the oldest piece there that has been carried already: the operation was made once more, as copy-up does.
 *
 * Memory is that of the pieces.
 */
#ifndef RBDPROF_ANALYZER_CORE_PIECES_H
#define RBDPROF_ANALYZER_CORE_PIECES_H

#include <stddef.h>
#include <stdint.h>

struct carried;

/* The kinds of operation; a piece accepts one or several. */
enum {
	DIRECTION_READ = 1,
	DIRECTION_WRITE = 2,
	DIRECTION_DISCARD = 4, /* deletes, truncates, zeroes */
};

/* Part of a request that lies in one object without a gap. */
struct piece {
	struct piece *next, *previous; /* in its bucket, in the order of making */
	struct piece *sibling;         /* the next of the same request */
	struct carried *of;
	uint64_t object;      /* number within the image */
	uint64_t begin_bytes; /* within the object */
	uint64_t end_bytes;
	uint32_t object_hash;
	uint8_t accepts;
	uint8_t covered; /* an operation has carried it */
	uint8_t held;    /* no operation can carry it yet */
};

struct bucket {
	struct piece *first, *last;
};

/* Zeroed memory is an empty one. */
struct pieces {
	struct bucket *buckets; /* owned; by the hash of the object's name */
	size_t bucket_count;
	size_t count;
	struct piece *spare; /* chained through sibling */
	struct claim {
		uint64_t begin_bytes, end_bytes;
		uint8_t chosen;
	} * claims; /* of the operation at hand */
	size_t claim_count;
	size_t claim_room;
};

void pieces_fini(struct pieces *pieces);

/*
 * Adds [begin, end) of the object to the request's own list of pieces, which begins at *list; it prolongs a piece of the list that ends
 * where this one begins, if that is among the last `near` of them. Returns 0 or -ENOMEM.
 */
int pieces_add(struct pieces *pieces, struct piece **list, const struct piece *add, uint64_t near);

/* Takes the request's pieces back. */
void pieces_remove(struct pieces *pieces, struct piece **list);

/* Operations can carry the request's pieces from now on. */
void pieces_release(struct piece *list);

/* 1 when operations have carried all of the list. */
int pieces_covered(const struct piece *list);

/* An operation, and what it carries. */
struct carrier {
	uint32_t object_hash;
	uint8_t direction;
	uint64_t begin_bytes;
	uint64_t end_bytes;
	void *context;
	int (*carries)(void *context, struct carried *request); /* once for each piece; returns 0 or a negative errno */
	uint64_t choices;                                       /* out: joins that could have been made to another request as well */
	uint64_t joins;                                         /* out: 0 when it carries none */
	uint8_t again; /* out, before `carries`: it carries what has been carried before */
};

/* Finds what the operation carries and says it. Returns 0, -ENOMEM, or what `carries` returned. */
int pieces_carry(struct pieces *pieces, struct carrier *carrier);

/* The operation is sent once more: the same for the oldest piece there that has been carried, of any direction. */
int pieces_carry_again(struct pieces *pieces, struct carrier *carrier);

#endif
