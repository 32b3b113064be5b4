#include "analyzer/core/effects.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/operations.h"
#include "tracepoints/schema.h"

/* A request of more pieces is followed by its first ones: nothing sane makes one, and memory must not depend on what a program asks for. */
#define PIECES_MAX 16384

#define FLAG_WRITE 0x20 /* CEPH_OSD_FLAG_WRITE */

/* CEPH_OSD_OP_*: what discards become. */
enum { CODE_TRUNCATE = 0x2203, CODE_ZERO = 0x2204, CODE_DELETE = 0x2205, CODE_CREATE = 0x220d };

#define SLAB_REQUESTS 32

struct slab {
	struct slab *next;
	struct carried requests[SLAB_REQUESTS];
};

/* Hashes of objects' names that are remembered, each in the place of its number's remainder. */
#define NAMES_KEPT 256

struct effects {
	struct effects_consumer consumer;
	struct pieces pieces;
	struct entries entries;
	struct slab *slabs;
	struct carried *spare;             /* chained through queue_next */
	struct carried *oldest, *youngest; /* those that linger, in the order of their end */
	size_t lingering;
	uint64_t made;
	struct {
		uint64_t object; /* its number, plus 1; 0: none */
		uint32_t hash;
	} names[NAMES_KEPT];
	const struct effects_operation *operation; /* at hand */
	const struct carrier *carrier;             /* likewise */
	struct carried *to_review;                 /* carried by it, of those that linger; chained through review_next */
};

struct effects *effects_create(const struct effects_consumer *consumer)
{
	struct effects *effects = calloc(1, sizeof(*effects));

	if (effects)
		effects->consumer = *consumer;
	return effects;
}

void effects_destroy(struct effects *effects)
{
	struct slab *slab;

	if (!effects)
		return;
	while ((slab = effects->slabs)) {
		effects->slabs = slab->next;
		for (unsigned i = 0; i < SLAB_REQUESTS; i++)
			range_free(slab->requests[i].ranges);
		free(slab);
	}
	entries_fini(&effects->entries);
	pieces_fini(&effects->pieces);
	free(effects);
}

static struct carried *take_spare(struct effects *effects)
{
	struct carried *request;

	if (!effects->spare) {
		struct slab *slab = calloc(1, sizeof(*slab));

		if (!slab)
			return NULL;
		slab->next = effects->slabs;
		effects->slabs = slab;
		for (unsigned i = 0; i < SLAB_REQUESTS; i++) {
			slab->requests[i].queue_next = effects->spare;
			effects->spare = &slab->requests[i];
		}
	}
	request = effects->spare;
	effects->spare = request->queue_next;
	*request = (struct carried){0};
	return request;
}

/* --- Making and ending. ------------------------------------------------------------------------------------------------- */

static void unlinger(struct effects *effects, struct carried *request)
{
	if (!request->lingering)
		return;
	request->lingering = 0;
	effects->lingering--;
	*(request->linger_previous ? &request->linger_previous->linger_next : &effects->oldest) = request->linger_next;
	*(request->linger_next ? &request->linger_next->linger_previous : &effects->youngest) = request->linger_previous;
}

static void linger(struct effects *effects, struct carried *request)
{
	request->lingering = 1;
	effects->lingering++;
	request->linger_next = NULL;
	request->linger_previous = effects->youngest;
	*(effects->youngest ? &effects->youngest->linger_next : &effects->oldest) = request;
	effects->youngest = request;
}

/* Nothing more is expected of a request that has ended; it is let go as soon as none of its entries is on the way. */
static int settle(struct effects *effects, struct carried *request)
{
	int status = 0;

	unlinger(effects, request);
	entries_expect_none(&effects->entries, request);
	pieces_remove(&effects->pieces, &request->pieces);
	if (request->appending)
		return 0;
	if (!request->forgotten)
		status = effects->consumer.settled(effects->consumer.context, request);
	entries_clear(&effects->entries, request);
	request->queue_next = effects->spare;
	effects->spare = request;
	return status;
}

/* A discard is trimmed to the image's granularity before it is journaled: what entries hold of it is all there is. */
int carried_is_joined(const struct carried *request)
{
	return request->entries && (!request->ranges || request->kind == RBDPROF_DISCARD);
}

int carried_is_safe(const struct carried *request)
{
	return carried_is_joined(request) && request->entries_safe == request->entries;
}

/* Whether something is still to be sent for a request that has ended. Of a discard nobody knows. */
static int expects(const struct carried *request)
{
	int writes = request->kind == RBDPROF_WRITE || request->kind == RBDPROF_WRITESAME || request->kind == RBDPROF_COMPARE_AND_WRITE;

	if (request->forgotten || request->failed || request->kind == RBDPROF_DISCARD)
		return 0;
	return request->waiting || (writes && !pieces_covered(request->pieces));
}

/* The request has ended, or something came for one that lingers. */
static int review(struct effects *effects, struct carried *request)
{
	if (!expects(request))
		return settle(effects, request);
	if (!request->lingering)
		linger(effects, request);
	return effects->lingering > EFFECTS_LINGERING ? settle(effects, effects->oldest) : 0;
}

static uint8_t accepts(uint8_t kind)
{
	switch (kind) {
	case RBDPROF_READ:
		return DIRECTION_READ;
	case RBDPROF_WRITE:
	case RBDPROF_WRITESAME:
	case RBDPROF_COMPARE_AND_WRITE:
		return DIRECTION_WRITE;
	case RBDPROF_DISCARD:
		return DIRECTION_DISCARD;
	case RBDPROF_WRITE_ZEROES:
		return DIRECTION_WRITE | DIRECTION_DISCARD;
	default:
		return 0;
	}
}

static uint32_t hash_of(struct effects *effects, const struct effects_image *image, uint64_t object)
{
	unsigned place = object % NAMES_KEPT;

	if (effects->names[place].object != object + 1) {
		effects->names[place].object = object + 1;
		effects->names[place].hash = layout_object_hash(image->namespace_, image->prefix, object);
	}
	return effects->names[place].hash;
}

static int add_pieces(struct effects *effects, const struct effects_image *image, struct carried *carried,
		      const struct effects_request *request)
{
	uint64_t at = request->offset_bytes, left = request->length_bytes;
	struct piece piece = {.of = carried, .accepts = accepts(request->kind), .held = carried->journaled && carried->whole};
	int status = 0;

	if (!piece.accepts || !layout_valid(&image->layout) || !*image->prefix)
		return 0;
	for (unsigned i = 0; left && !status && i < PIECES_MAX; i++) {
		struct extent extent = layout_extent(&image->layout, at, left);

		piece.object = extent.object;
		piece.object_hash = hash_of(effects, image, extent.object);
		piece.begin_bytes = extent.offset_bytes;
		piece.end_bytes = extent.offset_bytes + extent.length_bytes;
		status = pieces_add(&effects->pieces, &carried->pieces, &piece, image->layout.stripe_count);
		at += extent.length_bytes;
		left -= extent.length_bytes;
	}
	return status;
}

struct carried *effects_open(struct effects *effects, const struct effects_image *image, const struct effects_request *request)
{
	struct carried *carried = take_spare(effects);
	int status = 0;

	if (!carried)
		return NULL;
	carried->s_ns = request->s_ns;
	carried->length_bytes = request->length_bytes;
	carried->kind = request->kind;
	carried->whole = request->whole;
	carried->journaled = request->journaled;
	carried->sequence = ++effects->made;
	if (carried->journaled)
		status = entries_expect(&effects->entries, carried, request->offset_bytes, request->offset_bytes + request->length_bytes);
	if (!status)
		status = add_pieces(effects, image, carried, request);
	return status ? NULL : carried;
}

/* A flush that was completed: what was made before it was written as well. */
static int settle_older(struct effects *effects, const struct carried *flush)
{
	struct carried *request, *next;
	int status = 0;

	for (request = effects->oldest; request && !status; request = next) {
		next = request->linger_next;
		if (request->sequence < flush->sequence)
			status = settle(effects, request);
	}
	return status;
}

int effects_close(struct effects *effects, struct carried *request, uint64_t c_ns, int failed)
{
	int status = 0;

	request->closed = 1;
	request->failed = failed != 0;
	request->c_ns = c_ns;
	if (request->kind == RBDPROF_FLUSH) {
		/* One that the journal does not hold when it ends is none that it has to hold. */
		entries_expect_none(&effects->entries, request);
		if (!failed)
			status = settle_older(effects, request);
	}
	return status ? status : review(effects, request);
}

void effects_forget(struct effects *effects, struct carried *request)
{
	request->closed = request->forgotten = 1;
	settle(effects, request);
}

int effects_finish(struct effects *effects)
{
	int status = 0;

	while (effects->oldest && !status)
		status = settle(effects, effects->oldest);
	return status;
}

static int note_effect(struct effects *effects, struct carried *request, uint64_t now_ns)
{
	if (request->first_ns)
		return 0;
	request->first_ns = now_ns;
	return effects->consumer.effect(effects->consumer.context, request, now_ns);
}

/* --- Data operations. --------------------------------------------------------------------------------------------------- */

static int carries(void *context, struct carried *request)
{
	struct effects *effects = context;

	if (!request->first_sent_ns) {
		request->first_sent_ns = effects->operation->now_ns;
		request->object = request->pieces->object;
		effects->consumer.sent(effects->consumer.context, request);
	}
	request->copied |= effects->carrier->again;
	request->sent_ns = effects->operation->now_ns;
	request->group = effects->operation->group;
	if (request->lingering && !request->reviewed) {
		request->reviewed = 1;
		request->review_next = effects->to_review;
		effects->to_review = request;
	}
	return note_effect(effects, request, request->sent_ns);
}

static uint8_t direction_of(const struct effects_operation *operation)
{
	if (!(operation->flags & FLAG_WRITE))
		return DIRECTION_READ;
	switch (operation->code) {
	case CODE_TRUNCATE:
	case CODE_ZERO:
	case CODE_DELETE:
	case CODE_CREATE:
		return DIRECTION_DISCARD;
	default:
		return DIRECTION_WRITE;
	}
}

/* An operation carried something of these, which linger: those that expect nothing more are let go. */
static int review_lingering(struct effects *effects)
{
	struct carried *request;
	int status = 0;

	while ((request = effects->to_review) && !status) {
		effects->to_review = request->review_next;
		request->reviewed = 0;
		status = review(effects, request);
	}
	return status;
}

static struct carrier carrier_of(struct effects *effects, const struct effects_operation *operation)
{
	int open_ended = operation->code == CODE_DELETE || operation->code == CODE_TRUNCATE;

	return (struct carrier){
	    .object_hash = operation->object_hash,
	    .direction = direction_of(operation),
	    .begin_bytes = operation->offset_bytes,
	    .end_bytes = open_ended ? operation->object_size_bytes : operation->offset_bytes + operation->length_bytes,
	    .context = effects,
	};
}

int effects_sent(struct effects *effects, const struct effects_operation *operation, uint64_t *joins, uint64_t *choices)
{
	struct carrier carrier = carrier_of(effects, operation);
	int status;

	carrier.carries = carries;
	effects->operation = operation;
	effects->carrier = &carrier;
	status = pieces_carry(&effects->pieces, &carrier);
	*joins = carrier.joins;
	*choices = carrier.choices;
	return status ? status : review_lingering(effects);
}

static int carries_again(void *context, struct carried *request)
{
	const struct effects *effects = context;

	request->resent_ns = effects->operation->now_ns;
	return 0;
}

int effects_resent(struct effects *effects, const struct effects_operation *operation)
{
	struct carrier carrier = carrier_of(effects, operation);
	int status;

	carrier.carries = carries_again;
	effects->operation = operation;
	status = pieces_carry_again(&effects->pieces, &carrier);
	return status ? status : (int)carrier.joins;
}

/* --- Journal entries. --------------------------------------------------------------------------------------------------- */

int effects_entry_sent(struct effects *effects, struct entry *entry, uint64_t now_ns)
{
	int status = entries_join(&effects->entries, entry);
	struct carried *request = entry->carried;

	if (status || !request)
		return status;
	if (!request->entries++)
		pieces_release(request->pieces);
	request->appending++;
	return note_effect(effects, request, now_ns);
}

/* The entry holds nothing of its request after all. */
static int take_back(struct effects *effects, const struct entry *entry)
{
	struct carried *request = entry->carried;

	request->entries--;
	if (request->forgotten)
		return 0;
	return entries_expect(&effects->entries, request, entry->offset_bytes, entry->offset_bytes + entry->length_bytes);
}

int effects_entry_done(struct effects *effects, const struct entry *entry, int32_t result, uint64_t now_ns)
{
	struct carried *request = entry->carried;
	int status = 0;

	request->appending--;
	if (result < 0) {
		status = take_back(effects, entry);
	} else {
		request->entries_safe++;
		request->safe_ns = now_ns;
	}
	return status || !request->closed ? status : review(effects, request);
}

int effects_entry_left(struct effects *effects, const struct entry *entry)
{
	struct carried *request = entry->carried;

	request->appending--;
	return request->closed ? review(effects, request) : 0;
}
