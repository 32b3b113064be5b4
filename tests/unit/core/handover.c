/* The steps of handovers, walked by hand: each number below is the difference of two moments next to it. */
#include "tests/unit/core/test.h"

#include "analyzer/core/handover.h"

static uint64_t sum(const struct handover *handover)
{
	uint64_t all = 0;

	for (unsigned step = 0; step < STEP_COUNT; step++)
		all += handover->steps[step];
	return all;
}

static void test_names(void **unused)
{
	(void)unused;
	assert_string_equal(handover_step_name(STEP_DRAIN), "drain");
	assert_string_equal(handover_step_name(STEP_JOURNAL_CLOSE), "journal_close");
	assert_string_equal(handover_step_name(STEP_OWNER_NOT_SEEN), "owner_not_seen");
	assert_int_equal(STEP_COUNT, 17);
}

/* Every moment seen, each 10 after the one before but for the steps between. */
static void test_complete(void **unused)
{
	struct segments giving_up = {0}, taking_over = {0};
	struct tenure_moments before = {.unlock_ns = 150, .unlocked_ns = 160, .released_ns = 163, .answered_ns = 300};
	struct tenure_moments after = {.noticed_ns = 170,
				       .get_info_ns = 182,
				       .got_info_ns = 190,
				       .lock_ns = 191,
				       .locked_ns = 200,
				       .acquired_ns = 260,
				       .effect_ns = 262};
	struct handover handover;

	(void)unused;
	assert_int_equal(segments_add(&giving_up, 50, STEP_LIBRBD), 0);
	assert_int_equal(segments_add(&giving_up, 90, STEP_DRAIN), 0);
	assert_int_equal(segments_add(&giving_up, 115, STEP_LIBRBD), 0);
	assert_int_equal(segments_add(&giving_up, 120, STEP_JOURNAL_CLOSE), 0);
	assert_int_equal(segments_add(&giving_up, 149, STEP_LIBRBD), 0);
	assert_int_equal(segments_add(&taking_over, 200, STEP_LIBRBD), 0);
	assert_int_equal(segments_add(&taking_over, 205, STEP_REFRESH), 0);
	assert_int_equal(segments_add(&taking_over, 225, STEP_REPLAY), 0);
	handover_begin(&handover, 100);
	handover_release(&handover, &before, &giving_up, &after, 0, 200);
	handover_acquire(&handover, &after, &taking_over, 290);
	handover_end(&handover, &after, 290);
	assert_int_equal(handover.steps[STEP_DRAIN], 115 - 100);
	assert_int_equal(handover.steps[STEP_JOURNAL_CLOSE], 149 - 120);
	assert_int_equal(handover.steps[STEP_UNLOCK], 160 - 150);
	assert_int_equal(handover.steps[STEP_NOTICE], 170 - 163);
	assert_int_equal(handover.steps[STEP_WAKE], 182 - 170);
	assert_int_equal(handover.steps[STEP_GET_INFO], 190 - 182);
	assert_int_equal(handover.steps[STEP_LOCK], 200 - 191);
	assert_int_equal(handover.steps[STEP_REFRESH], 225 - 205);
	assert_int_equal(handover.steps[STEP_REPLAY], 260 - 225);
	assert_int_equal(handover.steps[STEP_FIRST_OPERATION], 262 - 260);
	assert_int_equal(handover.steps[STEP_FIRST_COMPLETION], 290 - 262);
	assert_int_equal(handover.steps[STEP_LIBRBD], (120 - 115) + (150 - 149) + (163 - 160) + (191 - 190) + (205 - 200));
	assert_int_equal(sum(&handover), 290 - 100);
	segments_fini(&giving_up);
	segments_fini(&taking_over);
}

/* The first completion came before what should have led to it: nothing is walked beyond it. */
static void test_clamped(void **unused)
{
	struct segments none = {0};
	struct tenure_moments before = {.unlock_ns = 120, .unlocked_ns = 140};
	struct tenure_moments after = {
	    .get_info_ns = 110, .got_info_ns = 115, .lock_ns = 116, .locked_ns = 150, .acquired_ns = 170, .effect_ns = 180};
	struct handover handover;

	(void)unused;
	handover_begin(&handover, 100);
	handover_release(&handover, &before, &none, &after, 0, 150);
	handover_acquire(&handover, &after, &none, 160);
	handover_end(&handover, &after, 160);
	assert_int_equal(handover.steps[STEP_LIBRBD], (120 - 100) + (160 - 150));
	assert_int_equal(handover.steps[STEP_UNLOCK], 140 - 120);
	assert_int_equal(handover.steps[STEP_LOCK], 150 - 140);
	assert_int_equal(sum(&handover), 160 - 100);
}

/* Nothing seen at all: the time until the first completion is its step. */
static void test_blank(void **unused)
{
	struct segments none = {0};
	struct tenure_moments blank = {0};
	struct handover handover;

	(void)unused;
	handover_begin(&handover, 100);
	handover_release(&handover, &blank, &none, &blank, 0, 150);
	handover_acquire(&handover, &blank, &none, 190);
	handover_end(&handover, &blank, 190);
	assert_int_equal(handover.steps[STEP_FIRST_COMPLETION], 90);
	assert_int_equal(sum(&handover), 90);
}

/* Only what moved the new owner to ask can be a step before it: RELEASED came after. */
static void test_late_notice(void **unused)
{
	struct segments none = {0};
	struct tenure_moments before = {.unlock_ns = 110, .unlocked_ns = 120, .released_ns = 135};
	struct tenure_moments after = {.noticed_ns = 0, .get_info_ns = 130, .got_info_ns = 140, .lock_ns = 141, .locked_ns = 150};
	struct handover handover;

	(void)unused;
	handover_begin(&handover, 110);
	handover_release(&handover, &before, &none, &after, 0, 150);
	handover_acquire(&handover, &after, &none, 150);
	handover_end(&handover, &after, 150);
	assert_int_equal(handover.steps[STEP_NOTICE], 0);
	assert_int_equal(handover.steps[STEP_WAKE], 130 - 120);
	assert_int_equal(handover.steps[STEP_GET_INFO], 140 - 130);
}

/* Back to the same client: it waited for the answers to its own RELEASED. */
static void test_same_client(void **unused)
{
	struct segments none = {0};
	struct tenure_moments before = {.unlock_ns = 110, .unlocked_ns = 120, .released_ns = 122, .answered_ns = 128};
	struct tenure_moments after = {.noticed_ns = 50, .get_info_ns = 130, .got_info_ns = 140, .lock_ns = 141, .locked_ns = 150};
	struct handover handover;

	(void)unused;
	handover_begin(&handover, 110);
	handover_release(&handover, &before, &none, &after, 1, 150);
	handover_acquire(&handover, &after, &none, 150);
	handover_end(&handover, &after, 150);
	assert_int_equal(handover.steps[STEP_NOTICE], 128 - 122);
	assert_int_equal(handover.steps[STEP_WAKE], 130 - 128);
}

/* Nothing is forgotten that a later completion can still ask for, and the list stays short. */
static void test_segments_forget(void **unused)
{
	struct segments segments = {0};
	struct tenure_moments blank = {0}, before = {.unlock_ns = 100000};
	struct handover handover;

	(void)unused;
	for (uint64_t now = 1; now < 100000; now++) {
		assert_int_equal(segments_add(&segments, now, now % 2 ? STEP_DRAIN : STEP_LIBRBD), 0);
		segments.floor_ns = now > 20 ? now - 20 : 0;
	}
	assert_in_range(segments.room, 16, 128);
	handover_begin(&handover, 100000 - 20);
	handover_release(&handover, &before, &segments, &blank, 0, 100000);
	assert_int_equal(handover.steps[STEP_DRAIN], 10);
	assert_int_equal(handover.steps[STEP_LIBRBD], 10);
	segments_fini(&segments);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_complete),
		cmocka_unit_test(test_clamped),
		cmocka_unit_test(test_blank),
		cmocka_unit_test(test_late_notice),
		cmocka_unit_test(test_same_client),
		cmocka_unit_test(test_segments_forget),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
