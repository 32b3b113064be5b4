/* Who had most of each slice, against arithmetic. */
#include "tests/unit/core/test.h"

#include "analyzer/core/timeline.h"

static void test_nothing(void **unused)
{
	struct timeline timeline = {0};
	uint64_t slices[3];

	(void)unused;
	timeline_cut(&timeline, 0, 300, slices, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_true(slices[i] == TIMELINE_UNKNOWN);
	timeline_fini(&timeline);
}

/* Ten seconds in ten slices; the first owner has 0 to 3.6 s: most of the fourth slice as well. Then nobody, then another. */
static void test_slices(void **unused)
{
	static const uint64_t expected[] = {7, 7, 7, 7, 0, 0, 9, 9, 9, TIMELINE_UNKNOWN};
	struct timeline timeline = {0};
	uint64_t slices[10], second = 1000000000;

	(void)unused;
	assert_int_equal(timeline_add(&timeline, 5 * second, 8 * second + 600000000, 7), 0);
	assert_int_equal(timeline_add(&timeline, 8 * second + 600000000, 11 * second, TIMELINE_NOBODY), 0);
	assert_int_equal(timeline_add(&timeline, 11 * second, 14 * second, 9), 0);
	timeline_cut(&timeline, 5 * second, 15 * second, slices, 10);
	for (unsigned i = 0; i < 10; i++)
		assert_true(slices[i] == expected[i]);
	timeline_fini(&timeline);
}

/* What was never added is not known, before the first time as well. */
static void test_before(void **unused)
{
	struct timeline timeline = {0};
	uint64_t slices[2];

	(void)unused;
	assert_int_equal(timeline_add(&timeline, 5000000, 10000000, 7), 0);
	timeline_cut(&timeline, 0, 10000000, slices, 2);
	assert_true(slices[0] == TIMELINE_UNKNOWN);
	assert_int_equal(slices[1], 7);
	timeline_fini(&timeline);
}

/* Two owners in turn for an hour, 30 and 10 ms: whoever has three quarters of the time has each slice. The memory does not grow. */
static void test_long(void **unused)
{
	struct timeline timeline = {0};
	uint64_t slices[120], now = 1, hour = UINT64_C(3600000000000), most = 30000000, least = 10000000;

	(void)unused;
	while (now < hour) {
		assert_int_equal(timeline_add(&timeline, now, now + most, 1), 0);
		assert_int_equal(timeline_add(&timeline, now + most, now + most + least, 2), 0);
		now += most + least;
	}
	/* Between half of the slots and all of them are in use. */
	assert_in_range((now - 1) >> timeline.width_log2, TIMELINE_SLOTS / 2, TIMELINE_SLOTS - 1);
	timeline_cut(&timeline, 1, now, slices, 120);
	for (unsigned i = 0; i < 120; i++)
		assert_int_equal(slices[i], 1);
	timeline_fini(&timeline);
}

/* Six owners in one slot: whoever came late with much of it is not shut out by those who had a little. */
static void test_crowd(void **unused)
{
	struct timeline timeline = {0};
	uint64_t slice;

	(void)unused;
	for (uint64_t owner = 1; owner <= 5; owner++)
		assert_int_equal(timeline_add(&timeline, owner * 10, owner * 10 + 10, owner), 0);
	assert_int_equal(timeline_add(&timeline, 60, 900, 6), 0);
	timeline_cut(&timeline, 10, 900, &slice, 1);
	assert_int_equal(slice, 6);
	timeline_fini(&timeline);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_crowd),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
