/* librbd's own waits: buckets that grant less than was asked for, and timers that are armed. */
#include "test.h"

#include <math.h>

#include "below.h"
#include "preload/cxx.h"
#include "preload/real.h"

#define PLACES 256 /* as many buckets as can be remembered at a time, by the remainder of their addresses in words */

static uint64_t buckets[PLACES + 1]; /* a bucket each: its address is all that is looked at */
static uint64_t granted_next;
static char timer, event;

/* What the originals were given, and what was said by then. */
static struct {
	int calls;
	const void *object, *context;
	uint64_t tokens;
	double seconds;
	struct below said;
} given;

static uint64_t grant(void *bucket, uint64_t tokens)
{
	given.calls++;
	given.object = bucket;
	given.tokens = tokens;
	given.said = below;
	return granted_next;
}

static void *arm(void *of, double seconds, void *context)
{
	given.calls++;
	given.object = of;
	given.seconds = seconds;
	given.context = context;
	given.said = below;
	return &event;
}

static int setup(void **state)
{
	(void)state;
	below_start(true);
	memset(&given, 0, sizeof(given));
	real.bucket_get = grant;
	real.timer_add_event_after = real.timer_add_event_after_14 = arm;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	below_start(false);
	return 0;
}

static void get(uint64_t *bucket, uint64_t wanted, uint64_t granted)
{
	granted_next = granted;
	errno = EXDEV;
	assert_int_equal(bucket_get(bucket, wanted), granted);
	assert_int_equal(errno, EXDEV);
	assert_ptr_equal(given.object, bucket);
	assert_int_equal(given.tokens, wanted);
}

static void assert_throttled(int n, const uint64_t *bucket, uint64_t wanted, uint64_t granted)
{
	const struct below_event *event_is = below_nth(BELOW_THROTTLED, n);

	assert_int_equal(event_is->is.throttled.bucket, (uintptr_t)bucket);
	assert_int_equal(event_is->is.throttled.wanted, wanted);
	assert_int_equal(event_is->is.throttled.granted, granted);
}

static void full_grants_say_nothing(void **state)
{
	(void)state;
	get(&buckets[0], 1, 1);
	get(&buckets[0], 4096, 4096);
	assert_int_equal(given.calls, 2);
	assert_int_equal(below.events, 0);
}

/* Each grant that is short, since the queue is there anew; then the first full one, which tells that the queue is empty; no other. */
static void short_grants_and_the_first_full_one(void **state)
{
	(void)state;
	get(&buckets[0], 10, 4);
	assert_int_equal(given.said.events, 0); /* what is granted is known afterwards */
	get(&buckets[0], 6, 0);
	get(&buckets[0], 3, 3);
	get(&buckets[0], 2, 2);
	assert_int_equal(given.calls, 4);
	assert_int_equal(below.events, 3);
	assert_throttled(0, &buckets[0], 10, 4);
	assert_throttled(1, &buckets[0], 6, 0);
	assert_throttled(2, &buckets[0], 3, 3);
}

static void buckets_are_told_apart(void **state)
{
	(void)state;
	get(&buckets[0], 10, 4);
	get(&buckets[1], 5, 5);
	assert_int_equal(below.events, 1);
	get(&buckets[1], 5, 1);
	get(&buckets[0], 6, 6);
	get(&buckets[1], 4, 4);
	assert_int_equal(below.events, 4);
	assert_throttled(2, &buckets[0], 6, 6);
	assert_throttled(3, &buckets[1], 4, 4);
}

/* Two with one place: what is short is said of both; the end only of the later one, and never of the wrong one. */
static void bucket_whose_place_another_takes(void **state)
{
	(void)state;
	get(&buckets[0], 10, 4);
	get(&buckets[PLACES], 20, 5);
	get(&buckets[0], 6, 6);
	assert_int_equal(below.events, 2);
	assert_throttled(1, &buckets[PLACES], 20, 5);
	get(&buckets[PLACES], 15, 15);
	assert_int_equal(below.events, 3);
	assert_throttled(2, &buckets[PLACES], 15, 15);
}

typedef void *add_event_after(void *of, double seconds, void *context);

/* 14's name of it and the later one. */
static add_event_after *const timers[] = {timer_add_event_after, timer_add_event_after_14};
#define EACH_TIMER(i) (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++)

static void armed_timers(void **state)
{
	static const struct {
		double seconds;
		uint64_t delay_ns;
	} cases[] = {{0, 0}, {0.25, 250000000}, {1, 1000000000}, {10, UINT64_C(10000000000)}, {86400, UINT64_C(86400000000000)}};

	(void)state;
	for
		EACH_TIMER(i)
		{
			for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
				below_forget();
				errno = EXDEV;
				assert_ptr_equal(timers[i](&timer, cases[j].seconds, &event), &event);
				assert_int_equal(errno, EXDEV);
				assert_ptr_equal(given.object, &timer);
				assert_ptr_equal(given.context, &event);
				assert_true(given.seconds == cases[j].seconds);
				assert_int_equal(given.said.count[BELOW_TIMER], 1); /* before it is armed, for it may fire at once */
				assert_int_equal(below.events, 1);
				assert_int_equal(below_nth(BELOW_TIMER, 0)->is.delay_ns, cases[j].delay_ns);
			}
		}
}

/* A delay that is none, or longer than any of librbd's by far, is another function's argument. */
static void delays_that_are_none(void **state)
{
	static const double delays[] = {-1, -1e-9, 1e9, INFINITY, -INFINITY, NAN};

	(void)state;
	for
		EACH_TIMER(i)
		{
			for (size_t j = 0; j < sizeof(delays) / sizeof(delays[0]); j++)
				assert_ptr_equal(timers[i](&timer, delays[j], &event), &event);
		}
	assert_int_equal(given.calls, 12);
	assert_int_equal(below.events, 0);
}

/* A bucket that was short before the recording is none of its: the next grant that is short is said. */
static void nothing_while_nobody_records(void **state)
{
	(void)state;
	below_start(false);
	get(&buckets[0], 10, 4);
	timer_add_event_after(&timer, 1, &event);
	assert_int_equal(below.events, 0);
	below_start(true);
	get(&buckets[0], 6, 6);
	assert_int_equal(below.events, 0);
	get(&buckets[0], 6, 5);
	assert_int_equal(below.events, 1);
	get(&buckets[0], 1, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(full_grants_say_nothing),
	    TEST(short_grants_and_the_first_full_one),
	    TEST(buckets_are_told_apart),
	    TEST(bucket_whose_place_another_takes),
	    TEST(armed_timers),
	    TEST(delays_that_are_none),
	    TEST(nothing_while_nobody_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
