#include "analyzer/core/tenures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/ownership.h"

static void tenure_destroy(struct tenure *tenure)
{
	if (!tenure)
		return;
	segments_fini(&tenure->segments);
	free(tenure);
}

void tenures_fini(struct tenures *tenures)
{
	for (size_t i = 0; i < tenures->count; i++)
		tenure_destroy(tenures->queue[i]);
	free(tenures->queue);
	tenure_destroy(tenures->settled);
	free(tenures->sequence);
	*tenures = (struct tenures){0};
}

struct tenure *tenures_begin(struct tenures *tenures, uint64_t client, uint64_t begin_ns)
{
	struct tenure *tenure;

	if (tenures->count == tenures->room) {
		size_t room = tenures->room ? tenures->room * 2 : 8;
		struct tenure **queue = realloc(tenures->queue, room * sizeof(struct tenure *));

		if (!queue)
			return NULL;
		tenures->queue = queue;
		tenures->room = room;
	}
	tenure = calloc(1, sizeof(*tenure));
	if (!tenure)
		return NULL;
	tenure->number = ++tenures->begun;
	tenure->client = client;
	tenure->begin_ns = begin_ns;
	tenures->queue[tenures->count++] = tenure;
	return tenure;
}

struct tenure *tenures_find(const struct tenures *tenures, uint64_t number)
{
	uint64_t first = tenures->begun - tenures->count + 1;

	if (tenures->settled && tenures->settled->number == number)
		return tenures->settled;
	return number >= first && number <= tenures->begun ? tenures->queue[number - first] : NULL;
}

void tenure_end(struct tenure *tenure, enum tenure_end end, uint64_t end_ns)
{
	tenure->end = end;
	tenure->end_ns = end_ns > tenure->begin_ns ? end_ns : tenure->begin_ns;
	if (tenure->served && tenure->first_ns > tenure->end_ns) {
		if (end == TENURE_TAKEN)
			tenure->served = 0;
		tenure->first_ns = tenure->end_ns;
	}
	if (tenure->last_ns > tenure->end_ns)
		tenure->last_ns = tenure->end_ns;
}

void tenure_served(struct tenure *tenure, uint64_t c_ns, uint64_t bytes)
{
	if (tenure->pending)
		tenure->pending--;
	tenure->requests++;
	tenure->bytes += bytes;
	/* Acknowledged by a cache before its client had the lock. */
	if (c_ns < tenure->begin_ns)
		return;
	if (tenure->end != TENURE_LASTS && c_ns > tenure->end_ns) {
		if (tenure->end == TENURE_TAKEN)
			return;
		/* Its C was learnt from the application, which looked late. */
		c_ns = tenure->end_ns;
	}
	if (!tenure->served || c_ns < tenure->first_ns)
		tenure->first_ns = c_ns;
	if (!tenure->served || c_ns > tenure->last_ns)
		tenure->last_ns = c_ns;
	tenure->served++;
	tenure->segments.floor_ns = tenure->last_ns;
}

/* Of ownership_result.replay: nothing, up to 1 MiB, up to 2, up to 4 … */
static unsigned replay_class(uint64_t bytes)
{
	unsigned which = bytes ? 1 : 0;

	while (which && which + 1 < OWNERSHIP_REPLAY_CLASSES && bytes > UINT64_C(1) << (19 + which))
		which++;
	return which;
}

static int add_handover(struct tenures *tenures)
{
	struct ownership_result *result = tenures->result;
	const struct handover *handover = &tenures->between;
	struct replay_class *replay = &result->replay[replay_class(tenures->replay_bytes)];
	int status = histogram_add(&result->handover, handover->now_ns - handover->begin_ns);

	for (unsigned step = 0; !status && step < STEP_COUNT; step++)
		status = histogram_add(&result->steps[step], handover->steps[step]);
	if (!status)
		status = histogram_add(&replay->handover, handover->now_ns - handover->begin_ns);
	if (!status)
		status = histogram_add(&replay->replay, handover->steps[STEP_REPLAY]);
	replay->handovers++;
	return status;
}

/* What lies between the tenure settled last and this one, up to its first completion if it has any. */
static int settle_handover(struct tenures *tenures, const struct tenure *tenure)
{
	const struct tenure *before = tenures->settled;
	struct handover *handover = &tenures->between;

	handover_release(handover, &before->moments, &before->segments, &tenure->moments, before->client == tenure->client,
			 tenure->begin_ns);
	if (!before->traced || tenure->after_unknown) {
		uint64_t until_ns = tenure->moments.noticed_ns ? tenure->moments.noticed_ns : tenure->moments.get_info_ns;

		handover_unseen(handover, until_ns < tenure->begin_ns ? until_ns : tenure->begin_ns);
	}
	handover_acquire(handover, &tenure->moments, &tenure->segments, tenure->served ? tenure->first_ns : tenure->end_ns);
	tenures->replay_bytes += tenure->replay_bytes;
	if (!tenure->served)
		return 0;
	handover_end(handover, &tenure->moments, tenure->first_ns);
	return add_handover(tenures);
}

/* The pieces of a tenure that a peer asked for: since it was usable, and since it was asked for. */
static int settle_pieces(struct ownership_result *result, const struct tenure *tenure)
{
	uint64_t usable_ns = tenure->usable_ns ? tenure->usable_ns : tenure->begin_ns;
	uint64_t asked_ns = tenure->asked_ns > usable_ns ? tenure->asked_ns : usable_ns;
	int status;

	if (!tenure->asked_ns || !tenure->begin_seen || !tenure->moments.unlock_ns || asked_ns > tenure->end_ns)
		return 0;
	status = histogram_add(&result->tenure_until_asked, asked_ns - usable_ns);
	return status ? status : histogram_add(&result->tenure_drain, tenure->end_ns - asked_ns);
}

static int settle_tenure(struct ownership_result *result, const struct tenure *tenure)
{
	int status = 0;

	if (tenure->begin_seen)
		status = histogram_add(&result->tenure, tenure->end_ns - tenure->begin_ns);
	if (!status && tenure->traced)
		status = histogram_add(&result->tenure_requests, tenure->requests);
	if (!status && tenure->traced)
		status = histogram_add(&result->tenure_bytes, tenure->bytes);
	if (tenure->served)
		result->serving_ns += tenure->last_ns - tenure->first_ns;
	return status ? status : settle_pieces(result, tenure);
}

/* Keeps the tenure in brief, if it is one of the first. */
static int keep(struct tenures *tenures, const struct tenure *tenure)
{
	struct ownership_result *result = tenures->result;

	if (result->sequence_count == OWNERSHIP_SEQUENCE)
		return 0;
	if (result->sequence_count == tenures->sequence_room) {
		size_t room = tenures->sequence_room ? tenures->sequence_room * 2 : 16;
		struct tenure_brief *grown = realloc(tenures->sequence, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		tenures->sequence = grown;
		tenures->sequence_room = room;
		result->sequence = grown;
	}
	tenures->sequence[result->sequence_count++] = (struct tenure_brief){
	    .client = tenure->client,
	    .begin_ns = tenure->begin_seen ? tenure->begin_ns : 0,
	    .end_ns = tenure->end == TENURE_CUT ? 0 : tenure->end_ns,
	    .requests = tenure->requests,
	    .replay_bytes = tenure->replay_bytes,
	    .traced = tenure->traced,
	};
	return 0;
}

static int settle(struct tenures *tenures)
{
	struct tenure *tenure = tenures->queue[0];
	int status = 0;

	if (tenures->open)
		status = settle_handover(tenures, tenure);
	if (tenure->served) {
		handover_begin(&tenures->between, tenure->last_ns);
		tenures->replay_bytes = 0;
		tenures->open = 1;
	}
	if (!status)
		status = settle_tenure(tenures->result, tenure);
	if (!status)
		status = keep(tenures, tenure);
	tenures->count--;
	memmove(tenures->queue, tenures->queue + 1, tenures->count * sizeof(struct tenure *));
	tenure_destroy(tenures->settled);
	tenures->settled = tenure;
	return status;
}

int tenures_settle(struct tenures *tenures, int all)
{
	int status = 0;

	while (!status && tenures->count) {
		const struct tenure *tenure = tenures->queue[0];

		if (!all && tenures->count <= TENURES_UNSETTLED && (tenure->pending || tenure->end == TENURE_LASTS))
			break;
		status = settle(tenures);
	}
	return status;
}
