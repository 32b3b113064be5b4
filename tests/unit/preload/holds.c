/*
 * Waits, blocking holds and holders of every kind of lock, with answers known by construction: who holds, for how long, and who waits.
 * Times are held against the test's own clock; everything else exactly.
 */
#include "test.h"

#include "heard.h"
#include "holding.h"
#include "preload/contended.h"
#include "preload/counts.h"

#define BEFORE_NS 20000000
#define AFTER_NS  30000000
#define SOON_NS   10000000 /* when a waiter gives up */

static union {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
} lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static int mutex_lock(void *mutex)
{
	return pthread_mutex_lock(mutex);
}

static int mutex_unlock(void *mutex)
{
	return pthread_mutex_unlock(mutex);
}

static int read_lock(void *rwlock)
{
	return pthread_rwlock_rdlock(rwlock);
}

static int write_lock(void *rwlock)
{
	return pthread_rwlock_wrlock(rwlock);
}

static int rwlock_unlock(void *rwlock)
{
	return pthread_rwlock_unlock(rwlock);
}

static int lock_twice(void *mutex)
{
	return pthread_mutex_lock(mutex) || pthread_mutex_lock(mutex);
}

/* The inner release ends nothing. */
static int unlock_twice(void *mutex)
{
	pthread_mutex_unlock(mutex);
	return pthread_mutex_unlock(mutex);
}

static int lock_again_in_vain(void *mutex)
{
	return pthread_mutex_lock(mutex) || pthread_mutex_lock(mutex) != EDEADLK || pthread_mutex_trylock(mutex) != EBUSY;
}

static int lock_for_a_while(void *mutex)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += SOON_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
}

/* Lets go of the mutex inside a wait, which times out after the waiter has long had it. */
static int wait_on_cond(void *mutex)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 3 * SOON_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(&cond, mutex, CLOCK_MONOTONIC, &until);
	return pthread_mutex_unlock(mutex);
}

static void make_mutex(int type, int robust, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutex_init(&lock.mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static const struct holding plainly = {mutex_lock, mutex_unlock, mutex_lock, mutex_unlock, &lock, BEFORE_NS, AFTER_NS};

/* One run while every hold is timed, and what it has counted is said. */
static struct held run(const struct holding *holding)
{
	struct held held;

	heard_start_locks(true);
	lockstat_begin(true, true, true);
	held = hold_and_ask(holding);
	counts_say(true);
	lockstat_end();
	return held;
}

/* One wait of the waiter's, for the holder, of the expected kind; its time. */
static bool wait_agrees(const struct held *held, enum rbdprof_lock_kind kind, uint32_t holder)
{
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 1);
	assert_int_equal(heard.waits[0].kind, kind);
	assert_int_equal(heard.waits[0].lock, (uintptr_t)&lock);
	assert_int_equal(heard.waits[0].thread, held->waiter_thread);
	assert_int_equal(heard.waits[0].holder, holder);
	assert_int_equal(heard.waits[0].result, held->result);
	assert_int_equal(heard.waits[0].request, 0);
	return agrees(heard.waits[0].wait_ns, held->wait_ns);
}

/* One hold that was waited for, the holder's; its time. */
static bool hold_agrees(const struct held *held, enum rbdprof_lock_kind kind)
{
	assert_int_equal(heard.count[HEARD_LOCK_HOLD], 1);
	assert_int_equal(heard.holds[0].kind, kind);
	assert_int_equal(heard.holds[0].lock, (uintptr_t)&lock);
	assert_int_equal(heard.holds[0].thread, held->holder_thread);
	return agrees(heard.holds[0].hold_ns, held->blocked_ns);
}

static bool count_is(uint32_t thread, enum rbdprof_lock_kind kind, uint64_t acquisitions, uint64_t contended, uint64_t holds)
{
	const struct rbdprof_lock_counts *counts = heard_counts(&lock, kind, thread);

	assert_non_null(counts);
	assert_int_equal(counts->acquisitions, acquisitions);
	assert_int_equal(counts->contended, contended);
	assert_int_equal(counts->holds, holds);
	return true;
}

static bool hold_time_agrees(const struct held *held, enum rbdprof_lock_kind kind)
{
	return agrees(heard_counts(&lock, kind, held->holder_thread)->hold_ns, held->hold_ns);
}

/* What all kinds of mutexes have in common. */
static bool mutex_agrees(const struct holding *holding)
{
	struct held held = run(holding);

	assert_int_equal(held.result, 0);
	count_is(held.holder_thread, RBDPROF_MUTEX, 1, 0, 1);
	count_is(held.waiter_thread, RBDPROF_MUTEX, 1, 1, 1);
	assert_int_equal(heard.count[HEARD_LOCK_PAIR], 2);
	assert_int_equal(heard_counts(&lock, RBDPROF_MUTEX, held.waiter_thread)->wait_ns, heard.waits[0].wait_ns);
	return wait_agrees(&held, RBDPROF_MUTEX, held.holder) && hold_agrees(&held, RBDPROF_MUTEX) &&
	       hold_time_agrees(&held, RBDPROF_MUTEX) && agrees(heard.pairs[0].hold_ns, held.hold_ns);
}

static bool run_plain(void)
{
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	return mutex_agrees(&plainly);
}

static bool run_recursive(void)
{
	struct holding twice = plainly;

	twice.acquire = lock_twice;
	twice.release = unlock_twice;
	make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	return mutex_agrees(&twice);
}

static bool run_errorcheck(void)
{
	struct holding again = plainly;

	again.acquire = lock_again_in_vain;
	make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	return mutex_agrees(&again);
}

static bool run_inheriting(void)
{
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	return mutex_agrees(&plainly);
}

static bool run_robust(void)
{
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	return mutex_agrees(&plainly);
}

/* An acquisition like others; nobody released it before. */
static bool run_dead_owner(void)
{
	struct holding dying = plainly;
	struct held held;

	dying.release = NULL;
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	held = run(&dying);
	assert_int_equal(held.result, EOWNERDEAD);
	assert_int_equal(heard.count[HEARD_LOCK_HOLD], 0);
	count_is(held.holder_thread, RBDPROF_MUTEX, 1, 0, 0);
	count_is(held.waiter_thread, RBDPROF_MUTEX, 1, 1, 1);
	assert_false(waiters_likely(&lock));
	return wait_agrees(&held, RBDPROF_MUTEX, held.holder);
}

/* No acquisition, but the hold was waited for all the same. */
static bool run_timed_out(void)
{
	struct holding impatient = plainly;
	struct held held;

	impatient.ask = lock_for_a_while;
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	held = run(&impatient);
	assert_int_equal(held.result, ETIMEDOUT);
	assert_null(heard_counts(&lock, RBDPROF_MUTEX, held.waiter_thread));
	count_is(held.holder_thread, RBDPROF_MUTEX, 1, 0, 1);
	assert_false(waiters_likely(&lock));
	return wait_agrees(&held, RBDPROF_MUTEX, held.holder) && agrees(heard.waits[0].wait_ns, SOON_NS) &&
	       hold_agrees(&held, RBDPROF_MUTEX);
}

/* The wait ends one hold and begins another; what lies between is none. */
static bool run_cond_wait(void)
{
	struct holding waiting = plainly;
	struct held held;
	bool good;

	waiting.release = wait_on_cond;
	make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	held = run(&waiting);
	assert_int_equal(held.result, 0);
	count_is(held.holder_thread, RBDPROF_MUTEX, 2, 0, 2);
	count_is(held.waiter_thread, RBDPROF_MUTEX, 1, 1, 1);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 2);
	assert_int_equal(heard.waits[1].kind, RBDPROF_COND);
	assert_int_equal(heard.waits[1].lock, (uintptr_t)&cond);
	assert_int_equal(heard.waits[1].mutex, (uintptr_t)&lock);
	assert_int_equal(heard.waits[1].result, ETIMEDOUT);
	good = agrees(heard.waits[1].wait_ns, 3 * SOON_NS);
	heard.count[HEARD_LOCK_WAIT] = 1;
	/* Its second hold, before the release that follows at once, is nothing beside the first. */
	return good && wait_agrees(&held, RBDPROF_MUTEX, held.holder) && hold_agrees(&held, RBDPROF_MUTEX) &&
	       hold_time_agrees(&held, RBDPROF_MUTEX);
}

/* Readers are counted, not named. */
static bool run_writer_waits(void)
{
	const struct holding reader = {read_lock, rwlock_unlock, write_lock, rwlock_unlock, &lock, BEFORE_NS, AFTER_NS};
	struct held held;

	pthread_rwlock_init(&lock.rwlock, NULL);
	held = run(&reader);
	count_is(held.holder_thread, RBDPROF_RWLOCK_READ, 1, 0, 1);
	count_is(held.waiter_thread, RBDPROF_RWLOCK_WRITE, 1, 1, 1);
	assert_null(heard_counts(&lock, RBDPROF_RWLOCK_WRITE, held.holder_thread));
	return wait_agrees(&held, RBDPROF_RWLOCK_WRITE, 0) && hold_agrees(&held, RBDPROF_RWLOCK_READ) &&
	       hold_time_agrees(&held, RBDPROF_RWLOCK_READ);
}

static bool run_reader_waits(void)
{
	const struct holding writer = {write_lock, rwlock_unlock, read_lock, rwlock_unlock, &lock, BEFORE_NS, AFTER_NS};
	struct held held;

	pthread_rwlock_init(&lock.rwlock, NULL);
	held = run(&writer);
	count_is(held.holder_thread, RBDPROF_RWLOCK_WRITE, 1, 0, 1);
	count_is(held.waiter_thread, RBDPROF_RWLOCK_READ, 1, 1, 1);
	return wait_agrees(&held, RBDPROF_RWLOCK_READ, held.holder) && hold_agrees(&held, RBDPROF_RWLOCK_WRITE) &&
	       hold_time_agrees(&held, RBDPROF_RWLOCK_WRITE);
}

#define AT_LAST(name)                                                                                                                      \
	static void name(void **state)                                                                                                     \
	{                                                                                                                                  \
		(void)state;                                                                                                               \
		at_last(run_##name);                                                                                                       \
	}

AT_LAST(plain)
AT_LAST(recursive)
AT_LAST(errorcheck)
AT_LAST(inheriting)
AT_LAST(robust)
AT_LAST(dead_owner)
AT_LAST(timed_out)
AT_LAST(cond_wait)
AT_LAST(writer_waits)
AT_LAST(reader_waits)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain),        cmocka_unit_test(recursive),    cmocka_unit_test(errorcheck), cmocka_unit_test(inheriting),
	    cmocka_unit_test(robust),       cmocka_unit_test(dead_owner),   cmocka_unit_test(timed_out),  cmocka_unit_test(cond_wait),
	    cmocka_unit_test(writer_waits), cmocka_unit_test(reader_waits),
	};

	ticks_init();
	sleep_ns(20000000);
	assert_null(ticks_calibrate());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
