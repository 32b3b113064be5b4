#include "analyzer/core/health.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define ANOMALY(upper, lower) [ANOMALY_##upper] = #lower,
    ANOMALIES(ANOMALY)
#undef ANOMALY
};

const char *anomaly_name(enum anomaly anomaly)
{
	return names[anomaly];
}

void health_fini(struct health *health)
{
	struct unseen *unseen, *next;
	struct undecoded *undecoded, *next_undecoded;

	HASH_ITER(hh, health->unseen, unseen, next)
	{
		HASH_DEL(health->unseen, unseen);
		free(unseen->function);
		free(unseen);
	}
	HASH_ITER(hh, health->undecoded, undecoded, next_undecoded)
	{
		HASH_DEL(health->undecoded, undecoded);
		free(undecoded->what);
		free(undecoded);
	}
}

void process_health_fini(struct process_health *health)
{
	free(health->lost);
	health->lost = NULL;
	health->lost_count = 0;
}

void health_count(struct health *health, enum anomaly anomaly)
{
	health->anomalies[anomaly]++;
}

int health_unseen(struct health *health, const char *function)
{
	struct unseen *unseen;

	HASH_FIND_STR(health->unseen, function, unseen);
	if (unseen)
		return 0;
	unseen = calloc(1, sizeof(*unseen));
	if (!unseen)
		return -ENOMEM;
	unseen->function = strdup(function);
	if (unseen->function) {
		HASH_ADD_KEYPTR(hh, health->unseen, unseen->function, strlen(unseen->function), unseen);
		if (!hash_failed(unseen))
			return 0;
	}
	free(unseen->function);
	free(unseen);
	return -ENOMEM;
}

int health_undecoded(struct health *health, const char *what)
{
	struct undecoded *undecoded;

	HASH_FIND_STR(health->undecoded, what, undecoded);
	if (undecoded) {
		undecoded->count++;
		return 0;
	}
	undecoded = calloc(1, sizeof(*undecoded));
	if (!undecoded)
		return -ENOMEM;
	undecoded->count = 1;
	undecoded->what = strdup(what);
	if (undecoded->what) {
		HASH_ADD_KEYPTR(hh, health->undecoded, undecoded->what, strlen(undecoded->what), undecoded);
		if (!hash_failed(undecoded))
			return 0;
	}
	free(undecoded->what);
	free(undecoded);
	return -ENOMEM;
}

int process_health_event(struct process_health *health, uint64_t time_ns)
{
	int first = !health->events++;

	if (first)
		health->first_ns = time_ns;
	if (!first && time_ns < health->last_ns)
		return -ERANGE;
	health->last_ns = time_ns;
	return 0;
}

void process_health_totals(struct process_health *health, uint64_t emitted, uint64_t passed_through)
{
	health->missing_at_last = (int64_t)(emitted - health->events);
	if (!health->totals++)
		health->missing_at_first = health->missing_at_last;
	health->passed_through = passed_through;
}

/* Makes one of the intervals [first, end). */
static void join(struct process_health *health, size_t first, size_t end)
{
	struct lost_interval *lost = health->lost;

	for (size_t i = first + 1; i < end; i++) {
		if (lost[i].end_ns > lost[first].end_ns)
			lost[first].end_ns = lost[i].end_ns;
		lost[first].events += lost[i].events;
	}
	memmove(&lost[first + 1], &lost[end], (health->lost_count - end) * sizeof(*lost));
	health->lost_count -= end - first - 1;
}

/* The interval that lies closest to the one after it. */
static size_t find_closest(const struct process_health *health)
{
	uint64_t least_ns = UINT64_MAX;
	size_t closest = 0;

	for (size_t i = 0; i + 1 < health->lost_count; i++) {
		uint64_t gap_ns = health->lost[i + 1].begin_ns - health->lost[i].end_ns;

		if (gap_ns < least_ns) {
			least_ns = gap_ns;
			closest = i;
		}
	}
	return closest;
}

int process_health_lost(struct process_health *health, uint64_t begin_ns, uint64_t end_ns, uint64_t events)
{
	struct lost_interval added = {begin_ns < end_ns ? begin_ns : end_ns, end_ns, (int64_t)events};
	size_t at = 0, end;

	/* One more than the most: room for the moment between adding and joining. */
	if (!health->lost)
		health->lost = calloc(LOST_INTERVALS_MAX + 1, sizeof(*health->lost));
	if (!health->lost)
		return -ENOMEM;
	health->lost_events = (int64_t)((uint64_t)health->lost_events + events);

	while (at < health->lost_count && health->lost[at].end_ns < added.begin_ns)
		at++;
	end = at;
	while (end < health->lost_count && health->lost[end].begin_ns <= added.end_ns)
		end++;
	if (at < end && health->lost[at].begin_ns < added.begin_ns)
		added.begin_ns = health->lost[at].begin_ns;
	memmove(&health->lost[at + 1], &health->lost[at], (health->lost_count - at) * sizeof(*health->lost));
	health->lost[at] = added;
	health->lost_count++;
	join(health, at, end + 1);

	if (health->lost_count > LOST_INTERVALS_MAX) {
		size_t closest = find_closest(health);

		join(health, closest, closest + 2);
	}
	return 0;
}

/* Beyond what the tracer admits to. */
static int64_t count_missing(const struct process_health *health, uint64_t threads)
{
	int64_t missing = health->missing_at_last - health->missing_at_first - health->lost_events;

	return missing > 0 && (uint64_t)missing > threads ? missing : 0;
}

int64_t process_health_lost_events(const struct process_health *health, uint64_t threads)
{
	return health->lost_events + (health->lost_events > 0 ? count_missing(health, threads) : 0);
}

uint64_t process_health_unaccounted(const struct process_health *health, uint64_t threads)
{
	return health->lost_events > 0 ? 0 : (uint64_t)count_missing(health, threads);
}
