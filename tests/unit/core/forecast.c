/* Forecasts from evidence made by hand: the formulas, and where nothing is forecast. */
#include "tests/unit/core/test.h"

#include "analyzer/core/forecast.h"

#define MS UINT64_C(1000000)

static struct ownership_result ownership;
static struct client client;
static struct image image;
static struct evidence evidence;
static struct verdict verdict;

/* Two owners. Requests that had the lock: by latency 8 × 6 / 200 µs, by arrivals 4 / 50 µs, between them √(240 000 × 80 000) with 8 in
 * flight. Of all, four took 40 ms, of which they waited for 32. */
static int setup(void **unused)
{
	(void)unused;
	ownership = (struct ownership_result){.owner_count = 2};
	client = (struct client){.claims.pace = {.requests = 6, .total_ns = 200000, .followed = 4, .span_ns = 50000}};
	image = (struct image){.clients = &client, .ownership_is = &ownership};
	evidence = (struct evidence){.image = &image, .in_flight_max = 8, .all = {.count = 4, .total_ns = 40 * MS}};
	evidence.all.ns[CLAIM_LOCK_PEER] = 32 * MS;
	verdict = (struct verdict){.cause = CAUSE_PINGPONG};
	return 0;
}

static void check(const char *what, double low, double high)
{
	verdict.forecast_count = 0;
	forecast(&evidence, &verdict);
	assert_int_equal(verdict.forecast_count, 1);
	assert_string_equal(verdict.forecasts[0].what, what);
	assert_float_equal(verdict.forecasts[0].iops_low, low, 1);
	assert_float_equal(verdict.forecasts[0].iops_high, high, 1);
}

static void check_none(void)
{
	verdict.forecast_count = 0;
	forecast(&evidence, &verdict);
	assert_int_equal(verdict.forecast_count, 0);
}

/* The ends of the narrow range differ by 1.65, of the wide one by 2.45. */
static void test_one_client(void **unused)
{
	double rate = sqrt(240e3 * 80e3);

	(void)unused;
	check("one-client", rate / sqrt(1.65), rate * sqrt(1.65));
	verdict.cause = CAUSE_STEAL_BY_FLUSH;
	check("one-client", rate / sqrt(1.65), rate * sqrt(1.65));
	/* 16 times as deep, by latency 16 times as many. */
	evidence.in_flight_max = 128;
	rate *= sqrt(16);
	check("one-client", rate / sqrt(2.45), rate * sqrt(2.45));
}

/* At least that: with one in flight, by latency an eighth of what it was; with four, half; with three owners. */
static void test_lower_bounds(void **unused)
{
	double rate = sqrt(30e3 * 80e3);

	(void)unused;
	evidence.in_flight_max = 1;
	check("one-client", rate, 2.45 * rate);
	rate = sqrt(120e3 * 80e3);
	evidence.in_flight_max = 4;
	check("one-client", rate, 1.65 * rate);
	ownership.owner_count = 3;
	check("one-client", rate, 2.45 * rate);
}

/* None had the lock when it was made: four without their waiting take 8 ms, so that 8 in flight make 4000 a second. */
static void test_all_parked(void **unused)
{
	(void)unused;
	client.claims.pace = (struct pace){0};
	check("one-client", 4000 / sqrt(1.65), 4000 * sqrt(1.65));
}

/*
 * Four that take 40 ms wait for the journal for 16: 6 ms each without it, with 6 in flight 1000 a second. With one append for two requests
 * the other operations are two thirds.
 */
static void test_no_journal(void **unused)
{
	(void)unused;
	verdict.cause = CAUSE_JOURNAL;
	ownership.owner_count = 1;
	evidence.all.ns[CLAIM_LOCK_PEER] = 0;
	evidence.all.ns[CLAIM_JOURNAL] = 16 * MS;
	evidence.in_flight = 6;
	evidence.completed = 4;
	image.journal.appends = 2;
	check("no-journal", 1000, 1500);
	image.journal.appends = 12;
	check("no-journal", 1000, 2450);
	image.ownership_is = NULL;
	check("no-journal", 1000, 2450);
	/* Where clients take the lock from each other the journal is not all that would change. */
	image.ownership_is = &ownership;
	ownership.owner_count = 2;
	check_none();
}

static void test_other_causes(void **unused)
{
	(void)unused;
	verdict.cause = CAUSE_OSD_STALLED;
	check_none();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_one_client, setup),   cmocka_unit_test_setup(test_lower_bounds, setup),
	    cmocka_unit_test_setup(test_all_parked, setup),   cmocka_unit_test_setup(test_no_journal, setup),
	    cmocka_unit_test_setup(test_other_causes, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
