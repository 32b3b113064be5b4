/* The JSON report, key by key. Numbers: report.h beside this file. */
#include "tests/unit/core/test.h"

#include <json-c/json.h>

#include "analyzer/writers/report.h"
#include "tests/unit/analyzer/report.h"
#include "tests/unit/core/events_text.h"

static struct json_object *root;

/* Follows a path like images.0.clients.0.id; fails where a key is not there. The value may be NULL, which is null. */
static struct json_object *at(const char *path)
{
	struct json_object *value = root;
	char copy[256], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((key = strsep(&rest, "."))) {
		if (json_object_is_type(value, json_type_array)) {
			size_t index = strtoul(key, NULL, 10);

			if (index >= json_object_array_length(value))
				fail_msg("%s: no element %s", path, key);
			value = json_object_array_get_idx(value, index);
		} else if (!json_object_object_get_ex(value, key, &value)) {
			fail_msg("%s: no key %s", path, key);
		}
	}
	return value;
}

static void is_int(const char *path, int64_t wanted)
{
	if (!json_object_is_type(at(path), json_type_int) || json_object_get_int64(at(path)) != wanted)
		fail_msg("%s is %s, not %lld", path, json_object_to_json_string(at(path)), (long long)wanted);
}

static void is_near(const char *path, double wanted)
{
	if (fabs(json_object_get_double(at(path)) - wanted) > 1e-9 * fabs(wanted))
		fail_msg("%s is %s, not %.12g", path, json_object_to_json_string(at(path)), wanted);
}

static void is_text(const char *path, const char *wanted)
{
	assert_true(json_object_is_type(at(path), json_type_string));
	assert_string_equal(json_object_get_string(at(path)), wanted);
}

static void is_null(const char *path)
{
	if (at(path))
		fail_msg("%s is %s, not null", path, json_object_to_json_string(at(path)));
}

static void has_length(const char *path, size_t wanted)
{
	assert_true(json_object_is_type(at(path), json_type_array));
	assert_int_equal(json_object_array_length(at(path)), wanted);
}

static void write_json(const char *events, struct report *report)
{
	struct model *model = events_text_model(events);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report->model = model;
	assert_non_null(out);
	assert_int_equal(json_write(out, report), 0);
	fclose(out);
	model_destroy(model);
	json_object_put(root);
	root = json_tokener_parse(text);
	free(text);
	assert_non_null(root);
}

static int teardown(void **unused)
{
	(void)unused;
	json_object_put(root);
	root = NULL;
	return 0;
}

static void test_trace(void **unused)
{
	static const char *const problems[] = {"DIR: torn"};
	struct report report = {.problems = problems, .problem_count = 1, .missing_fields = 2, .unknown_events = 3};

	(void)unused;
	write_json(REPORT_EVENTS "6600000 p0 lost begin_ns=6500000 events=18446744073709551614\n"
				 "6700000 p0 lost begin_ns=6600000 events=12\n",
		   &report);
	is_int("schema", 1);
	is_text("version", RBDPROF_VERSION);
	is_int("trace.begin_ns", 1 + 1000);
	is_int("trace.events", 16);
	is_int("trace.lost_events", -2 + 12);
	is_int("trace.unknown_events", 3);
	is_int("trace.anomalies.negative_phase", 0);
	is_int("trace.anomalies.unreadable", 1);
	is_int("trace.anomalies.missing_field", 2);
	is_text("trace.problems.0", "DIR: torn");
	has_length("trace.unseen_functions", 1);
	is_text("trace.unseen_functions.0", "rbd_aio_of_tomorrow");
	has_length("trace.hosts", 1);
	is_text("trace.hosts.0.name", "alpha");
	is_int("trace.hosts.0.clock_offset_ns", 1000);
	is_null("trace.hosts.0.clock_uncertainty_ns");
	has_length("verdict", 0);
	is_text("threads.0.name", "worker");
	is_int("threads.0.tid", 78);
	is_null("threads.0.cpu_share");
}

static void test_image(void **unused)
{
	struct report report = {0};

	(void)unused;
	write_json(REPORT_EVENTS, &report);
	has_length("images", 1);
	is_text("images.0.pool", "rbd");
	is_text("images.0.name", "one");
	is_null("images.0.snapshot");
	has_length("images.0.features", 3); /* 69 = 1 + 4 + 64 */
	is_text("images.0.features.0", "layering");
	is_text("images.0.features.1", "exclusive-lock");
	is_text("images.0.features.2", "journaling");
	is_int("images.0.object_size_bytes", 4194304);
	is_text("images.0.config.rbd_cache", "false");
	is_null("images.0.ownership");
	is_null("images.0.journal");
	is_null("images.0.ambiguous_joins");
	is_null("images.0.operations");
	has_length("images.0.placement_groups", 0);
	is_text("images.0.summary",
		"the exclusive lock was not observed; what could not be told apart is 64 % of the requests' time");
	has_length("images.0.clients", 1);
	is_int("images.0.clients.0.id", 4001);
	is_int("images.0.clients.0.pid", 77);
	is_text("images.0.clients.0.comm", "fio");
	is_int("images.0.clients.0.open_requests", 0);
	is_int("images.0.clients.0.in_flight.max", 1);
	is_near("images.0.clients.0.in_flight.mean", 3.5 / 5.5);
}

#define WRITE "images.0.clients.0.requests.write."
#define FLUSH "images.0.clients.0.requests.flush."

static void test_requests(void **unused)
{
	static const char *const unknown[] = {"s2q", "q2l", "l2j", "j2n", "n2c"};
	struct report report = {0};

	(void)unused;
	write_json(REPORT_EVENTS, &report);
	is_int(WRITE "completed", 2);
	is_int(WRITE "failed", 0);
	is_int(WRITE "bytes", 8192);
	is_near(WRITE "iops", 500);
	is_int(WRITE "latency.count", 2);
	is_int(WRITE "latency.mean", 1500000);
	is_int(WRITE "latency.p50", 1500000);
	is_int(WRITE "latency.p999", 1500000);
	is_int(WRITE "latency.max", 1500000);
	is_int(WRITE "total.mean", 2500000);
	is_near(WRITE "phases.other.share", 0.6);
	is_near(WRITE "phases.c2d.share", 0.2);
	is_near(WRITE "phases.d2a.share", 0.2);
	is_int(WRITE "phases.c2d.dist.max", 500000);
	for (size_t i = 0; i < 5; i++) {
		char path[80];

		snprintf(path, sizeof(path), WRITE "phases.%s", unknown[i]);
		is_null(path);
	}
	is_int(FLUSH "completed", 1);
	is_int(FLUSH "failed", 1);
	is_int(FLUSH "bytes", 0);
	is_int(FLUSH "latency.mean", 500000);
}

/* One request that never ended: counted as open, everything else null. */
static void test_nothing_observed(void **unused)
{
	struct report report = {0};

	(void)unused;
	write_json(TEXT_IMAGE "10 p0 request request=1:1 image=1 kind=read length_bytes=4096\n", &report);
	is_int("images.0.clients.0.open_requests", 1);
	is_int("images.0.clients.0.requests.read.completed", 0);
	is_null("images.0.clients.0.requests.read.iops");
	is_null("images.0.clients.0.requests.read.latency");
	is_null("images.0.clients.0.requests.read.total");
	is_null("images.0.clients.0.requests.read.phases.c2d");
	has_length("locks", 0);
}

static void test_locks(void **unused)
{
	struct report report = {0};

	(void)unused;
	write_json(REPORT_EVENTS "6600000 p0 lock_wait lock=4096 thread=1 kind=mutex wait_ns=2000 result=110\n", &report);
	has_length("locks", 2);
	is_text("locks.0.name", "0x1000");
	is_text("locks.0.kind", "mutex");
	is_int("locks.0.contended", 3);
	is_int("locks.0.failed", 1);
	is_int("locks.0.wait.count", 2);
	is_int("locks.0.wait.mean", 20000);
	is_int("locks.0.wait.max", 30000);
	is_int("locks.0.wait_ns", 42000);
	is_null("locks.0.acquisitions");
	is_null("locks.0.hold");
	has_length("locks.0.edges", 0);
	is_text("locks.0.waiters.0.thread", "worker");
	is_text("locks.1.kind", "rwlock_read");
	is_int("locks.1.contended", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_trace, teardown),    cmocka_unit_test_teardown(test_image, teardown),
	    cmocka_unit_test_teardown(test_requests, teardown), cmocka_unit_test_teardown(test_nothing_observed, teardown),
	    cmocka_unit_test_teardown(test_locks, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
