#include "analyzer/core/stats.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/requests.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void stats_fini(struct client_stats *stats)
{
	for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++) {
		struct kind_stats *of = stats->kinds[kind];

		if (!of)
			continue;
		histogram_fini(&of->latency);
		histogram_fini(&of->total);
		for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
			histogram_fini(&of->phases[phase]);
		free(of);
		stats->kinds[kind] = NULL;
	}
	in_flight_fini(&stats->in_flight);
}

int stats_opened(struct client_stats *stats, const struct request *request, uint64_t now_ns, uint64_t begin_ns)
{
	uint64_t s_ns = later(request->moments.at_ns[MOMENT_S], begin_ns);
	struct kind_stats **kind = &stats->kinds[request->kind];

	if (!*kind) {
		*kind = calloc(1, sizeof(**kind));
		if (!*kind)
			return -ENOMEM;
		(*kind)->first_s_ns = UINT64_MAX;
	}
	if (s_ns < (*kind)->first_s_ns)
		(*kind)->first_s_ns = s_ns;
	if (!stats->begun || s_ns < stats->first_s_ns)
		stats->first_s_ns = s_ns;
	stats->begun = 1;
	return in_flight_enter(&stats->in_flight, now_ns);
}

void stats_completed(struct client_stats *stats, const struct request *request, uint64_t begin_ns)
{
	struct kind_stats *kind = stats->kinds[request->kind];
	uint64_t c_ns = request->moments.at_ns[MOMENT_C];

	kind->completed++;
	kind->failed += request->result < 0;
	kind->bytes += request_bytes(request);
	kind->last_c_ns = later(kind->last_c_ns, c_ns);
	stats->last_c_ns = later(stats->last_c_ns, c_ns);
	in_flight_leave(&stats->in_flight, later(request->moments.at_ns[MOMENT_S], begin_ns), c_ns);
}

static int add_phases(struct kind_stats *kind, const struct phase_split *split)
{
	for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
		if (split->seen >> phase & 1 && histogram_add(&kind->phases[phase], split->ns[phase]))
			return -ENOMEM;
	return 0;
}

int stats_closed(struct client_stats *stats, const struct request *request)
{
	struct kind_stats *kind = stats->kinds[request->kind];
	const uint64_t *at_ns = request->moments.at_ns;
	int looked = moments_know(&request->moments, MOMENT_A);
	struct phase_split split = {0};
	int status = 0;

	if (!request->irregular)
		status = phases_split(&request->moments, &split);
	if (request->irregular || status) {
		kind->irregular++;
		return status;
	}
	status = histogram_add(&kind->latency, at_ns[MOMENT_C] - at_ns[MOMENT_S]);
	if (!status && looked)
		status = histogram_add(&kind->total, at_ns[MOMENT_A] - at_ns[MOMENT_S]);
	if (!status && looked)
		status = add_phases(kind, &split);
	return status;
}

void stats_dropped(struct client_stats *stats, uint64_t now_ns)
{
	in_flight_leave(&stats->in_flight, now_ns, now_ns);
}

void stats_left_open(struct client_stats *stats, const struct request *request, uint64_t begin_ns, int counts)
{
	uint64_t s_ns = later(request->moments.at_ns[MOMENT_S], begin_ns);

	stats->open_requests++;
	if (counts && s_ns < stats->last_c_ns)
		stats->in_flight.sum_ns += stats->last_c_ns - s_ns;
}

static double span_ns(uint64_t first_s_ns, uint64_t last_c_ns)
{
	return last_c_ns > first_s_ns ? (double)(last_c_ns - first_s_ns) : 0;
}

double kind_stats_iops(const struct kind_stats *kind)
{
	double span = span_ns(kind->first_s_ns, kind->last_c_ns);

	return span > 0 ? (double)kind->completed * 1e9 / span : 0;
}

double kind_stats_share(const struct kind_stats *kind, enum phase phase)
{
	return kind->total.sum ? (double)kind->phases[phase].sum / (double)kind->total.sum : 0;
}

double client_stats_in_flight_mean(const struct client_stats *stats)
{
	double span = span_ns(stats->first_s_ns, stats->last_c_ns);

	return span > 0 ? (double)stats->in_flight.sum_ns / span : 0;
}

uint64_t client_stats_in_flight_max(const struct client_stats *stats)
{
	return in_flight_max(&stats->in_flight);
}
