#include "analyzer/core/forecast.h"

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

/* Mean time of a request from S to A without what these claimants have, in ns. */
static double mean_without(const struct evidence *evidence, uint64_t claimants)
{
	double ns = (double)evidence->all.total_ns;

	for (unsigned claimant = 0; claimant < CLAIM_COUNT; claimant++)
		if (claimants >> claimant & 1)
			ns -= (double)evidence->all.ns[claimant];
	return evidence->all.count ? ns / (double)evidence->all.count : 0;
}

#define BIT(claimant) (UINT64_C(1) << CLAIM_##claimant)
#define WAITING       (BIT(NOTIFY) | BIT(LOCK_SILENT) | BIT(LOCK_PEER) | BIT(LOCK_TAKEN))

/* What one client would do with the depth that each has: requests in flight over the time that one takes once its client has the lock. */
static void one_client(const struct evidence *evidence, struct verdict *verdict)
{
	double served_ns = mean_without(evidence, WAITING), depth = (double)evidence->in_flight_max;
	double rate = served_ns > 0 ? depth * 1e9 / served_ns : 0;

	add(verdict, "one-client", rate * 0.95, rate * 1.6);
}

void forecast(const struct evidence *evidence, struct verdict *verdict)
{
	switch (verdict->cause) {
	case CAUSE_PINGPONG:
	case CAUSE_STEAL_BY_FLUSH:
		one_client(evidence, verdict);
		break;
	default:
		break;
	}
}
