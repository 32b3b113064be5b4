/* Locks, kept apart by process, address, the way of asking and the type around them: waits, holds, counts. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct model *model;

static void run(const char *text)
{
	model = events_text_model(text);
}

static int teardown(void **unused)
{
	(void)unused;
	model_destroy(model);
	model = NULL;
	return 0;
}

static const struct lock *find(uint64_t address, uint32_t process, uint32_t kind)
{
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		if (lock->key.address == address && lock->key.process == process && lock->key.kind == kind)
			return lock;
	fail_msg("no such lock");
	return NULL;
}

static void test_apart(void **unused)
{
	(void)unused;
	run("1 p0 lock_wait lock=0x10 thread=1 wait_ns=100 kind=rwlock_read\n"
	    "2 p0 lock_wait lock=0x10 thread=1 wait_ns=20 kind=rwlock_write\n"
	    "3 p0 lock_wait lock=0x20 thread=1 wait_ns=3 kind=mutex\n"
	    "4 p1 lock_wait lock=0x20 thread=1 wait_ns=7 kind=mutex\n"
	    "5 p0 lock_wait lock=0x10 thread=2 wait_ns=60 kind=rwlock_read\n");
	assert_int_equal(model_lock_count(model), 4);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->contention->wait.count, 2);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->contention->wait.sum, 160);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->contention->wait.max, 100);
	assert_int_equal(lock_waited_ns(find(0x10, 0, RBDPROF_RWLOCK_WRITE)), 20);
	assert_int_equal(lock_waited_ns(find(0x20, 0, RBDPROF_MUTEX)), 3);
	assert_int_equal(lock_waited_ns(find(0x20, 1, RBDPROF_MUTEX)), 7);
	assert_int_equal(find(0x20, 1, RBDPROF_MUTEX)->process->number, 1);
}

/* 110 is ETIMEDOUT, 130 EOWNERDEAD: that one has the lock. */
static void test_failed_apart(void **unused)
{
	const struct lock *lock;

	(void)unused;
	assert_int_equal(ETIMEDOUT, 110);
	assert_int_equal(EOWNERDEAD, 130);
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=mutex result=110\n"
	    "2 p0 lock_wait lock=1 thread=1 wait_ns=30 kind=mutex\n"
	    "3 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex result=130\n");
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock->contention->wait.count, 2);
	assert_int_equal(lock->contention->wait.sum, 35);
	assert_int_equal(lock->contention->failed.count, 1);
	assert_int_equal(lock->contention->failed.sum, 100);
	assert_int_equal(lock_contended(lock), 2);
	assert_int_equal(lock_waited_ns(lock), 135);
}

static void test_condition(void **unused)
{
	(void)unused;
	run("1 p0 cond_wait lock=1 mutex=0x99 thread=1 wait_ns=100 kind=cond\n");
	assert_int_equal(find(1, 0, RBDPROF_COND)->mutex, 0x99);
}

static void test_unknown_kind(void **unused)
{
	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=9\n"
	    "2 p0 lock_hold lock=1 thread=1 hold_ns=100 kind=9\n"
	    "3 p0 lock_counts lock=1 thread=1 kind=9\n");
	assert_null(model_lock_next(model, NULL));
	assert_int_equal(model_trace(model)->anomalies[ANOMALY_UNKNOWN_KIND], 3);
}

static void test_order(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=mutex\n"
	    "2 p0 lock_wait lock=2 thread=1 wait_ns=80 kind=mutex\n"
	    "3 p0 lock_wait lock=2 thread=2 wait_ns=90 kind=mutex\n"
	    "5 p0 lock_wait lock=3 thread=2 wait_ns=150 kind=mutex result=110\n");
	lock = model_lock_next(model, NULL);
	assert_int_equal(lock->key.address, 2); /* 170 */
	lock = model_lock_next(model, lock);
	assert_int_equal(lock->key.address, 3); /* 150, all in vain */
	lock = model_lock_next(model, lock);
	assert_int_equal(lock->key.address, 1);
	assert_null(model_lock_next(model, lock));
}

/* Blocking holds are told with waits; every hold of a pair apart. */
static void test_holds(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=1 kind=mutex\n"
	    "2 p0 lock_hold lock=1 thread=2 hold_ns=40 kind=mutex\n"
	    "3 p0 lock_hold lock=1 thread=2 hold_ns=60 kind=mutex\n"
	    "4 p0 lock_pair lock=1 thread=2 hold_ns=7 kind=mutex\n"
	    "5 p0 lock_pair lock=9 thread=2 hold_ns=8 kind=mutex\n");
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock->contention->blocking.count, 2);
	assert_int_equal(lock->contention->blocking.sum, 100);
	assert_int_equal(lock->pairs->sum, 7);
	assert_null(find(9, 0, RBDPROF_MUTEX)->contention);
	assert_int_equal(lock_acquisitions(find(9, 0, RBDPROF_MUTEX)), 1);
	assert_true(lock_acquisitions_known(find(9, 0, RBDPROF_MUTEX)));
}

/* Reading and writing are one lock to its holder, and a hold is of the way in which it was taken. */
static void test_hold_of_rwlock(void **unused)
{
	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=1 kind=rwlock_read\n"
	    "2 p0 lock_hold lock=1 thread=2 hold_ns=40 kind=rwlock_write\n");
	assert_int_equal(find(1, 0, RBDPROF_RWLOCK_WRITE)->contention->blocking.count, 1);
	assert_int_equal(find(1, 0, RBDPROF_RWLOCK_READ)->contention->blocking.count, 0);
}

/* Two threads' sums, said twice: 10 + 5 acquisitions, 2 + 1 contended, 30 + 7 ns, 3 + 1 holds of 40 + 2 ns. */
static void test_counts(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run("1 p0 lock_counts lock=1 thread=1 acquisitions=4 contended=1 wait_ns=20 holds=1 hold_ns=15 kind=mutex\n"
	    "2 p0 lock_counts lock=1 thread=2 acquisitions=5 contended=1 wait_ns=7 holds=1 hold_ns=2 kind=mutex\n"
	    "3 p0 lock_counts lock=1 thread=1 acquisitions=10 contended=2 wait_ns=30 holds=3 hold_ns=40 kind=mutex\n"
	    "4 p0 lock_counts lock=1 thread=1 acquisitions=10 contended=2 wait_ns=30 holds=3 hold_ns=40 kind=mutex\n"
	    "5 p0 hold_counts lock=2 thread=1 acquisitions=6 kind=mutex\n");
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock_acquisitions(lock), 15);
	assert_int_equal(lock_contended(lock), 3);
	assert_int_equal(lock_waited_ns(lock), 37);
	assert_int_equal(lock->counts.holds, 4);
	assert_int_equal(lock->counts.hold_ns, 42);
	assert_false(lock->all_timed);
	assert_true(find(2, 0, RBDPROF_MUTEX)->all_timed);
	assert_int_equal(lock_uncounted(lock), 0);
}

/* Another series began at 0, though its sums are larger: 10, then 15 more, then 2. Without series, sums that shrank did: 10, then 4 more. */
static void test_counts_again(void **unused)
{
	(void)unused;
	run("1 p0 lock_counts lock=1 series=3 thread=1 acquisitions=10 kind=mutex\n"
	    "2 p0 lock_counts lock=1 series=9 thread=1 acquisitions=15 kind=mutex\n"
	    "3 p0 lock_counts lock=1 series=9 thread=1 acquisitions=17 kind=mutex\n"
	    "4 p0 lock_counts lock=2 thread=1 acquisitions=10 kind=mutex\n"
	    "5 p0 lock_counts lock=2 thread=1 acquisitions=4 kind=mutex\n");
	assert_int_equal(lock_acquisitions(find(1, 0, RBDPROF_MUTEX)), 27);
	assert_int_equal(lock_acquisitions(find(2, 0, RBDPROF_MUTEX)), 14);
}

/* Killed before the last counts: 7 counted with 1 of 3 waits, so 2 acquisitions more at the least. Never counted: not known. */
static void test_counts_behind(void **unused)
{
	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex\n"
	    "2 p0 lock_counts lock=1 thread=1 acquisitions=7 contended=1 wait_ns=5 kind=mutex\n"
	    "3 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex\n"
	    "4 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex\n"
	    "5 p0 lock_wait lock=2 thread=1 wait_ns=5 kind=mutex\n");
	assert_int_equal(lock_uncounted(find(1, 0, RBDPROF_MUTEX)), 2);
	assert_int_equal(lock_acquisitions(find(1, 0, RBDPROF_MUTEX)), 9);
	assert_int_equal(lock_contended(find(1, 0, RBDPROF_MUTEX)), 3);
	assert_int_equal(lock_waited_ns(find(1, 0, RBDPROF_MUTEX)), 15);
	assert_false(lock_acquisitions_known(find(2, 0, RBDPROF_MUTEX)));
}

/* A type that is told late is the lock's; another type is another lock at the same address; the same type is one thing in all processes. */
static void test_types(void **unused)
{
	const struct lock *first = NULL, *second = NULL;

	(void)unused;
	run("1 p0 lock_wait lock=1 thread=1 wait_ns=10 kind=mutex\n"
	    "2 p0 lock_name lock=1 offset_bytes=32 type=4Lock\n"
	    "3 p0 lock_wait lock=1 thread=1 wait_ns=20 kind=mutex\n"
	    "4 p0 lock_name lock=1 offset_bytes=32 type=4Lock\n"
	    "5 p0 lock_wait lock=1 thread=1 wait_ns=30 kind=mutex\n"
	    "6 p0 lock_name lock=1 offset_bytes=8 type=5Other\n"
	    "7 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex\n"
	    "8 p1 lock_name lock=7 offset_bytes=32 type=4Lock\n"
	    "9 p1 lock_wait lock=7 thread=1 wait_ns=1 kind=mutex\n");
	assert_int_equal(model_lock_count(model), 3);
	first = model_lock_next(model, NULL);
	second = model_lock_next(model, first);
	assert_int_equal(lock_waited_ns(first), 60);
	assert_string_equal(first->type->type, "4Lock");
	assert_int_equal(first->type->offset_bytes, 32);
	assert_int_equal(lock_waited_ns(second), 5);
	assert_string_equal(second->type->type, "5Other");
	assert_ptr_equal(find(7, 1, RBDPROF_MUTEX)->type, first->type);
}

/* Waits with one stack, or at one place without a stack, of threads of one name. */
static void test_stacks(void **unused)
{
	const struct stack_wait *wait = NULL;
	unsigned count = 0;

	(void)unused;
	run("1 p0 thread thread=1 tid=11 name=io\n"
	    "1 p0 thread thread=2 tid=12 name=io\n"
	    "2 p0 lock_wait lock=1 thread=1 wait_ns=10 kind=mutex caller=5 stack=77\n"
	    "3 p0 lock_wait lock=1 thread=2 wait_ns=30 kind=mutex caller=5 stack=77\n"
	    "4 p0 lock_wait lock=1 thread=2 wait_ns=4 kind=mutex caller=5\n");
	while ((wait = stack_wait_next(find(1, 0, RBDPROF_MUTEX)->contention, wait))) {
		count++;
		assert_string_equal(wait->key.thread, "io");
		assert_int_equal(wait->count, wait->key.stack ? 2 : 1);
		assert_int_equal(wait->wait_ns, wait->key.stack ? 40 : 4);
		assert_int_equal(wait->max_ns, wait->key.stack ? 30 : 4);
		assert_int_equal(wait->key.site, wait->key.stack ? 0 : 5);
	}
	assert_int_equal(count, 2);
}

#define LIBRBD "1 p0 module begin=0x1000 end=0x2000 path=/usr/lib/librbd.so.1\n"

/* An application's lock: 20 + 3 ns by threads that make requests; not what they wait inside of librbd, in requests, or others wait. */
static void test_submitters(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run(TEXT_IMAGE LIBRBD "2 p0 request request=1:1 image=1 kind=write\n"
			      "2 p0 request request=2:1 image=1 kind=write\n"
			      "3 p0 lock_wait lock=1 thread=1 wait_ns=20 kind=mutex caller=0x50\n"
			      "4 p0 lock_wait lock=1 thread=2 wait_ns=3 kind=mutex caller=0x60\n"
			      "5 p0 lock_wait lock=1 thread=2 wait_ns=400 kind=mutex caller=0x1050\n"
			      "6 p0 lock_wait lock=1 thread=2 wait_ns=500 kind=mutex caller=0x50 request=2:1\n"
			      "7 p0 thread thread=3 tid=8 name=other\n"
			      "8 p0 lock_wait lock=1 thread=3 wait_ns=600 kind=mutex caller=0x50\n");
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock->contention->submitters_count, 2);
	assert_int_equal(lock_submitters_ns(lock), 23);
}

/* Where modules are not told, a lock for which others wait as well may be librbd's. */
static void test_submitters_without_modules(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "2 p0 request request=1:1 image=1 kind=write\n"
		       "3 p0 lock_wait lock=1 thread=1 wait_ns=20 kind=mutex caller=0x50\n"
		       "3 p0 lock_wait lock=2 thread=1 wait_ns=20 kind=mutex caller=0x50\n"
		       "4 p0 thread thread=3 tid=77 name=main\n"
		       "5 p0 lock_wait lock=2 thread=3 wait_ns=20 kind=mutex caller=0x50\n");
	assert_int_equal(lock_submitters_ns(find(1, 0, RBDPROF_MUTEX)), 20);
	assert_int_equal(lock_submitters_ns(find(2, 0, RBDPROF_MUTEX)), 0);
}

/* 600 and then 1600 after it began; at the process's last event, 500 later, it has lasted 2100. Nobody got the lock. */
static void test_open_at_the_end(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run("1000 p0 lock_wait_open lock=1 thread=1 wait_ns=600 kind=mutex\n"
	    "1001 p0 host processors=2\n"
	    "2000 p0 lock_wait_open lock=1 thread=1 wait_ns=1600 kind=mutex\n"
	    "2001 p0 host processors=2\n"
	    "2400 p0 lock_wait lock=1 thread=2 wait_ns=30 kind=mutex\n"
	    "2500 p0 undecoded what=x\n"
	    "9000 p1 undecoded what=x\n");
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock->contention->open.count, 1);
	assert_int_equal(lock->contention->open.sum, 2100);
	assert_int_equal(lock->contention->wait.count, 1);
	assert_int_equal(lock_contended(lock), 1);
	assert_int_equal(lock_waited_ns(lock), 2130);
	assert_int_equal(stack_wait_next(lock->contention, NULL)->count, 2);
}

/* Its end is told; so is the end of another one, while it is being said. */
static void test_open_and_over(void **unused)
{
	(void)unused;
	run("1 p0 thread thread=1 tid=11 name=a\n"
	    "1 p0 thread thread=2 tid=12 name=b\n"
	    "1000 p0 lock_wait_open lock=1 thread=1 wait_ns=600 kind=mutex\n"
	    "1300 p0 lock_wait lock=1 thread=1 wait_ns=900 kind=mutex\n"
	    "1400 p0 lock_wait lock=1 thread=2 wait_ns=1000 kind=mutex\n"
	    "1401 p0 lock_wait_open lock=1 thread=2 wait_ns=998 kind=mutex\n");
	assert_int_equal(find(1, 0, RBDPROF_MUTEX)->contention->open.count, 0);
	assert_int_equal(find(1, 0, RBDPROF_MUTEX)->contention->wait.count, 2);
	assert_int_equal(lock_waited_ns(find(1, 0, RBDPROF_MUTEX)), 1900);
}

/* Two passes end without saying it again, each with a HOST, so that it is over though its end was lost; one could have been cut short. */
static void test_open_not_said_again(void **unused)
{
	(void)unused;
	run("1000 p0 lock_wait_open lock=1 thread=1 wait_ns=600 kind=mutex\n"
	    "1001 p0 host processors=2\n"
	    "2000 p0 lock_wait_open lock=2 thread=2 wait_ns=600 kind=mutex\n"
	    "2001 p0 host processors=2\n");
	assert_int_equal(model_lock_count(model), 1);
	assert_int_equal(find(2, 0, RBDPROF_MUTEX)->contention->open.count, 1);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(apart),
		TEST(failed_apart),
		TEST(condition),
		TEST(unknown_kind),
		TEST(order),
		TEST(holds),
		TEST(hold_of_rwlock),
		TEST(counts),
		TEST(counts_again),
		TEST(counts_behind),
		TEST(types),
		TEST(stacks),
		TEST(submitters),
		TEST(submitters_without_modules),
		TEST(open_at_the_end),
		TEST(open_and_over),
		TEST(open_not_said_again),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
