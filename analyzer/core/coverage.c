#include "analyzer/core/coverage.h"

#include <errno.h>
#include <stdlib.h>

void coverage_fini(struct coverage *coverage)
{
	free(coverage->ring);
	*coverage = (struct coverage){0};
}

static struct interval *at(const struct coverage *coverage, uint64_t number)
{
	return &coverage->ring[number % COVERAGE_KEPT];
}

static uint64_t covered_by(const struct interval *interval)
{
	return interval->before_ns + (interval->end_ns - interval->begin_ns);
}

int coverage_add(struct coverage *coverage, uint64_t begin_ns, uint64_t end_ns)
{
	struct interval joined = {begin_ns, end_ns, 0};

	if (!coverage->ring) {
		coverage->ring = calloc(COVERAGE_KEPT, sizeof(*coverage->ring));
		if (!coverage->ring)
			return -ENOMEM;
	}
	/* Those that it continues or overlaps become one with it. */
	for (; coverage->next > coverage->oldest; coverage->next--) {
		const struct interval *last = at(coverage, coverage->next - 1);

		joined.before_ns = covered_by(last);
		if (last->end_ns < joined.begin_ns)
			break;
		joined.before_ns = last->before_ns;
		if (last->begin_ns < joined.begin_ns)
			joined.begin_ns = last->begin_ns;
		if (last->end_ns > joined.end_ns)
			joined.end_ns = last->end_ns;
	}
	if (coverage->next - coverage->oldest == COVERAGE_KEPT)
		coverage->oldest++;
	*at(coverage, coverage->next++) = joined;
	return 0;
}

void coverage_begin(struct coverage *coverage, uint64_t now_ns)
{
	if (!coverage->going_on++)
		coverage->since_ns = now_ns;
}

int coverage_end(struct coverage *coverage, uint64_t now_ns)
{
	if (!coverage->going_on || --coverage->going_on)
		return 0;
	return coverage_add(coverage, coverage->since_ns, now_ns);
}

const struct interval *coverage_last(const struct coverage *coverage)
{
	return coverage->next > coverage->oldest ? at(coverage, coverage->next - 1) : NULL;
}

/* How much of the time up to `to_ns` is covered by intervals that ended; what is forgotten counts as a constant. */
static uint64_t covered_until(const struct coverage *coverage, uint64_t to_ns)
{
	uint64_t low = coverage->oldest, high = coverage->next;
	const struct interval *interval;

	/* The first that does not begin before. */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (at(coverage, middle)->begin_ns < to_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == coverage->oldest)
		return at(coverage, low)->before_ns;
	interval = at(coverage, low - 1);
	return interval->before_ns + ((interval->end_ns < to_ns ? interval->end_ns : to_ns) - interval->begin_ns);
}

uint64_t coverage_overlap(const struct coverage *coverage, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t overlap_ns = 0;

	if (to_ns <= from_ns)
		return 0;
	if (coverage->next > coverage->oldest)
		overlap_ns = covered_until(coverage, to_ns) - covered_until(coverage, from_ns);
	if (coverage->going_on && to_ns > coverage->since_ns)
		overlap_ns += to_ns - (from_ns > coverage->since_ns ? from_ns : coverage->since_ns);
	return overlap_ns;
}
