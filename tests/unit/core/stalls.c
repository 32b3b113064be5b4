/* Times in which nothing was completed: what is one, how long, what it held up, and how long nothing was asked for. */
#include "tests/unit/core/test.h"

#include "analyzer/core/stalls.h"

#define MS UINT64_C(1000000)

static struct stalls stalls;

static int setup(void **unused)
{
	(void)unused;
	stalls = (struct stalls){0};
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	stalls_fini(&stalls);
	return 0;
}

static void complete(uint64_t c_ms)
{
	assert_int_equal(stalls_completed(&stalls, c_ms * MS), 0);
}

/* From begin_ms on, requests that follow each other without a pause, so many ms each. Returns when the last was over. */
static uint64_t series(uint64_t begin_ms, unsigned count, uint64_t each_ms)
{
	for (unsigned i = 0; i < count; i++) {
		stalls_opened(&stalls, begin_ms * MS);
		begin_ms += each_ms;
		complete(begin_ms);
	}
	return begin_ms;
}

/* 20 × 1 ms, two that take 500, nothing for 100, and one more of 1 ms: idle for 100 of 20 + 500 + 100 + 1. */
static void test_one(void **unused)
{
	(void)unused;
	assert_int_equal(series(1000, 20, 1), 1020);
	stalls_opened(&stalls, 1020 * MS);
	stalls_opened(&stalls, 1020 * MS);
	complete(1520);
	complete(1520);
	series(1620, 1, 1);
	assert_int_equal(stalls.count, 1);
	assert_int_equal(stalls.sum_ns, 500 * MS);
	assert_int_equal(stalls.kept[0].begin_ns, 1020 * MS);
	assert_int_equal(stalls.kept[0].end_ns, 1520 * MS);
	assert_int_equal(stalls.kept[0].in_flight, 2);
	assert_int_equal(coverage_overlap(&stalls.standing, 0, 1200 * MS), 180 * MS);
	assert_float_equal(stalls_idle_share(&stalls), 100.0 / 621, 1e-9);
}

/* Where 20 ms is usual, 50 times that is a stall and 900 ms is none. */
static void test_usual(void **unused)
{
	uint64_t at_ms = series(1000, 20, 20);

	(void)unused;
	at_ms = series(at_ms, 1, 900);
	assert_int_equal(stalls.count, 0);
	/* Usual is now 1300 / 21 = 61.9 ms: 50 times that is 3095.2. */
	at_ms = series(at_ms, 1, 3095);
	assert_int_equal(stalls.count, 0);
	stalls = (struct stalls){0};
	at_ms = series(1000, 20, 20);
	series(at_ms, 1, 1000);
	assert_int_equal(stalls.count, 1);
}

static void test_at_the_end(void **unused)
{
	(void)unused;
	stalls_opened(&stalls, 1000 * MS);
	assert_int_equal(stalls_finish(&stalls, 1399 * MS), 0);
	assert_int_equal(stalls.count, 0);
	assert_int_equal(stalls_finish(&stalls, 1400 * MS), 0);
	assert_int_equal(stalls.count, 1);
	assert_int_equal(stalls.kept[0].in_flight, 1);
}

/* With nothing in flight nothing stands still. */
static void test_nothing_in_flight(void **unused)
{
	(void)unused;
	stalls_opened(&stalls, 1000 * MS);
	stalls_dropped(&stalls);
	assert_int_equal(stalls_finish(&stalls, 9000 * MS), 0);
	assert_int_equal(stalls.count, 0);
}

/* 100 ms before it and 480 in it: the latter are n2c. What was over before it was not held up. */
static void test_held_up(void **unused)
{
	struct moments held = {0}, before = {0};
	struct phase_split split = {.ns = {[PHASE_J2N] = 100 * MS, [PHASE_N2C] = 480 * MS}};

	(void)unused;
	stalls_opened(&stalls, 1000 * MS);
	complete(1500);
	moments_set(&held, MOMENT_S, 920 * MS);
	moments_set(&held, MOMENT_C, 1500 * MS);
	stalls_held(&stalls, &held, &split);
	moments_set(&before, MOMENT_S, 400 * MS);
	moments_set(&before, MOMENT_C, 980 * MS);
	stalls_held(&stalls, &before, &split);
	assert_int_equal(stalls.kept[0].requests[PHASE_N2C], 1);
	assert_int_equal(stalls.kept[0].requests[PHASE_J2N], 0);
}

/* Of 17, 400 to 416 ms long, the shortest is not kept. */
static void test_longest_kept(void **unused)
{
	uint64_t shortest_ns = UINT64_MAX;

	(void)unused;
	for (unsigned i = 0; i <= STALLS_KEPT; i++)
		series(1000 * (i + 1), 1, 400 + i);
	assert_int_equal(stalls.count, STALLS_KEPT + 1);
	for (unsigned i = 0; i < STALLS_KEPT; i++)
		if (stalls.kept[i].end_ns - stalls.kept[i].begin_ns < shortest_ns)
			shortest_ns = stalls.kept[i].end_ns - stalls.kept[i].begin_ns;
	assert_int_equal(shortest_ns, 401 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_one, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_usual, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_at_the_end, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_nothing_in_flight, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_held_up, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_longest_kept, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
