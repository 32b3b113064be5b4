#include "analyzer/core/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BUCKET_BITS 6 /* HISTOGRAM_BUCKETS = 2^6 */

static unsigned row_of(uint64_t value)
{
	return value < HISTOGRAM_BUCKETS ? 0 : 63 - (unsigned)__builtin_clzll(value) - BUCKET_BITS + 1;
}

/* log2 of the width of the row's buckets */
static unsigned shift_of(unsigned row)
{
	return row ? row - 1 : 0;
}

static uint64_t middle_of(unsigned row, unsigned bucket)
{
	uint64_t base = row ? HISTOGRAM_BUCKETS : 0;
	uint64_t width = UINT64_C(1) << shift_of(row);

	return ((base + bucket) << shift_of(row)) + width / 2;
}

static uint64_t *row_get(struct histogram *histogram, unsigned row)
{
	if (!histogram->rows[row])
		histogram->rows[row] = calloc(HISTOGRAM_BUCKETS, sizeof(uint64_t));
	return histogram->rows[row];
}

void histogram_fini(struct histogram *histogram)
{
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		free(histogram->rows[row]);
	*histogram = (struct histogram){0};
}

int histogram_add(struct histogram *histogram, uint64_t value)
{
	unsigned row = row_of(value);
	uint64_t *buckets = row_get(histogram, row);

	if (!buckets)
		return -ENOMEM;
	buckets[(value >> shift_of(row)) % HISTOGRAM_BUCKETS]++;
	if (!histogram->count || value < histogram->min)
		histogram->min = value;
	if (!histogram->count || value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->sum += value;
	return 0;
}

int histogram_merge(struct histogram *into, const struct histogram *from)
{
	/* All rows first, so that a failure changes nothing. */
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		if (from->rows[row] && !row_get(into, row))
			return -ENOMEM;
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned bucket = 0; from->rows[row] && bucket < HISTOGRAM_BUCKETS; bucket++)
			into->rows[row][bucket] += from->rows[row][bucket];
	if (from->count && (!into->count || from->min < into->min))
		into->min = from->min;
	if (from->count && (!into->count || from->max > into->max))
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	return 0;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

uint64_t histogram_percentile(const struct histogram *histogram, double part)
{
	double rank = ceil(part * (double)histogram->count);
	uint64_t passed = 0;

	if (!histogram->count)
		return 0;
	if (rank >= (double)histogram->count)
		return histogram->max;
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned bucket = 0; histogram->rows[row] && bucket < HISTOGRAM_BUCKETS; bucket++) {
			passed += histogram->rows[row][bucket];
			if (passed && (double)passed >= rank)
				return clamp(middle_of(row, bucket), histogram->min, histogram->max);
		}
	return histogram->max;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : 0;
}

uint64_t histogram_zeros(const struct histogram *histogram)
{
	/* Values below HISTOGRAM_BUCKETS have a bucket each. */
	return histogram->rows[0] ? histogram->rows[0][0] : 0;
}
