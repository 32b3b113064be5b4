/* How long requests waited for locks: exactly in their own calls, by overlap with waits of threads that work for all. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

/* A thread of librbd's, 5, whose waits are at 0x1010; the submitter is 1. */
#define TEXT_LIBRBD                                                                                                                        \
	TEXT_IMAGE "1 p0 module begin=0x1000 end=0x2000 path=/usr/lib/librbd.so.1\n"                                                       \
		   "1 p0 thread thread=5 tid=15 name=io_context_pool\n"

static struct model *model;
static struct delays delays;
static struct delay delay;

static int teardown(void **unused)
{
	(void)unused;
	model_destroy(model);
	model = NULL;
	delays_fini(&delays);
	delay_fini(&delay);
	return 0;
}

static const struct contention *run(const char *text, uint64_t address)
{
	model = events_text_model(text);
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		if (lock->key.address == address)
			return lock->contention;
	fail_msg("no such lock");
	return NULL;
}

static void check(const struct delay *seen, uint64_t count, uint64_t sum_ns, uint64_t exact, uint64_t overlapping)
{
	assert_int_equal(seen->delay.count, count);
	assert_int_equal(seen->delay.sum, sum_ns);
	assert_int_equal(seen->exact, exact);
	assert_int_equal(seen->overlapping, overlapping);
}

/* Two waits of one request are one delay; another request's is another; and a request that did not wait has none. */
static void test_exact(void **unused)
{
	const struct contention *contention;

	(void)unused;
	contention = run(TEXT_LIBRBD "1000 p0 request request=1:1 image=1 kind=write\n"
				     "1200 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=100 kind=mutex caller=0x1010\n"
				     "1300 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=50 kind=mutex caller=0x1010\n"
				     "1400 p0 request request=1:2 image=1 kind=write\n"
				     "1500 p0 lock_wait lock=1 thread=1 request=1:2 wait_ns=20 kind=mutex caller=0x1010\n"
				     "1600 p0 request request=1:3 image=1 kind=write\n"
				     "2000 p0 complete request=1:1 looked=1\n"
				     "2001 p0 complete request=1:2 looked=1\n"
				     "2002 p0 complete request=1:3 looked=1\n",
			 1);
	check(contention->delay, 2, 170, 2, 0);
	assert_int_equal(contention->delay->delay.max, 150);
	assert_string_equal(contention->image->name, "one");
}

/* A wait in a call whose request is complete already delayed nobody; nor is anything known of one that was never seen. */
static void test_too_late(void **unused)
{
	const struct contention *contention;

	(void)unused;
	contention = run(TEXT_LIBRBD "1000 p0 request request=1:1 image=1 kind=write\n"
				     "2000 p0 complete request=1:1\n"
				     "2100 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=200 kind=mutex caller=0x1010\n"
				     "2200 p0 reap requests=1:1\n"
				     "2300 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=10 kind=mutex caller=0x1010\n"
				     "2400 p0 lock_wait lock=1 thread=1 request=9:9 wait_ns=10 kind=mutex caller=0x1010\n",
			 1);
	check(contention->delay, 0, 0, 0, 0);
	assert_int_equal(contention->wait.count, 3);
}

/*
 * Requests from 1000 to 2000 and from 1500 to 3000 (complete 100 before their callbacks return). Waits of a librbd thread: 1400–1600,
 * 1900–2500 and, of another thread, 1950–2100. First: 200 + 0, since the second wait ends after its end was told; second: 100 + 600,
 * the third lies within.
 */
static void test_overlap(void **unused)
{
	(void)unused;
	check(run(TEXT_LIBRBD "2 p0 thread thread=6 tid=16 name=io_context_pool\n"
			      "1000 p0 request request=1:1 image=1 kind=write\n"
			      "1500 p0 request request=1:2 image=1 kind=write\n"
			      "1600 p0 lock_wait lock=1 thread=5 wait_ns=200 kind=mutex caller=0x1010\n"
			      "2050 p0 complete request=1:1 c2d_ns=50 looked=1\n"
			      "2100 p0 lock_wait lock=1 thread=6 wait_ns=150 kind=mutex caller=0x1010\n"
			      "2500 p0 lock_wait lock=1 thread=5 wait_ns=600 kind=mutex caller=0x1010\n"
			      "3100 p0 complete request=1:2 c2d_ns=100 looked=1\n",
		  1)
		  ->delay,
	      2, 200 + 700, 0, 2);
}

/* Of a wait that began before the request only what both shared counts; of one that ended before it nothing. */
static void test_overlap_is_cut(void **unused)
{
	(void)unused;
	check(run(TEXT_LIBRBD "900 p0 lock_wait lock=1 thread=5 wait_ns=100 kind=mutex caller=0x1010\n"
			      "1000 p0 request request=1:1 image=1 kind=write\n"
			      "1300 p0 lock_wait lock=1 thread=5 wait_ns=350 kind=mutex caller=0x1010\n"
			      "2000 p0 complete request=1:1 looked=1\n",
		  1)
		  ->delay,
	      1, 300, 0, 1);
}

/* Both ways in one request: 40 of its own and 100 beside it; never more than the request took. */
static void test_both(void **unused)
{
	const struct contention *contention;

	(void)unused;
	contention = run(TEXT_LIBRBD "1000 p0 request request=1:1 image=1 kind=write\n"
				     "1100 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=40 kind=mutex caller=0x1010\n"
				     "1300 p0 lock_wait lock=1 thread=5 wait_ns=100 kind=mutex caller=0x1010\n"
				     "2000 p0 complete request=1:1 looked=1\n"
				     "3000 p0 request request=1:2 image=1 kind=write\n"
				     "3100 p0 lock_wait lock=1 thread=1 request=1:2 wait_ns=90 kind=mutex caller=0x1010\n"
				     "3110 p0 lock_wait lock=1 thread=5 wait_ns=105 kind=mutex caller=0x1010\n"
				     "3120 p0 complete request=1:2 looked=1\n",
			 1);
	check(contention->delay, 2, 140 + 120, 2, 2);
}

/* Not librbd's: the main thread, one that makes requests, the application's others, and waiting for work. */
static void test_whose(void **unused)
{
	(void)unused;
	check(run(TEXT_LIBRBD "2 p0 thread thread=6 tid=77 name=fio\n"
			      "2 p0 thread thread=7 tid=17 name=app\n"
			      "1000 p0 request request=1:1 image=1 kind=write\n"
			      "1100 p0 lock_wait lock=1 thread=1 wait_ns=10 kind=mutex caller=0x1010\n"
			      "1200 p0 lock_wait lock=1 thread=6 wait_ns=10 kind=mutex caller=0x1010\n"
			      "1300 p0 lock_wait lock=1 thread=7 wait_ns=10 kind=mutex caller=0x9010\n"
			      "1400 p0 cond_wait lock=1 thread=5 wait_ns=10 kind=cond caller=0x1010\n"
			      "2000 p0 complete request=1:1 looked=1\n",
		  1)
		  ->delay,
	      0, 0, 0, 0);
}

/* A thread that was met inside librbd works for all elsewhere, too: in a callback it waits for the application's lock. */
static void test_callback(void **unused)
{
	(void)unused;
	check(run(TEXT_LIBRBD "900 p0 lock_wait lock=2 thread=5 wait_ns=10 kind=mutex caller=0x1010\n"
			      "1000 p0 request request=1:1 image=1 kind=write\n"
			      "1300 p0 lock_wait lock=1 thread=5 wait_ns=70 kind=mutex caller=0x9010\n"
			      "2000 p0 complete request=1:1 looked=1\n",
		  1)
		  ->delay,
	      1, 70, 0, 1);
}

/* Two locks of one type delay a request once: 100 + 50 ns. A lock whose type comes late keeps what it had. */
static void test_of_a_type(void **unused)
{
	const struct contention *first;

	(void)unused;
	first = run(TEXT_LIBRBD "2 p0 lock_name lock=1 offset_bytes=8 type=1L\n"
				"2 p0 lock_name lock=2 offset_bytes=8 type=1L\n"
				"1000 p0 request request=1:1 image=1 kind=write\n"
				"1200 p0 lock_wait lock=1 thread=5 wait_ns=100 kind=mutex caller=0x1010\n"
				"1300 p0 lock_wait lock=2 thread=5 wait_ns=50 kind=mutex caller=0x1010\n"
				"1400 p0 lock_wait lock=3 thread=5 wait_ns=30 kind=mutex caller=0x1010\n"
				"1500 p0 lock_name lock=3 offset_bytes=8 type=1L\n"
				"2000 p0 complete request=1:1 looked=1\n",
		    1);
	check(first->delay, 1, 150, 0, 1);
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		assert_ptr_equal(lock->contention->delay, first->delay);
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		if (lock->key.address == 3)
			check(lock->contention->untyped_delay, 1, 30, 0, 1);
}

/* A request that stays in flight through more waits than are kept: 10000 waits of 10, each 100 after the other, 3 more at the end. */
static void test_long_request(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(delays_overlap(&delays, &delay, 1000 + i * 100, 1010 + i * 100, 1000), 0);
	assert_int_equal(delays_completed(&delays, 1, 1000, 2000000), 0);
	check(&delay, 1, 100000, 0, 1);
	/* One that saw the last hundred: exact where neighbours are not put together, else by no more than two of them. */
	assert_int_equal(delays_completed(&delays, 2, 1000 + 9900 * 100, 2000000), 0);
	assert_in_range(delay.delay.sum - 100000, 980, 1020);
}

/* Nothing is kept that no request in flight can have met: a request from then on sees its own waits only, however many came before. */
static void test_forgotten(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(delays_overlap(&delays, &delay, 1000 + i * 100, 1010 + i * 100, 1000 + i * 100 - 101), 0);
	assert_in_range(delay.room, 1, 64);
	assert_int_equal(delays_completed(&delays, 1, 1000 + 99998 * 100 - 1, 1000 + 100000 * 100), 0);
	check(&delay, 1, 20, 0, 1);
}

/* Waits that touch or contain each other are one: [10, 20], then [5, 30], then [30, 40]. */
static void test_joined(void **unused)
{
	(void)unused;
	assert_int_equal(delays_overlap(&delays, &delay, 10, 20, 0), 0);
	assert_int_equal(delays_overlap(&delays, &delay, 5, 30, 0), 0);
	assert_int_equal(delays_overlap(&delays, &delay, 30, 40, 0), 0);
	assert_int_equal(delays_completed(&delays, 1, 0, 100), 0);
	check(&delay, 1, 35, 0, 1);
	assert_int_equal(delays_completed(&delays, 1, 12, 32), 0);
	check(&delay, 2, 55, 0, 2);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(exact),
		TEST(too_late),
		TEST(overlap),
		TEST(overlap_is_cut),
		TEST(both),
		TEST(whose),
		TEST(callback),
		TEST(of_a_type),
		TEST(long_request),
		TEST(forgotten),
		TEST(joined),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
