#include "analyzer/core/forecast.h"

#include <math.h>
#include <stdio.h>

static void add(struct verdict *verdict, const char *what, double low, double high)
{
	struct forecast *made;

	if (verdict->forecast_count == VERDICT_FORECASTS || !(low > 0) || !(high > low))
		return;
	made = &verdict->forecasts[verdict->forecast_count++];
	snprintf(made->what, sizeof(made->what), "%s", what);
	made->iops_low = low;
	made->iops_high = high;
}

/* By Little's law, what a client with so many in flight would do if a request took no longer than it does without these claimants. */
static double rate_without(const struct evidence *evidence, uint64_t claimants, double depth)
{
	double ns = (double)evidence->all.total_ns;

	for (unsigned claimant = 0; claimant < CLAIM_COUNT; claimant++)
		if (claimants >> claimant & 1)
			ns -= (double)evidence->all.ns[claimant];
	return ns > 0 ? depth * 1e9 * (double)evidence->all.count / ns : 0;
}

#define BIT(claimant) (UINT64_C(1) << CLAIM_##claimant)
#define WAITING       (BIT(NOTIFY) | BIT(LOCK_SILENT) | BIT(LOCK_PEER) | BIT(LOCK_TAKEN))

/* The ends of a range differ by this where two clients share a lock, and by the other where less is known. */
#define NARROW 1.65
#define WIDE   2.45

/* Fewer in flight than these leave a tenure cold; and what the experiments were made with: two clients, so deep. */
#define COLD       8
#define SHALLOWEST 4
#define DEEPEST    64

/*
 * What one client would do with the depth that each has. With few requests at a time a tenure is over before it has become warm, and of many
 * clients all but one keep the processors busy with asking for the lock: then one client alone does that or better. Deeper queues, single
 * requests and many clients are not known well enough for the narrow range.
 */
static void one_client(const struct evidence *evidence, struct verdict *verdict)
{
	const struct ownership_result *ownership = evidence->image->ownership_is;
	int several = ownership->owner_count > 2;
	double depth = (double)evidence->in_flight_max, rate;
	double width = depth < SHALLOWEST || depth > DEEPEST || several ? WIDE : NARROW;
	struct pace pace = {0};

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		pace_merge(&pace, &client->claims.pace);
	rate = pace_rate(&pace, depth);
	if (rate <= 0)
		rate = rate_without(evidence, WAITING, depth);
	if (depth < COLD || several)
		add(verdict, "one-client", rate, rate * width);
	else
		add(verdict, "one-client", rate / sqrt(width), rate * sqrt(width));
}

/*
 * What the same program would do without the journal: as many in flight, and none of them waits for it. At least that, since the OSDs and
 * librbd would have less to do; at most as if all else took only that part of its time which the operations have that are no appends.
 */
static void no_journal(const struct evidence *evidence, struct verdict *verdict)
{
	const struct image *image = evidence->image;
	double rate = rate_without(evidence, BIT(JOURNAL), evidence->in_flight);
	double operations = evidence->completed ? 1 + (double)image->journal.appends / (double)evidence->completed : 1;

	if (!image->ownership_is || image->ownership_is->owner_count < 2)
		add(verdict, "no-journal", rate, rate * (operations < WIDE ? operations : WIDE));
}

void forecast(const struct evidence *evidence, struct verdict *verdict)
{
	switch (verdict->cause) {
	case CAUSE_PINGPONG:
	case CAUSE_STEAL_BY_FLUSH:
		one_client(evidence, verdict);
		break;
	case CAUSE_JOURNAL:
		no_journal(evidence, verdict);
		break;
	default:
		break;
	}
}
