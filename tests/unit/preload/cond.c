/* Condition variables: waits of all kinds, the mutex held afterwards, cancelled waits, and which implementation is found. */
#include "test.h"

#include <dlfcn.h>

#include "heard.h"
#include "preload/lockstat.h"
#include "preload/real.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

enum way { PLAIN, TIMED, CLOCK };

static int wait_by(enum way way, long seconds)
{
	struct timespec t;

	clock_gettime(way == TIMED ? CLOCK_REALTIME : CLOCK_MONOTONIC, &t);
	t.tv_sec += seconds;
	if (way == PLAIN)
		return pthread_cond_wait(&cond, &mutex);
	return way == TIMED ? pthread_cond_timedwait(&cond, &mutex, &t) : pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t);
}

static void *wake(void *broadcast)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		if (waiting)
			break;
		pthread_mutex_unlock(&mutex);
	}
	waiting = 0;
	if (broadcast)
		pthread_cond_broadcast(&cond);
	else
		pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void every_wait_ends_and_is_said(void **state)
{
	(void)state;
	for (int recording = 0; recording < 2; recording++) {
		for (enum way way = PLAIN; way <= CLOCK; way++) {
			pthread_t thread;

			heard_start_locks(recording);
			pthread_create(&thread, NULL, wake, way == TIMED ? NULL : &cond);
			pthread_mutex_lock(&mutex);
			waiting = 1;
			errno = EXDEV;
			while (waiting)
				assert_int_equal(wait_by(way, 30), 0);
			assert_int_equal(errno, EXDEV);
			assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY); /* held again */
			pthread_mutex_unlock(&mutex);
			pthread_join(thread, NULL);
			assert_int_equal(heard.count[HEARD_LOCK_WAIT] > 0, recording);
			if (recording) {
				assert_int_equal(heard.wait.kind, RBDPROF_COND);
				assert_int_equal(heard.wait.lock, (uintptr_t)&cond);
				assert_int_equal(heard.wait.mutex, (uintptr_t)&mutex);
				assert_int_equal(heard.wait.result, 0);
			}
		}
	}
	heard_start_locks(false);
}

static void timeout_is_said_with_its_result(void **state)
{
	(void)state;
	for (enum way way = TIMED; way <= CLOCK; way++) {
		heard_start_locks(true);
		pthread_mutex_lock(&mutex);
		assert_int_equal(wait_by(way, 0), ETIMEDOUT);
		pthread_mutex_unlock(&mutex);
		assert_int_equal(heard.count[HEARD_LOCK_WAIT], 1);
		assert_int_equal(heard.wait.result, ETIMEDOUT);
	}
	heard_start_locks(false);
}

static void clean(void *unused)
{
	(void)unused;
	cleaned = 1 + pthread_mutex_unlock(&mutex); /* 1: we held it */
}

static void *wait_for_ever(void *way)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, NULL);
	waiting = 1;
	for (;;)
		wait_by((enum way)(intptr_t)way, 1000);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancelled_wait_unwinds(void **state)
{
	(void)state;
	for (int recording = 0; recording < 2; recording++) {
		for (enum way way = PLAIN; way <= CLOCK; way++) {
			pthread_t thread;
			void *result;

			heard_start_locks(recording);
			cleaned = waiting = 0;
			pthread_create(&thread, NULL, wait_for_ever, (void *)(intptr_t)way);
			for (int seen = 0; !seen;) {
				pthread_mutex_lock(&mutex);
				seen = waiting;
				pthread_mutex_unlock(&mutex);
			}
			pthread_cancel(thread);
			pthread_join(thread, &result);
			assert_ptr_equal(result, PTHREAD_CANCELED);
			assert_int_equal(cleaned, 1);
			assert_int_equal(pthread_mutex_trylock(&mutex), 0); /* and nobody else holds it */
			pthread_mutex_unlock(&mutex);
		}
	}
	heard_start_locks(false);
}

/* Waits are said only when they are asked for. */
static void lock_words_do_not_wake_it(void **state)
{
	(void)state;
	heard_start_locks(true);
	lockstat_begin(false, false, false);
	pthread_mutex_lock(&mutex);
	assert_int_equal(wait_by(TIMED, 0), ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	assert_int_equal(heard.count[HEARD_LOCK_WAIT], 0);
	heard_start_locks(false);
}

/* The older implementation under the same names corrupts the new one's variables. */
static void new_implementation_is_found(void **state)
{
	static const struct {
		const char *name;
		void *const *found;
	} rows[] = {
	    {"pthread_cond_wait", (void *const *)&real.pthread_cond_wait},
	    {"pthread_cond_timedwait", (void *const *)&real.pthread_cond_timedwait},
	    {"pthread_cond_signal", (void *const *)&real.pthread_cond_signal},
	    {"pthread_cond_broadcast", (void *const *)&real.pthread_cond_broadcast},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *wanted = dlvsym(RTLD_NEXT, rows[i].name, "GLIBC_2.3.2");

		if (!wanted)
			skip(); /* an architecture that never had the older one */
		assert_ptr_equal(*rows[i].found, wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_wait_ends_and_is_said), cmocka_unit_test(timeout_is_said_with_its_result),
	    cmocka_unit_test(cancelled_wait_unwinds),      cmocka_unit_test(lock_words_do_not_wake_it),
	    cmocka_unit_test(new_implementation_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
