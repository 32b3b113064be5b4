/* Contended locks, kept apart by process, address and the way of asking. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct locks locks;
static struct process processes[2] = {{.number = 0}, {.number = 1}};

static int feed(void *context, const struct event *event)
{
	(void)context;
	return locks_feed(&locks, &processes[event->process], event);
}

static int setup(void **unused)
{
	(void)unused;
	locks = (struct locks){0};
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	locks_fini(&locks);
	return 0;
}

static const struct lock *find(uint64_t address, uint32_t process, uint32_t kind)
{
	for (const struct lock *lock = locks.locks; lock; lock = lock->hh.next)
		if (lock->key.address == address && lock->key.process == process && lock->key.kind == kind)
			return lock;
	fail_msg("no such lock");
	return NULL;
}

static void test_apart(void **unused)
{
	(void)unused;
	assert_int_equal(events_text_each("1 p0 lock_wait lock=0x10 thread=1 wait_ns=100 kind=rwlock_read\n"
					  "2 p0 lock_wait lock=0x10 thread=1 wait_ns=20 kind=rwlock_write\n"
					  "3 p0 lock_wait lock=0x20 thread=1 wait_ns=3 kind=mutex\n"
					  "4 p1 lock_wait lock=0x20 thread=1 wait_ns=7 kind=mutex\n"
					  "5 p0 lock_wait lock=0x10 thread=2 wait_ns=60 kind=rwlock_read\n",
					  feed, NULL),
			 0);
	assert_int_equal(HASH_COUNT(locks.locks), 4);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->wait.count, 2);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->wait.sum, 160);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_READ)->wait.max, 100);
	assert_int_equal(find(0x10, 0, RBDPROF_RWLOCK_WRITE)->wait.sum, 20);
	assert_int_equal(find(0x20, 0, RBDPROF_MUTEX)->wait.sum, 3);
	assert_int_equal(find(0x20, 1, RBDPROF_MUTEX)->wait.sum, 7);
	assert_ptr_equal(find(0x20, 1, RBDPROF_MUTEX)->process, &processes[1]);
}

/* 110 is ETIMEDOUT, 130 EOWNERDEAD: that one has the lock. */
static void test_failed_apart(void **unused)
{
	const struct lock *lock;

	(void)unused;
	assert_int_equal(ETIMEDOUT, 110);
	assert_int_equal(EOWNERDEAD, 130);
	assert_int_equal(events_text_each("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=mutex result=110\n"
					  "2 p0 lock_wait lock=1 thread=1 wait_ns=30 kind=mutex\n"
					  "3 p0 lock_wait lock=1 thread=1 wait_ns=5 kind=mutex result=130\n",
					  feed, NULL),
			 0);
	lock = find(1, 0, RBDPROF_MUTEX);
	assert_int_equal(lock->wait.count, 2);
	assert_int_equal(lock->wait.sum, 35);
	assert_int_equal(lock->failed.count, 1);
	assert_int_equal(lock->failed.sum, 100);
	assert_int_equal(lock_waiter_next(lock, NULL)->count, 3);
	assert_int_equal(lock_waiter_next(lock, NULL)->wait_ns, 135);
}

static void test_condition(void **unused)
{
	(void)unused;
	assert_int_equal(events_text_each("1 p0 cond_wait lock=1 mutex=0x99 thread=1 wait_ns=100 kind=cond\n", feed, NULL), 0);
	assert_int_equal(find(1, 0, RBDPROF_COND)->mutex, 0x99);
}

static void test_unknown_kind(void **unused)
{
	(void)unused;
	assert_int_equal(events_text_each("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=9\n", feed, NULL), -ENOENT);
	assert_null(locks.locks);
}

static void test_order(void **unused)
{
	const struct lock_waiter *waiter;

	(void)unused;
	assert_int_equal(events_text_each("1 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=mutex\n"
					  "2 p0 lock_wait lock=2 thread=1 caller=7 wait_ns=80 kind=mutex\n"
					  "3 p0 lock_wait lock=2 thread=2 caller=7 wait_ns=90 kind=mutex\n"
					  "4 p0 lock_wait lock=2 thread=2 caller=8 wait_ns=95 kind=mutex\n"
					  "5 p0 lock_wait lock=3 thread=2 wait_ns=150 kind=mutex result=110\n",
					  feed, NULL),
			 0);
	locks_sort(&locks);
	assert_int_equal(locks.locks->key.address, 2); /* 265 */
	waiter = lock_waiter_next(locks.locks, NULL);
	assert_int_equal(waiter->key.caller, 8);
	waiter = lock_waiter_next(locks.locks, waiter);
	assert_int_equal(waiter->key.caller, 7);
	assert_int_equal(waiter->key.thread, 2);
	waiter = lock_waiter_next(locks.locks, waiter);
	assert_int_equal(waiter->key.thread, 1);
	assert_null(lock_waiter_next(locks.locks, waiter));
	assert_int_equal(((struct lock *)locks.locks->hh.next)->key.address, 3); /* 150, all in vain */
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(apart),
		TEST(failed_apart),
		TEST(condition),
		TEST(unknown_kind),
		TEST(order),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
