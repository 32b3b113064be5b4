#include "analyzer/core/claims.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/images.h"
#include "analyzer/core/requests.h"

/* How each request's time is divided; and the lengths of the phases that several claims share. */
struct division {
	uint64_t ns[CLAIM_COUNT];
	uint64_t lock_ns;    /* q2l's length; it ends at L */
	uint64_t librbd_ns;  /* j2n's */
	uint64_t network_ns; /* n2c's; it ends at C */
};

void claims_fini(struct claims *claims)
{
	for (unsigned row = 0; row < BAND_ROWS; row++)
		free(claims->rows[row]);
	coverage_fini(&claims->refreshing);
	coverage_fini(&claims->changing);
	copying_fini(&claims->copying);
	coverage_fini(&claims->cut);
	coverage_fini(&claims->updating);
	stalls_fini(&claims->stalls);
	spells_fini(&claims->spells);
	*claims = (struct claims){0};
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Gives the claim what it asks for of what is left. */
static void give(struct division *division, enum claimant claim, uint64_t *left_ns, uint64_t ns)
{
	ns = least(ns, *left_ns);
	division->ns[claim] += ns;
	*left_ns -= ns;
}

static void divide_lock(struct division *division, const struct request *request, const struct coverage *notifying,
			const struct coverage *silent)
{
	uint64_t end_ns = request->moments.at_ns[MOMENT_L], left_ns = division->lock_ns, begin_ns = end_ns - left_ns;

	if (!left_ns)
		return;
	if (request->held.origin == LOCK_BROKEN)
		give(division, CLAIM_LOCK_SILENT, &left_ns, left_ns);
	give(division, CLAIM_LOCK_SILENT, &left_ns, coverage_overlap(silent, begin_ns, end_ns));
	give(division, CLAIM_NOTIFY, &left_ns, coverage_overlap(notifying, begin_ns, end_ns));
	give(division, request->held.origin == LOCK_OF_PEER ? CLAIM_LOCK_PEER : CLAIM_LOCK_TAKEN, &left_ns, left_ns);
}

#define ENOUGH_EARLY 16 /* writes; a few others are early too, as one that another has overwritten meanwhile */

/* No OSD writes in less. A cache that is full acknowledges late, and when there is room again in less. */
#define QUICK_NS 100000

static int is_write(const struct request *request)
{
	return request->kind == RBDPROF_WRITE || request->kind == RBDPROF_WRITESAME;
}

void claims_completed(struct claims *claims, const struct request *request)
{
	if (request->result < 0)
		return;
	if (request->kind == RBDPROF_FLUSH) {
		claims->flushed = 1;
		if (!claims->flushed_ns)
			claims->flushed_ns = request->moments.at_ns[MOMENT_C];
	} else if (is_write(request) && request->length_bytes && !request->announced && !request->irregular &&
		   !request->process->health.lost_events) {
		int early = !moments_know(&request->moments, MOMENT_N);

		claims->early += early;
		claims->late += !early;
		claims->quick += early && request->moments.at_ns[MOMENT_C] - request->moments.at_ns[MOMENT_S] < QUICK_NS;
		claims->flushed |= (claims->early >= ENOUGH_EARLY && claims->early > claims->late) || claims->quick >= ENOUGH_EARLY;
	}
}

/* Nothing was sent for it until it was complete. A read of what does not exist by the object map is like that too. */
static int is_cached(const struct request *request)
{
	return !moments_know(&request->moments, MOMENT_N) && (request->kind == RBDPROF_READ || is_write(request));
}

/* A write that the cache would have acknowledged before anything was done for it: it is librbd's uppermost layer but QoS and the lock. */
static int writes_through(const struct claims *claims, const struct request *request)
{
	return claims->cached && !claims->flushed && is_write(request);
}

/*
 * Before the copy is sent with the write, the write was tried, as it would have been anyway, and the parent read: two ways to the OSDs and
 * back. The attempt's answer is not seen, so half is its.
 */
static void divide_copyup(struct division *division, uint64_t *left_ns, uint64_t before_ns)
{
	before_ns = least(before_ns, *left_ns);
	give(division, CLAIM_NETWORK, left_ns, before_ns / 2);
	give(division, CLAIM_COPYUP, left_ns, before_ns - before_ns / 2);
}

static void divide_librbd(struct division *division, const struct claims *claims, const struct request *request)
{
	const struct moments *moments = &request->moments;
	uint64_t end_ns = moments->at_ns[moments_know(moments, MOMENT_N) ? MOMENT_N : MOMENT_C];
	uint64_t left_ns = division->librbd_ns, begin_ns = end_ns - left_ns;

	if (!left_ns)
		return;
	give(division, CLAIM_REFRESH, &left_ns, coverage_overlap(&claims->changing, begin_ns, end_ns));
	give(division, CLAIM_REFRESH, &left_ns, coverage_overlap(&claims->refreshing, begin_ns, end_ns));
	give(division, CLAIM_OBJECT_MAP, &left_ns, coverage_overlap(&claims->updating, begin_ns, end_ns));
	if (request->held.copied && request->held.first_sent_ns < end_ns)
		divide_copyup(division, &left_ns, end_ns - request->held.first_sent_ns);
	give(division, CLAIM_RESENT, &left_ns, coverage_overlap(&claims->cut, begin_ns, end_ns));
	/* The way to the cache it would have gone anyway; from there to the network is half of the way. */
	if (writes_through(claims, request))
		give(division, CLAIM_WRITETHROUGH, &left_ns, left_ns / 2);
	give(division, is_cached(request) ? CLAIM_CACHE : CLAIM_LIBRBD, &left_ns, left_ns);
}

static void divide_network(struct division *division, struct claims *claims, const struct request *request)
{
	uint64_t end_ns = request->moments.at_ns[MOMENT_C], left_ns = division->network_ns, begin_ns = end_ns - left_ns, changing_ns;

	if (!left_ns)
		return;
	changing_ns = coverage_overlap(&claims->changing, begin_ns, end_ns);
	give(division, CLAIM_REFRESH, &left_ns, changing_ns);
	give(division, CLAIM_REFRESH, &left_ns, copying_held(&claims->copying, begin_ns, end_ns, changing_ns));
	if (request->held.copied)
		give(division, CLAIM_COPYUP, &left_ns, left_ns);
	if (request->held.resent_ns > begin_ns)
		give(division, CLAIM_RESENT, &left_ns, request->held.resent_ns - begin_ns);
	give(division, CLAIM_STALLED, &left_ns, coverage_overlap(&claims->stalls.standing, begin_ns, end_ns));
	give(division, writes_through(claims, request) ? CLAIM_WRITETHROUGH : CLAIM_NETWORK, &left_ns, left_ns);
}

/* Refused by an owner that keeps its lock, as rbd_lock_acquire() does. */
static int is_refused(const struct request *request)
{
	const struct client *client = request->client;

	return request->result == -EROFS && !client->read_only && image_has(client->image, IMAGE_EXCLUSIVE_LOCK);
}

static struct band *band_of(struct claims *claims, uint64_t total_ns)
{
	unsigned log2 = total_ns < BANDS_IN_ROW ? 3 : 63 - (unsigned)__builtin_clzll(total_ns), row = log2 - 3;
	unsigned place = total_ns < BANDS_IN_ROW ? 0 : (total_ns >> (log2 - 3)) % BANDS_IN_ROW;

	if (!claims->rows[row])
		claims->rows[row] = calloc(BANDS_IN_ROW, sizeof(struct band));
	return claims->rows[row] ? &claims->rows[row][place] : NULL;
}

int claims_add(struct claims *claims, const struct request *request, const struct coverage *notifying, const struct coverage *silent)
{
	const uint64_t *at_ns = request->moments.at_ns;
	uint64_t total_ns = at_ns[MOMENT_A] - at_ns[MOMENT_S];
	struct division division = {0};
	struct phase_split split;
	struct band *band = band_of(claims, total_ns);

	if (!band)
		return -ENOMEM;
	if (phases_split(&request->moments, &split))
		return 0;
	if (is_refused(request)) {
		division.ns[CLAIM_REFUSED] = at_ns[MOMENT_C] - at_ns[MOMENT_S];
	} else {
		division.ns[CLAIM_QOS] = split.ns[PHASE_S2Q];
		division.ns[CLAIM_JOURNAL] = split.ns[PHASE_L2J];
		division.ns[CLAIM_OTHER] = split.ns[PHASE_OTHER];
		division.lock_ns = split.ns[PHASE_Q2L];
		division.librbd_ns = split.ns[PHASE_J2N];
		division.network_ns = split.ns[PHASE_N2C];
		divide_lock(&division, request, notifying, silent);
		divide_librbd(&division, claims, request);
		divide_network(&division, claims, request);
	}
	division.ns[CLAIM_CALLBACK] = split.ns[PHASE_C2D];
	division.ns[CLAIM_APPLICATION] = split.ns[PHASE_D2A];
	claims->copied += request->held.copied;
	band->count++;
	band->total_ns += total_ns;
	for (unsigned claim = 0; claim < CLAIM_COUNT; claim++)
		band->ns[claim] += division.ns[claim];
	stalls_held(&claims->stalls, &request->moments, &split);
	if (request->held.tenure && !moments_know(&request->moments, MOMENT_L))
		pace_add(&claims->pace, request->held.tenure, at_ns[MOMENT_S], at_ns[MOMENT_A]);
	if (division.ns[CLAIM_NETWORK] && (request->kind == RBDPROF_READ || is_write(request)))
		return spells_add(&claims->spells, request->kind == RBDPROF_READ, at_ns[MOMENT_C], division.ns[CLAIM_NETWORK], request->length_bytes);
	return 0;
}

static void merge(struct band *into, const struct band *from, int saturated)
{
	into->count += from->count;
	into->total_ns += from->total_ns;
	for (unsigned claim = 0; claim < CLAIM_COUNT; claim++)
		into->ns[claim == CLAIM_CALLBACK && saturated ? CLAIM_SATURATED : claim] += from->ns[claim];
}

void claims_sum(const struct claimed *list, unsigned count, double from, double to, struct band *sum)
{
	uint64_t all = 0, seen = 0;

	*sum = (struct band){0};
	for (unsigned i = 0; i < count; i++)
		for (unsigned row = 0; row < BAND_ROWS; row++)
			for (unsigned place = 0; list[i].claims->rows[row] && place < BANDS_IN_ROW; place++)
				all += list[i].claims->rows[row][place].count;
	for (unsigned row = 0; row < BAND_ROWS; row++) {
		for (unsigned place = 0; place < BANDS_IN_ROW; place++) {
			struct band band = {0};

			for (unsigned i = 0; i < count; i++)
				if (list[i].claims->rows[row])
					merge(&band, &list[i].claims->rows[row][place], list[i].saturated);
			/* The band's requests are the (seen + 1)-th to the (seen + count)-th. */
			if (band.count && (double)(seen + band.count) > from * (double)all && (double)seen < to * (double)all)
				merge(sum, &band, 0);
			seen += band.count;
		}
	}
}
