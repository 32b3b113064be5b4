/* What is said of counted locks: sums that only grow, what has changed and nothing else, and what there was no room for. */
#include "test.h"

#include "heard.h"
#include "preload/contended.h"
#include "preload/counts.h"

#define MANY_LOCKS   (4 * LOCKSTAT_SLOTS)
#define MANY_THREADS 600 /* more than there are tables */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER, many[MANY_LOCKS];

static void take(pthread_mutex_t *mutex, int times)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(mutex);
		pthread_mutex_unlock(mutex);
	}
}

static const struct rbdprof_lock_counts *mine(const pthread_mutex_t *mutex)
{
	return heard_counts(mutex, RBDPROF_MUTEX, recorder_thread_number());
}

static void sleep_until(uint64_t until_ns)
{
	while (recorder_now_ns() < until_ns)
		usleep(1000);
}

/* How many counts are said by a pass. */
static int pass(void)
{
	int before = heard.count[HEARD_LOCK_COUNTS];

	counts_say(false);
	return heard.count[HEARD_LOCK_COUNTS] - before;
}

static int setup(void **state)
{
	(void)state;
	heard_start_locks(true);
	assert_true(lockstat_begin(false, false, false));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lockstat_end();
	heard_start_locks(false);
	return 0;
}

static void what_has_changed_is_said(void **state)
{
	(void)state;
	take(&one, 3);
	take(&other, 5);
	assert_int_equal(pass(), 2);
	assert_int_equal(mine(&one)->acquisitions, 3);
	assert_int_equal(mine(&other)->acquisitions, 5);
	assert_int_equal(mine(&one)->holds, 1); /* the first of 64 */
	assert_int_equal(pass(), 0);
	take(&other, 2);
	assert_int_equal(pass(), 1);
	assert_int_equal(mine(&one)->acquisitions, 3);
	assert_int_equal(mine(&other)->acquisitions, 7);
	assert_int_equal(mine(&other)->contended, 0);
}

/* Kinds of one address are counted apart. */
static void readers_and_writers_are_two(void **state)
{
	static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	uint32_t thread = recorder_thread_number();

	(void)state;
	for (int i = 0; i < 5; i++) {
		i < 2 ? pthread_rwlock_wrlock(&rwlock) : pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	assert_int_equal(pass(), 2);
	assert_int_equal(heard_counts(&rwlock, RBDPROF_RWLOCK_READ, thread)->acquisitions, 3);
	assert_int_equal(heard_counts(&rwlock, RBDPROF_RWLOCK_WRITE, thread)->acquisitions, 2);
}

/* All in the kind of event that says so. */
static void all_holds_are_said_as_such(void **state)
{
	(void)state;
	assert_true(lockstat_begin(true, false, false));
	take(&one, 100);
	counts_say(true);
	assert_int_equal(heard.count[HEARD_LOCK_COUNTS], 0);
	assert_int_equal(heard.count[HEARD_HOLD_COUNTS], 1);
	assert_int_equal(mine(&one)->holds, 100);
}

/* As many as are timed at once, ended in the order in which they began, each a millisecond shorter than the one before. */
static void holds_end_in_any_order(void **state)
{
	uint64_t least_ns[LOCKSTAT_HOLDS], most_ns[LOCKSTAT_HOLDS];

	(void)state;
	assert_null(ticks_calibrate());
	assert_true(lockstat_begin(true, false, false));
	for (int i = 0; i < LOCKSTAT_HOLDS; i++) {
		most_ns[i] = recorder_now_ns();
		pthread_mutex_lock(&many[i]);
		least_ns[i] = recorder_now_ns();
		sleep_until(least_ns[i] + 1000000);
	}
	for (int i = 0; i < LOCKSTAT_HOLDS; i++) {
		least_ns[i] = recorder_now_ns() - least_ns[i];
		pthread_mutex_unlock(&many[i]);
		most_ns[i] = recorder_now_ns() - most_ns[i];
	}
	assert_int_equal(lockstat_thread.timed, 0);
	counts_say(true);
	for (int i = 0; i < LOCKSTAT_HOLDS; i++) {
		assert_int_equal(mine(&many[i])->acquisitions, 1);
		assert_int_equal(mine(&many[i])->holds, 1);
		/* The counter's rate is good to one in a thousand. */
		assert_true(mine(&many[i])->hold_ns >= least_ns[i] - least_ns[i] / 1000);
		assert_true(mine(&many[i])->hold_ns <= most_ns[i] + most_ns[i] / 1000);
	}
}

/* The first is not timed then, and what it was is not taken for another's; all are counted. */
static void one_hold_too_many(void **state)
{
	(void)state;
	assert_true(lockstat_begin(true, false, false));
	for (int i = 0; i <= LOCKSTAT_HOLDS; i++)
		pthread_mutex_lock(&many[i]);
	for (int i = LOCKSTAT_HOLDS; i >= 0; i--)
		pthread_mutex_unlock(&many[i]);
	assert_int_equal(lockstat_thread.timed, 0);
	counts_say(true);
	for (int i = 0; i <= LOCKSTAT_HOLDS; i++) {
		assert_int_equal(mine(&many[i])->acquisitions, 1);
		assert_int_equal(mine(&many[i])->holds, i > 0);
	}
}

static void *read_and_leave(void *rwlock)
{
	pthread_rwlock_rdlock(rwlock);
	return NULL;
}

/* A hold that another thread ends is timed by neither, and does not hinder those that follow. */
static void a_hold_that_another_ends(void **state)
{
	static pthread_rwlock_t rwlocks[2 * LOCKSTAT_HOLDS];
	pthread_t thread;

	(void)state;
	assert_true(lockstat_begin(true, false, false));
	for (int i = 0; i < 2 * LOCKSTAT_HOLDS; i++) {
		pthread_rwlock_init(&rwlocks[i], NULL);
		pthread_rwlock_rdlock(&rwlocks[i]); /* not ended by this one */
		pthread_create(&thread, NULL, read_and_leave, &rwlocks[i]);
		pthread_join(thread, NULL);
	}
	take(&one, 100);
	counts_say(true);
	assert_int_equal(mine(&one)->acquisitions, 100);
	assert_int_equal(mine(&one)->holds, 100);
	assert_int_equal(heard_counts(&rwlocks[0], RBDPROF_RWLOCK_READ, recorder_thread_number())->holds, 0);
}

/* What ends in the next recording was not begun in it. */
static void a_hold_across_two_recordings(void **state)
{
	(void)state;
	assert_true(lockstat_begin(true, false, false));
	pthread_mutex_lock(&one);
	lockstat_end();
	assert_true(lockstat_begin(true, false, false));
	pthread_mutex_unlock(&one);
	take(&one, 2);
	counts_say(true);
	assert_int_equal(mine(&one)->acquisitions, 2);
	assert_int_equal(mine(&one)->holds, 2);
	assert_int_equal(lockstat_thread.timed, 0);
}

static void sums_do_not_wrap(void **state)
{
	struct lockstat_slot *slot;

	(void)state;
	take(&one, 1);
	slot = lockstat_find(lockstat_table(), lockstat_key(&one, RBDPROF_MUTEX), NULL);
	assert_non_null(slot);
	slot->acquisitions = UINT32_MAX - 1;
	assert_int_equal(pass(), 1);
	assert_int_equal(mine(&one)->acquisitions, UINT32_MAX - 1);
	take(&one, 4);
	assert_int_equal(pass(), 1);
	assert_int_equal(mine(&one)->acquisitions, (uint64_t)UINT32_MAX + 3);
}

static int arrived, gate[2];

/* Takes a lock and sleeps until the gate is opened. */
static void *live(void *mutex)
{
	char byte;

	take(mutex, 9);
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
	while (read(gate[0], &byte, 1) < 0)
		;
	return (void *)(uintptr_t)recorder_thread_number();
}

static void start(pthread_t *threads, int count)
{
	pthread_attr_t attributes;

	arrived = 0;
	assert_int_equal(pipe(gate), 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (int i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], &attributes, live, &many[i]), 0);
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < count)
		usleep(1000);
}

/* Returns the number of the first thread. */
static uint32_t end(const pthread_t *threads, int count)
{
	void *number, *first = NULL;

	close(gate[1]);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], &number);
		first = i ? first : number;
	}
	close(gate[0]);
	return (uint32_t)(uintptr_t)first;
}

static int tables(void)
{
	struct lockstat_table *table = NULL;
	int count = 0;

	while ((table = lockstat_next(table)))
		count++;
	return count;
}

/* A thread's counts are said while it sleeps, and after its end; then its table is another's. */
static void a_thread_that_is_gone_is_said_once_more(void **state)
{
	pthread_t thread;
	uint32_t number;
	int before;

	(void)state;
	take(&one, 1);
	pass();
	before = tables();
	start(&thread, 1);
	assert_int_equal(pass(), 1);
	assert_int_equal(tables(), before + 1);
	number = end(&thread, 1);
	assert_int_equal(heard_counts(&many[0], RBDPROF_MUTEX, number)->acquisitions, 9);
	assert_int_equal(pass(), 0);
	assert_int_equal(tables(), before);
	/* Not sleeping when it ended. */
	start(&thread, 1);
	number = end(&thread, 1);
	assert_null(heard_counts(&many[0], RBDPROF_MUTEX, number));
	assert_int_equal(pass(), 1);
	assert_int_equal(heard_counts(&many[0], RBDPROF_MUTEX, number)->acquisitions, 9);
	assert_int_equal(tables(), before);
}

/* Waits for `one`, which the test holds. */
static void *block(void *unused)
{
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
	return unused;
}

/* Once it has lasted a second, and in each pass from then on; a recording that begins meanwhile hears of it too. */
static void a_wait_that_lasts_is_said_while_it_does(void **state)
{
	uint64_t begin_ns, now_ns;
	pthread_t thread;

	(void)state;
	pthread_mutex_lock(&one);
	begin_ns = recorder_now_ns();
	pthread_create(&thread, NULL, block, NULL);
	sleep_until(begin_ns + 500000000);
	pass();
	assert_int_equal(heard.count[HEARD_LOCK_WAIT_OPEN], 0);
	sleep_until(begin_ns + 1400000000);
	pass();
	now_ns = recorder_now_ns();
	assert_int_equal(heard.count[HEARD_LOCK_WAIT_OPEN], 1);
	assert_int_equal(heard.open_wait.lock, (uintptr_t)&one);
	assert_int_equal(heard.open_wait.kind, RBDPROF_MUTEX);
	assert_int_equal(heard.open_wait.holder, recorder_tid());
	assert_int_equal(heard.open_wait.thread, heard.thread.thread);
	assert_int_not_equal(heard.open_wait.thread, recorder_thread_number());
	assert_in_range(heard.open_wait.caller, (uintptr_t)block, (uintptr_t)block + 100);
	assert_in_range(heard.open_wait.wait_ns, 1000000000, now_ns - begin_ns);
	assert_true(lockstat_begin(false, false, false));
	pass();
	assert_int_equal(heard.count[HEARD_LOCK_WAIT_OPEN], 2);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
	pthread_mutex_unlock(&one);
	pthread_join(thread, NULL);
	pass();
	assert_int_equal(heard.count[HEARD_LOCK_WAIT_OPEN], 2);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 1);
	assert_int_equal(heard.wait.caller, heard.open_wait.caller);
}

/* Said in between, any number of locks is counted, though there is room for so many at a time only. */
static void locks_may_come_and_go(void **state)
{
	uint64_t series;
	int said;

	(void)state;
	take(&many[0], 1);
	said = pass();
	series = mine(&many[0])->series;
	for (int i = 1; i < MANY_LOCKS; i++) {
		take(&many[i], 1);
		if (i % (LOCKSTAT_SLOTS / 4) == LOCKSTAT_SLOTS / 4 - 1)
			said += pass();
	}
	assert_int_equal(said, MANY_LOCKS);
	assert_int_equal(heard.largest_counts, RBDPROF_COUNTS_AT_ONCE);
	assert_int_equal(heard.count[HEARD_UNDECODED], 0);
	/* One that was given up begins at 0 again, and as another series. */
	heard.counts_count = 0;
	take(&many[0], 2);
	assert_int_equal(pass(), 1);
	assert_int_equal(mine(&many[0])->acquisitions, 2);
	assert_int_not_equal(mine(&many[0])->series, series);
}

static void too_many_locks_are_told_once_a_recording(void **state)
{
	(void)state;
	for (int recording = 1; recording <= 2; recording++) {
		assert_true(lockstat_begin(false, false, false));
		for (int i = 0; i < MANY_LOCKS; i++)
			take(&many[i], 1);
		assert_true(pass() <= LOCKSTAT_SLOTS);
		assert_int_equal(heard.count[HEARD_UNDECODED], recording);
		assert_string_equal(heard.undecoded, "lock counts: more locks than a thread's table holds");
		pass();
		assert_int_equal(heard.count[HEARD_UNDECODED], recording);
	}
}

static void too_many_threads_are_told_once_a_recording(void **state)
{
	static pthread_t threads[MANY_THREADS];

	(void)state;
	start(threads, MANY_THREADS);
	pass();
	pass();
	end(threads, MANY_THREADS);
	assert_int_equal(heard.count[HEARD_UNDECODED], 1);
	assert_string_equal(heard.undecoded, "lock counts: more threads than there are tables");
	/* Their tables can be had again. */
	pass();
	assert_true(lockstat_begin(false, false, false));
	start(threads, 1);
	assert_int_equal(pass(), 1);
	end(threads, 1);
	assert_int_equal(heard.count[HEARD_UNDECODED], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_has_changed_is_said),
	    TEST(readers_and_writers_are_two),
	    TEST(all_holds_are_said_as_such),
	    TEST(holds_end_in_any_order),
	    TEST(one_hold_too_many),
	    TEST(a_hold_that_another_ends),
	    TEST(a_hold_across_two_recordings),
	    TEST(sums_do_not_wrap),
	    TEST(a_thread_that_is_gone_is_said_once_more),
	    TEST(a_wait_that_lasts_is_said_while_it_does),
	    TEST(locks_may_come_and_go),
	    TEST(too_many_locks_are_told_once_a_recording),
	    TEST(too_many_threads_are_told_once_a_recording),
	};

	for (int i = 0; i < MANY_LOCKS; i++)
		pthread_mutex_init(&many[i], NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
