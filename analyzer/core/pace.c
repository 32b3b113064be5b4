#include "analyzer/core/pace.h"

#include <math.h>

/* So many requests tell a rate. */
#define ENOUGH 5

void pace_finish(struct pace *pace)
{
	if (pace->count > 1) {
		pace->followed += pace->count - 1;
		pace->span_ns += pace->last_s_ns - pace->first_s_ns;
	}
	pace->count = 0;
}

void pace_add(struct pace *pace, uint64_t tenure, uint64_t s_ns, uint64_t a_ns)
{
	pace->requests++;
	pace->total_ns += a_ns - s_ns;
	if (!pace->count || tenure != pace->tenure) {
		pace_finish(pace);
		pace->tenure = tenure;
		pace->first_s_ns = pace->last_s_ns = s_ns;
	}
	pace->count++;
	if (s_ns < pace->first_s_ns)
		pace->first_s_ns = s_ns;
	if (s_ns > pace->last_s_ns)
		pace->last_s_ns = s_ns;
}

void pace_merge(struct pace *into, const struct pace *from)
{
	into->requests += from->requests;
	into->total_ns += from->total_ns;
	into->followed += from->followed;
	into->span_ns += from->span_ns;
}

double pace_rate(const struct pace *pace, double depth)
{
	double by_latency, by_arrivals;

	if (pace->requests < ENOUGH || !pace->total_ns || !pace->followed || !pace->span_ns)
		return 0;
	by_latency = depth * 1e9 * (double)pace->requests / (double)pace->total_ns;
	by_arrivals = (double)pace->followed * 1e9 / (double)pace->span_ns;
	return sqrt(by_latency * by_arrivals);
}
