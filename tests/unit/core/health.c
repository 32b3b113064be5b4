/* Counting what was read, lost and contradictory. */
#include "tests/unit/core/test.h"

#include "analyzer/core/health.h"

static void test_anomalies(void **unused)
{
	struct health health = {0};

	(void)unused;
	health_count(&health, ANOMALY_NEGATIVE_PHASE);
	health_count(&health, ANOMALY_NEGATIVE_PHASE);
	for (unsigned i = 0; i < ANOMALY_COUNT; i++) {
		assert_non_null(anomaly_name(i));
		assert_int_equal(health.anomalies[i], i == ANOMALY_NEGATIVE_PHASE ? 2 : 0);
	}
	assert_string_equal(anomaly_name(ANOMALY_NEGATIVE_PHASE), "negative_phase");
	health_fini(&health);
}

static void test_unseen_once(void **unused)
{
	struct health health = {0};

	(void)unused;
	assert_int_equal(health_unseen(&health, "rbd_aio_new"), 0);
	assert_int_equal(health_unseen(&health, "rbd_new"), 0);
	assert_int_equal(health_unseen(&health, "rbd_aio_new"), 0);
	assert_int_equal(HASH_COUNT(health.unseen), 2);
	assert_string_equal(health.unseen->function, "rbd_aio_new");
	health_fini(&health);
}

static void test_time(void **unused)
{
	struct process_health health = {0};

	(void)unused;
	assert_int_equal(process_health_event(&health, 50), 0);
	assert_int_equal(process_health_event(&health, 50), 0);
	assert_int_equal(process_health_event(&health, 40), -ERANGE);
	assert_int_equal(process_health_event(&health, 60), 0);
	assert_int_equal(health.events, 4);
	assert_int_equal(health.first_ns, 50);
	assert_int_equal(health.last_ns, 60);
}

static void check_interval(const struct process_health *health, size_t i, uint64_t begin_ns, uint64_t end_ns, int64_t events)
{
	assert_in_range(i, 0, health->lost_count - 1);
	assert_int_equal(health->lost[i].begin_ns, begin_ns);
	assert_int_equal(health->lost[i].end_ns, end_ns);
	assert_int_equal(health->lost[i].events, events);
}

static void test_lost_intervals(void **unused)
{
	struct process_health health = {0};

	(void)unused;
	assert_int_equal(process_health_lost(&health, 300, 400, 5), 0);
	assert_int_equal(process_health_lost(&health, 100, 200, 7), 0);
	check_interval(&health, 0, 100, 200, 7);
	check_interval(&health, 1, 300, 400, 5);
	/* Touches both. */
	assert_int_equal(process_health_lost(&health, 200, 300, 1), 0);
	assert_int_equal(health.lost_count, 1);
	check_interval(&health, 0, 100, 400, 13);
	/* Within. */
	assert_int_equal(process_health_lost(&health, 150, 160, 2), 0);
	assert_int_equal(health.lost_count, 1);
	check_interval(&health, 0, 100, 400, 15);
	assert_int_equal(health.lost_events, 15);
	process_health_fini(&health);
}

/* The tracer's counts are differences: here 2183 and −2183 in turn, as measured, then 17. */
static void test_counts_that_wrap(void **unused)
{
	struct process_health health = {0};

	(void)unused;
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(process_health_lost(&health, i * 10, i * 10 + 5, i % 2 ? -UINT64_C(2183) : 2183), 0);
	assert_int_equal(health.lost_events, 0);
	assert_int_equal(process_health_lost(&health, 1000, 1001, 17), 0);
	assert_int_equal(health.lost_events, 17);
	process_health_fini(&health);
}

/* However long losses go on, the intervals are bounded, in order, and their sum is right. */
static void test_bounded(void **unused)
{
	struct process_health health = {0};
	int64_t sum = 0;

	(void)unused;
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(process_health_lost(&health, i * 1000, i * 1000 + i % 7, 3), 0);
	assert_int_equal(health.lost_count, LOST_INTERVALS_MAX);
	for (size_t i = 0; i < health.lost_count; i++) {
		sum += health.lost[i].events;
		assert_true(health.lost[i].begin_ns <= health.lost[i].end_ns);
		assert_true(!i || health.lost[i - 1].end_ns < health.lost[i].begin_ns);
	}
	assert_int_equal(sum, 30000);
	assert_int_equal(health.lost[0].begin_ns, 0);
	process_health_fini(&health);
}

/* 100 events before the recording, 10 read and all said; then 50 emitted, 30 read: 20 are missing. Where the tracer admits to 8, which may have been
 * batches, they are lost. */
static void test_unaccounted(void **unused)
{
	struct process_health health = {0};

	(void)unused;
	for (int i = 0; i < 10; i++)
		process_health_event(&health, 1);
	process_health_totals(&health, 110, 0);
	for (int i = 0; i < 30; i++)
		process_health_event(&health, 2);
	process_health_totals(&health, 160, 4);
	assert_int_equal(process_health_unaccounted(&health, 2), 20);
	assert_int_equal(process_health_lost_events(&health, 2), 0);
	assert_int_equal(health.passed_through, 4);
	/* Twenty threads may have had one event each on the way. */
	assert_int_equal(process_health_unaccounted(&health, 20), 0);
	assert_int_equal(process_health_lost(&health, 1, 2, 8), 0);
	assert_int_equal(process_health_unaccounted(&health, 2), 0);
	assert_int_equal(process_health_lost_events(&health, 2), 20);
	assert_int_equal(process_health_lost_events(&health, 12), 8);
	/* More was admitted than is missing. */
	assert_int_equal(process_health_lost(&health, 1, 2, 100), 0);
	assert_int_equal(process_health_unaccounted(&health, 2), 0);
	assert_int_equal(process_health_lost_events(&health, 2), 108);
	process_health_fini(&health);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anomalies),
		cmocka_unit_test(test_unseen_once),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_lost_intervals),
		cmocka_unit_test(test_counts_that_wrap),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_unaccounted),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
