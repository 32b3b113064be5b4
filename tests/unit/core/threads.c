/* What threads had of the processors: sums between samples, the extreme seconds, and the process's limits. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct threads threads;

static int feed(void *context, const struct event *event)
{
	(void)context;
	if (event->type == EVENT_USAGE)
		return threads_feed_usage(&threads, event);
	threads_feed_host(&threads, event);
	return 0;
}

static void run(const char *text)
{
	assert_int_equal(events_text_each(text, feed, NULL), 0);
}

static int teardown(void **unused)
{
	(void)unused;
	threads_fini(&threads);
	return 0;
}

/* Two seconds: 0.9 and 0.2 s on a processor, 0.05 and 0.6 s waiting for one. Of the whole: 1.1 / 2 and 0.65 / 2. */
static void test_shares(void **unused)
{
	const struct task *task;

	(void)unused;
	run("1000000000 p0 usage tid=7 cpu_ns=5000000000 run_queue_ns=300000000 name=worker\n"
	    "2000000000 p0 usage tid=7 cpu_ns=5900000000 run_queue_ns=350000000 name=worker\n"
	    "3000000000 p0 usage tid=7 cpu_ns=6100000000 run_queue_ns=950000000 name=worker\n");
	task = threads_next(&threads, NULL);
	assert_int_equal(task->tid, 7);
	assert_string_equal(task->name, "worker");
	assert_float_equal(load_cpu_share(&task->all), 0.55, 1e-6);
	assert_float_equal(load_run_queue_share(&task->all), 0.325, 1e-6);
	assert_int_equal(task->busiest.begin_ns, 1000000000);
	assert_float_equal(load_cpu_share(&task->busiest), 0.9, 1e-6);
	assert_int_equal(task->hungriest.begin_ns, 2000000000);
	assert_float_equal(load_run_queue_share(&task->hungriest), 0.6, 1e-6);
	assert_null(threads_next(&threads, task));
}

/* Samples a quarter of a second apart make seconds of four: 0 + 0.25 + 0.25 + 0, then 0.1 × 4. */
static void test_seconds_of_quarters(void **unused)
{
	static const unsigned cpu_ms[] = {0, 0, 250, 500, 500, 600, 700, 800, 900};
	const struct task *task;

	(void)unused;
	for (unsigned i = 0; i < sizeof(cpu_ms) / sizeof(*cpu_ms); i++) {
		char line[100];

		snprintf(line, sizeof(line), "%u000000 p0 usage tid=7 cpu_ns=%u000000 name=w\n", 1000 + 250 * i, cpu_ms[i]);
		run(line);
	}
	task = threads_next(&threads, NULL);
	assert_int_equal(task->busiest.span_ns, 1000000000);
	assert_int_equal(task->busiest.begin_ns, 1000000000);
	assert_float_equal(load_cpu_share(&task->busiest), 0.5, 1e-6);
	assert_float_equal(load_cpu_share(&task->all), 0.45, 1e-6);
}

/* One sample tells nothing. */
static void test_one_sample(void **unused)
{
	(void)unused;
	run("1 p0 usage tid=7 cpu_ns=5 name=w\n");
	assert_true(load_cpu_share(&threads_next(&threads, NULL)->all) < 0);
	assert_true(load_run_queue_share(&threads_next(&threads, NULL)->all) < 0);
	assert_true(load_cpu_share(&threads_next(&threads, NULL)->busiest) < 0);
	assert_true(threads_cpu_share(&threads, "w") < 0);
	assert_int_equal(load_pressure(&threads_next(&threads, NULL)->all), PRESSURE_NONE);
}

/* The kernel gave the id again: 3 of 10 ns for the first thread, 4 of 20 for the second. */
static void test_id_given_again(void **unused)
{
	const struct task *task;

	(void)unused;
	run("0 p0 usage tid=7 cpu_ns=100 name=first\n"
	    "10 p0 usage tid=7 cpu_ns=103 name=first\n"
	    "20 p0 usage tid=7 cpu_ns=1 name=second\n"
	    "40 p0 usage tid=7 cpu_ns=5 name=second\n");
	task = threads_next(&threads, NULL);
	assert_string_equal(task->name, "first");
	assert_float_equal(load_cpu_share(&task->all), 0.3, 1e-6);
	task = threads_next(&threads, task);
	assert_string_equal(task->name, "second");
	assert_float_equal(load_cpu_share(&task->all), 0.2, 1e-6);
	assert_ptr_equal(threads_find(&threads, 7), task);
}

/* Two workers that take turns: (4 + 5) of 10 ns. A third that came later and ended later: (4 + 5 + 6) of 20. */
static void test_one_name(void **unused)
{
	(void)unused;
	run("0 p0 usage tid=1 name=pool\n"
	    "0 p0 usage tid=2 name=pool\n"
	    "0 p0 usage tid=3 name=other\n"
	    "10 p0 usage tid=1 cpu_ns=4 name=pool\n"
	    "10 p0 usage tid=2 cpu_ns=5 name=pool\n"
	    "10 p0 usage tid=3 cpu_ns=9 name=other\n");
	assert_float_equal(threads_cpu_share(&threads, "pool"), 0.9, 1e-6);
	run("12 p0 usage tid=4 name=pool\n"
	    "20 p0 usage tid=4 cpu_ns=6 name=pool\n");
	assert_float_equal(threads_cpu_share(&threads, "pool"), 0.75, 1e-6);
	assert_true(threads_cpu_share(&threads, "nobody") < 0);
}

static void test_pressure(void **unused)
{
	static const struct {
		uint64_t cpu_ns, run_queue_ns;
		enum pressure pressure;
	} cases[] = {
	    {90, 5, PRESSURE_SATURATED}, {85, 15, PRESSURE_SATURATED}, {84, 0, PRESSURE_NONE},  {82, 15, PRESSURE_SATURATED},
	    {60, 30, PRESSURE_STARVED},  {65, 20, PRESSURE_STARVED},   {60, 20, PRESSURE_NONE}, {10, 20, PRESSURE_NONE},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct load load = {.span_ns = 100, .cpu_ns = cases[i].cpu_ns, .run_queue_ns = cases[i].run_queue_ns};

		assert_int_equal(load_pressure(&load), cases[i].pressure);
	}
}

/* 100 ns with 4 processors: throttled for 80 of 400, stolen 8 of 400. */
static void test_host(void **unused)
{
	(void)unused;
	assert_true(host_throttled_share(&threads.host) < 0);
	run("100 p0 host throttled_ns=1000 steal_ns=50 processors=4 quota_milli=1500\n"
	    "200 p0 host throttled_ns=1080 steal_ns=58 processors=4 quota_milli=1500\n");
	assert_float_equal(host_throttled_share(&threads.host), 0.2, 1e-6);
	assert_float_equal(host_steal_share(&threads.host), 0.02, 1e-6);
	assert_int_equal(threads.host.quota_milli, 1500);
}

/* Not known is not 0; nor is a sum that began anew. */
static void test_host_not_known(void **unused)
{
	(void)unused;
	run("100 p0 host throttled_ns=-1 steal_ns=50 processors=4\n"
	    "200 p0 host throttled_ns=-1 steal_ns=10 processors=4\n");
	assert_true(host_throttled_share(&threads.host) < 0);
	assert_true(host_steal_share(&threads.host) < 0);
}

/* Through the model: a thread's number, its id and its samples meet, and so do its requests' times. */
static void test_model(void **unused)
{
	struct model *model = events_text_model(TEXT_IMAGE "2 p0 thread thread=3 tid=9 name=fio\n"
							   "5 p0 request request=3:1 image=1 kind=write\n"
							   "9 p0 request request=3:2 image=1 kind=write\n"
							   "10 p0 usage tid=9 cpu_ns=2 name=fio\n"
							   "20 p0 usage tid=9 cpu_ns=7 name=fio\n"
							   "20 p0 host throttled_ns=4 steal_ns=0 processors=2\n");
	const struct process *process = model_process_next(model, NULL);
	const struct thread *thread = process_thread_find(process, 3);

	(void)unused;
	assert_float_equal(load_cpu_share(&thread->task->all), 0.5, 1e-6);
	assert_int_equal(thread->first_s_ns, 5);
	assert_int_equal(thread->last_s_ns, 9);
	assert_ptr_equal(threads_next(&process->tasks, NULL), thread->task);
	assert_int_equal(process->tasks.host.processors, 2);
	model_destroy(model);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(shares),
		TEST(seconds_of_quarters),
		TEST(one_sample),
		TEST(id_given_again),
		TEST(one_name),
		TEST(pressure),
		TEST(host),
		TEST(host_not_known),
		TEST(model),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
