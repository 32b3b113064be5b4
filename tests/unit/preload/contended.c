/* Contended mutexes and rwlocks: what is said of them, and that every kind of lock behaves as before, on the C library's own locks. */
#include "test.h"

#include "heard.h"
#include "preload/lockstat.h"
#include "preload/real.h"

#define HELD_NS 100000000u /* how long another thread holds a lock once it is about to be asked for */

typedef int lock_function(void *lock);

static struct timespec in_a_while(clockid_t clock, long ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void sleep_ns(long ns)
{
	const struct timespec t = {.tv_nsec = ns};

	nanosleep(&t, NULL);
}

/* Every way to wait for a lock. The timed ones wait for up to ten seconds, or for 10 ms where `soon` is set. */
static bool soon;

static struct timespec until(clockid_t clock)
{
	struct timespec t = in_a_while(clock, soon ? 10000000 : 0);

	t.tv_sec += soon ? 0 : 10;
	return t;
}

static int mutex_lock(void *lock)
{
	return pthread_mutex_lock(lock);
}

static int mutex_timedlock(void *lock)
{
	struct timespec t = until(CLOCK_REALTIME);

	return pthread_mutex_timedlock(lock, &t);
}

static int mutex_clocklock(void *lock)
{
	struct timespec t = until(CLOCK_MONOTONIC);

	return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &t);
}

static int rdlock(void *lock)
{
	return pthread_rwlock_rdlock(lock);
}

static int timedrdlock(void *lock)
{
	struct timespec t = until(CLOCK_REALTIME);

	return pthread_rwlock_timedrdlock(lock, &t);
}

static int clockrdlock(void *lock)
{
	struct timespec t = until(CLOCK_MONOTONIC);

	return pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &t);
}

static int wrlock(void *lock)
{
	return pthread_rwlock_wrlock(lock);
}

static int timedwrlock(void *lock)
{
	struct timespec t = until(CLOCK_REALTIME);

	return pthread_rwlock_timedwrlock(lock, &t);
}

static int clockwrlock(void *lock)
{
	struct timespec t = until(CLOCK_MONOTONIC);

	return pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &t);
}

static int mutex_unlock(void *lock)
{
	return pthread_mutex_unlock(lock);
}

static int rwlock_unlock(void *lock)
{
	return pthread_rwlock_unlock(lock);
}

static const struct way {
	lock_function *acquire;
	lock_function *hold, *unlock; /* how the other thread holds it, so that this way has to wait */
	int kind;
	bool timed;
} ways[] = {
    {mutex_lock, mutex_lock, mutex_unlock, RBDPROF_MUTEX, false},     {mutex_timedlock, mutex_lock, mutex_unlock, RBDPROF_MUTEX, true},
    {mutex_clocklock, mutex_lock, mutex_unlock, RBDPROF_MUTEX, true}, {rdlock, wrlock, rwlock_unlock, RBDPROF_RWLOCK_READ, false},
    {timedrdlock, wrlock, rwlock_unlock, RBDPROF_RWLOCK_READ, true},  {clockrdlock, wrlock, rwlock_unlock, RBDPROF_RWLOCK_READ, true},
    {wrlock, rdlock, rwlock_unlock, RBDPROF_RWLOCK_WRITE, false},     {timedwrlock, wrlock, rwlock_unlock, RBDPROF_RWLOCK_WRITE, true},
    {clockwrlock, rdlock, rwlock_unlock, RBDPROF_RWLOCK_WRITE, true},
};

static union {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
} lock;

static void init_lock(const struct way *way)
{
	if (way->kind == RBDPROF_MUTEX)
		pthread_mutex_init(&lock.mutex, NULL);
	else
		pthread_rwlock_init(&lock.rwlock, NULL);
}

static const struct way *held;
static int is_held; /* 1: held, 2: about to be asked for, or to be let go */

static void *hold(void *for_ns)
{
	held->hold(&lock);
	__atomic_store_n(&is_held, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&is_held, __ATOMIC_ACQUIRE) != 2)
		sleep_ns(1000000);
	sleep_ns((long)(intptr_t)for_ns);
	held->unlock(&lock);
	return NULL;
}

static pthread_t start_holding(const struct way *way, long for_ns)
{
	pthread_t thread;

	held = way;
	is_held = 0;
	init_lock(way);
	pthread_create(&thread, NULL, hold, (void *)(intptr_t)for_ns);
	while (!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE))
		;
	return thread;
}

static void free_lock_is_not_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		init_lock(&ways[i]);
		heard_start_locks(true);
		assert_int_equal(ways[i].acquire(&lock), 0);
		assert_int_equal(ways[i].unlock(&lock), 0);
		heard_start_locks(false);
		assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
	}
}

static void held_lock_is_said_once(void **state)
{
	(void)state;
	soon = false;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pthread_t thread;
		int waits;

		heard_start_locks(false);
		thread = start_holding(&ways[i], HELD_NS);
		heard_start_locks(true);
		__atomic_store_n(&is_held, 2, __ATOMIC_RELEASE);
		errno = EXDEV;
		assert_int_equal(ways[i].acquire(&lock), 0);
		assert_int_equal(errno, EXDEV);
		heard_requests = 0;
		lockstat_end();
		waits = heard.count[HEARD_LOCK_WAIT];
		assert_int_equal(waits, 1);
		assert_int_equal(heard.wait.kind, ways[i].kind);
		assert_int_equal(heard.wait.lock, (uintptr_t)&lock);
		assert_int_equal(heard.wait.mutex, 0);
		assert_int_equal(heard.wait.result, 0);
		assert_true(heard.wait.wait_ns > HELD_NS / 10 && heard.wait.wait_ns < UINT64_C(5000000000));
		assert_int_not_equal(heard.wait.caller, 0);
		assert_true(heard.wait.thread != 0);
		ways[i].unlock(&lock);
		pthread_join(thread, NULL);
	}
}

static void timeout_is_said_with_its_result(void **state)
{
	(void)state;
	soon = true;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pthread_t thread;

		if (!ways[i].timed)
			continue;
		heard_start_locks(false);
		thread = start_holding(&ways[i], 0);
		heard_start_locks(true);
		assert_int_equal(ways[i].acquire(&lock), ETIMEDOUT);
		assert_int_equal(heard.count[HEARD_LOCK_WAIT], 1);
		assert_int_equal(heard.wait.result, ETIMEDOUT);
		assert_int_equal(heard.wait.kind, ways[i].kind);
		heard_start_locks(false);
		__atomic_store_n(&is_held, 2, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
	}
	soon = false;
}

/* A try that says EBUSY followed by each answer that the real call can give. */
static int stub_result, stub_try_result, stub_calls;

static int stub_lock(pthread_mutex_t *mutex)
{
	(void)mutex;
	stub_calls++;
	return stub_result;
}

static int stub_trylock(pthread_mutex_t *mutex)
{
	(void)mutex;
	return stub_try_result;
}

static void answers_of_try_and_lock_pass(void **state)
{
	/* try, lock, what the program gets, how often the lock is called, how many waits are said */
	static const int cases[][5] = {
	    {0, EINVAL, 0, 0, 0},
	    {EOWNERDEAD, 0, EOWNERDEAD, 0, 0}, /* the lock is held now: asking again would wait for ever */
	    {EINVAL, 0, EINVAL, 0, 0},
	    {EAGAIN, 0, EAGAIN, 0, 0},
	    {ENOTRECOVERABLE, 0, ENOTRECOVERABLE, 0, 0},
	    {EBUSY, 0, 0, 1, 1},
	    {EBUSY, EOWNERDEAD, EOWNERDEAD, 1, 1},
	    {EBUSY, ENOTRECOVERABLE, ENOTRECOVERABLE, 1, 1},
	    {EBUSY, EDEADLK, EDEADLK, 1, 0}, /* the caller's own: nobody was waited for */
	};
	__typeof__(real.pthread_mutex_lock) real_lock = real.pthread_mutex_lock;
	__typeof__(real.pthread_mutex_trylock) real_trylock = real.pthread_mutex_trylock;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int result, waits;

		heard_start_locks(true);
		stub_try_result = cases[i][0];
		stub_result = cases[i][1];
		stub_calls = 0;
		real.pthread_mutex_lock = stub_lock;
		real.pthread_mutex_trylock = stub_trylock;
		result = pthread_mutex_lock(&lock.mutex);
		real.pthread_mutex_lock = real_lock;
		real.pthread_mutex_trylock = real_trylock;
		waits = heard.count[HEARD_LOCK_WAIT];
		heard_start_locks(false);
		assert_int_equal(result, cases[i][2]);
		assert_int_equal(stub_calls, cases[i][3]);
		assert_int_equal(waits, cases[i][4]);
	}
}

static pthread_mutex_t *make_mutex(int type, int robust, int protocol)
{
	static pthread_mutex_t mutex;
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	assert_int_equal(pthread_mutex_init(&mutex, &attributes), 0);
	pthread_mutexattr_destroy(&attributes);
	return &mutex;
}

static void recursive_mutex(void **state)
{
	pthread_mutex_t *mutex = make_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);

	(void)state;
	heard_start_locks(true);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_mutex_lock(mutex), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_mutex_unlock(mutex), 0);
	assert_int_equal(pthread_mutex_unlock(mutex), EPERM);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
	heard_start_locks(false);
}

static void errorcheck_mutex(void **state)
{
	pthread_mutex_t *mutex = make_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);

	(void)state;
	heard_start_locks(true);
	assert_int_equal(pthread_mutex_unlock(mutex), EPERM);
	assert_int_equal(pthread_mutex_lock(mutex), 0);
	assert_int_equal(pthread_mutex_lock(mutex), EDEADLK);
	assert_int_equal(pthread_mutex_trylock(mutex), EBUSY);
	assert_int_equal(pthread_mutex_unlock(mutex), 0);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
	heard_start_locks(false);
}

static void *die_holding(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

static void robust_mutex(void **state)
{
	(void)state;
	for (int protocol = 0; protocol < 2; protocol++) {
		pthread_mutex_t *mutex =
		    make_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocol ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
		pthread_t thread;

		heard_start_locks(true);
		pthread_create(&thread, NULL, die_holding, mutex);
		pthread_join(thread, NULL);
		assert_int_equal(pthread_mutex_lock(mutex), EOWNERDEAD);
		assert_int_equal(pthread_mutex_unlock(mutex), 0); /* not made consistent: never to be had again */
		assert_int_equal(pthread_mutex_lock(mutex), ENOTRECOVERABLE);
		assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
		heard_start_locks(false);
		pthread_mutex_destroy(mutex);
	}
}

/* What the C library refuses is refused while somebody records too, free lock or not. */
static void unsound_times_are_left_to_the_real_call(void **state)
{
	const struct timespec bad = {.tv_sec = 4102444800, .tv_nsec = 1000000000};
	const struct timespec good = {.tv_sec = 4102444800};
	int results[2][6];

	(void)state;
	for (int recording = 0; recording < 2; recording++) {
		pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
		int *result = results[recording];

		heard_start_locks(recording);
		result[0] = pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &good);
		result[1] = pthread_rwlock_clockrdlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &good);
		result[2] = pthread_rwlock_clockwrlock(&rwlock, CLOCK_PROCESS_CPUTIME_ID, &good);
		result[3] = pthread_rwlock_timedrdlock(&rwlock, &bad);
		result[4] = pthread_rwlock_timedwrlock(&rwlock, &bad);
		result[5] = pthread_mutex_timedlock(&mutex, &bad);
		heard_start_locks(false);
	}
	assert_int_equal(results[0][0], EINVAL);
	assert_memory_equal(results[0], results[1], sizeof(results[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(free_lock_is_not_said),
	    cmocka_unit_test(held_lock_is_said_once),
	    cmocka_unit_test(timeout_is_said_with_its_result),
	    cmocka_unit_test(answers_of_try_and_lock_pass),
	    cmocka_unit_test(recursive_mutex),
	    cmocka_unit_test(errorcheck_mutex),
	    cmocka_unit_test(robust_mutex),
	    cmocka_unit_test(unsound_times_are_left_to_the_real_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
