/* Stacks of threads about to wait: where one is taken, what it begins with, how often it is said, and what all of them may cost. */
#include "test.h"

#include <dlfcn.h>

#include "heard.h"
#include "preload/recorder.h"
#include "preload/stack.h"

#define OVER_NS   50000 /* as set in main() */
#define PERIOD_NS  100000000
#define BUDGET_NS  100000 /* of all stacks in a period */
#define MOST_NS    50000 /* that one of them counts for */
#define FRAMES    16

/* Places in the code: each test has its own, since what was learnt of one stays. */
static char places[16];

/* The unwinder finds two frames of the shim's, the caller, and so many above it. */
static void find_frames(const void *caller, size_t above)
{
	heard_frame_count = 0;
	heard_frames[heard_frame_count++] = 0x1001;
	heard_frames[heard_frame_count++] = 0x1002;
	heard_frames[heard_frame_count++] = (uintptr_t)caller;
	for (size_t i = 0; i < above; i++)
		heard_frames[heard_frame_count++] = 0x2000 + i;
}

/* A moment with so much left of its period, in which nothing was spent. */
static uint64_t fresh_period(void)
{
	const struct timespec t = {.tv_nsec = 1000000};
	uint64_t period = recorder_now_ns() / PERIOD_NS;

	while (recorder_now_ns() / PERIOD_NS == period)
		nanosleep(&t, NULL);
	return recorder_now_ns();
}

static uint64_t take(const void *caller)
{
	return stack_take(caller, recorder_now_ns());
}

static int setup(void **state)
{
	(void)state;
	heard_start_locks(true);
	recorder_describe_again();
	EMIT(unseen("")); /* now this thread has said its name in this round */
	heard_start_locks(true);
	fresh_period();
	return 0;
}

static void only_where_waits_have_been_long(void **state)
{
	const void *caller = &places[0];

	(void)state;
	find_frames(caller, 2);
	assert_int_equal(take(caller), 0);
	stack_judge(caller, OVER_NS - 1);
	assert_int_equal(take(caller), 0);
	stack_judge(caller, OVER_NS);
	assert_int_not_equal(take(caller), 0);
	assert_int_equal(take(&places[1]), 0); /* elsewhere they have not */
	/* A long wait outweighs four short ones. */
	for (int i = 0; i < 4; i++) {
		assert_int_not_equal(take(caller), 0);
		stack_judge(caller, 0);
	}
	assert_int_equal(take(caller), 0);
}

static void a_stack_begins_with_the_caller(void **state)
{
	const void *caller = &places[2];
	uint64_t stack;

	(void)state;
	stack_judge(caller, OVER_NS);
	find_frames(caller, 2);
	errno = EXDEV;
	stack = take(caller);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(heard.count[HEARD_STACK], 1);
	assert_int_equal(heard.stack.stack, stack);
	assert_int_equal(heard.stack.count, 3);
	assert_int_equal(heard.stack.frames[0], (uintptr_t)caller);
	assert_int_equal(heard.stack.frames[1], 0x2000);
	assert_int_equal(heard.stack.frames[2], 0x2001);
	find_frames(caller, 40);
	take(caller);
	assert_int_equal(heard.stack.count, FRAMES);
	assert_int_equal(heard.stack.frames[FRAMES - 1], 0x2000 + FRAMES - 2);
	/* An unwinder that lost its way. */
	find_frames(&places[3], 2);
	assert_int_equal(take(caller), 0);
	heard_frame_count = 0;
	assert_int_equal(take(caller), 0);
	assert_int_equal(heard.count[HEARD_STACK], 2);
}

static void each_stack_is_said_once_a_round(void **state)
{
	const void *caller = &places[4];
	uint64_t one, other;

	(void)state;
	stack_judge(caller, OVER_NS);
	find_frames(caller, 2);
	one = take(caller);
	assert_int_equal(take(caller), one);
	assert_int_equal(heard.count[HEARD_STACK], 1);
	find_frames(caller, 3);
	other = take(caller);
	assert_int_not_equal(other, one);
	assert_int_equal(heard.count[HEARD_STACK], 2);
	find_frames(caller, 2);
	assert_int_equal(take(caller), one);
	assert_int_equal(heard.count[HEARD_STACK], 2);
	recorder_describe_again();
	assert_int_equal(take(caller), one);
	assert_int_equal(take(caller), one);
	assert_int_equal(heard.count[HEARD_STACK], 3);
}

/* A thread that says it began to unwind so long ago has spent that, up to what one stack counts for. */
static void all_stacks_of_a_period_have_a_budget(void **state)
{
	const void *caller = &places[5];
	uint64_t begin_ns = fresh_period();

	(void)state;
	stack_judge(caller, OVER_NS);
	find_frames(caller, 2);
	while (recorder_now_ns() < begin_ns + MOST_NS)
		;
	for (int i = 0; i < BUDGET_NS / MOST_NS; i++)
		assert_int_not_equal(stack_take(caller, begin_ns), 0);
	assert_int_equal(take(caller), 0);
	assert_int_equal(take(caller), 0);
	fresh_period();
	assert_int_not_equal(take(caller), 0);
}

/* The unwinder waits for the loader and may allocate. */
static void not_within_loader_and_allocator(void **state)
{
	const void *callers[] = {dlsym(RTLD_DEFAULT, "malloc"), dlsym(RTLD_DEFAULT, "_dl_find_dso_for_object")};

	(void)state;
	for (size_t i = 0; i < sizeof(callers) / sizeof(callers[0]); i++) {
		assert_non_null(callers[i]);
		stack_judge(callers[i], OVER_NS);
		find_frames(callers[i], 2);
		assert_int_equal(take(callers[i]), 0);
	}
	assert_int_equal(heard.count[HEARD_STACK], 0);
}

static void take_with(const char *over, bool expected)
{
	const void *caller = &places[6];

	find_frames(caller, 2);
	setenv("RBDPROF_STACKS_OVER", over, 1);
	stack_init();
	assert_int_equal(take(caller) != 0, expected);
}

static void the_threshold_is_the_environments(void **state)
{
	(void)state;
	take_with("0", true);    /* each one, known as slow or not */
	take_with("7 µs", true); /* nonsense changes nothing */
	take_with("", true);
	take_with("9999999999999", true);
	take_with("50", false);
}

/* Another thread may have been in the unwinder when this process was forked off. */
static void none_in_a_child_of_fork(void **state)
{
	const void *caller = &places[7];

	(void)state;
	stack_judge(caller, OVER_NS);
	find_frames(caller, 2);
	assert_int_not_equal(take(caller), 0);
	stack_reset();
	assert_int_equal(take(caller), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(only_where_waits_have_been_long), TEST(a_stack_begins_with_the_caller),
	    TEST(each_stack_is_said_once_a_round), TEST(all_stacks_of_a_period_have_a_budget),
	    TEST(not_within_loader_and_allocator), TEST(the_threshold_is_the_environments),
	    TEST(none_in_a_child_of_fork),
	};

	setenv("RBDPROF_STACKS_OVER", "50", 1);
	stack_init();
	stack_prepare();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
