#include "analyzer/core/stalls.h"

#include <stddef.h>

void stalls_fini(struct stalls *stalls)
{
	coverage_fini(&stalls->standing);
}

void stalls_opened(struct stalls *stalls, uint64_t s_ns)
{
	if (!stalls->in_flight++ && s_ns > stalls->progress_ns) {
		if (stalls->progress_ns)
			stalls->idle_ns += s_ns - stalls->progress_ns;
		stalls->progress_ns = s_ns;
	}
}

/* The place of a stall that is longer than some that are kept; NULL when it is not. */
static struct stall *place_for(struct stalls *stalls, uint64_t length_ns)
{
	struct stall *shortest = &stalls->kept[0];

	if (stalls->kept_count < STALLS_KEPT)
		return &stalls->kept[stalls->kept_count++];
	for (struct stall *stall = stalls->kept; stall < stalls->kept + STALLS_KEPT; stall++)
		if (stall->end_ns - stall->begin_ns < shortest->end_ns - shortest->begin_ns)
			shortest = stall;
	return shortest->end_ns - shortest->begin_ns < length_ns ? shortest : NULL;
}

static int stood_still(struct stalls *stalls, uint64_t begin_ns, uint64_t end_ns)
{
	struct stall *stall = place_for(stalls, end_ns - begin_ns);

	stalls->count++;
	stalls->sum_ns += end_ns - begin_ns;
	if (stall)
		*stall = (struct stall){.begin_ns = begin_ns, .end_ns = end_ns, .in_flight = stalls->in_flight};
	return coverage_add(&stalls->standing, begin_ns, end_ns);
}

static int is_stall(const struct stalls *stalls, uint64_t length_ns)
{
	if (length_ns < STALL_LEAST_NS)
		return 0;
	return stalls->completed < STALL_USUAL || length_ns / STALL_UNUSUAL >= stalls->busy_ns / stalls->completed;
}

int stalls_completed(struct stalls *stalls, uint64_t c_ns)
{
	uint64_t length_ns = c_ns > stalls->progress_ns ? c_ns - stalls->progress_ns : 0;
	int status = 0;

	if (is_stall(stalls, length_ns))
		status = stood_still(stalls, stalls->progress_ns, c_ns);
	else
		stalls->busy_ns += length_ns;
	stalls->progress_ns += length_ns;
	stalls->completed++;
	stalls_dropped(stalls);
	return status;
}

void stalls_dropped(struct stalls *stalls)
{
	if (stalls->in_flight)
		stalls->in_flight--;
}

/* The phase of the request in which most of the stall falls. */
static enum phase phase_at(const struct moments *moments, const struct phase_split *split, const struct stall *stall)
{
	uint64_t at_ns = moments->at_ns[MOMENT_S], longest_ns = 0;
	enum phase longest = PHASE_OTHER;

	/* `other` can lie anywhere: with it the phases behind are not where they seem. */
	for (enum phase phase = 0; phase < PHASE_COUNT && !split->ns[PHASE_OTHER]; phase++) {
		uint64_t begin_ns = at_ns > stall->begin_ns ? at_ns : stall->begin_ns, end_ns;

		at_ns += split->ns[phase];
		end_ns = at_ns < stall->end_ns ? at_ns : stall->end_ns;
		if (end_ns <= begin_ns || end_ns - begin_ns <= longest_ns)
			continue;
		longest_ns = end_ns - begin_ns;
		longest = phase;
	}
	return longest;
}

void stalls_held(struct stalls *stalls, const struct moments *moments, const struct phase_split *split)
{
	for (struct stall *stall = stalls->kept; stall < stalls->kept + stalls->kept_count; stall++)
		if (moments->at_ns[MOMENT_S] < stall->end_ns && moments->at_ns[MOMENT_C] > stall->begin_ns)
			stall->requests[phase_at(moments, split, stall)]++;
}

int stalls_finish(struct stalls *stalls, uint64_t end_ns)
{
	uint64_t length_ns = end_ns > stalls->progress_ns ? end_ns - stalls->progress_ns : 0;

	return stalls->in_flight && is_stall(stalls, length_ns) ? stood_still(stalls, stalls->progress_ns, end_ns) : 0;
}

double stalls_idle_share(const struct stalls *stalls)
{
	uint64_t span_ns = stalls->idle_ns + stalls->busy_ns + stalls->sum_ns;

	return span_ns ? (double)stalls->idle_ns / (double)span_ns : 0;
}
