/* What held the lock up, by hand: owners that are killed, stopped, cut off or unwilling. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/ownership_text.h"

/* The owner is killed with an append on its way. Its peer is refused three times, and breaks the lock. */
static void test_killed_owner(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=20\n21 1 acquired until=25\n"
								      "30 1 effect request=1\n50 1 served request=1\n"
								      "55 1 effect request=9\n56 1 append\n"
								      "100 2 get_info until=105\n106 2 lock until=110 result=-16\n"
								      "120 2 request until=5000000130 result=-110\n"
								      "6000000000 2 get_info until=6000000010\n"
								      "6000000011 2 lock until=6000000020 result=-16\n"
								      "6000000030 2 get_info until=6000000040\n"
								      "6000001000 2 break until=6000001010 about=1\n"
								      "6000001011 2 lock until=6000001020\n"
								      "6000001030 2 acquired until=6000001090\n"
								      "6000001030 2 effect request=2\n6000001050 2 served request=2\n",
								      10, 6000002010);
	const struct incident *incident;

	(void)unused;
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->breaks, 1);
	assert_int_equal(result->failed_attempts, 2);
	assert_int_equal(result->request_timeouts, 1);
	assert_int_equal(result->incident_count, 2);
	incident = &result->incidents[0];
	assert_int_equal(incident->kind, INCIDENT_REQUEST_TIMEOUT);
	assert_int_equal(incident->client, 2);
	assert_int_equal(incident->other, 1);
	assert_int_equal(incident->waited_ns, 5000000010);
	assert_int_equal(incident->error, -ETIMEDOUT);
	incident = &result->incidents[1];
	assert_int_equal(incident->kind, INCIDENT_BREAK);
	assert_int_equal(incident->at_ns, 6000001010);
	assert_int_equal(incident->client, 2);
	assert_int_equal(incident->other, 1);
	assert_int_equal(incident->waited_ns, 6000001010 - 110);
	/* Its request that was never completed keeps nothing back. */
	assert_int_equal(result->handover.sum, 6000001050 - 50);
	assert_int_equal(result->steps[STEP_WAKE].sum, 6000000030 - 50);
	assert_int_equal(result->steps[STEP_GET_INFO].sum, 10);
	assert_int_equal(result->steps[STEP_UNLOCK].sum, 10);
	assert_int_equal(result->steps[STEP_LOCK].sum, 9);
	assert_int_equal(result->steps[STEP_LIBRBD].sum, (1000 - 40) + 1 + 10);
	assert_int_equal(ownership_text_owned(result, 1), 6000001000 - 20);
	assert_int_equal(result->unowned_ns, (20 - 10) + 20);
	ownership_text_done();
}

/* Stopped, and its lock broken; when it goes on its request is completed late, which is not served under the lock. */
static void test_stopped_owner(void **unused)
{
	const struct ownership_result *result =
	    ownership_text_result("10 1 lock until=20\n21 1 acquired until=25\n"
				  "30 1 effect request=1\n31 1 effect request=2\n50 1 served request=1\n"
				  "100 2 lock until=110 result=-16\n"
				  "120 2 break until=130 about=1\n131 2 lock until=140\n"
				  "141 2 acquired until=145\n"
				  "150 2 effect request=3\n160 2 served request=3\n"
				  "170 1 loses_watch result=-107\n"
				  "171 1 effect request=4\n"
				  "180 1 served request=2\n"
				  "185 1 unlock until=190 result=-2\n"
				  "200 2 unlock until=210\n",
				  10, 300);

	(void)unused;
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->watches_lost, 1);
	assert_int_equal(result->incidents[1].kind, INCIDENT_WATCH_LOST);
	assert_int_equal(result->incidents[1].client, 1);
	assert_int_equal(result->incidents[1].error, -107);
	assert_int_equal(result->handover.sum, 160 - 50);
	assert_int_equal(result->tenure_requests.sum, 3);
	assert_int_equal(ownership_text_owned(result, 1), 120 - 20);
	assert_int_equal(ownership_text_owned(result, 2), 200 - 140);
	ownership_text_done();
}

/* A lost watch ends a tenure, unless the lock goes on under a new one. */
static void test_lost_watch(void **unused)
{
	const struct ownership_result *result;

	(void)unused;
	result = ownership_text_result("10 1 lock until=20\n30 1 loses_watch result=-107\n50 1 set_cookie until=60\n90 1 unlock until=95\n",
				       10, 100);
	assert_int_equal(result->tenures, 1);
	assert_int_equal(ownership_text_owned(result, 1), 90 - 20);
	assert_int_equal(result->watches_lost, 1);
	ownership_text_done();
	result = ownership_text_result(
	    "10 1 lock until=20\n30 1 loses_watch result=-107\n50 1 unlock until=60\n62 1 lock until=70\n90 1 unlock until=95\n", 10, 100);
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->reacquired, 1);
	assert_int_equal(ownership_text_owned(result, 1), (30 - 20) + (90 - 70));
	assert_int_equal(result->unowned_ns, (20 - 10) + (70 - 30) + (100 - 90));
	ownership_text_done();
	result = ownership_text_result("10 1 lock until=20\n30 1 loses_watch result=-107\n", 10, 100);
	assert_int_equal(ownership_text_owned(result, 1), 30 - 20);
	ownership_text_done();
}

/* A manual owner refuses: told with who asked and for how long. */
static void test_refusal(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=20\n"
								      "30 2 lock until=40 result=-16\n42 2 request until=60\n"
								      "50 1 hears_request about=2\n51 1 answers result=-30\n"
								      "52 2 journal_notify until=5000000052 result=-110\n",
								      10, 5000000100);

	(void)unused;
	assert_int_equal(result->refusals, 1);
	assert_int_equal(result->incidents[0].kind, INCIDENT_REFUSED);
	assert_int_equal(result->incidents[0].client, 2);
	assert_int_equal(result->incidents[0].other, 1);
	assert_int_equal(result->incidents[0].error, -30);
	assert_int_equal(result->incidents[0].waited_ns, 51 - 40);
	assert_int_equal(result->notify_timeouts, 1);
	assert_int_equal(result->incidents[1].kind, INCIDENT_NOTIFY_TIMEOUT);
	assert_int_equal(result->incidents[1].waited_ns, 5000000000);
	ownership_text_done();
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_owner),
		cmocka_unit_test(test_stopped_owner),
		cmocka_unit_test(test_lost_watch),
		cmocka_unit_test(test_refusal),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
