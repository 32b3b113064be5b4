/* Who owned the lock, by hand: tables of what clients did, and arithmetic on their times. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/ownership_text.h"

static void test_never_used(void **unused)
{
	(void)unused;
	assert_null(ownership_text_result("10 1 opens\n20 1 refresh until=30\n90 1 closes\n", 5, 100));
	ownership_text_done();
}

/* The lock is free for the first that asks: nobody had it before. Its last tenure ends with its close. */
static void test_one_client(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 opens\n"
								      "20 1 get_info until=25\n"
								      "26 1 lock until=30\n"
								      "31 1 usable\n"
								      "32 1 acquired until=40\n"
								      "35 1 effect request=1\n"
								      "36 1 effect request=2\n"
								      "50 1 served request=2 c=45 bytes=4096\n"
								      "60 1 served request=1 c=48 bytes=512\n"
								      "80 1 closes\n",
								      5, 125);

	(void)unused;
	assert_int_equal(result->tenures, 1);
	assert_int_equal(result->handovers, 0);
	assert_int_equal(result->handover.count, 0);
	assert_int_equal(result->tenure.count, 1);
	assert_int_equal(result->tenure.sum, 80 - 30);
	assert_int_equal(result->tenure_requests.sum, 2);
	assert_int_equal(result->tenure_bytes.sum, 4608);
	assert_int_equal(result->serving_ns, 48 - 45);
	assert_int_equal(ownership_text_owned(result, 1), 80 - 30);
	assert_int_equal(result->unowned_ns, (30 - 5) + (125 - 80));
	assert_int_equal(result->unknown_ns, 0);
	assert_int_equal(result->failed_attempts, 0);
	assert_int_equal(result->slices[0], 0);
	assert_int_equal(result->slices[60], 1); /* 65 */
	assert_int_equal(result->slices[119], 0);
	assert_int_equal(result->sequence_count, 1);
	assert_int_equal(result->sequence[0].client, 1);
	assert_int_equal(result->sequence[0].begin_ns, 30);
	assert_int_equal(result->sequence[0].end_ns, 80);
	assert_int_equal(result->sequence[0].requests, 2);
	assert_int_equal(result->sequence[0].replay_bytes, 0);
	assert_int_equal(result->sequence[0].traced, 1);
	ownership_text_done();
}

/* A whole handover of a journaled image with an object map; D of the old owner's last request comes long after the lock is gone. */
static const char handover[] = "10 1 opens\n10 2 opens\n"
			       "20 1 lock until=30\n32 1 acquired until=39\n"
			       "40 1 effect request=1\n"
			       "41 1 append until=49\n"
			       "60 2 lock until=66 result=-16\n"
			       "70 2 request until=75\n"
			       "72 1 hears_request about=2\n"
			       "73 1 answers\n"
			       /* Giving up, from the last completion at 100. */
			       "98 1 append until=112\n"
			       "114 1 journal_commit until=120\n"
			       "119 1 journal_read until=130\n"
			       "130 1 unwatch until=136\n"
			       "140 1 map_unlock until=150\n"
			       "152 1 unlock until=160\n"
			       "161 1 released until=180\n"
			       "168 2 hears_released about=1\n"
			       "170 2 get_info until=175\n"
			       "176 2 lock until=190\n"
			       /* Taking over. */
			       "193 2 refresh until=200\n"
			       "200 2 map_lock until=210\n"
			       "211 2 journal_read until=220\n"
			       "220 2 replay_read until=230 bytes=3000000\n"
			       "221 2 replay_read until=225 bytes=1000000\n"
			       "250 2 journal_commit until=260\n"
			       "270 2 tag_create until=275\n"
			       "275 2 journal_notify until=290\n"
			       "276 2 journal_read until=299\n"
			       "292 2 usable\n"
			       "293 2 acquired until=310\n"
			       "300 2 effect request=2\n"
			       "330 2 served request=2 c=320 bytes=4096\n"
			       "500 1 served request=1 c=100 bytes=4096\n"
			       "600 2 unlock until=610\n";

static void test_handover(void **unused)
{
	const struct ownership_result *result = ownership_text_result(handover, 1, 1001);

	(void)unused;
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->reacquired, 0);
	assert_int_equal(result->failed_attempts, 1);
	assert_int_equal(result->handover.count, 1);
	assert_int_equal(result->handover.sum, 320 - 100);
	assert_int_equal(result->steps[STEP_DRAIN].sum, 112 - 100);
	assert_int_equal(result->steps[STEP_JOURNAL_CLOSE].sum, 136 - 114);
	assert_int_equal(result->steps[STEP_OBJECT_MAP_CLOSE].sum, 150 - 140);
	assert_int_equal(result->steps[STEP_UNLOCK].sum, 160 - 152);
	assert_int_equal(result->steps[STEP_NOTICE].sum, 168 - 161);
	assert_int_equal(result->steps[STEP_WAKE].sum, 170 - 168);
	assert_int_equal(result->steps[STEP_GET_INFO].sum, 175 - 170);
	assert_int_equal(result->steps[STEP_LOCK].sum, 190 - 176);
	assert_int_equal(result->steps[STEP_REFRESH].sum, 200 - 193);
	assert_int_equal(result->steps[STEP_OBJECT_MAP].sum, 210 - 200);
	assert_int_equal(result->steps[STEP_JOURNAL_OPEN].sum, 220 - 211);
	/* With what it does between its operations, and its own commit. */
	assert_int_equal(result->steps[STEP_REPLAY].sum, 270 - 220);
	assert_int_equal(result->steps[STEP_TAG].sum, 290 - 270);
	assert_int_equal(result->steps[STEP_FIRST_OPERATION].sum, 300 - 293);
	assert_int_equal(result->steps[STEP_FIRST_COMPLETION].sum, 320 - 300);
	assert_int_equal(result->steps[STEP_LIBRBD].sum,
			 (114 - 112) + (140 - 136) + (152 - 150) + (161 - 160) + (176 - 175) + (193 - 190) + (211 - 210) + (293 - 290));
	/* 4 000 000 bytes are up to 4 MiB. */
	assert_int_equal(result->replay[3].handovers, 1);
	assert_int_equal(result->replay[3].handover.sum, 220);
	assert_int_equal(result->replay[3].replay.sum, 50);
	/* Usable when ACQUIRED was sent, since nothing said it of the first. */
	assert_int_equal(result->tenure_until_asked.sum, 72 - 30);
	assert_int_equal(result->tenure_drain.sum, 152 - 72);
	assert_int_equal(result->tenure.sum, (152 - 30) + (600 - 190));
	assert_int_equal(ownership_text_owned(result, 1), 152 - 30);
	assert_int_equal(ownership_text_owned(result, 2), 600 - 190);
	assert_int_equal(result->owners[0].client, 2);
	ownership_text_done();
}

/* Back to the same client, then to another: three tenures, two handovers, one of them a reacquisition. */
static void test_reacquired(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=20\n21 1 acquired until=25\n"
								      "30 1 effect request=1\n50 1 served request=1\n"
								      "60 1 unlock until=64\n65 1 released until=70\n"
								      "71 1 get_info until=74\n75 1 lock until=80\n81 1 acquired until=85\n"
								      "82 1 effect request=2\n90 1 served request=2\n"
								      "100 1 unlock until=104\n"
								      "104 2 lock until=110\n111 2 acquired until=120\n"
								      "112 2 effect request=3\n130 2 served request=3\n",
								      1, 201);

	(void)unused;
	assert_int_equal(result->tenures, 3);
	assert_int_equal(result->handovers, 2);
	assert_int_equal(result->reacquired, 1);
	assert_int_equal(result->handover.sum, (90 - 50) + (130 - 90));
	assert_int_equal(result->steps[STEP_NOTICE].sum, 70 - 65);
	assert_int_equal(result->serving_ns, 0);
	/* The trace cut the last. */
	assert_int_equal(result->tenure.sum, (60 - 20) + (100 - 80) + (201 - 110));
	ownership_text_done();
}

/* The second tenure serves nothing: one handover in the times, from the first client to the third; two in the count. */
static void test_empty_tenure(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=20\n21 1 acquired until=25\n"
								      "30 1 effect request=1\n50 1 served request=1\n"
								      "60 1 unlock until=70\n"
								      "70 2 lock until=80\n90 2 acquired until=91\n"
								      "100 2 unlock until=110\n"
								      "110 3 lock until=120\n121 3 acquired until=125\n"
								      "125 3 effect request=2\n140 3 served request=2\n",
								      1, 200);

	(void)unused;
	assert_int_equal(result->tenures, 3);
	assert_int_equal(result->handover.count, 1);
	assert_int_equal(result->handover.sum, 140 - 50);
	assert_int_equal(result->steps[STEP_UNLOCK].sum, 10 + 10);
	assert_int_equal(result->steps[STEP_LOCK].sum, 10 + 10);
	/* Its own ACQUIRED is still out while it gives the lock up again. */
	assert_int_equal(result->steps[STEP_DRAIN].sum, 91 - 90);
	assert_int_equal(result->steps[STEP_LIBRBD].sum, (60 - 50) + (90 - 80) + (100 - 91) + (121 - 120));
	assert_int_equal(result->steps[STEP_FIRST_OPERATION].sum, 125 - 121);
	assert_int_equal(result->steps[STEP_FIRST_COMPLETION].sum, 140 - 125);
	assert_int_equal(result->tenure_requests.count, 3);
	assert_int_equal(result->tenure_requests.min, 0);
	ownership_text_done();
}

/* The peer is not traced: its tenure is known from what it tells, and all before its RELEASED is the step owner_not_seen. */
static void test_peer_not_traced(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=20\n21 1 acquired until=25\n"
								      "30 1 effect request=1\n50 1 served request=1\n"
								      "60 1 unlock until=64\n65 1 released until=70\n"
								      "75 1 hears_acquired about=7\n"
								      "76 1 hears_request about=7\n"
								      "90 1 lock until=95 result=-16\n"
								      "170 1 hears_released about=7\n"
								      "172 1 get_info until=174\n175 1 lock until=180\n"
								      "181 1 acquired until=185\n"
								      "185 1 effect request=2\n190 1 served request=2\n",
								      1, 201);

	(void)unused;
	assert_int_equal(result->tenures, 3);
	assert_int_equal(result->handovers, 2);
	assert_int_equal(result->reacquired, 0);
	assert_int_equal(ownership_text_owned(result, 7), 170 - 75);
	assert_int_equal(result->unknown_ns, 0);
	assert_int_equal(result->handover.count, 1);
	assert_int_equal(result->handover.sum, 190 - 50);
	assert_int_equal(result->steps[STEP_OWNER_NOT_SEEN].sum, 170 - 50);
	assert_int_equal(result->steps[STEP_WAKE].sum, 172 - 170);
	assert_int_equal(result->steps[STEP_LOCK].sum, 180 - 175);
	/* Nobody saw when it began, nor what it served. */
	assert_int_equal(result->tenure.count, 2);
	assert_int_equal(result->tenure_requests.count, 2);
	ownership_text_done();
}

/* Two clients hear the same of a third: it is one tenure. */
static void test_heard_twice(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 opens\n10 2 opens\n"
								      "40 1 hears_acquired about=7\n41 2 hears_acquired about=7\n"
								      "60 1 hears_released about=7\n62 2 hears_released about=7\n"
								      "63 2 lock until=70\n80 2 unlock until=90\n",
								      1, 101);

	(void)unused;
	assert_int_equal(result->tenures, 2);
	assert_int_equal(ownership_text_owned(result, 7), 60 - 40);
	/* Who had it before it told is not known. */
	assert_int_equal(result->unknown_ns, 40 - 1);
	assert_int_equal(result->unowned_ns, (70 - 60) + (101 - 80));
	ownership_text_done();
}

/* Refused though nobody in the trace has the lock: somebody has. When its name is heard, it was the one all along. */
static void test_refused_by_unknown(void **unused)
{
	const struct ownership_result *result;

	(void)unused;
	result = ownership_text_result(
	    "20 1 lock until=30 result=-16\n50 1 hears_released about=7\n51 1 lock until=60\n90 1 unlock until=95\n", 10, 100);
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->unknown_ns, 30 - 10);
	assert_int_equal(ownership_text_owned(result, 7), 50 - 30);
	assert_int_equal(result->unowned_ns, (60 - 50) + (100 - 90));
	ownership_text_done();
	/* Its name is never heard. */
	result = ownership_text_result("20 1 lock until=30 result=-16\n51 1 lock until=60\n90 1 unlock until=95\n", 10, 100);
	assert_int_equal(result->tenures, 1);
	assert_int_equal(result->unknown_ns, 60 - 10);
	ownership_text_done();
	/* Nor who had it between two tenures of the same client. */
	result = ownership_text_result("5 1 lock until=10\n11 1 effect request=1\n15 1 served request=1\n20 1 unlock until=25\n"
				       "30 1 lock until=40 result=-16\n"
				       "68 1 get_info until=69\n70 1 lock until=80\n81 1 effect request=2\n82 1 served request=2\n",
				       5, 100);
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->reacquired, 0);
	assert_int_equal(result->unknown_ns, 80 - 40);
	assert_int_equal(result->unowned_ns, (10 - 5) + (40 - 20));
	assert_int_equal(result->steps[STEP_OWNER_NOT_SEEN].sum, 68 - 15);
	ownership_text_done();
}

/* Refused while the reply to another's lock.lock is on its way, and for an unlock on its way: no stranger. */
static void test_refused_by_race(void **unused)
{
	const struct ownership_result *result = ownership_text_result("10 1 lock until=30\n12 2 lock until=20 result=-16\n"
								      "50 1 unlock until=60\n51 2 lock until=70 result=-16\n"
								      "80 2 lock until=90\n95 2 unlock until=96\n",
								      10, 100);

	(void)unused;
	assert_int_equal(result->tenures, 2);
	assert_int_equal(result->failed_attempts, 2);
	assert_int_equal(result->unknown_ns, 0);
	ownership_text_done();
}

/* The recording begins in the middle: whoever does what an owner does is the owner, since when is not known. */
static void test_middle(void **unused)
{
	static const char *const proofs[] = {"40 1 unlock until=45\n",          "40 1 answers result=-30\n",  "40 1 effect request=1\n",
					     "30 1 lock until=40 result=-17\n", "30 1 set_cookie until=40\n", "40 1 usable\n"};

	(void)unused;
	for (size_t i = 0; i < sizeof(proofs) / sizeof(*proofs); i++) {
		const struct ownership_result *result = ownership_text_result(proofs[i], 10, 100);

		assert_int_equal(result->tenures, 1);
		assert_int_equal(result->unknown_ns, 40 - 10);
		assert_int_equal(result->tenure.count, 0);
		assert_true(result->slices[0] == UINT64_MAX);
		assert_int_equal(result->slices[119], i ? 1 : 0);
		assert_int_equal(result->failed_attempts, 0);
		/* Neither when it began was seen nor, but for the first, an end. */
		assert_int_equal(result->sequence[0].begin_ns, 0);
		assert_int_equal(result->sequence[0].end_ns, i ? 0 : 40);
		ownership_text_done();
	}
}

/* When it is usable, to whom it tells that. */
static void test_usable_since(void **unused)
{
	struct ownership *ownership = ownership_create();
	struct operation lock = {.client = 1,
				 .object = OBJECT_HEADER,
				 .kind = RBDPROF_OPERATION_WRITE,
				 .lock_watch = 1,
				 .methods = RBDPROF_METHOD_lock_lock,
				 .begin_ns = 10};

	(void)unused;
	assert_int_equal(ownership_operation_begun(ownership, &lock), 0);
	assert_int_equal(ownership_effect(ownership, 2, 15), 1); /* before the reply, the owner is not known */
	lock.end_ns = 20;
	assert_int_equal(ownership_operation_done(ownership, &lock), 0);
	assert_int_equal(ownership_usable_since(ownership, 1), 0);
	assert_int_equal(ownership_usable(ownership, 2, 24), 0);
	assert_int_equal(ownership_usable_since(ownership, 2), 0);
	assert_int_equal(ownership_usable(ownership, 1, 25), 0);
	assert_int_equal(ownership_usable_since(ownership, 1), 25);
	assert_int_equal(ownership_effect(ownership, 1, 30), 2);
	assert_int_equal(ownership_effect(ownership, 2, 31), 0);
	ownership_destroy(ownership);
}

/* An operation of client `client`, from begun to done; or to begun only, without an end. */
static struct operation operate(struct ownership *ownership, uint64_t client, enum object_class object, enum rbdprof_method method,
				uint64_t begin_ns, uint64_t end_ns)
{
	struct operation operation = {.key = {.number = begin_ns},
				      .client = client,
				      .object = object,
				      .kind = RBDPROF_OPERATION_WRITE,
				      .methods = method,
				      .lock_watch = object == OBJECT_HEADER,
				      .begin_ns = begin_ns};

	assert_int_equal(ownership_operation_begun(ownership, &operation), 0);
	operation.end_ns = end_ns;
	if (end_ns)
		assert_int_equal(ownership_operation_done(ownership, &operation), 0);
	return operation;
}

/* The replies to an append, a lock.lock and a lock.unlock are lost: nothing waits for them for ever after. */
static void test_left(void **unused)
{
	struct ownership *ownership = ownership_create();
	struct operation lost[3];
	const struct ownership_result *result;

	(void)unused;
	operate(ownership, 1, OBJECT_HEADER, RBDPROF_METHOD_lock_lock, 1, 10);
	lost[0] = operate(ownership, 1, OBJECT_JOURNAL_DATA, RBDPROF_METHOD_journal_append, 15, 0);
	assert_int_equal(ownership_effect(ownership, 1, 20), 1);
	assert_int_equal(ownership_served(ownership, 1, 30, 1), 0);
	assert_int_equal(ownership_operation_left(ownership, &lost[0]), 0);
	operate(ownership, 1, OBJECT_JOURNAL, RBDPROF_METHOD_journal_client_commit, 40, 50);
	lost[1] = operate(ownership, 1, OBJECT_HEADER, RBDPROF_METHOD_lock_unlock, 60, 0);
	assert_int_equal(ownership_operation_left(ownership, &lost[1]), 0);
	lost[2] = operate(ownership, 3, OBJECT_HEADER, RBDPROF_METHOD_lock_lock, 62, 0);
	assert_int_equal(ownership_operation_left(ownership, &lost[2]), 0);
	operate(ownership, 2, OBJECT_HEADER, RBDPROF_METHOD_lock_lock, 70, 80);
	assert_int_equal(ownership_effect(ownership, 2, 90), 2);
	assert_int_equal(ownership_served(ownership, 2, 100, 1), 0);
	assert_int_equal(ownership_finish(ownership, 1, 200), 0);
	result = ownership_result(ownership);
	assert_int_equal(result->handover.sum, 100 - 30);
	assert_int_equal(result->steps[STEP_DRAIN].sum, 40 - 30);
	assert_int_equal(result->steps[STEP_JOURNAL_CLOSE].sum, 50 - 40);
	/* And until it sent its first operation, which shows that it was ready. */
	assert_int_equal(result->steps[STEP_LIBRBD].sum, (60 - 50) + (90 - 80));
	ownership_destroy(ownership);
}

/* Tenures whose requests never complete: the memory is bounded, and the later ones count. */
static void test_bounded(void **unused)
{
	struct ownership *ownership = ownership_create();
	const struct ownership_result *result;
	uint64_t now = 1;

	(void)unused;
	for (unsigned i = 0; i < 5000; i++) {
		struct operation operation = {
		    .key = {.number = i}, .client = 1 + i % 2, .object = OBJECT_HEADER, .lock_watch = 1, .kind = RBDPROF_OPERATION_WRITE};
		uint64_t tenure;

		operation.methods = RBDPROF_METHOD_lock_lock;
		operation.begin_ns = now;
		assert_int_equal(ownership_operation_begun(ownership, &operation), 0);
		operation.end_ns = now + 10;
		assert_int_equal(ownership_operation_done(ownership, &operation), 0);
		tenure = ownership_effect(ownership, operation.client, now + 20);
		assert_int_equal(tenure, i + 1);
		assert_int_equal(ownership_effect(ownership, operation.client, now + 21), i + 1);
		/* Every other one is completed, the rest never. */
		assert_int_equal(ownership_served(ownership, tenure, now + 30, 1), 0);
		operation.methods = RBDPROF_METHOD_lock_unlock;
		operation.begin_ns = now + 40;
		assert_int_equal(ownership_operation_begun(ownership, &operation), 0);
		operation.end_ns = now + 50;
		assert_int_equal(ownership_operation_done(ownership, &operation), 0);
		now += 100;
	}
	assert_int_equal(ownership_finish(ownership, 1, now), 0);
	result = ownership_result(ownership);
	assert_int_equal(result->tenures, 5000);
	assert_int_equal(result->handover.count, 4999);
	assert_int_equal(result->handover.sum, 4999 * 100);
	assert_int_equal(result->owners[0].tenures + result->owners[1].tenures, 5000);
	assert_int_equal(result->sequence_count, OWNERSHIP_SEQUENCE);
	for (unsigned i = 0; i < OWNERSHIP_SEQUENCE; i++) {
		assert_int_equal(result->sequence[i].client, 1 + i % 2);
		assert_int_equal(result->sequence[i].begin_ns, 1 + i * 100 + 10);
		assert_int_equal(result->sequence[i].end_ns, 1 + i * 100 + 40);
		assert_int_equal(result->sequence[i].requests, 1);
	}
	ownership_destroy(ownership);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_used),
		cmocka_unit_test(test_one_client),
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_reacquired),
		cmocka_unit_test(test_empty_tenure),
		cmocka_unit_test(test_peer_not_traced),
		cmocka_unit_test(test_heard_twice),
		cmocka_unit_test(test_refused_by_unknown),
		cmocka_unit_test(test_refused_by_race),
		cmocka_unit_test(test_middle),
		cmocka_unit_test(test_usable_since),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_bounded),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
