/* The histogram against plain arithmetic on sorted arrays. */
#include "tests/unit/core/test.h"

#include "analyzer/core/histogram.h"

#define VALUES 20000

/* A generator of our own, so that a failure can be repeated. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Percentiles of n values, which are sorted on the way, and of their histogram. */
static void check(uint64_t *values, size_t n)
{
	static const double parts[] = {0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
	struct histogram histogram = {0};
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(histogram_add(&histogram, values[i]), 0);
		sum += values[i];
	}
	qsort(values, n, sizeof(*values), ascending);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t rank = (size_t)ceil(parts[i] * (double)n);
		uint64_t exact = values[rank ? rank - 1 : 0];
		uint64_t seen = histogram_percentile(&histogram, parts[i]);
		uint64_t error = seen > exact ? seen - exact : exact - seen;

		/* error <= exact / 128, without rounding */
		if (error > exact / 128)
			fail_msg("part %g: %llu, not %llu", parts[i], (unsigned long long)seen, (unsigned long long)exact);
	}
	assert_int_equal(histogram.count, n);
	assert_int_equal(histogram.sum, sum);
	assert_int_equal(histogram.min, values[0]);
	assert_int_equal(histogram.max, values[n - 1]);
	histogram_fini(&histogram);
}

static void test_uniform(void **unused)
{
	static uint64_t values[VALUES];
	uint64_t state = 88172645463325252u;

	(void)unused;
	for (size_t i = 0; i < VALUES; i++)
		values[i] = next_random(&state) % 1000000;
	check(values, VALUES);
}

/* All magnitudes alike, as latencies with stalls are. */
static void test_all_magnitudes(void **unused)
{
	static uint64_t values[VALUES];
	uint64_t state = 88172645463325252u;

	(void)unused;
	for (size_t i = 0; i < VALUES; i++)
		values[i] = next_random(&state) >> (next_random(&state) % 64);
	check(values, VALUES);
}

/* Around each power of two the width of the buckets changes. */
static void test_edges(void **unused)
{
	(void)unused;
	for (unsigned k = 0; k < 64; k++)
		for (int around = -1; around <= 1; around++) {
			uint64_t value = (UINT64_C(1) << k) + (uint64_t)around;

			check(&value, 1);
		}
	check((uint64_t[]){0}, 1);
	check((uint64_t[]){UINT64_MAX}, 1);
}

/* Below 128 a bucket is one value, so every percentile is exact. */
static void test_small_values_are_exact(void **unused)
{
	struct histogram histogram = {0};

	(void)unused;
	for (uint64_t value = 0; value < 128; value++)
		assert_int_equal(histogram_add(&histogram, value), 0);
	for (uint64_t rank = 1; rank <= 128; rank++)
		assert_int_equal(histogram_percentile(&histogram, (double)rank / 128), rank - 1);
	histogram_fini(&histogram);
}

/* The example of the header: 1000 stands in [1000, 1008), whose middle is 1004. */
static void test_example(void **unused)
{
	struct histogram histogram = {0};

	(void)unused;
	assert_int_equal(histogram_add(&histogram, 1000), 0);
	assert_int_equal(histogram_add(&histogram, 1007), 0);
	assert_int_equal(histogram_percentile(&histogram, 0.5), 1004);
	assert_int_equal(histogram_percentile(&histogram, 1), 1007);
	assert_true(histogram_mean(&histogram) == 1003.5);
	histogram_fini(&histogram);
}

static void test_empty(void **unused)
{
	struct histogram histogram = {0};

	(void)unused;
	assert_int_equal(histogram_percentile(&histogram, 0.5), 0);
	assert_true(histogram_mean(&histogram) == 0);
	assert_int_equal(histogram_zeros(&histogram), 0);
	histogram_fini(&histogram);
}

static void test_zeros(void **unused)
{
	static const uint64_t values[] = {0, 1, 0, 63, 64, 0, 5000};
	struct histogram histogram = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_int_equal(histogram_add(&histogram, values[i]), 0);
	assert_int_equal(histogram_zeros(&histogram), 3);
	histogram_fini(&histogram);
}

/* Rows come with the values: 70 lies in [64, 128), row 1; 1000 in [512, 1024), row 4. */
static void test_rows_are_lazy(void **unused)
{
	struct histogram histogram = {0};

	(void)unused;
	assert_int_equal(histogram_add(&histogram, 70), 0);
	assert_int_equal(histogram_add(&histogram, 1000), 0);
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		assert_int_equal(histogram.rows[row] != NULL, row == 1 || row == 4);
	histogram_fini(&histogram);
}

static void test_merge(void **unused)
{
	struct histogram all = {0}, parts[2] = {{0}, {0}}, merged = {0};
	uint64_t state = 2463534242;

	(void)unused;
	for (size_t i = 0; i < VALUES; i++) {
		uint64_t value = next_random(&state) >> (next_random(&state) % 60);

		assert_int_equal(histogram_add(&all, value), 0);
		assert_int_equal(histogram_add(&parts[i % 2], value), 0);
	}
	assert_int_equal(histogram_merge(&merged, &(struct histogram){0}), 0);
	assert_int_equal(histogram_merge(&merged, &parts[0]), 0);
	assert_int_equal(histogram_merge(&merged, &parts[1]), 0);
	assert_int_equal(histogram_merge(&merged, &(struct histogram){0}), 0);
	assert_int_equal(merged.count, all.count);
	assert_int_equal(merged.sum, all.sum);
	assert_int_equal(merged.min, all.min);
	assert_int_equal(merged.max, all.max);
	for (int permille = 0; permille <= 1000; permille++)
		assert_int_equal(histogram_percentile(&merged, permille / 1e3), histogram_percentile(&all, permille / 1e3));
	histogram_fini(&all);
	histogram_fini(&parts[0]);
	histogram_fini(&parts[1]);
	histogram_fini(&merged);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uniform),
		cmocka_unit_test(test_all_magnitudes),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_small_values_are_exact),
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_rows_are_lazy),
		cmocka_unit_test(test_merge),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
