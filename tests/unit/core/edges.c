/* Who blocked whom: the holder's release that ended a wait, in whichever order the two are told, and what the holder itself waited for. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

/* io, thread 1, waits; worker, thread 2, holds. */
#define THREADS                                                                                                                            \
	"1 p0 thread thread=1 tid=11 name=io\n"                                                                                            \
	"1 p0 thread thread=2 tid=12 name=worker\n"                                                                                        \
	"1 p0 thread thread=3 tid=13 name=third\n"

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

static const struct lock *find(uint64_t address, uint32_t kind)
{
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		if (lock->key.address == address && lock->key.kind == kind)
			return lock;
	fail_msg("no such lock");
	return NULL;
}

static const struct edge *edge_of(uint64_t address, uint32_t kind, unsigned place)
{
	const struct edge *edge = edges_next(&find(address, kind)->contention->edges, NULL);

	while (place-- && edge)
		edge = edges_next(&find(address, kind)->contention->edges, edge);
	return edge;
}

static void check(const struct edge *edge, const char *waiter, uint64_t waiter_site, const char *holder, uint64_t holder_site,
		  uint64_t count, uint64_t wait_ns)
{
	assert_non_null(edge);
	assert_string_equal(edge->key.waiter, waiter);
	assert_int_equal(edge->key.waiter_site, waiter_site);
	if (holder)
		assert_string_equal(edge->key.holder, holder);
	else
		assert_null(edge->key.holder);
	assert_int_equal(edge->key.holder_site, holder_site);
	assert_int_equal(edge->count, count);
	assert_int_equal(edge->wait_ns, wait_ns);
}

/* Each wait lasts 1000; the release is at its end, once told before it and once after it. */
static void test_before_and_after(void **unused)
{
	(void)unused;
	run(THREADS "1000000 p0 lock_hold lock=1 thread=2 caller=0x71 hold_ns=900 kind=mutex\n"
		    "1000100 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=1000 kind=mutex\n"
		    "2000000 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=1000 kind=mutex\n"
		    "2900000 p0 lock_hold lock=1 thread=2 caller=0x71 hold_ns=900 ago_ns=900100 kind=mutex\n");
	check(edge_of(1, RBDPROF_MUTEX, 0), "io", 0x51, "worker", 0x71, 2, 2000);
	assert_null(edge_of(1, RBDPROF_MUTEX, 1));
}

/* Of several releases of the holder within the wait the last one ended it; those of others and those outside are none. */
static void test_nearest(void **unused)
{
	(void)unused;
	run(THREADS "1000000 p0 lock_hold lock=1 thread=2 caller=0x70 kind=mutex\n" /* too early by more than a late clock */
		    "1100000 p0 lock_hold lock=1 thread=2 caller=0x71 kind=mutex\n"
		    "1200000 p0 lock_hold lock=1 thread=2 caller=0x72 kind=mutex\n"
		    "1300000 p0 lock_hold lock=1 thread=3 caller=0x73 kind=mutex\n"
		    "1310000 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=250000 kind=mutex\n"
		    "1400000 p0 lock_hold lock=1 thread=2 caller=0x74 kind=mutex\n"); /* too late */
	check(edge_of(1, RBDPROF_MUTEX, 0), "io", 0x51, "worker", 0x72, 1, 250000);
}

/* Nobody is named: a release within the wait tells who held it; without one it stays open. */
static void test_unknown_holder(void **unused)
{
	(void)unused;
	run(THREADS "1000000 p0 lock_wait lock=1 thread=1 caller=0x51 wait_ns=100 kind=mutex\n"
		    "2000000 p0 lock_hold lock=2 thread=3 caller=0x73 kind=mutex\n"
		    "2000010 p0 lock_wait lock=2 thread=1 caller=0x51 wait_ns=100 kind=mutex\n"
		    "3000000 p0 lock_wait lock=3 thread=1 caller=0x51 holder=12 wait_ns=100 kind=mutex\n");
	check(edge_of(1, RBDPROF_MUTEX, 0), "io", 0x51, NULL, 0, 1, 100);
	check(edge_of(2, RBDPROF_MUTEX, 0), "io", 0x51, "third", 0x73, 1, 100);
	check(edge_of(3, RBDPROF_MUTEX, 0), "io", 0x51, "worker", 0, 1, 100);
}

/* A reader waits until a writer is done: the release is told of the writer's way of holding. */
static void test_reader_and_writer(void **unused)
{
	(void)unused;
	run(THREADS "1000000 p0 lock_hold lock=1 thread=2 caller=0x71 kind=rwlock_write\n"
		    "1000010 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=100 kind=rwlock_read\n");
	check(edge_of(1, RBDPROF_RWLOCK_READ, 0), "io", 0x51, "worker", 0x71, 1, 100);
}

/* A holder is known by its id alone at first, and by its name once that was said: 40 ns under the one, 60 under the other. */
static void test_nameless(void **unused)
{
	(void)unused;
	run("1 p0 thread thread=1 tid=11 name=io\n"
	    "200 p0 lock_wait lock=1 thread=1 caller=0x51 holder=19 wait_ns=40 kind=mutex\n"
	    "300 p0 lock_wait lock=2 thread=1 caller=0x51 holder=18 wait_ns=40 kind=mutex\n"
	    "400 p0 usage tid=18 name=log\n"
	    "500 p0 lock_wait lock=2 thread=1 caller=0x51 holder=18 wait_ns=60 kind=mutex\n");
	assert_ptr_equal(edge_of(1, RBDPROF_MUTEX, 0)->key.nameless, threads_find(&model_process_next(model, NULL)->tasks, 19));
	/* Both were still remembered, and so not settled, when the name came. */
	check(edge_of(2, RBDPROF_MUTEX, 0), "io", 0x51, "log", 0, 2, 100);
}

/* More waits than are remembered: the oldest are settled with what is known by then. */
static void test_many(void **unused)
{
	char text[20 * 120] = THREADS;

	(void)unused;
	for (unsigned i = 0; i < EDGES_RECENT + 4; i++) {
		char line[120];

		snprintf(line, sizeof(line), "%u p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=10 kind=mutex\n",
			 1000000 + i * 100000);
		strcat(text, line);
	}
	/* In the last one's time only. */
	strcat(text, "9000000 p0 lock_hold lock=1 thread=2 caller=0x71 ago_ns=6100000 kind=mutex\n");
	run(text);
	check(edge_of(1, RBDPROF_MUTEX, 0), "io", 0x51, "worker", 0, EDGES_RECENT + 3, 10 * (EDGES_RECENT + 3));
	check(edge_of(1, RBDPROF_MUTEX, 1), "io", 0x51, "worker", 0x71, 1, 10);
}

/*
 * The worker waits for lock 2 from 400 to 700 while it holds lock 1, for which io waits from 500 to 1000: 200 of io's 500 are nested. Its
 * waits before that, and for lock 1 itself, are not.
 */
static void test_nested(void **unused)
{
	const struct edge *edge;

	(void)unused;
	run(THREADS "300 p0 lock_wait lock=3 thread=2 caller=0x52 holder=13 wait_ns=100 kind=mutex\n"
		    "350 p0 lock_wait lock=1 thread=2 caller=0x53 holder=13 wait_ns=10 kind=mutex\n"
		    "700 p0 lock_wait lock=2 thread=2 caller=0x54 holder=13 wait_ns=300 kind=mutex\n"
		    "990 p0 lock_hold lock=1 thread=2 caller=0x71 hold_ns=490 kind=mutex\n"
		    "1000 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=500 kind=mutex\n");
	edge = edge_of(1, RBDPROF_MUTEX, 0);
	check(edge, "io", 0x51, "worker", 0x71, 1, 500);
	assert_ptr_equal(edge->nested[0].lock, find(2, RBDPROF_MUTEX));
	assert_int_equal(edge->nested[0].count, 1);
	assert_int_equal(edge->nested[0].wait_ns, 200);
	assert_null(edge->nested[1].lock);
}

/* A holder that waits for work, or to be told something, with the lock in its hand: 300 of the 400. */
static void test_nested_condition(void **unused)
{
	const struct edge *edge;

	(void)unused;
	run(THREADS "900 p0 cond_wait lock=5 mutex=6 thread=2 caller=0x54 wait_ns=300 kind=cond\n"
		    "1000 p0 lock_wait lock=1 thread=1 caller=0x51 holder=12 wait_ns=400 kind=rwlock_write\n");
	edge = edge_of(1, RBDPROF_RWLOCK_WRITE, 0);
	assert_int_equal(edge->nested[0].lock->key.kind, RBDPROF_COND);
	assert_int_equal(edge->nested[0].wait_ns, 300);
}

/* Each holds what the other waits for, at the end for 900 and 600: of the former 600 are nested, of the latter all. */
static void test_deadlock(void **unused)
{
	const struct edge *edge;

	(void)unused;
	run(THREADS "2000 p0 lock_wait_open lock=1 thread=1 caller=0x51 holder=12 wait_ns=800 kind=mutex\n"
		    "2050 p0 lock_wait_open lock=2 thread=2 caller=0x52 holder=11 wait_ns=550 kind=mutex\n"
		    "2100 p0 host processors=2\n");
	edge = edge_of(1, RBDPROF_MUTEX, 0);
	check(edge, "io", 0x51, "worker", 0, 1, 900);
	assert_ptr_equal(edge->nested[0].lock, find(2, RBDPROF_MUTEX));
	assert_int_equal(edge->nested[0].wait_ns, 600);
	edge = edge_of(2, RBDPROF_MUTEX, 0);
	check(edge, "worker", 0x52, "io", 0, 1, 600);
	assert_ptr_equal(edge->nested[0].lock, find(1, RBDPROF_MUTEX));
	assert_int_equal(edge->nested[0].wait_ns, 600);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(before_and_after),
		TEST(nearest),
		TEST(unknown_holder),
		TEST(reader_and_writer),
		TEST(nameless),
		TEST(many),
		TEST(nested),
		TEST(nested_condition),
		TEST(deadlock),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
