/* The JSON report, key by key. Numbers: report.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/report.h"
#include "tests/unit/analyzer/owned.h"
#include "tests/unit/analyzer/paths.h"
#include "tests/unit/analyzer/report.h"
#include "tests/unit/core/events_text.h"

static void write_json(const char *events, struct report *report)
{
	struct model *model = events_text_model(events);

	report->model = model;
	parse_json(report);
	model_destroy(model);
}

static void write_owned(owned_change *change)
{
	struct report report = {.model = owned_model(change)};

	parse_json(&report);
	owned_done();
}

static int teardown(void **unused)
{
	(void)unused;
	forget_json();
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
	has_length("verdict", 1);
	is_text("verdict.0.cause", "callback-slow");
	is_text("verdict.0.image", "rbd/one");
	is_text("verdict.0.share_of", "requests");
	is_near("verdict.0.share_mean", 1.0 / 5.5); /* 2 × 0.5 of 2 × 2.5 + 0.5 ms */
	is_near("verdict.0.share_p50", 0.2);        /* of a write */
	is_text("verdict.0.also_possible.0", "one-thread-saturated");
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
	has_length("images.0.clients", 1);
	is_int("images.0.clients.0.id", 4001);
	is_int("images.0.clients.0.pid", 77);
	is_text("images.0.clients.0.comm", "fio");
	is_int("images.0.clients.0.open_requests", 0);
	is_int("images.0.clients.0.in_flight.max", 1);
	is_near("images.0.clients.0.in_flight.mean", 3.5 / 5.5);
	is_null("images.0.clients.0.cache"); /* rbd_cache is off */
}

/* A write of which nothing was sent, and the flush after it; the clock's offset is 1000. */
static void test_cache(void **unused)
{
	struct report report = {0};

	(void)unused;
	write_json("1 p0 process schema=1 pid=77 clock_offset_ns=1000\n"
		   "1 p0 image image=1 client=4001 cluster=c1 pool_id=2 pool=rbd name=one id=10ab size_bytes=1048576 features=61\n"
		   "1 p0 config image=1 option=rbd_cache value=true\n"
		   "1 p0 config image=1 option=rbd_cache_writethrough_until_flush value=true\n"
		   "10 p0 request request=1:1 image=1 kind=write length_bytes=4096\n"
		   "20 p0 complete request=1:1 looked=1\n"
		   "30 p0 request request=1:2 image=1 kind=flush\n"
		   "40 p0 complete request=1:2 looked=1\n",
		   &report);
	is_int("images.0.clients.0.cache.at_ns", 40 + 1000);
	is_int("images.0.clients.0.cache.early_writes", 1);
	is_int("images.0.clients.0.cache.late_writes", 0);
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

#define OWN "images.0.ownership."

/* Offsets: 1000 is alpha's clock_offset_ns, 1 the trace's begin. */
static void test_ownership(void **unused)
{
	(void)unused;
	write_owned(NULL);
	is_int(OWN "tenures", 4);
	is_int(OWN "handovers", 3);
	is_int(OWN "reacquired", 1);
	is_near(OWN "handovers_per_s", 3);
	is_int(OWN "failed_attempts", 5);
	is_int(OWN "breaks", 1);
	is_int(OWN "watches_lost", 1);
	is_int(OWN "refusals", 2);
	is_int(OWN "request_timeouts", 1);
	is_int(OWN "notify_timeouts", 0);
	is_near(OWN "unowned_share", 0.1);
	is_near(OWN "unknown_share", 0);
	is_int(OWN "serving_ns", 400000000);
	is_int(OWN "handover_ns", 600000000);
	is_int(OWN "tenure.count", 4);
	is_int(OWN "tenure.mean", 195000000); /* (3 × 100 + 480) / 4 */
	is_near(OWN "tenure_requests.mean", 2.5);
	is_int(OWN "tenure_requests.max", 4);
	is_near(OWN "tenure_bytes.mean", 8192);
	is_int(OWN "until_asked.mean", 20000000);
	is_int(OWN "drain.mean", 5000000);
	is_int(OWN "handover.mean", 200000000);
	has_length(OWN "owners", 2);
	is_int(OWN "owners.0.client", 4001);
	is_near(OWN "owners.0.share", 0.5);
	is_near(OWN "owners.1.share", 0.4);
	is_int(OWN "owners.1.tenures", 1);
	has_length(OWN "sequence", 4);
	is_int(OWN "sequence.0.client", 4001);
	is_null(OWN "sequence.0.begin_ns");
	is_int(OWN "sequence.0.end_ns", 200000000 + 1000);
	is_int(OWN "sequence.3.begin_ns", 720000000 + 1000);
	is_null(OWN "sequence.3.end_ns");
	is_int(OWN "sequence.3.requests", 4);
	is_int(OWN "sequence.3.replay_bytes", 40 << 20);
	has_length(OWN "slices", OWNERSHIP_SLICES);
	is_int(OWN "slices.0", 0);
	is_int(OWN "slices.119", 4002);
	has_length(OWN "incidents", 5);
	is_text(OWN "incidents.1.kind", "watch_lost");
	is_null(OWN "incidents.1.other");
	is_null(OWN "incidents.1.waited_ns");
	is_text(OWN "incidents.2.kind", "break_lock");
	is_int(OWN "incidents.2.at_ns", 600000000 + 1 + 1000);
	is_int(OWN "incidents.2.client", 4002);
	is_int(OWN "incidents.2.other", 4001);
	is_int(OWN "incidents.2.waited_ns", 90000000);
	is_null(OWN "incidents.2.error");
	is_int(OWN "incidents.3.error", -30);
}

/* The closed list, whole and in its order: docs/report-json.md. */
static void test_steps(void **unused)
{
	static const struct {
		const char *name;
		double share;
		int64_t seen_in;
	} steps[] = {{"drain", 0, 0},         {"journal_close", 0, 0}, {"object_map_close", 0, 0}, {"unlock", 0.05, 3},
		     {"notice", 0, 0},        {"wake", 0, 0},          {"get_info", 0, 0},         {"lock", 0, 0},
		     {"refresh", 0, 0},       {"object_map", 0, 0},    {"journal_open", 0, 0},     {"replay", 0.6, 2},
		     {"tag", 0, 0},           {"librbd", 0, 0},        {"first_operation", 0, 0},  {"first_completion", 0.35, 3},
		     {"owner_not_seen", 0, 0}};

	(void)unused;
	write_owned(NULL);
	has_length(OWN "steps", sizeof(steps) / sizeof(steps[0]));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		char path[80];

		snprintf(path, sizeof(path), OWN "steps.%zu.name", i);
		is_text(path, steps[i].name);
		snprintf(path, sizeof(path), OWN "steps.%zu.share", i);
		is_near(path, steps[i].share);
		snprintf(path, sizeof(path), OWN "steps.%zu.seen_in", i);
		is_int(path, steps[i].seen_in);
		snprintf(path, sizeof(path), OWN "steps.%zu.dist", i);
		if (steps[i].seen_in == 0)
			is_null(path);
	}
	is_int(OWN "steps.11.dist.count", 3);
	is_int(OWN "steps.11.dist.mean", 120000000); /* (0 + 110 + 250) / 3 */
	is_int(OWN "steps.11.dist.max", 250000000);
}

#define JOURNAL "images.0.journal."

static void test_journal(void **unused)
{
	(void)unused;
	write_owned(NULL);
	is_int(JOURNAL "appends", 6);
	is_near(JOURNAL "appends_per_s", 3);
	is_int(JOURNAL "append_bytes", 25200);
	is_int(JOURNAL "append.mean", 2000000);
	is_int(JOURNAL "refused", 1);
	is_int(JOURNAL "entries", 6);
	is_int(JOURNAL "entries_joined", 5);
	is_int(JOURNAL "writes", 4);
	is_int(JOURNAL "writes_unjoined", 1);
	is_int(JOURNAL "commits", 2);
	is_int(JOURNAL "tags", 4);
	is_int(JOURNAL "replay_reads", 8);
	is_int(JOURNAL "replay_bytes", 50 << 20);
	is_int(JOURNAL "after_acknowledgement.max", 3000000);
	has_length(JOURNAL "replays", 3);
	is_null(JOURNAL "replays.0.above_bytes");
	is_int(JOURNAL "replays.0.up_to_bytes", 0);
	is_int(JOURNAL "replays.1.above_bytes", 8 << 20);
	is_int(JOURNAL "replays.1.up_to_bytes", 16 << 20);
	is_int(JOURNAL "replays.1.handovers", 1);
	is_int(JOURNAL "replays.1.handover.max", 200000000);
	is_int(JOURNAL "replays.1.replay.max", 110000000);
}

static void test_operations(void **unused)
{
	(void)unused;
	write_owned(NULL);
	is_int("images.0.operations", 61);
	is_int("images.0.unmatched_operations", 8);
	is_int("images.0.resent", 2);
	is_int("images.0.ambiguous_joins", 3);
	is_int("trace.undecoded.lock_info", 1);
	has_length("images.0.placement_groups", 4);
	is_text("images.0.placement_groups.3.pg", "2.1f");
	is_null("images.0.placement_groups.3.osds");
	is_int("images.0.placement_groups.3.operations", 20);
	is_int("images.0.placement_groups.3.n2c.mean", 9000000);
	is_near(WRITE "phases.q2l.share", 0.8);
	is_near(WRITE "phases.l2j.share", 0.1);
	is_near(WRITE "phases.n2c.share", 0.1);
}

static void make_empty(struct image *image, struct ownership_result *ownership)
{
	static const struct ownership_result nothing = {.failed_attempts = 1};
	(void)ownership;
	image->ownership_is = &nothing;
}

static void remove_features(struct image *image, struct ownership_result *ownership)
{
	(void)ownership;
	image->features = 1;
	image->ownership_is = NULL;
}

/* A lock that nobody got: counts are 0, and what they would be counts of is null. */
static void test_not_owned(void **unused)
{
	(void)unused;
	write_owned(make_empty);
	is_int(OWN "tenures", 0);
	is_int(OWN "failed_attempts", 1);
	is_null(OWN "unowned_share");
	is_null(OWN "tenure");
	is_null(OWN "tenure_requests");
	is_null(OWN "handover");
	is_null(OWN "steps.0.share");
	has_length(OWN "owners", 0);
	write_owned(remove_features);
	is_null("images.0.ownership");
	is_null("images.0.journal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_trace, teardown),
	    cmocka_unit_test_teardown(test_image, teardown),
	    cmocka_unit_test_teardown(test_cache, teardown),
	    cmocka_unit_test_teardown(test_requests, teardown),
	    cmocka_unit_test_teardown(test_nothing_observed, teardown),
	    cmocka_unit_test_teardown(test_ownership, teardown),
	    cmocka_unit_test_teardown(test_steps, teardown),
	    cmocka_unit_test_teardown(test_journal, teardown),
	    cmocka_unit_test_teardown(test_operations, teardown),
	    cmocka_unit_test_teardown(test_not_owned, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
