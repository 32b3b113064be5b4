/* What threads keep to tell it together: nothing is lost, changed or told twice, whoever tells. */
#include "test.h"

#include <sys/wait.h>

#include "preload/recorder.h"
#include "tracepoints/batch.h"
#include "tracepoints/emit.h"

#define WRITERS  4
#define EACH     20000
#define WORDS_IN 3 /* of a record of this test's: who, how many before, the moment */

__thread void *rbdprof_thread_place;

static struct {
	pthread_mutex_t mutex;
	uint64_t batches, records, words;
	uint64_t next[WRITERS + 1]; /* of each who */
} told = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static uint64_t alone; /* records that were not to be kept */

void batch_emit(const uint64_t *words, size_t count)
{
	uint64_t now_ns = recorder_now_ns();

	pthread_mutex_lock(&told.mutex);
	told.batches++;
	told.words += count;
	for (size_t at = 0; at < count; at += 1 + WORDS_IN, told.records++) {
		uint64_t moment_ns = words[at] & ((UINT64_C(1) << RBDPROF_RECORD_SHIFT) - 1), who = words[at + 1];

		assert_int_equal(words[at] >> RBDPROF_RECORD_SHIFT, RBDPROF_RECORD_COMPLETE);
		assert_in_range(who, 0, WRITERS);
		assert_int_equal(words[at + 2], told.next[who]);
		told.next[who]++;
		assert_int_equal(moment_ns, words[at + 3]);
		assert_in_range(now_ns, moment_ns, UINT64_MAX);
	}
	pthread_mutex_unlock(&told.mutex);
}

/* Whether it is kept. */
static bool put(uint64_t who, uint64_t before)
{
	uint64_t own[WORDS_IN], moment_ns = recorder_now_ns(), *words = batch_begin(RBDPROF_RECORD_COMPLETE, moment_ns, WORDS_IN, own);

	words[0] = who;
	words[1] = before;
	words[2] = moment_ns;
	if (words != own)
		batch_end(WORDS_IN);
	return words != own;
}

static int setup(void **state)
{
	(void)state;
	batches_tell(0);
	told.batches = told.records = told.words = alone = 0;
	memset(told.next, 0, sizeof(told.next));
	return 0;
}

static void keeps_only_when_it_may(void **state)
{
	(void)state;
	assert_false(put(0, 0));
	batches_tell(1);
	assert_true(put(0, 0));
	assert_true(put(0, 1));
	assert_int_equal(told.batches, 0);
	batches_tell(1);
	assert_int_equal(told.batches, 1);
	assert_int_equal(told.records, 2);
	batches_tell(1);
	assert_int_equal(told.batches, 1); /* there was nothing */
	assert_true(put(0, 2));
	batches_tell_now();
	assert_int_equal(told.records, 3);
	assert_true(put(0, 3));
	batches_tell(0);
	assert_int_equal(told.records, 4);
	assert_false(put(0, 4));
}

static void tells_what_is_full(void **state)
{
	(void)state;
	batches_tell(1);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(put(0, i));
	assert_in_range(told.batches, 5, 50);
	batches_tell(1);
	assert_int_equal(told.records, 1000);
	assert_int_equal(told.words, 1000 * (1 + WORDS_IN));
}

/* Of each call, what was kept when the one before it began. */
static void knows_until_when_all_is_told(void **state)
{
	uint64_t before_ns = recorder_now_ns(), until_ns;

	(void)state;
	assert_int_equal(batches_tell(1), 0);
	until_ns = batches_tell(1);
	assert_in_range(until_ns, before_ns, recorder_now_ns());
	assert_in_range(batches_tell(0), until_ns, recorder_now_ns());
	assert_int_equal(batches_tell(1), 0);
}

static void *put_one(void *which)
{
	uint64_t *count = which;

	if (put(0, *count))
		++*count;
	return NULL;
}

/* More threads than there are places, one after the other. Their last words are told when they are gone. */
static void places_come_back(void **state)
{
	uint64_t count = 0;
	pthread_t thread;

	(void)state;
	batches_tell(1);
	for (uint64_t i = 0; i < 1500; i++) {
		assert_int_equal(pthread_create(&thread, NULL, put_one, &count), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		if (i % 100 == 99)
			batches_tell(1);
	}
	assert_int_equal(count, 1500);
	assert_int_equal(told.records, 1500);
}

static void a_child_forgets(void **state)
{
	int status;

	(void)state;
	batches_tell(1);
	assert_true(put(0, 0));
	if (!fork()) {
		batches_forget();
		if (put(0, 0))
			_exit(1);
		batches_tell(1);
		if (told.batches || !put(0, 0))
			_exit(2);
		batches_tell(0);
		_exit(told.records == 1 ? 0 : 3);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	batches_tell(0);
	assert_int_equal(told.records, 1);
}

static void *write_many(void *who)
{
	uint64_t kept = 0;

	for (int i = 0; i < EACH; i++)
		if (put((uint64_t)(uintptr_t)who, kept))
			kept++;
		else
			__atomic_fetch_add(&alone, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Whoever puts and whoever tells do not wait for each other: what comes at the wrong moment is told alone. */
static void nothing_is_lost_among_threads(void **state)
{
	pthread_t threads[WRITERS];

	(void)state;
	batches_tell(1);
	for (uintptr_t i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, (void *)(i + 1)), 0);
	for (int i = 0; i < 200; i++) {
		batches_tell(1);
		usleep(100);
	}
	batches_tell(0);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	batches_tell_now();
	assert_int_equal(told.records + alone, WRITERS * EACH);
	assert_true(told.records > 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(keeps_only_when_it_may), TEST(tells_what_is_full), TEST(knows_until_when_all_is_told),
	    TEST(places_come_back),       TEST(a_child_forgets),    TEST(nothing_is_lost_among_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
