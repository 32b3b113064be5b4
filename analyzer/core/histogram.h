/*
 * A distribution of unsigned 64-bit numbers, mostly durations in nanoseconds. It knows numbers only, not what they measure.
 *
 * Model. Values below 64 have a bucket each (row 0). Above, every power of two [2^k, 2^(k+1)) is one row of 64 buckets of equal
 * width 2^(k-6); a bucket stands for its middle. The middle is at most half a width from any value in the bucket, so the
 * error is at most 2^(k-7) on values of at least 2^k: 1/128 of the value, and none at all below 128. The range is all of
 * uint64_t (for nanoseconds: 0 to 584 years). A row takes 512 bytes and exists once a value fell into it; latencies between
 * 64 µs and 64 ms take ten rows. Count, sum, least and greatest are exact; a percentile never leaves [least, greatest].
 *
 * Example: 1000 lies in [512, 1024), whose buckets are 8 wide; its bucket is [1000, 1008) and its middle 1004, 0.4 per cent off.
 *
 * The sum wraps after 584 years of summed time, which is 6.8 days of a million requests in flight at once.
 */
#ifndef RBDPROF_ANALYZER_CORE_HISTOGRAM_H
#define RBDPROF_ANALYZER_CORE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 64 /* in a row */
#define HISTOGRAM_ROWS    59 /* row 0, and one for each power of two from 2^6 to 2^63 */

/* Zeroed memory is an empty histogram; count, sum, min and max may be read directly. */
struct histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t min; /* meaningless while count is 0, and so is max */
	uint64_t max;
	uint64_t *rows[HISTOGRAM_ROWS]; /* owned; NULL where no value fell */
};

/* Frees what the histogram owns and empties it; the struct itself is the caller's. */
void histogram_fini(struct histogram *histogram);

/* Adds one value. Returns 0, or -ENOMEM, and then nothing was added. */
int histogram_add(struct histogram *histogram, uint64_t value);

/* Adds all of `from` to `into`, exactly as if its values had been added there. Returns 0, or -ENOMEM, and then nothing was added. */
int histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * The value below or at which the given part (0 to 1) of the values lies: the ceil(part × count)-th smallest, the first
 * at least, within 1/128. 0 for an empty histogram: callers print null there.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double part);

/* How many of the values are 0; exact. */
uint64_t histogram_zeros(const struct histogram *histogram);

/* The exact mean; 0 for an empty histogram. */
double histogram_mean(const struct histogram *histogram);

#endif
