/* Locks, threads and processes in the JSON report, key by key. Numbers: locked.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/lock_columns.h"
#include "tests/unit/analyzer/locked.h"
#include "tests/unit/analyzer/paths.h"
#include "tests/unit/core/events_text.h"

static void write_events(const char *events, struct report report)
{
	struct model *model = events_text_model(events);

	report.model = model;
	parse_json(&report);
	model_destroy(model);
}

static void write_json(struct report report)
{
	write_events(LOCKED_EVENTS, report);
}

static int teardown(void **unused)
{
	(void)unused;
	forget_json();
	return 0;
}

static void is_false(const char *path)
{
	assert_true(json_object_is_type(at(path), json_type_boolean));
	assert_false(json_object_get_boolean(at(path)));
}

static void test_locks(void **unused)
{
	(void)unused;
	write_json((struct report){0});
	has_length("locks", 4);
	is_text("locks.0.name", "Lock<Image>+0x20");
	assert_true(json_object_get_boolean(at("locks.0.inferred")));
	is_text("locks.0.kind", "mutex");
	is_int("locks.0.pid", 77);
	is_text("locks.0.image", "one");
	is_int("locks.0.instances", 1);
	is_int("locks.0.acquisitions", 640);
	is_int("locks.0.uncounted", 0);
	is_int("locks.0.contended", 2);
	is_int("locks.0.failed", 1);
	is_int("locks.0.open", 0);
	is_null("locks.0.open_max_ns");
	is_int("locks.0.wait.count", 2);
	is_int("locks.0.wait.mean", 200);
	is_int("locks.0.wait.max", 300);
	is_int("locks.0.wait_ns", 1100);
	is_int("locks.0.hold.count", 2);
	is_int("locks.0.hold.mean", 150);
	is_text("locks.0.hold_basis", "blocking");
	is_int("locks.0.timed_holds.count", 10);
	is_int("locks.0.timed_holds.mean", 4);
	is_int("locks.0.requests_delayed", 2);
	is_int("locks.0.requests_delayed_in_call", 1);
	is_int("locks.0.requests_delayed_meanwhile", 1);
	is_int("locks.0.delay.count", 2);
	is_int("locks.0.delay.max", 700);
	is_int("locks.0.delay.mean", 500);

	is_text("locks.1.name", "app+0x100");
	is_false("locks.1.inferred");
	is_text("locks.1.kind", "rwlock_write");
	is_null("locks.1.acquisitions");
	is_null("locks.1.uncounted");
	is_null("locks.1.hold");
	is_null("locks.1.hold_basis");
	is_null("locks.1.timed_holds");
	/* The first request was in flight meanwhile, and worker was met inside of librbd. */
	is_int("locks.1.requests_delayed", 1);

	is_text("locks.2.name", "lock taken at app+0x20");
	is_null("locks.2.image");
	is_int("locks.2.requests_delayed", 0);
	is_null("locks.2.delay");
	is_int("locks.2.submitters_wait_ns", 20);

	is_text("locks.3.kind", "cond");
	is_text("locks.3.name", "lock taken at librbd.so.1+0x8040");
}

static void test_open(void **unused)
{
	(void)unused;
	write_events(LOCKED_EVENTS "2000000000 p0 lock_wait_open lock=0x90000 thread=1 wait_ns=1500000000 kind=mutex\n", (struct report){0});
	is_int("locks.0.open", 1);
	is_int("locks.0.open_max_ns", 1500000000);
	is_int("locks.0.contended", 2);
	is_int("locks.0.failed", 1);
	is_int("locks.0.wait_ns", 1500001100);
}

static void test_edges(void **unused)
{
	(void)unused;
	write_json((struct report){0});
	has_length("locks.0.edges", 2);
	is_text("locks.0.edges.0.waiter_thread", "main");
	is_null("locks.0.edges.0.holder_thread");
	is_null("locks.0.edges.0.holder_site");
	is_text("locks.0.edges.1.waiter_thread", "io");
	is_text("locks.0.edges.1.waiter_site", "librbd.so.1+0x8010");
	is_text("locks.0.edges.1.holder_thread", "worker");
	is_text("locks.0.edges.1.holder_site", "app+0x44");
	is_int("locks.0.edges.1.count", 2);
	is_int("locks.0.edges.1.wait_ns", 400);
	/* From 1950 to 2000. */
	has_length("locks.0.edges.1.nested", 1);
	is_text("locks.0.edges.1.nested.0.name", "app+0x100");
	is_text("locks.0.edges.1.nested.0.kind", "rwlock_write");
	is_int("locks.0.edges.1.nested.0.count", 1);
	is_int("locks.0.edges.1.nested.0.wait_ns", 50);
	is_text("locks.1.edges.0.waiter_thread", "worker");
}

static void test_threads(void **unused)
{
	(void)unused;
	write_json((struct report){0});
	has_length("threads", 4);
	is_int("threads.0.tid", 77);
	is_text("threads.0.name", "main");
	is_null("threads.0.cpu_share");
	is_null("threads.0.observed_ns");
	is_int("threads.1.tid", 15);
	is_near("threads.1.cpu_share", 0.9);
	is_near("threads.1.run_queue_share", 0.01);
	is_int("threads.1.observed_ns", 1000000000);
	is_text("threads.1.pressure", "saturated");
	is_near("threads.1.busiest_second.cpu_share", 0.9);
	is_int("threads.1.busiest_second.begin_ns", 1);
	is_text("threads.2.pressure", "starved");
	is_near("threads.2.hungriest_second.run_queue_share", 0.6);
	is_null("threads.3.pressure");
	has_length("processes", 1);
	is_int("processes.0.pid", 77);
	is_text("processes.0.comm", "app");
	is_int("processes.0.processors", 2);
	is_near("processes.0.quota", 1.5);
	is_near("processes.0.throttled_share", 0.1);
	is_near("processes.0.steal_share", 0.02);
}

/* Only locks waited for long enough, in the order that is asked for; only those of an image or a thread, and its edges. */
static void test_view(void **unused)
{
	(void)unused;
	write_json((struct report){.locks = {.min_wait_ns = 21}});
	has_length("locks", 3);
	write_json((struct report){.locks = {.sort = lock_column_find("name")}});
	is_text("locks.0.name", "Lock<Image>+0x20");
	is_text("locks.1.name", "app+0x100");
	write_json((struct report){.locks = {.sort = lock_column_find("p50")}});
	is_text("locks.1.name", "app+0x100");
	is_text("locks.2.name", "lock taken at app+0x20");
	write_json((struct report){.image = "two"});
	has_length("locks", 3);
	is_text("locks.0.name", "app+0x100");
	write_json((struct report){.locks = {.thread = "work"}});
	has_length("locks", 2);
	has_length("locks.0.edges", 1);
	is_text("locks.0.edges.0.holder_thread", "worker");
	has_length("threads", 1);
	is_text("threads.0.name", "worker");
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(locks), TEST(open), TEST(edges), TEST(threads), TEST(view)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
