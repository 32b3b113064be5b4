/* The rules about the exclusive lock: who held it, who took it, who did not answer. */
#include "analyzer/core/evidence.h"

#define BIT(cause) (UINT64_C(1) << CAUSE_##cause)

/* So much read back in a handover is worth advice. */
#define REPLAY_WORTH_BYTES 1048576.0

static const struct ownership_result *ownership_of(const struct evidence *evidence)
{
	return evidence->image->ownership_is;
}

static enum handover_step largest_step(const struct ownership_result *ownership)
{
	enum handover_step largest = 0;

	for (enum handover_step step = 1; step < STEP_COUNT; step++)
		if (ownership->steps[step].sum > ownership->steps[largest].sum)
			largest = step;
	return largest;
}

static double journal_share(const struct ownership_result *ownership)
{
	static const enum handover_step steps[] = {STEP_JOURNAL_CLOSE, STEP_JOURNAL_OPEN, STEP_REPLAY, STEP_TAG};
	double sum_ns = 0;

	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		sum_ns += (double)ownership->steps[steps[i]].sum;
	return ownership->handover.sum ? sum_ns / (double)ownership->handover.sum : 0;
}

/* What is read back of the journal, and what may be advised about it. */
static void note_replay(const struct evidence *evidence, struct verdict *verdict, const struct ownership_result *ownership)
{
	uint64_t tenures = ownership->tenures ? ownership->tenures : 1;
	double bytes = (double)evidence->image->journal.replay_bytes / (double)tenures;

	if (!image_has(evidence->image, IMAGE_JOURNALING)) {
		verdict_advise(verdict, ADVISE_NOT_JOURNALED);
		return;
	}
	verdict_advise(verdict, ADVISE_JOURNALED);
	verdict_note(verdict, FACT_OF_REPLAY_BYTES, bytes);
	verdict_note(verdict, FACT_OF_REPLAY_SHARE, journal_share(ownership));
	if (bytes >= REPLAY_WORTH_BYTES)
		verdict_advise(verdict, ADVISE_REPLAY);
}

static int is_contested(const struct ownership_result *ownership)
{
	return ownership && ownership->owner_count > 1 && ownership->handovers > ownership->reacquired;
}

static void note_handovers(struct verdict *verdict, const struct ownership_result *ownership)
{
	enum handover_step step = largest_step(ownership);

	verdict_note(verdict, FACT_OF_OWNERS, ownership->owner_count);
	verdict_note(verdict, FACT_OF_HANDOVERS_PER_S, ownership_handovers_per_s(ownership));
	if (!ownership->handover.count)
		return;
	verdict_note(verdict, FACT_OF_HANDOVER_P50, (double)histogram_percentile(&ownership->handover, 0.5));
	verdict_note(verdict, FACT_OF_HANDOVER_P90, (double)histogram_percentile(&ownership->handover, 0.9));
	verdict_note_number(verdict, FACT_OF_STEP, step);
	verdict_note(verdict, FACT_OF_STEP_SHARE, (double)ownership->steps[step].sum / (double)ownership->handover.sum);
	verdict_note(verdict, FACT_OF_TENURE_P50, (double)histogram_percentile(&ownership->tenure, 0.5));
	verdict_note(verdict, FACT_OF_TENURE_REQUESTS, histogram_mean(&ownership->tenure_requests));
}

/* Does the client ask for the lock with nothing but flushes? */
static int only_flushes(const struct image *image, const struct client *client)
{
	const struct kind_stats *flushes = client->stats.kinds[RBDPROF_FLUSH];

	for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++) {
		int needs = kind != RBDPROF_FLUSH && kind != RBDPROF_INVALIDATE_CACHE &&
			    (kind != RBDPROF_READ || image_has(image, IMAGE_JOURNALING));

		if (needs && client->stats.kinds[kind] && client->stats.kinds[kind]->completed)
			return 0;
	}
	return flushes && flushes->completed;
}

/* Of the clients that owned the lock in turn, one that only flushes. */
static const struct client *flusher(const struct evidence *evidence, const struct ownership_result *ownership)
{
	for (uint32_t i = 0; i < ownership->owner_count; i++) {
		const struct client *client = image_client(evidence->image, ownership->owners[i].client);

		if (client && ownership->owners[i].tenures > 1 && only_flushes(evidence->image, client))
			return client;
	}
	return NULL;
}

/* Was there an owner of whose requests nothing is known? */
static int has_stranger(const struct evidence *evidence, const struct ownership_result *ownership)
{
	for (uint32_t i = 0; i < ownership->owner_count; i++)
		if (!image_client(evidence->image, ownership->owners[i].client))
			return 1;
	return 0;
}

int judge_pingpong(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);

	if (!is_contested(ownership) || flusher(evidence, ownership))
		return 0;
	verdict_claims(verdict, evidence, CLAIM_LOCK_PEER);
	note_handovers(verdict, ownership);
	note_replay(evidence, verdict, ownership);
	if (has_stranger(evidence, ownership))
		verdict->also_possible |= BIT(STEAL_BY_FLUSH);
	return 1;
}

int judge_steal_by_flush(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);
	const struct client *client = is_contested(ownership) ? flusher(evidence, ownership) : NULL;

	if (!client)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_LOCK_PEER);
	verdict_note_number(verdict, FACT_OF_FLUSHER, client->id);
	verdict_note_number(verdict, FACT_OF_FLUSHES, client->stats.kinds[RBDPROF_FLUSH]->completed);
	note_handovers(verdict, ownership);
	return 1;
}

/* The longest wait for a lock that had to be broken, or for an owner that did not answer; NULL when there was none. */
static const struct incident *longest_silence(const struct ownership_result *ownership)
{
	const struct incident *longest = NULL;

	for (uint32_t i = 0; i < ownership->incident_count; i++) {
		const struct incident *incident = &ownership->incidents[i];

		if (incident->kind != INCIDENT_BREAK && incident->kind != INCIDENT_REQUEST_TIMEOUT)
			continue;
		if (!longest || incident->waited_ns > longest->waited_ns)
			longest = incident;
	}
	return longest;
}

int judge_dead_owner(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);
	const struct incident *incident = ownership ? longest_silence(ownership) : NULL;
	const struct interval *silence = coverage_last(&evidence->image->silent);

	verdict_claims(verdict, evidence, CLAIM_LOCK_SILENT);
	if (!incident) {
		/* It had not answered when the trace ended. */
		if (!ownership || !silence)
			return 0;
		verdict_note(verdict, FACT_OF_BEGIN, (double)(silence->begin_ns - evidence->begin_ns));
		verdict_note(verdict, FACT_OF_WAITED_MAX, (double)(silence->end_ns - silence->begin_ns));
		return 1;
	}
	if (incident->waited_ns) {
		verdict_note(verdict, FACT_OF_BEGIN, (double)(incident->at_ns - incident->waited_ns - evidence->begin_ns));
		verdict_note(verdict, FACT_OF_WAITED_MAX, (double)incident->waited_ns);
	}
	verdict_note_number(verdict, FACT_OF_BREAKS, ownership->breaks);
	if (incident->other)
		verdict_note_number(verdict, FACT_OF_OWNER, incident->other);
	return 1;
}

int judge_notify_stalled(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);

	if (!ownership || !ownership->notify_timeouts)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_NOTIFY);
	verdict_note_number(verdict, FACT_OF_NOTIFY_TIMEOUTS, ownership->notify_timeouts);
	for (uint32_t i = 0; i < ownership->incident_count; i++) {
		if (ownership->incidents[i].kind != INCIDENT_NOTIFY_TIMEOUT || !ownership->incidents[i].other)
			continue;
		verdict_note_number(verdict, FACT_OF_SILENT, ownership->incidents[i].other);
		verdict_advise(verdict, ADVISE_SILENT);
		break;
	}
	return 1;
}

int judge_manual_lock(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);

	if (!ownership)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_REFUSED);
	verdict_note_number(verdict, FACT_OF_FAILED, evidence->failed);
	verdict_note_number(verdict, FACT_OF_REFUSALS, ownership->refusals);
	return 1;
}

int judge_lock_acquired(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = ownership_of(evidence);
	uint64_t longest_ns = 0;

	if (!ownership)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_LOCK_TAKEN);
	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++)
			if (client->stats.kinds[kind] && client->stats.kinds[kind]->phases[PHASE_Q2L].max > longest_ns)
				longest_ns = client->stats.kinds[kind]->phases[PHASE_Q2L].max;
	verdict_note(verdict, FACT_OF_WAITED_MAX, (double)longest_ns);
	note_replay(evidence, verdict, ownership);
	if (has_stranger(evidence, ownership))
		verdict->also_possible |= BIT(PINGPONG);
	return 1;
}
