#include "analyzer/core/spells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The width to begin with: an eighth of a second. */
#define WIDTH_NS UINT64_C(125000000)

/* So many requests tell a slice's mean, and so many slices what is usual. */
#define ENOUGH_REQUESTS 8
#define ENOUGH_SLICES   8

#define SLOW      3.0       /* times the usual */
#define LESS      (2.0 / 3) /* of the usual requests: with more, they have each other to wait for */
#define SAME_SIZE 2.0       /* times the bytes; larger requests take longer */

void spells_fini(struct spells *spells)
{
	free(spells->slices[0]);
	free(spells->slices[1]);
	*spells = (struct spells){0};
}

static void halve(struct slice *slices)
{
	if (!slices)
		return;
	for (unsigned i = 0; i < SPELLS_SLICES / 2; i++) {
		const struct slice *one = &slices[2 * i], *other = &slices[2 * i + 1];

		slices[i] = (struct slice){one->requests + other->requests, one->network_ns + other->network_ns, one->bytes + other->bytes};
	}
	memset(slices + SPELLS_SLICES / 2, 0, SPELLS_SLICES / 2 * sizeof(*slices));
}

int spells_add(struct spells *spells, int reads, uint64_t c_ns, uint64_t network_ns, uint64_t bytes)
{
	struct slice **slices = &spells->slices[!!reads], *slice;
	uint64_t since_ns;

	if (!spells->slices[0] && !spells->slices[1])
		spells->origin_ns = c_ns;
	if (!*slices)
		*slices = calloc(SPELLS_SLICES, sizeof(**slices));
	if (!*slices)
		return -ENOMEM;
	since_ns = c_ns > spells->origin_ns ? c_ns - spells->origin_ns : 0;
	while (since_ns / WIDTH_NS >> spells->doublings >= SPELLS_SLICES) {
		halve(spells->slices[0]);
		halve(spells->slices[1]);
		spells->doublings++;
	}
	slice = &(*slices)[since_ns / WIDTH_NS >> spells->doublings];
	slice->requests++;
	slice->network_ns += network_ns;
	slice->bytes += bytes;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double mean_ns(const struct slice *slice)
{
	return (double)slice->network_ns / (double)slice->requests;
}

static int same_size(const struct slice *one, const struct slice *other)
{
	double bytes = (double)one->bytes / (double)one->requests, others = (double)other->bytes / (double)other->requests;

	return bytes <= SAME_SIZE * others && others <= SAME_SIZE * bytes;
}

/* What slices of requests of the same size are like when nothing is slow: their lower quartile of means, and the upper one of counts. 0
 * when there are too few. */
struct usual {
	double ns, requests;
};

static struct usual usual_of(const struct slice *slices, const struct slice *like)
{
	double ns[SPELLS_SLICES], requests[SPELLS_SLICES];
	unsigned count = 0;

	for (const struct slice *slice = slices; slice < slices + SPELLS_SLICES; slice++) {
		if (slice->requests < ENOUGH_REQUESTS || !same_size(slice, like))
			continue;
		ns[count] = mean_ns(slice);
		requests[count++] = (double)slice->requests;
	}
	if (count < ENOUGH_SLICES)
		return (struct usual){0};
	qsort(ns, count, sizeof(*ns), by_value);
	qsort(requests, count, sizeof(*requests), by_value);
	return (struct usual){ns[(count - 1) / 4], requests[count - 1 - (count - 1) / 4]};
}

/* What the slice's requests stood there longer than usual; 0 when it is not slow. */
static double lost_ns(const struct slice *slices, const struct slice *slice)
{
	struct usual usual;

	if (slice->requests < ENOUGH_REQUESTS)
		return 0;
	usual = usual_of(slices, slice);
	if (usual.ns <= 0 || mean_ns(slice) < SLOW * usual.ns || (double)slice->requests > LESS * usual.requests)
		return 0;
	return (mean_ns(slice) - usual.ns) * (double)slice->requests;
}

void spells_sum(const struct spells *spells, struct spells_slow *slow)
{
	uint64_t width_ns = WIDTH_NS << spells->doublings, slow_ns = 0;
	uint8_t seen[SPELLS_SLICES] = {0};

	for (unsigned reads = 0; reads < 2; reads++) {
		const struct slice *slices = spells->slices[reads];

		for (unsigned i = 0; slices && i < SPELLS_SLICES; i++) {
			double lost = lost_ns(slices, &slices[i]);

			if (lost <= 0)
				continue;
			slow->lost_ns += (uint64_t)lost;
			slow_ns += seen[i]++ ? 0 : width_ns;
			if (!slow->begin_ns || spells->origin_ns + i * width_ns < slow->begin_ns)
				slow->begin_ns = spells->origin_ns + i * width_ns;
		}
	}
	if (slow_ns > slow->slow_ns)
		slow->slow_ns = slow_ns;
}
