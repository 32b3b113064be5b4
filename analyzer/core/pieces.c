#include "analyzer/core/pieces.h"

#include <errno.h>
#include <stdlib.h>

#define BUCKETS_AT_FIRST 64

void pieces_fini(struct pieces *pieces)
{
	struct piece *piece;

	for (size_t i = 0; i < pieces->bucket_count; i++) {
		while ((piece = pieces->buckets[i].first)) {
			pieces->buckets[i].first = piece->next;
			free(piece);
		}
	}
	while ((piece = pieces->spare)) {
		pieces->spare = piece->sibling;
		free(piece);
	}
	free(pieces->buckets);
	free(pieces->claims);
	*pieces = (struct pieces){0};
}

static struct bucket *bucket_of(const struct pieces *pieces, uint32_t object_hash)
{
	return &pieces->buckets[object_hash & (pieces->bucket_count - 1)];
}

static void append(struct bucket *bucket, struct piece *piece)
{
	piece->next = NULL;
	piece->previous = bucket->last;
	*(bucket->last ? &bucket->last->next : &bucket->first) = piece;
	bucket->last = piece;
}

static void detach(struct bucket *bucket, struct piece *piece)
{
	*(piece->previous ? &piece->previous->next : &bucket->first) = piece->next;
	*(piece->next ? &piece->next->previous : &bucket->last) = piece->previous;
}

/* Pieces of one object stay in their order, since they move one after the other. */
static int grow(struct pieces *pieces)
{
	struct pieces old = *pieces;
	struct piece *piece;

	pieces->bucket_count = old.bucket_count ? old.bucket_count * 2 : BUCKETS_AT_FIRST;
	pieces->buckets = calloc(pieces->bucket_count, sizeof(struct bucket));
	if (!pieces->buckets) {
		*pieces = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.bucket_count; i++) {
		while ((piece = old.buckets[i].first)) {
			old.buckets[i].first = piece->next;
			append(bucket_of(pieces, piece->object_hash), piece);
		}
	}
	free(old.buckets);
	return 0;
}

static struct piece *take_spare(struct pieces *pieces)
{
	struct piece *piece = pieces->spare;

	if (!piece)
		return malloc(sizeof(*piece));
	pieces->spare = piece->sibling;
	return piece;
}

int pieces_add(struct pieces *pieces, struct piece **list, const struct piece *add, uint64_t near)
{
	struct piece *piece;

	for (piece = *list; piece && near--; piece = piece->sibling) {
		if (piece->object == add->object && piece->end_bytes == add->begin_bytes) {
			piece->end_bytes = add->end_bytes;
			return 0;
		}
	}
	if (pieces->count >= pieces->bucket_count && grow(pieces))
		return -ENOMEM;
	piece = take_spare(pieces);
	if (!piece)
		return -ENOMEM;
	*piece = *add;
	piece->sibling = *list;
	*list = piece;
	append(bucket_of(pieces, piece->object_hash), piece);
	pieces->count++;
	return 0;
}

void pieces_remove(struct pieces *pieces, struct piece **list)
{
	struct piece *piece;

	while ((piece = *list)) {
		*list = piece->sibling;
		detach(bucket_of(pieces, piece->object_hash), piece);
		piece->sibling = pieces->spare;
		pieces->spare = piece;
		pieces->count--;
	}
}

void pieces_release(struct piece *list)
{
	for (; list; list = list->sibling)
		list->held = 0;
}

int pieces_covered(const struct piece *list)
{
	for (; list; list = list->sibling)
		if (!list->covered)
			return 0;
	return 1;
}

/* Splits [at, end) off the piece, right behind it. */
static int split(struct pieces *pieces, struct piece *piece, uint64_t at_bytes)
{
	struct piece *rest = take_spare(pieces);
	struct bucket *bucket = bucket_of(pieces, piece->object_hash);

	if (!rest)
		return -ENOMEM;
	*rest = *piece;
	rest->begin_bytes = at_bytes;
	piece->end_bytes = at_bytes;
	piece->sibling = rest;
	rest->previous = piece;
	*(rest->next ? &rest->next->previous : &bucket->last) = rest;
	piece->next = rest;
	pieces->count++;
	return 0;
}

/* The operation carries what it has of the piece. */
static int join(struct pieces *pieces, struct piece *piece, struct carrier *carrier)
{
	if (piece->begin_bytes < carrier->begin_bytes) {
		if (split(pieces, piece, carrier->begin_bytes))
			return -ENOMEM;
		piece = piece->next;
	}
	if (piece->end_bytes > carrier->end_bytes && split(pieces, piece, carrier->end_bytes))
		return -ENOMEM;
	piece->covered = 1;
	carrier->joins++;
	return carrier->carries(carrier->context, piece->of);
}

static int overlaps(const struct piece *piece, const struct carrier *carrier)
{
	return piece->object_hash == carrier->object_hash && (piece->accepts & carrier->direction) && !piece->held &&
	       piece->begin_bytes < carrier->end_bytes && carrier->begin_bytes < piece->end_bytes;
}

static int is_within(const struct piece *piece, const struct carrier *carrier)
{
	return carrier->begin_bytes <= piece->begin_bytes && piece->end_bytes <= carrier->end_bytes;
}

/* Step 1. */
static struct piece *find_exact(const struct pieces *pieces, const struct carrier *carrier, uint64_t *others)
{
	struct piece *exact = NULL;

	*others = 0;
	for (struct piece *piece = bucket_of(pieces, carrier->object_hash)->first; piece; piece = piece->next) {
		if (piece->covered || !overlaps(piece, carrier))
			continue;
		if (!exact && piece->begin_bytes == carrier->begin_bytes && piece->end_bytes == carrier->end_bytes)
			exact = piece;
		else
			++*others;
	}
	return exact;
}

/* 1 when an older piece has these bytes: that join had a choice. */
static int is_claimed(struct pieces *pieces, uint64_t begin_bytes, uint64_t end_bytes, struct carrier *carrier)
{
	int claimed = 0;

	for (size_t i = 0; i < pieces->claim_count; i++) {
		struct claim *claim = &pieces->claims[i];

		if (claim->end_bytes <= begin_bytes || end_bytes <= claim->begin_bytes)
			continue;
		carrier->choices += !claim->chosen;
		claim->chosen = 1;
		claimed = 1;
	}
	return claimed;
}

static int claim(struct pieces *pieces, uint64_t begin_bytes, uint64_t end_bytes)
{
	if (pieces->claim_count == pieces->claim_room) {
		size_t room = pieces->claim_room ? pieces->claim_room * 2 : 64;
		struct claim *grown = realloc(pieces->claims, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		pieces->claims = grown;
		pieces->claim_room = room;
	}
	pieces->claims[pieces->claim_count++] = (struct claim){begin_bytes, end_bytes, 0};
	return 0;
}

/* Steps 2 and 3. */
static int join_all(struct pieces *pieces, struct carrier *carrier, int within)
{
	struct piece *piece, *next;
	int status = 0;

	pieces->claim_count = 0;
	for (piece = bucket_of(pieces, carrier->object_hash)->first; piece && !status; piece = next) {
		uint64_t begin_bytes, end_bytes;

		next = piece->next;
		if (piece->covered || !overlaps(piece, carrier) || (within && !is_within(piece, carrier)))
			continue;
		begin_bytes = piece->begin_bytes > carrier->begin_bytes ? piece->begin_bytes : carrier->begin_bytes;
		end_bytes = piece->end_bytes < carrier->end_bytes ? piece->end_bytes : carrier->end_bytes;
		if (is_claimed(pieces, begin_bytes, end_bytes, carrier))
			continue;
		status = claim(pieces, begin_bytes, end_bytes);
		if (!status)
			status = join(pieces, piece, carrier);
	}
	return status;
}

int pieces_carry_again(struct pieces *pieces, struct carrier *carrier)
{
	carrier->joins = carrier->choices = 0;
	carrier->again = 1;
	if (!pieces->count)
		return 0;
	for (struct piece *piece = bucket_of(pieces, carrier->object_hash)->first; piece; piece = piece->next) {
		if (!piece->covered || !overlaps(piece, carrier))
			continue;
		carrier->joins++;
		return carrier->carries(carrier->context, piece->of);
	}
	return 0;
}

int pieces_carry(struct pieces *pieces, struct carrier *carrier)
{
	struct piece *exact;
	uint64_t others;
	int status = 0;

	carrier->joins = carrier->choices = carrier->again = 0;
	if (!pieces->count)
		return 0;
	exact = find_exact(pieces, carrier, &others);
	if (exact) {
		carrier->choices = others > 0;
		return join(pieces, exact, carrier);
	}
	if (others)
		status = join_all(pieces, carrier, 1);
	if (others && !status && !carrier->joins)
		status = join_all(pieces, carrier, 0);
	/* Step 4. Data that is read again belongs to nobody: only what changes an object is done again for the same request. */
	if (!status && !carrier->joins && carrier->direction != DIRECTION_READ)
		status = pieces_carry_again(pieces, carrier);
	return status;
}
