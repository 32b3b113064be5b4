/* Verdicts on whole traces as text: which cause comes first, and its share, worked out by hand. */
#include "tests/unit/core/test.h"

#include "analyzer/core/verdict.h"
#include "tests/unit/core/events_text.h"

/* Two processes that have one image open. */
#define TWO                                                                                                                                \
	TEXT_IMAGE "1 p1 process schema=1 pid=78 comm=fio host=alpha\n"                                                                    \
		   "1 p1 image image=1 client=4002 cluster=c1 pool_id=2 pool=rbd name=one id=10ab size_bytes=1048576 features=61\n"

/* One request of each: 10 ms with 8 of them in the callback, and 5 ms with 4. */
#define REQUESTS                                                                                                                           \
	"1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n"                                                           \
	"1000000000 p1 request request=1:1 image=1 kind=read length_bytes=512\n"                                                           \
	"1005000000 p1 complete request=1:1 c2d_ns=4000000 looked=1\n"                                                                     \
	"1010000000 p0 complete request=1:1 c2d_ns=8000000 looked=1\n"

/* One second in which the thread that calls callbacks ran so long, and waited so long for a processor. */
#define USAGE(process, cpu_ns, run_queue_ns) USAGE_OF(process, "7", "io_context_pool", cpu_ns, run_queue_ns)
#define USAGE_OF(process, tid, name, cpu_ns, run_queue_ns)                                                                                 \
	"1000000001 " process " usage tid=" tid " cpu_ns=0 name=" name "\n"                                                                \
	"2000000001 " process " usage tid=" tid " cpu_ns=" cpu_ns " run_queue_ns=" run_queue_ns " name=" name "\n"

static struct model *model;
static struct verdicts verdicts;

static int teardown(void **unused)
{
	(void)unused;
	verdicts_fini(&verdicts);
	model_destroy(model);
	model = NULL;
	return 0;
}

static void run(const char *text)
{
	model = events_text_model(text);
	assert_int_equal(verdicts_build(&verdicts, model, NULL), 0);
}

static void check(size_t place, enum cause cause, double share)
{
	assert_in_range(place, 0, verdicts.count - 1);
	assert_string_equal(cause_info(verdicts.list[place].cause)->name, cause_info(cause)->name);
	assert_float_equal(verdicts.list[place].share_mean, share, 1e-6);
}

static const char *thread_of(const struct verdict *verdict)
{
	for (unsigned i = 0; i < verdict->fact_count; i++)
		if (verdict->facts[i].fact == FACT_OF_THREAD)
			return verdict->facts[i].text;
	return "";
}

/* The first process computes in its callbacks, the second sleeps there: of 15 ms 8 and 4. */
static void test_first_computes(void **unused)
{
	(void)unused;
	run(TWO REQUESTS USAGE("p0", "900000000", "0") USAGE("p1", "10000000", "0"));
	assert_int_equal(verdicts.count, 2);
	check(0, CAUSE_ONE_THREAD, 8.0 / 15);
	check(1, CAUSE_CALLBACK_SLOW, 4.0 / 15);
	assert_string_equal(thread_of(&verdicts.list[0]), "io_context_pool of pid 77");
	assert_int_equal(verdicts.list[1].also_possible, 0);
}

/* And the other way round. */
static void test_second_computes(void **unused)
{
	(void)unused;
	run(TWO REQUESTS USAGE("p0", "10000000", "0") USAGE("p1", "900000000", "0"));
	assert_int_equal(verdicts.count, 2);
	check(0, CAUSE_CALLBACK_SLOW, 8.0 / 15);
	check(1, CAUSE_ONE_THREAD, 4.0 / 15);
	assert_string_equal(thread_of(&verdicts.list[1]), "io_context_pool of pid 78");
}

/* Where nothing is known of one's threads, it could be either there. */
static void test_one_unknown(void **unused)
{
	(void)unused;
	run(TWO REQUESTS USAGE("p0", "10000000", "0"));
	assert_int_equal(verdicts.count, 1);
	check(0, CAUSE_CALLBACK_SLOW, 12.0 / 15);
	assert_int_equal(verdicts.list[0].also_possible, UINT64_C(1) << CAUSE_ONE_THREAD);
}

/*
 * The second process has a quota. Its thread could run for 0.4 s and waits for 0.3 of them: of the 4 ms that its request spends where
 * threads work, three quarters are lost, 3 of 15.
 */
static void test_second_starved(void **unused)
{
	(void)unused;
	run(TWO REQUESTS USAGE("p0", "100000000", "300000000") "1000000002 p1 host quota_milli=150 processors=2\n" USAGE("p1", "100000000",
															 "300000000"));
	assert_int_equal(verdicts.count, 2);
	check(0, CAUSE_CALLBACK_SLOW, 12.0 / 15);
	check(1, CAUSE_CPU_STARVED, 3.0 / 15);
	assert_string_equal(thread_of(&verdicts.list[1]), "io_context_pool of pid 78");
}

/*
 * Its threads could run for 2 s and wait for 1.55 of them, side by side; 0.775 of 4 ms are 3.1. But it has 0.45 of its two processors, and
 * would need 1.8 times that if it did not hurry: of 5 ms no more than 0.595 are to gain, which is 2.975.
 */
static void test_starved_of_two(void **unused)
{
	(void)unused;
	run(TWO REQUESTS USAGE("p0", "100000000", "300000000") "1000000002 p1 host quota_milli=500 processors=2\n" USAGE_OF(
	    "p1", "7", "msgr-worker-0", "400000000", "600000000") USAGE_OF("p1", "8", "fio", "50000000", "950000000"));
	assert_int_equal(verdicts.count, 2);
	check(1, CAUSE_CPU_STARVED, 2.975 / 15);
	assert_string_equal(thread_of(&verdicts.list[1]), "fio of pid 78");
}

/*
 * No quota, but a thread that could run for 0.85 of the time and waits for 0.8: of 8 ms that the request spends where threads work, 0.8 /
 * 0.85 are lost.
 */
static void test_starved_by_others(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE
	    "1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n"
	    "1010000000 p0 complete request=1:1 c2d_ns=8000000 looked=1\n" USAGE_OF("p0", "7", "msgr-worker-0", "50000000", "800000000"));
	assert_int_equal(verdicts.count, 2);
	check(0, CAUSE_CALLBACK_SLOW, 0.8);
	check(1, CAUSE_CPU_STARVED, 0.8 * 0.8 / 0.85);
}

/* Two threads that wait for 0.93 of the time that they could run; but neither is the limit, each could run for 0.43 of the time only. */
static void test_waiting_for_each_other(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE
	    "1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n"
	    "1010000000 p0 complete request=1:1 c2d_ns=8000000 looked=1\n" USAGE_OF("p0", "7", "msgr-worker-0", "30000000", "400000000")
		USAGE_OF("p0", "8", "fio", "30000000", "400000000"));
	assert_int_equal(verdicts.count, 1);
	check(0, CAUSE_CALLBACK_SLOW, 0.8);
}

/* A client with a journaled image of its own, and its write: from 1000 to 1100, the entry sent at once and safe at `safe`, the data sent at
 * `sent`. */
#define JOURNALED_WRITE(safe, sent)                                                                                                        \
	"1 p0 process schema=1 pid=77 comm=fio host=alpha\n"                                                                               \
	"1 p0 image image=1 client=4001 cluster=c1 pool_id=1 pool=rbd name=one id=1017716fa366 prefix=rbd_data.1017716fa366 "              \
	"size_bytes=1048576 object_size_bytes=4096 stripe_unit_bytes=4096 stripe_count=1 features=69\n"                                    \
	"1 p0 object object=1 name=rbd_header.1017716fa366\n"                                                                              \
	"1 p0 object object=2 name=journal_data.1.1017716fa366.0\n"                                                                        \
	"2 p0 lock_call operation=9:1 watch=5 lock_type=1 method=3\n"                                                                      \
	"2 p0 operation operation=9:1 client=4001 pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n"                             \
	"3 p0 operation_done operation=9:1\n"                                                                                              \
	"4 p0 lock_acquired image=1\n"                                                                                                     \
	"1000 p0 request request=1:1 image=1 kind=write length_bytes=512\n"                                                                \
	"1000 p0 journal_append operation=9:2 tag=1 append_bytes=600 entries=0 offsets_bytes=0 lengths_bytes=512 kinds=1\n"                \
	"1000 p0 operation operation=9:2 client=4001 pool_id=1 object=2 methods=journal.append kind=write tracked=1\n" safe                \
	" p0 operation_done operation=9:2\n" sent                                                                                          \
	" p0 sent client=4001 transaction=1 pool_id=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"          \
	"1100 p0 complete request=1:1 looked=1\n"

/* The wait for the entry is 60 of 100. Of the 90 that are outstanding at the OSDs 60 are an append, but its own. */
static void test_journal_waits(void **unused)
{
	(void)unused;
	run(JOURNALED_WRITE("1060", "1070"));
	check(0, CAUSE_JOURNAL, 0.6);
}

/*
 * The wait for the entry is 10 of 200. Another append, of nobody's request, is outstanding for 310 more; of the 400 outstanding 320 are
 * appends, and half of them others', since two requests are in flight: 0.4 of the write's 100. The read is in the cache.
 */
static void test_behind_appends(void **unused)
{
	(void)unused;
	run(JOURNALED_WRITE(
	    "1010", "1020") "1000 p0 request request=1:2 image=1 kind=read offset_bytes=4096 length_bytes=512\n"
			    "1100 p0 complete request=1:2 looked=1\n"
			    "1000 p0 journal_append operation=9:3 tag=1 append_bytes=600 entries=\n"
			    "1000 p0 operation operation=9:3 client=4001 pool_id=1 object=2 methods=journal.append kind=write tracked=1\n"
			    "1310 p0 operation_done operation=9:3\n");
	check(0, CAUSE_JOURNAL, 0.2);
}

/* One process alone: its thread's name says enough. Of 10 ms 8. */
static void test_alone(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n"
		       "1010000000 p0 complete request=1:1 c2d_ns=8000000 looked=1\n" USAGE("p0", "500000000", "260000000"));
	check(0, CAUSE_ONE_THREAD, 0.8);
	assert_string_equal(thread_of(&verdicts.list[0]), "io_context_pool");
}

/* Nothing but 9 of 10 ms that the recording cannot tell apart, and a callback of 1: less than its least share. */
static void test_healthy(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n"
		       "1010000000 p0 complete request=1:1 c2d_ns=1000000 looked=1\n");
	assert_int_equal(verdicts.count, 1);
	check(0, CAUSE_HEALTHY, 0);
}

/* An image of which no request ended is not called healthy; one without requests is not judged. */
static void test_nothing_ended(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "1000000000 p0 request request=1:1 image=1 kind=read length_bytes=512\n1000000500 p0 totals emitted=3\n");
	assert_int_equal(verdicts.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_first_computes, teardown),
	    cmocka_unit_test_teardown(test_second_computes, teardown),
	    cmocka_unit_test_teardown(test_one_unknown, teardown),
	    cmocka_unit_test_teardown(test_second_starved, teardown),
	    cmocka_unit_test_teardown(test_starved_of_two, teardown),
	    cmocka_unit_test_teardown(test_starved_by_others, teardown),
	    cmocka_unit_test_teardown(test_waiting_for_each_other, teardown),
	    cmocka_unit_test_teardown(test_journal_waits, teardown),
	    cmocka_unit_test_teardown(test_behind_appends, teardown),
	    cmocka_unit_test_teardown(test_alone, teardown),
	    cmocka_unit_test_teardown(test_healthy, teardown),
	    cmocka_unit_test_teardown(test_nothing_ended, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
