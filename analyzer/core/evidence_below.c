/* The rules about what happens below the lock and outside the client: snapshots, object maps, clones, objects, the network and the OSDs. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/evidence.h"
#include "analyzer/core/held.h"

#define BIT(cause) (UINT64_C(1) << CAUSE_##cause)

/* Requests queue on one object when so few objects have so many requests, and are mostly behind another. */
#define FEW_OBJECTS   1.5
#define MANY_REQUESTS 4.0
#define MOSTLY_BEHIND 0.6

/* A group of so many requests can be compared. */
#define ENOUGH_REQUESTS 200

/* Groups stand out when they are so many times the median of the others, and carry at least so much of the time that is lost. */
#define SLOW_GROUP 3.0

/* The network and the OSDs are slower than in the baseline by more than measuring twice differs. */
#define SLOWER 1.5

int judge_journal(const struct evidence *evidence, struct verdict *verdict)
{
	const struct image *image = evidence->image;
	const struct journal *journal = &image->journal;

	if (!image_has(image, IMAGE_JOURNALING) || !journal->appends)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_JOURNAL);
	verdict_claims_also(verdict, evidence, CLAIM_APPENDS);
	verdict_note(verdict, FACT_OF_APPEND_P50, (double)histogram_percentile(&journal->append, 0.5));
	if (journal->writes)
		verdict_note(verdict, FACT_OF_APPENDS_PER_WRITE, (double)journal->appends / (double)journal->writes);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	if (!image->ownership_is || image->ownership_is->owner_count < 2)
		verdict_advise(verdict, ADVISE_SPLAY);
	return 1;
}

/* A cause that is at work if something was seen, so many times. */
static int judge_seen(const struct evidence *evidence, struct verdict *verdict, enum claimant claimant, enum fact fact, uint64_t times)
{
	verdict_claims(verdict, evidence, claimant);
	verdict_note_number(verdict, fact, times);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return times > 0;
}

int judge_header_refresh(const struct evidence *evidence, struct verdict *verdict)
{
	uint64_t refreshes = 0;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		refreshes += client->claims.refreshing.next;
	return judge_seen(evidence, verdict, CLAIM_REFRESH, FACT_OF_REFRESHES, refreshes);
}

int judge_object_map(const struct evidence *evidence, struct verdict *verdict)
{
	uint64_t updates = 0;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		updates += client->claims.updating.next;
	return judge_seen(evidence, verdict, CLAIM_OBJECT_MAP, FACT_OF_MAP_UPDATES, updates);
}

int judge_copyup(const struct evidence *evidence, struct verdict *verdict)
{
	uint64_t copied = 0;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		copied += client->claims.copied;
	verdict_claims(verdict, evidence, CLAIM_COPYUP);
	verdict_note(verdict, FACT_OF_COPIED, evidence->writes ? (double)copied / (double)evidence->writes : 0);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return copied > 0;
}

/* The longest stall of any client; NULL when there was none. */
static const struct stall *longest_stall(const struct image *image, uint64_t *count)
{
	const struct stall *longest = NULL;

	*count = 0;
	for (const struct client *client = image->clients; client; client = client->hh.next) {
		const struct stalls *stalls = &client->claims.stalls;

		*count += stalls->count;
		for (const struct stall *stall = stalls->kept; stall < stalls->kept + stalls->kept_count; stall++)
			if (!longest || stall->end_ns - stall->begin_ns > longest->end_ns - longest->begin_ns)
				longest = stall;
	}
	return longest;
}

int judge_osd_stalled(const struct evidence *evidence, struct verdict *verdict)
{
	uint64_t count;
	const struct stall *longest = longest_stall(evidence->image, &count);

	if (!longest)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_STALLED);
	verdict_note_number(verdict, FACT_OF_STALLS, count);
	verdict_note(verdict, FACT_OF_STALLED_MAX, (double)(longest->end_ns - longest->begin_ns));
	verdict_note_number(verdict, FACT_OF_STALLED_IN_FLIGHT, longest->in_flight);
	verdict_note(verdict, FACT_OF_BEGIN, (double)(longest->begin_ns - evidence->begin_ns));
	verdict->also_possible |= BIT(NETWORK_LOSS);
	return 1;
}

int judge_network_loss(const struct evidence *evidence, struct verdict *verdict)
{
	if (!evidence->image->resent)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_RESENT);
	verdict_note_number(verdict, FACT_OF_RESENT, evidence->image->resent);
	verdict_note(verdict, FACT_OF_N2C_P50, (double)histogram_percentile(&evidence->n2c, 0.5));
	verdict_note(verdict, FACT_OF_N2C_P99, (double)histogram_percentile(&evidence->n2c, 0.99));
	return 1;
}

int judge_hot_object(const struct evidence *evidence, struct verdict *verdict)
{
	struct objects_sum sum;
	double saved;

	image_objects(evidence->image, &sum);
	if (!sum.requests || sum.in_flight > FEW_OBJECTS || sum.requests_each < MANY_REQUESTS || sum.queued_share < MOSTLY_BEHIND)
		return 0;
	saved = objects_saved(&sum);
	verdict_claims(verdict, evidence, CLAIM_NETWORK);
	verdict->share_mean *= saved;
	verdict->share_p50 *= saved;
	verdict->share_p99 *= saved;
	verdict_note(verdict, FACT_OF_OBJECTS_IN_FLIGHT, sum.in_flight);
	verdict_note(verdict, FACT_OF_REQUESTS_AT_OBJECT, sum.requests_each);
	verdict_note(verdict, FACT_OF_QUEUED_SHARE, sum.queued_share);
	if (sum.faster < 0)
		verdict->also_possible |= BIT(OUTSIDE_CLIENT);
	else
		verdict_note(verdict, FACT_OF_FASTER, sum.faster);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		if (!strcmp(client_setting(client, "rbd_io_scheduler"), "none"))
			verdict_advise(verdict, ADVISE_SCHEDULER_NONE);
	return 1;
}

/* --- The network and the OSDs ------------------------------------------------------------------------------------------- */

/* The mean n2c here, and the mean that the baseline gives for the same requests; 0 when it does not know them. */
static double baseline_mean(const struct evidence *evidence, double *mean_ns)
{
	double usual_ns = 0, sum_ns = 0, count = 0;

	for (const struct client *client = evidence->image->clients; client && evidence->baseline; client = client->hh.next) {
		for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++) {
			const struct kind_stats *stats = client->stats.kinds[kind];
			double n2c_ns = evidence->baseline->n2c_ns[kind];

			if (!stats || n2c_ns <= 0 || !stats->phases[PHASE_N2C].count)
				continue;
			usual_ns += n2c_ns * (double)stats->phases[PHASE_N2C].count;
			sum_ns += (double)stats->phases[PHASE_N2C].sum;
			count += (double)stats->phases[PHASE_N2C].count;
		}
	}
	*mean_ns = count > 0 ? sum_ns / count : 0;
	return count > 0 ? usual_ns / count : 0;
}

struct group {
	const struct placement_group *is;
	double typical_ns; /* p50: a stall of all groups is in the means of those that had most in flight then */
};

static int faster_first(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	return (one->typical_ns > other->typical_ns) - (one->typical_ns < other->typical_ns);
}

/* The time that requests lost in groups much slower than the median one. */
static double lost_in_groups(const struct evidence *evidence, struct verdict *verdict)
{
	const struct placement_groups *all = &evidence->image->placement_groups;
	struct group *groups = calloc(HASH_COUNT(all->groups) + 1, sizeof(*groups));
	char text[PLACEMENT_GROUP_TEXT];
	double lost_ns = 0, usual_ns;
	uint64_t slow = 0;
	size_t count = 0;

	for (const struct placement_group *group = placement_groups_next(all, NULL); group && groups;
	     group = placement_groups_next(all, group))
		if (group->n2c.count >= ENOUGH_REQUESTS)
			groups[count++] = (struct group){group, (double)histogram_percentile(&group->n2c, 0.5)};
	if (count >= 3) {
		qsort(groups, count, sizeof(*groups), faster_first);
		usual_ns = groups[(count - 1) / 2].typical_ns;
		for (size_t i = 0; i < count; i++) {
			if (groups[i].typical_ns < SLOW_GROUP * usual_ns)
				continue;
			slow++;
			lost_ns += (groups[i].typical_ns - usual_ns) * (double)groups[i].is->n2c.count;
		}
		if (slow) {
			verdict_note_text(verdict, FACT_OF_SLOW_GROUP, placement_group_text(groups[count - 1].is, text));
			verdict_note_number(verdict, FACT_OF_SLOW_GROUPS, slow);
			verdict_advise(verdict, ADVISE_SLOW_GROUP);
		}
	}
	free(groups);
	return lost_ns;
}

/* And in times of the trace that are much slower than the others. */
static double lost_in_spells(const struct evidence *evidence, struct verdict *verdict)
{
	struct spells_slow slow = {0};

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		spells_sum(&client->claims.spells, &slow);
	if (slow.lost_ns) {
		verdict_note(verdict, FACT_OF_SLOW_TIME, (double)slow.slow_ns);
		verdict_note(verdict, FACT_OF_BEGIN, (double)(slow.begin_ns - evidence->begin_ns));
		verdict_advise(verdict, ADVISE_SLOW_TIMES);
	}
	return (double)slow.lost_ns;
}

int judge_outside_client(const struct evidence *evidence, struct verdict *verdict)
{
	double total_ns = (double)evidence->all.total_ns, mean_ns, usual_ns = baseline_mean(evidence, &mean_ns), part = 0;

	if (total_ns <= 0 || !evidence->n2c.sum)
		return 0;
	verdict_note(verdict, FACT_OF_N2C_P50, (double)histogram_percentile(&evidence->n2c, 0.5));
	verdict_note(verdict, FACT_OF_N2C_P99, (double)histogram_percentile(&evidence->n2c, 0.99));
	if (usual_ns > 0 && mean_ns >= SLOWER * usual_ns) {
		part = 1 - usual_ns / mean_ns;
		verdict_note(verdict, FACT_OF_BASELINE_N2C, usual_ns);
		verdict_note(verdict, FACT_OF_N2C_MEAN, mean_ns);
	} else {
		part = lost_in_groups(evidence, verdict) / (double)evidence->n2c.sum;
		if (part <= 0)
			part = lost_in_spells(evidence, verdict) / (double)evidence->n2c.sum;
	}
	verdict_claims(verdict, evidence, CLAIM_NETWORK);
	verdict->share_mean *= part;
	verdict->share_p50 *= part;
	verdict->share_p99 *= part;
	verdict->also_possible |= BIT(HOT_OBJECT);
	return part > 0;
}
