/* How requests queue on objects: means by hand, what stands behind another, and the busiest. */
#include "tests/unit/core/test.h"

#include "analyzer/core/objects.h"

static struct objects objects;
static struct objects_sum sum;

static int setup(void **unused)
{
	(void)unused;
	objects = (struct objects){0};
	return 0;
}

static void sent(uint64_t object, uint64_t now_ns)
{
	assert_int_equal(objects_sent(&objects, object, now_ns), 1);
}

static void completed(uint64_t object, uint64_t sent_ns, uint64_t c_ns)
{
	objects_completed(&objects, object, sent_ns, c_ns, c_ns);
}

static void sum_up(void)
{
	const struct objects *list[] = {&objects};

	objects_sum(list, 1, &sum);
}

/*
 * Three on one object, sent at 10, 20 and 30 and complete at 40, 50 and 60. The second stands behind the first for 40 − 20, the third
 * behind the second for 50 − 30, of 3 × 30. In flight are 1, 2, 3, 2, 1 for 10 each: 90 in 50.
 */
static void test_behind_each_other(void **unused)
{
	(void)unused;
	sent(5, 10);
	sent(5, 20);
	sent(5, 30);
	completed(5, 10, 40);
	completed(5, 20, 50);
	completed(5, 30, 60);
	sum_up();
	assert_int_equal(sum.requests, 3);
	assert_int_equal(sum.most, 1);
	assert_float_equal(sum.in_flight, 1, 1e-9);
	assert_float_equal(sum.requests_each, 90.0 / 50, 1e-9);
	assert_float_equal(sum.queued_share, 40.0 / 90, 1e-9);
}

/* Two that one operation carries are sent and complete together: neither waits for the other. */
static void test_merged(void **unused)
{
	(void)unused;
	sent(5, 10);
	sent(5, 10);
	completed(5, 10, 20);
	completed(5, 10, 20);
	sum_up();
	assert_float_equal(sum.queued_share, 0, 1e-9);
}

/* One from 10 to 30, another's from 20 to 40: 1, 2, 1 objects for 10 each, and one request on each. */
static void test_apart(void **unused)
{
	(void)unused;
	sent(5, 10);
	sent(9, 20);
	completed(5, 10, 30);
	completed(9, 20, 40);
	sum_up();
	assert_int_equal(sum.most, 2);
	assert_float_equal(sum.in_flight, 40.0 / 30, 1e-9);
	assert_float_equal(sum.requests_each, 1, 1e-9);
	assert_float_equal(sum.queued_share, 0, 1e-9);
}

/* What is given up is in flight until then, and counts nowhere else. */
static void test_dropped(void **unused)
{
	(void)unused;
	sent(5, 10);
	objects_dropped(&objects, 5, 30);
	sent(9, 50);
	completed(9, 50, 60);
	sum_up();
	assert_int_equal(sum.requests, 1);
	assert_int_equal(sum.most, 1);
	assert_int_equal(objects.busy_ns, 20 + 10);
}

/* A hundred, one after the other, each for so long. Returns the end. */
static uint64_t hundred(uint64_t object, uint64_t now_ns, uint64_t each_ns)
{
	for (unsigned i = 0; i < 100; i++, now_ns += each_ns) {
		sent(object, now_ns);
		completed(object, now_ns, now_ns + each_ns);
	}
	return now_ns;
}

/*
 * Alone on their object requests take 10 each. While there is one on another object as well, 2 are in flight for 4 until one is complete:
 * 8 by Little's law, a fifth less. Before that nothing is known; and with another hundred for 8 they take 12 on average: nothing is saved.
 */
static void test_faster_on_several(void **unused)
{
	uint64_t now_ns;

	(void)unused;
	now_ns = hundred(5, 10, 10);
	sum_up();
	assert_true(sum.faster < 0);
	sent(9, now_ns);
	now_ns = hundred(5, now_ns, 4);
	sum_up();
	assert_float_equal(sum.faster, 0.2, 1e-9);
	hundred(5, now_ns, 8);
	sum_up();
	assert_float_equal(sum.faster, 0, 1e-9);
}

static void test_saved(void **unused)
{
	static const struct {
		double queued_share, faster, want;
	} cases[] = {
	    {0.9, -1, 0.9}, {0.9, 0, 0}, {0.9, 0.02, 0.9 * 0.008}, {0.9, 0.08, 0.9 * 0.064}, {0.9, 0.18, 0.9 * 0.216}, {0.9, 0.32, 0.9 * 0.512}, {0.9, 0.5, 0.9}, {0.9, 0.6, 0.9},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_float_equal(objects_saved(&(struct objects_sum){.queued_share = cases[i].queued_share, .faster = cases[i].faster}),
				   cases[i].want, 1e-9);
}

/* Objects 1 and 129 share a counter, which is that of the busier one. */
static void test_hottest(void **unused)
{
	const struct objects *list[] = {&objects};
	struct object_counts hottest[OBJECTS_HOTTEST];
	static const uint64_t order[] = {1, 1, 129, 1, 2};

	(void)unused;
	for (unsigned i = 0; i < sizeof(order) / sizeof(*order); i++) {
		sent(order[i], 10 * (i + 1));
		completed(order[i], 10 * (i + 1), 10 * (i + 1) + 4);
	}
	assert_int_equal(objects_hottest(list, 1, hottest), 2);
	assert_int_equal(hottest[0].object, 1);
	assert_int_equal(hottest[0].requests, 3);
	assert_int_equal(hottest[0].sent_to_completed_ns, 3 * 4);
	assert_int_equal(hottest[1].object, 2);
	assert_int_equal(hottest[1].requests, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_behind_each_other, setup),
	    cmocka_unit_test_setup(test_merged, setup),
	    cmocka_unit_test_setup(test_apart, setup),
	    cmocka_unit_test_setup(test_dropped, setup),
	    cmocka_unit_test_setup(test_faster_on_several, setup),
	    cmocka_unit_test_setup(test_saved, setup),
	    cmocka_unit_test_setup(test_hottest, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
