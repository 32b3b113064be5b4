/* Locks of one name are one row: sums, edges by name of thread, stacks, the holds that are told, delays once. */
#include "tests/unit/core/test.h"

#include "analyzer/core/lock_rows.h"
#include "tests/unit/core/events_text.h"

static struct model *model;
static struct lock_rows rows;

/* Locks 1 to 9 are "one", 10 to 19 "two" and inferred, and so on. */
static int name_lock(void *context, const struct lock *lock, char **name, uint8_t *inferred)
{
	static const char *const names[] = {"one", "two", "three"};

	assert_null(context);
	*name = strdup(names[lock->key.address / 10]);
	*inferred = lock->key.address / 10 == 1;
	return *name ? 0 : -ENOMEM;
}

static const struct lock_row *run(const char *text)
{
	const struct lock_namer namer = {NULL, name_lock};

	model = events_text_model(text);
	assert_int_equal(lock_rows_build(&rows, model, &namer), 0);
	return lock_rows_next(&rows, NULL);
}

static int teardown(void **unused)
{
	(void)unused;
	lock_rows_fini(&rows);
	model_destroy(model);
	return 0;
}

/* Sums of two locks: 3 contended, 1 failed, 10 + 20 + 30 + 5 ns; the other kind and the other process are apart; free ones in none. */
static void test_sums(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("1 p0 lock_wait lock=1 thread=1 wait_ns=10 kind=mutex\n"
		  "2 p0 lock_wait lock=2 thread=1 wait_ns=20 kind=mutex\n"
		  "3 p0 lock_wait lock=2 thread=1 wait_ns=30 kind=mutex\n"
		  "4 p0 lock_wait lock=2 thread=1 wait_ns=5 kind=mutex result=110\n"
		  "5 p0 lock_counts lock=1 thread=1 kind=mutex acquisitions=100 contended=1 wait_ns=10 holds=2 hold_ns=7\n"
		  "5 p0 lock_counts lock=2 thread=1 kind=mutex acquisitions=200 contended=1 wait_ns=20 holds=3 hold_ns=8\n"
		  "6 p0 lock_wait lock=1 thread=1 wait_ns=7 kind=rwlock_read\n"
		  "7 p1 lock_wait lock=1 thread=1 wait_ns=6 kind=mutex\n"
		  "8 p0 lock_wait lock=11 thread=1 wait_ns=1 kind=mutex\n"
		  "9 p0 lock_counts lock=21 thread=1 kind=mutex acquisitions=1000\n");
	assert_string_equal(row->name, "one");
	assert_false(row->inferred);
	assert_int_equal(row->instances, 2);
	assert_int_equal(row->contended, 3);
	assert_int_equal(row->failed, 1);
	assert_int_equal(row->waited_ns, 65);
	assert_int_equal(row->wait.count, 3);
	assert_int_equal(row->wait.max, 30);
	assert_true(row->counted);
	assert_int_equal(row->uncounted, 1);
	assert_int_equal(row->acquisitions, 301);
	assert_int_equal(row->timed.holds, 5);
	assert_int_equal(row->timed.hold_ns, 15);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->kind, RBDPROF_RWLOCK_READ);
	assert_false(row->counted);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->process->number, 1);
	row = lock_rows_next(&rows, row);
	assert_string_equal(row->name, "two");
	assert_true(row->inferred);
	assert_null(lock_rows_next(&rows, row));
	assert_int_equal(rows.free_locks, 1);
	assert_int_equal(rows.free_acquisitions, 1000);
	assert_ptr_equal(lock_rows_of(&rows, model_lock_next(model, NULL)), lock_rows_next(&rows, NULL));
}

/* One of two locks was never counted: 10 acquisitions, and its 1 that waited. */
static void test_partly_counted(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("1 p0 lock_wait lock=1 thread=1 wait_ns=10 kind=mutex\n"
		  "2 p0 lock_wait lock=2 thread=1 wait_ns=20 kind=mutex\n"
		  "3 p0 lock_counts lock=1 thread=1 kind=mutex acquisitions=10 contended=1 wait_ns=10\n");
	assert_true(row->counted);
	assert_int_equal(row->acquisitions, 11);
	assert_int_equal(row->contended, 2);
	assert_int_equal(row->uncounted, 1);
}

/* What is told of holds: blocking ones before sampled means; where all were timed those; where each was recorded those. */
static void test_holds(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("1 p0 lock_wait lock=1 thread=1 wait_ns=40 kind=mutex\n"
		  "2 p0 lock_hold lock=1 thread=2 hold_ns=300 kind=mutex\n"
		  "3 p0 lock_counts lock=1 thread=1 kind=mutex acquisitions=9 contended=1 holds=2 hold_ns=50\n"
		  "4 p0 lock_wait lock=11 thread=1 wait_ns=30 kind=mutex\n"
		  "5 p0 lock_counts lock=11 thread=1 kind=mutex acquisitions=9 contended=1 holds=2 hold_ns=50\n"
		  "6 p0 lock_wait lock=12 thread=1 wait_ns=20 kind=rwlock_read\n"
		  "7 p0 lock_hold lock=12 thread=2 hold_ns=300 kind=rwlock_read\n"
		  "8 p0 hold_counts lock=12 thread=1 kind=rwlock_read acquisitions=9 contended=1 holds=9 hold_ns=90\n"
		  "9 p0 lock_wait lock=13 thread=1 wait_ns=10 kind=rwlock_write\n"
		  "9 p0 lock_pair lock=13 thread=1 hold_ns=6 kind=rwlock_write\n"
		  "9 p0 lock_pair lock=13 thread=1 hold_ns=8 kind=rwlock_write\n"
		  "9 p0 lock_wait lock=21 thread=1 wait_ns=1 kind=mutex\n");
	assert_int_equal(row->basis, HOLD_BLOCKING);
	assert_int_equal(row->hold.count, 1);
	assert_float_equal(lock_row_hold_mean(row), 300, 1e-6);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->basis, HOLD_SAMPLED);
	assert_int_equal(row->hold.count, 0);
	assert_float_equal(lock_row_hold_mean(row), 25, 1e-6);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->basis, HOLD_ALL);
	assert_float_equal(lock_row_hold_mean(row), 10, 1e-6);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->basis, HOLD_ALL);
	assert_int_equal(row->hold.count, 2);
	assert_float_equal(lock_row_hold_mean(row), 7, 1e-6);
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->basis, HOLD_UNKNOWN);
	assert_int_equal(row->hold_count, 0);
}

/* Two threads called io, two locks, one place and one holder: one edge of 30 ns, before the one of 25. Its nested waits are added up. */
static void test_edges(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("1 p0 thread thread=1 tid=11 name=io\n"
		  "1 p0 thread thread=2 tid=12 name=io\n"
		  "1 p0 thread thread=3 tid=13 name=worker\n"
		  "100 p0 lock_wait lock=11 thread=3 holder=14 caller=9 wait_ns=5 kind=mutex\n"
		  "101 p0 lock_wait lock=1 thread=1 holder=13 caller=7 wait_ns=10 kind=mutex\n"
		  "200 p0 lock_wait lock=12 thread=3 holder=14 caller=9 wait_ns=6 kind=mutex\n"
		  "201 p0 lock_wait lock=2 thread=2 holder=13 caller=7 wait_ns=20 kind=mutex\n"
		  "300 p0 lock_wait lock=2 thread=2 holder=13 caller=8 wait_ns=25 kind=mutex\n");
	assert_int_equal(row->edge_count, 2);
	assert_string_equal(row->edges[0].key.waiter, "io");
	assert_string_equal(row->edges[0].key.holder, "worker");
	assert_int_equal(row->edges[0].key.waiter_site, 7);
	assert_int_equal(row->edges[0].count, 2);
	assert_int_equal(row->edges[0].wait_ns, 30);
	assert_string_equal(row->edges[0].nested[0].row->name, "two");
	assert_int_equal(row->edges[0].nested[0].count, 2);
	assert_int_equal(row->edges[0].nested[0].wait_ns, 11);
	assert_null(row->edges[0].nested[1].row);
	assert_int_equal(row->edges[1].wait_ns, 25);
	/* 14 never had a name. */
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->edges[0].key.holder_tid, 14);
}

static void test_stacks(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("1 p0 thread thread=1 tid=11 name=io\n"
		  "1 p0 thread thread=2 tid=12 name=io\n"
		  "2 p0 lock_wait lock=1 thread=1 stack=5 wait_ns=10 kind=mutex\n"
		  "3 p0 lock_wait lock=2 thread=2 stack=5 wait_ns=30 kind=mutex\n"
		  "4 p0 lock_wait lock=2 thread=2 stack=6 wait_ns=50 kind=mutex\n");
	assert_int_equal(row->stack_count, 2);
	assert_int_equal(row->stacks[0].key.stack, 6);
	assert_int_equal(row->stacks[1].key.stack, 5);
	assert_int_equal(row->stacks[1].count, 2);
	assert_int_equal(row->stacks[1].wait_ns, 40);
	assert_int_equal(row->stacks[1].max_ns, 30);
}

/* Locks of one type delay a request once; those without a type once each. A row is an image's when no other image's requests waited. */
static void test_delays(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run(TEXT_IMAGE "1 p0 image image=2 client=4001 cluster=c1 pool_id=2 pool=rbd name=two id=10ac\n"
			     "2 p0 lock_name lock=1 offset_bytes=8 type=1L\n"
			     "2 p0 lock_name lock=2 offset_bytes=8 type=1L\n"
			     "100 p0 request request=1:1 image=1 kind=write\n"
			     "200 p0 lock_wait lock=1 thread=1 request=1:1 wait_ns=30 kind=mutex\n"
			     "300 p0 lock_wait lock=2 thread=1 request=1:1 wait_ns=40 kind=mutex\n"
			     "310 p0 lock_wait lock=11 thread=1 request=1:1 wait_ns=1 kind=mutex\n"
			     "320 p0 lock_wait lock=12 thread=1 request=1:1 wait_ns=2 kind=mutex\n"
			     "400 p0 complete request=1:1 looked=1\n"
			     "500 p0 request request=1:2 image=2 kind=write\n"
			     "600 p0 lock_wait lock=12 thread=1 request=1:2 wait_ns=3 kind=mutex\n"
			     "700 p0 complete request=1:2 looked=1\n");
	assert_int_equal(row->delay.count, 1);
	assert_int_equal(row->delay.sum, 70);
	assert_int_equal(row->exact, 1);
	assert_string_equal(row->image->name, "one");
	row = lock_rows_next(&rows, row);
	assert_int_equal(row->delay.count, 3);
	assert_int_equal(row->delay.sum, 6);
	assert_null(row->image);
}

/* Open at the end, at 3000: of lock 1 for 2500, of lock 2 for 1200. Locks that nobody got in the end are in a row too. */
static void test_open(void **unused)
{
	const struct lock_row *row;

	(void)unused;
	row = run("2000 p0 lock_wait_open lock=1 thread=1 wait_ns=1500 kind=mutex\n"
		  "3000 p0 lock_wait_open lock=2 thread=2 wait_ns=1200 kind=mutex\n");
	assert_int_equal(row->instances, 2);
	assert_int_equal(row->open, 2);
	assert_int_equal(row->open_max_ns, 2500);
	assert_int_equal(row->contended, 0);
	assert_int_equal(row->waited_ns, 3700);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(sums), TEST(partly_counted), TEST(holds), TEST(edges), TEST(stacks), TEST(delays), TEST(open)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
