/* Statistics of a client, from requests made by hand. */
#include "tests/unit/core/test.h"

#include "analyzer/core/requests.h"
#include "analyzer/core/stats.h"

#define ALL (1U << MOMENT_Q | 1U << MOMENT_L | 1U << MOMENT_J | 1U << MOMENT_N)

static struct client_stats stats;

static int setup(void **unused)
{
	(void)unused;
	stats = (struct client_stats){0};
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	stats_fini(&stats);
	return 0;
}

static struct request make(uint8_t kind, uint64_t s_ns, uint64_t length_bytes)
{
	struct request request = {.kind = kind, .length_bytes = length_bytes};

	moments_set(&request.moments, MOMENT_S, s_ns);
	return request;
}

static void complete(struct request *request, uint64_t c_ns, uint64_t d_ns, int64_t result)
{
	moments_set(&request->moments, MOMENT_C, c_ns);
	moments_set(&request->moments, MOMENT_D, d_ns);
	request->result = result;
	stats_completed(&stats, request, 0);
}

static void close_at(struct request *request, uint64_t a_ns, int want)
{
	moments_set(&request->moments, MOMENT_A, a_ns);
	assert_int_equal(stats_closed(&stats, request), want);
}

/* One request from S to its end. */
static void pass(uint8_t kind, uint64_t s_ns, uint64_t c_ns, uint64_t length_bytes, int64_t result)
{
	struct request request = make(kind, s_ns, length_bytes);

	assert_int_equal(stats_opened(&stats, &request, s_ns, 0), 0);
	complete(&request, c_ns, c_ns + 5, result);
	close_at(&request, c_ns + 8, 0);
}

static void test_counts(void **unused)
{
	const struct kind_stats *reads, *writes;

	(void)unused;
	pass(RBDPROF_READ, 1000, 2000, 4096, 4096);
	pass(RBDPROF_READ, 2000, 3000, 4096, 512); /* short, at the image's end */
	pass(RBDPROF_READ, 3000, 4000, 4096, 0);   /* rbd_read_iterate2 */
	pass(RBDPROF_READ, 4000, 5000, 4096, -EIO);
	pass(RBDPROF_WRITE, 4000, 6000, 8192, 0);
	pass(RBDPROF_WRITE, 4500, 6500, 8192, -EROFS);
	reads = stats.kinds[RBDPROF_READ];
	writes = stats.kinds[RBDPROF_WRITE];
	assert_int_equal(reads->completed, 4);
	assert_int_equal(reads->failed, 1);
	assert_int_equal(reads->bytes, 4096 + 512 + 4096);
	assert_int_equal(writes->completed, 2);
	assert_int_equal(writes->failed, 1);
	assert_int_equal(writes->bytes, 8192);
	assert_null(stats.kinds[RBDPROF_FLUSH]);
	assert_int_equal(reads->latency.count, 4);
	assert_int_equal(reads->latency.sum, 4000);
	assert_int_equal(reads->total.sum, 4 * 1008);
	assert_int_equal(reads->phases[PHASE_C2D].sum, 4 * 5);
	assert_int_equal(reads->phases[PHASE_D2A].sum, 4 * 3);
	/* 4 in 4000 ns are a million a second; 2 in 2500 ns 800000. */
	assert_true(fabs(kind_stats_iops(reads) - 1e6) < 1e-3);
	assert_true(fabs(kind_stats_iops(writes) - 8e5) < 1e-3);
	/* Latencies 4 × 1000 + 2 × 2000 over 1000 … 6500. */
	assert_true(fabs(client_stats_in_flight_mean(&stats) - 8000.0 / 5500) < 1e-9);
}

static void test_no_span(void **unused)
{
	(void)unused;
	assert_true(client_stats_in_flight_mean(&stats) == 0);
	pass(RBDPROF_FLUSH, 1000, 1000, 0, 0);
	assert_true(kind_stats_iops(stats.kinds[RBDPROF_FLUSH]) == 0);
	assert_true(client_stats_in_flight_mean(&stats) == 0);
	assert_int_equal(client_stats_in_flight_max(&stats), 1);
	assert_true(kind_stats_share(stats.kinds[RBDPROF_FLUSH], PHASE_C2D) == 5.0 / 8);
}

/* The sums of all phases are the sum of total, to the nanosecond, with moments missing here and there. */
static void test_phases_sum_exactly(void **unused)
{
	const struct kind_stats *kind;
	unsigned state = 1;
	uint64_t sum = 0;
	double shares = 0;

	(void)unused;
	for (int i = 0; i < 5000; i++) {
		struct request request = make(RBDPROF_WRITE, 1000 + (uint64_t)i * 100, 4096);
		uint64_t at_ns = request.moments.at_ns[MOMENT_S];

		assert_int_equal(stats_opened(&stats, &request, at_ns, 0), 0);
		request.moments.observable = i % 3 ? ALL : 0;
		for (unsigned moment = MOMENT_Q; moment < MOMENT_COUNT; moment++) {
			state = state * 1664525u + 1013904223u;
			at_ns += (state >> 8) % 100000;
			if (moment >= MOMENT_C || (state >> 28) % 3)
				moments_set(&request.moments, moment, at_ns);
		}
		stats_completed(&stats, &request, 0);
		assert_int_equal(stats_closed(&stats, &request), 0);
	}
	kind = stats.kinds[RBDPROF_WRITE];
	for (unsigned phase = 0; phase < PHASE_COUNT; phase++) {
		assert_in_range(kind->phases[phase].count, 1, 5000);
		sum += kind->phases[phase].sum;
		shares += kind_stats_share(kind, phase);
	}
	assert_int_equal(sum, kind->total.sum);
	assert_int_equal(kind->latency.sum + kind->phases[PHASE_C2D].sum + kind->phases[PHASE_D2A].sum, kind->total.sum);
	assert_true(fabs(shares - 1) < 1e-12);
	assert_int_equal(kind->phases[PHASE_C2D].count, 5000);
}

/* What was met with an anomaly counts, and is in no distribution. */
static void test_irregular(void **unused)
{
	struct request marked = make(RBDPROF_READ, 1000, 10), disordered = make(RBDPROF_READ, 1000, 10);

	(void)unused;
	assert_int_equal(stats_opened(&stats, &marked, 1000, 0), 0);
	assert_int_equal(stats_opened(&stats, &disordered, 1000, 0), 0);
	marked.irregular = 1;
	complete(&marked, 2000, 2000, 10);
	complete(&disordered, 2000, 2000, 10);
	moments_set(&disordered.moments, MOMENT_N, 2500);
	close_at(&marked, 2000, 0);
	close_at(&disordered, 2000, -ERANGE);
	assert_int_equal(stats.kinds[RBDPROF_READ]->completed, 2);
	assert_int_equal(stats.kinds[RBDPROF_READ]->irregular, 2);
	assert_int_equal(stats.kinds[RBDPROF_READ]->latency.count, 0);
	assert_int_equal(stats.kinds[RBDPROF_READ]->total.count, 0);
}

static void test_never_looked_at(void **unused)
{
	struct request request = make(RBDPROF_READ, 1000, 10);

	(void)unused;
	assert_int_equal(stats_opened(&stats, &request, 1000, 0), 0);
	complete(&request, 1300, 1400, 10);
	assert_int_equal(stats_closed(&stats, &request), 0);
	assert_int_equal(stats.kinds[RBDPROF_READ]->latency.sum, 300);
	assert_int_equal(stats.kinds[RBDPROF_READ]->total.count, 0);
	assert_int_equal(stats.kinds[RBDPROF_READ]->phases[PHASE_C2D].count, 0);
	assert_true(kind_stats_share(stats.kinds[RBDPROF_READ], PHASE_C2D) == 0);
}

/* One done from 1000 to 2000, one open since 1500: 1000 + 500 over a span of 1000. */
static void test_left_open(void **unused)
{
	struct request open = make(RBDPROF_READ, 1500, 10), after = make(RBDPROF_READ, 2100, 10);

	(void)unused;
	pass(RBDPROF_READ, 1000, 2000, 10, 10);
	assert_int_equal(stats_opened(&stats, &open, 1500, 0), 0);
	assert_int_equal(stats_opened(&stats, &after, 2100, 0), 0);
	stats_left_open(&stats, &open, 0, 1);
	stats_left_open(&stats, &after, 0, 1);
	assert_int_equal(stats.open_requests, 2);
	assert_true(fabs(client_stats_in_flight_mean(&stats) - 1.5) < 1e-12);
}

/* Made at 200, the recording began at 1000: latency is from 200, the span and its mean from 1000. */
static void test_made_before_the_recording(void **unused)
{
	struct request request = make(RBDPROF_READ, 200, 10), lost = make(RBDPROF_READ, 1200, 10);

	(void)unused;
	assert_int_equal(stats_opened(&stats, &request, 1100, 1000), 0);
	moments_set(&request.moments, MOMENT_C, 3000);
	moments_set(&request.moments, MOMENT_D, 3000);
	stats_completed(&stats, &request, 1000);
	close_at(&request, 3000, 0);
	assert_int_equal(stats.kinds[RBDPROF_READ]->latency.sum, 2800);
	assert_int_equal(stats.kinds[RBDPROF_READ]->first_s_ns, 1000);
	assert_true(fabs(kind_stats_iops(stats.kinds[RBDPROF_READ]) - 1e9 / 2000) < 1e-6);
	assert_true(fabs(client_stats_in_flight_mean(&stats) - 1) < 1e-12);
	/* Dropped: neither open nor in the mean. */
	assert_int_equal(stats_opened(&stats, &lost, 1200, 1000), 0);
	stats_dropped(&stats, 5000);
	assert_true(fabs(client_stats_in_flight_mean(&stats) - 1) < 1e-12);
	assert_int_equal(stats.open_requests, 0);
	assert_int_equal(stats.in_flight.now, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(counts),
		TEST(no_span),
		TEST(phases_sum_exactly),
		TEST(irregular),
		TEST(never_looked_at),
		TEST(left_open),
		TEST(made_before_the_recording),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
