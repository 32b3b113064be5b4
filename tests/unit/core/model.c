/* Whole traces as text, and what the model says of them. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct model *model;

static int teardown(void **unused)
{
	(void)unused;
	model_destroy(model);
	model = NULL;
	return 0;
}

static void run(const char *text)
{
	model = events_text_model(text);
}

static const struct client *find_client(uint64_t id)
{
	for (const struct image *image = model_image_next(model, NULL); image; image = model_image_next(model, image))
		for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client))
			if (client->id == id)
				return client;
	fail_msg("no client %u", (unsigned)id);
	return NULL;
}

static const struct kind_stats *writes(uint64_t id)
{
	return find_client(id)->stats.kinds[RBDPROF_WRITE];
}

/* No anomaly but `want` of that one. */
static void check_anomalies(enum anomaly anomaly, uint64_t want)
{
	for (unsigned i = 0; i < ANOMALY_COUNT; i++)
		if (model_trace(model)->anomalies[i] != (i == anomaly ? want : 0))
			fail_msg("%s: %u", anomaly_name(i), (unsigned)model_trace(model)->anomalies[i]);
}

static void test_empty(void **unused)
{
	(void)unused;
	run("");
	assert_int_equal(model_trace(model)->events, 0);
	assert_int_equal(model_trace(model)->images, 0);
	assert_null(model_process_next(model, NULL));
	assert_null(model_image_next(model, NULL));
	assert_null(model_lock_next(model, NULL));
	assert_null(model_unseen_next(model, NULL));
	check_anomalies(0, 0);
}

static void test_one_write(void **unused)
{
	const struct kind_stats *kind;

	(void)unused;
	run(TEXT_IMAGE "1 p0 config image=1 option=rbd_cache value=false\n"
		       "2 p0 thread thread=1 tid=78 name=fio\n"
		       "100 p0 request request=1:1 image=1 kind=write length_bytes=4096\n"
		       "150 p0 complete request=1:1 c2d_ns=20\n"
		       "180 p0 reap requests=1:1\n"
		       "200 p0 unseen function=rbd_aio_new\n"
		       "210 p0 totals emitted=8 passed_through=2\n"
		       "220 p0 image_closed image=1\n");
	kind = writes(4001);
	assert_int_equal(kind->completed, 1);
	assert_int_equal(kind->bytes, 4096);
	assert_int_equal(kind->latency.sum, 30);
	assert_int_equal(kind->total.sum, 80);
	assert_int_equal(kind->phases[PHASE_OTHER].sum, 30);
	assert_int_equal(kind->phases[PHASE_C2D].sum, 20);
	assert_int_equal(kind->phases[PHASE_D2A].sum, 30);
	assert_int_equal(kind->phases[PHASE_N2C].count, 0);
	assert_int_equal(find_client(4001)->process->pid, 77);
	assert_string_equal(find_client(4001)->image->name, "one");
	assert_string_equal(client_config_next(find_client(4001), NULL)->value, "false");
	assert_string_equal(model_unseen_next(model, NULL)->function, "rbd_aio_new");
	assert_int_equal(model_trace(model)->events, 10);
	assert_int_equal(model_trace(model)->requests, 1);
	assert_int_equal(model_trace(model)->passed_through, 2);
	assert_int_equal(model_trace(model)->unaccounted_events, 0);
	check_anomalies(0, 0);
}

static void test_look_told_alone(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "10 p0 request request=1:1 image=1 kind=write\n"
		       "50 p0 complete request=1:1\n"
		       "60 p0 reap request=1:1\n");
	assert_int_equal(writes(4001)->total.sum, 60 - 10);
	assert_int_equal(writes(4001)->phases[PHASE_D2A].sum, 60 - 50);
	check_anomalies(0, 0);
}

/* Up to schema 5 looks are told together, each so long after it was: A is 60 and 95. */
static void test_looks_told_later(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "10 p0 request request=1:1 image=1 kind=write\n"
		       "20 p0 request request=1:2 image=1 kind=write\n"
		       "50 p0 complete request=1:1\n"
		       "90 p0 complete request=1:2\n"
		       "100 p0 reap requests=1:1,1:2 ago_ns=40,5\n");
	assert_int_equal(writes(4001)->total.count, 2);
	assert_int_equal(writes(4001)->total.sum, 60 - 10 + 95 - 20);
	assert_int_equal(writes(4001)->phases[PHASE_D2A].sum, 60 - 50 + 95 - 90);
	check_anomalies(0, 0);
}

static void test_two_clients_of_one_process(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "1 p0 image image=2 client=4002 cluster=c1 pool_id=2 pool=rbd name=one id=10ab\n"
		       "10 p0 request request=1:1 image=1 kind=write length_bytes=1\n"
		       "11 p0 request request=2:1 image=2 kind=write length_bytes=2\n"
		       "12 p0 request request=2:2 image=2 kind=write length_bytes=2\n"
		       "20 p0 complete request=2:1 looked=1\n"
		       "21 p0 complete request=1:1 looked=1\n"
		       "22 p0 complete request=2:2 looked=1\n");
	assert_int_equal(model_trace(model)->images, 1);
	assert_int_equal(writes(4001)->completed, 1);
	assert_int_equal(writes(4002)->completed, 2);
	assert_int_equal(writes(4002)->bytes, 4);
	assert_int_equal(client_stats_in_flight_max(&find_client(4001)->stats), 1);
	assert_int_equal(client_stats_in_flight_max(&find_client(4002)->stats), 2);
	check_anomalies(0, 0);
}

/* Two processes number their requests alike; the image is one. Wall clock: 1 + 1000 and 30 − 2. */
static void test_two_processes(void **unused)
{
	(void)unused;
	run("1 p0 process pid=7 clock_offset_ns=1000\n"
	    "1 p0 image image=1 client=1 cluster=c id=a\n"
	    "2 p1 process pid=8 clock_offset_ns=-2\n"
	    "2 p1 image image=1 client=2 cluster=c id=a\n"
	    "10 p0 request request=1:1 image=1 kind=write\n"
	    "11 p1 request request=1:1 image=1 kind=write\n"
	    "20 p1 complete request=1:1 looked=1\n"
	    "30 p0 complete request=1:1 looked=1\n");
	assert_int_equal(model_trace(model)->images, 1);
	assert_int_equal(writes(1)->latency.sum, 20);
	assert_int_equal(writes(2)->latency.sum, 9);
	assert_int_equal(find_client(2)->process->pid, 8);
	assert_int_equal(model_trace(model)->begin_wall_ns, 2 - 2);
	assert_int_equal(model_trace(model)->end_wall_ns, 30 + 1000);
	assert_int_equal(model_process_next(model, model_process_next(model, NULL))->number, 1);
	check_anomalies(0, 0);
}

static void test_complete_without_request(void **unused)
{
	(void)unused;
	/* Thread 1 was seen from its second request on: the first was made before, the third never. */
	run(TEXT_IMAGE "10 p0 complete request=1:1\n"
		       "11 p0 reap requests=1:1\n"
		       "12 p0 request request=1:2 image=1 kind=write\n"
		       "13 p0 complete request=1:2 looked=1\n"
		       "14 p0 complete request=1:3 looked=1\n"
		       "15 p0 complete request=9:1 looked=1\n");
	assert_int_equal(model_trace(model)->before_recording, 2);
	assert_int_equal(model_trace(model)->unmatched, 0);
	assert_int_equal(writes(4001)->completed, 1);
	check_anomalies(ANOMALY_COMPLETE_WITHOUT_REQUEST, 1);
}

/* The same, but the tracer says that it dropped something; no matter when it says so. */
static void test_request_lost(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:2 image=1 kind=write\n"
		       "13 p0 complete request=1:2 looked=1\n"
		       "14 p0 complete request=1:3\n"
		       "15 p0 reap requests=1:3\n"
		       "14 p0 lost begin_ns=12 events=1\n");
	assert_int_equal(model_trace(model)->unmatched, 1);
	assert_int_equal(model_trace(model)->lost_events, 1);
	assert_int_equal(model_trace(model)->events, 6);
	assert_int_equal(model_process_next(model, NULL)->health.lost[0].begin_ns, 12);
	assert_int_equal(model_process_next(model, NULL)->health.lost[0].end_ns, 14);
	check_anomalies(0, 0);
}

/* Losses of one process excuse nothing in another. */
static void test_loss_elsewhere(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:2 image=1 kind=write\n"
		       "13 p0 complete request=1:2 looked=1\n"
		       "14 p0 reap requests=1:2\n"
		       "14 p1 lost begin_ns=12 events=1\n");
	check_anomalies(ANOMALY_REAP_OF_UNKNOWN_REQUEST, 1);
}

static void test_looked_at_but_never_complete(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:1 image=1 kind=write\n"
		       "13 p0 reap requests=1:1\n");
	assert_int_equal(find_client(4001)->stats.open_requests, 0);
	check_anomalies(ANOMALY_REAP_WITHOUT_COMPLETE, 1);
	model_destroy(model);
	run(TEXT_IMAGE "12 p0 request request=1:1 image=1 kind=write\n"
		       "13 p0 reap requests=1:1\n"
		       "14 p0 lost begin_ns=12 events=1\n");
	assert_int_equal(model_trace(model)->unmatched, 1);
	check_anomalies(0, 0);
}

static void test_negative_phase(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:1 image=1 kind=write\n"
		       "15 p0 complete request=1:1 c2d_ns=4 looked=1\n");
	assert_int_equal(writes(4001)->completed, 1);
	assert_int_equal(writes(4001)->irregular, 1);
	assert_int_equal(writes(4001)->total.count, 0);
	check_anomalies(ANOMALY_NEGATIVE_PHASE, 1);
}

static void test_duplicate_request(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:1 image=1 kind=write\n"
		       "13 p0 request request=1:1 image=1 kind=write\n"
		       "15 p0 complete request=1:1 looked=1\n");
	assert_int_equal(writes(4001)->completed, 1);
	assert_int_equal(writes(4001)->irregular, 1);
	check_anomalies(ANOMALY_DUPLICATE_REQUEST, 1);
}

static void test_unknown_image_and_kind(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "12 p0 request request=1:1 image=2 kind=write\n"
		       "13 p0 complete request=1:1 looked=1\n");
	check_anomalies(ANOMALY_UNKNOWN_IMAGE, 1);
	model_destroy(model);
	run(TEXT_IMAGE "12 p0 request request=1:1 image=1 kind=77\n"
		       "13 p0 complete request=1:1 looked=1\n"
		       "14 p0 lock_wait lock=1 thread=1 wait_ns=100 kind=9\n");
	check_anomalies(ANOMALY_UNKNOWN_KIND, 2);
	model_destroy(model);
	run(TEXT_IMAGE "12 p0 config image=2 option=rbd_cache value=false\n");
	check_anomalies(ANOMALY_UNKNOWN_IMAGE, 1);
	model_destroy(model);
	/* A closed image is no image. */
	run(TEXT_IMAGE "12 p0 image_closed image=1\n13 p0 request request=1:1 image=1 kind=write\n");
	check_anomalies(ANOMALY_UNKNOWN_IMAGE, 1);
}

/* Requests come before anything is described, then all is said: one is over by then, one finds its client. */
static void test_recording_begins_late(void **unused)
{
	(void)unused;
	run("100 p0 complete request=1:1 looked=1\n"
	    "105 p0 request request=1:3 image=1 kind=write\n"
	    "110 p0 request request=1:4 image=1 kind=write\n"
	    "120 p0 complete request=1:3 looked=1\n"
	    "150 p0 process pid=7\n"
	    "151 p0 image image=1 client=4001 cluster=c id=a\n"
	    "152 p0 request_open request=1:2 image=1 kind=write age_ns=60\n"
	    "153 p0 request_open request=1:4 image=1 kind=write age_ns=43\n"
	    "154 p0 totals emitted=500\n"
	    "200 p0 complete request=1:2 looked=1\n"
	    "210 p0 complete request=1:4 looked=1\n");
	/* 1:1, made before; 1:3, never described. */
	assert_int_equal(model_trace(model)->before_recording, 2);
	assert_int_equal(writes(4001)->completed, 2);
	assert_int_equal(writes(4001)->latency.sum, (200 - 92) + (210 - 110));
	assert_int_equal(model_trace(model)->unaccounted_events, 0);
	check_anomalies(0, 0);
}

/* What is said every second changes nothing; a request that ended while it was being announced does not come back. */
static void test_said_again(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "10 p0 request request=1:1 image=1 kind=write length_bytes=5\n"
		       "11 p0 request request=1:2 image=1 kind=write length_bytes=5\n"
		       "20 p0 process schema=1 pid=77 version=0.1.0 comm=fio host=alpha\n"
		       "20 p0 image image=1 client=4001 cluster=c1 pool_id=2 pool=rbd name=one id=10ab\n"
		       "21 p0 complete request=1:1 looked=1\n"
		       "22 p0 request_open request=1:1 image=1 kind=write length_bytes=5 age_ns=12\n"
		       "22 p0 request_open request=1:2 image=1 kind=write length_bytes=5 age_ns=11\n"
		       "30 p0 complete request=1:2 looked=1\n");
	assert_int_equal(model_trace(model)->images, 1);
	assert_int_equal(writes(4001)->completed, 2);
	assert_int_equal(writes(4001)->latency.sum, 11 + 19);
	assert_int_equal(find_client(4001)->stats.open_requests, 0);
	check_anomalies(0, 0);
}

/* The announcement overtakes the request's own event, which is late by as long as announcing took: S is 40, not 50. */
static void test_announced_before_it_is_said(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "10 p0 request request=1:1 image=1 kind=write\n"
		       "20 p0 complete request=1:1 looked=1\n"
		       "45 p0 request_open request=1:2 image=1 kind=write age_ns=5\n"
		       "50 p0 request request=1:2 image=1 kind=write\n"
		       "60 p0 complete request=1:2 looked=1\n");
	assert_int_equal(writes(4001)->completed, 2);
	assert_int_equal(writes(4001)->latency.sum, 10 + 20);
	check_anomalies(0, 0);
}

static void test_open_at_the_end(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "100 p0 request request=1:1 image=1 kind=write\n"
		       "150 p0 request request=1:2 image=1 kind=write\n"
		       "170 p0 request request=1:3 image=1 kind=write\n"
		       "200 p0 complete request=1:1 looked=1\n"
		       "200 p0 complete request=1:3\n");
	assert_int_equal(find_client(4001)->stats.open_requests, 1);
	assert_int_equal(writes(4001)->completed, 2);
	assert_int_equal(writes(4001)->latency.count, 2);
	assert_int_equal(writes(4001)->total.count, 1);
	/* 100 + 50 + 30 over 100 ns. */
	assert_true(fabs(client_stats_in_flight_mean(&find_client(4001)->stats) - 1.8) < 1e-12);
	assert_int_equal(client_stats_in_flight_max(&find_client(4001)->stats), 3);
	check_anomalies(0, 0);
}

/* The COMPLETE of 1:1 was lost: after three rounds without a word of it, it is open no more. 1:2 is spoken of. */
static void test_complete_lost(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "100 p0 request request=1:1 image=1 kind=write\n"
		       "100 p0 request request=1:2 image=1 kind=write\n"
		       "150 p0 lost begin_ns=120 events=1\n"
		       "200 p0 request_open request=1:2 image=1 kind=write age_ns=100\n200 p0 totals emitted=10\n"
		       "300 p0 request_open request=1:2 image=1 kind=write age_ns=200\n300 p0 totals emitted=12\n"
		       "400 p0 request_open request=1:2 image=1 kind=write age_ns=300\n400 p0 totals emitted=14\n"
		       "500 p0 request_open request=1:2 image=1 kind=write age_ns=400\n500 p0 totals emitted=16\n");
	assert_int_equal(find_client(4001)->stats.open_requests, 1);
	assert_int_equal(find_client(4001)->stats.in_flight.now, 1);
	assert_int_equal(model_trace(model)->unmatched, 1);
	check_anomalies(0, 0);
}

/* 40 emitted between the totals, 2 read (the request and the totals): 38 are missing. Then nothing that is missing is an anomaly. */
static void test_unaccounted(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "10 p0 totals emitted=3\n"
		       "20 p0 request request=1:1 image=1 kind=write\n"
		       "30 p0 totals emitted=43\n"
		       "31 p0 complete request=1:1 looked=1\n"
		       "32 p0 complete request=1:2 looked=1\n");
	assert_int_equal(model_trace(model)->unaccounted_events, 38);
	assert_int_equal(model_trace(model)->unmatched, 1);
	check_anomalies(0, 0);
}

static void test_time_went_back(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "100 p0 request request=1:1 image=1 kind=write\n"
		       "90 p0 request request=1:2 image=1 kind=write\n"
		       "95 p1 process pid=2\n");
	check_anomalies(ANOMALY_TIME_WENT_BACK, 1);
}

static void test_newer_schema(void **unused)
{
	(void)unused;
	run("1 p0 process schema=1000 pid=1\n2 p0 process schema=1000 pid=1\n");
	check_anomalies(ANOMALY_NEWER_SCHEMA, 1);
}

static void test_locks(void **unused)
{
	const struct lock *lock;

	(void)unused;
	run("1 p0 thread thread=3 tid=9 name=msgr-worker-0\n"
	    "2 p0 lock_wait lock=1 thread=2 wait_ns=10 kind=mutex\n"
	    "3 p0 lock_wait lock=2 thread=3 wait_ns=20 kind=mutex\n");
	lock = model_lock_next(model, NULL);
	assert_int_equal(lock->key.address, 2);
	assert_string_equal(edges_next(&lock->contention->edges, NULL)->key.waiter, "msgr-worker-0");
	lock = model_lock_next(model, lock);
	assert_int_equal(lock->key.address, 1);
	assert_null(model_lock_next(model, lock));
	check_anomalies(0, 0);
}

/* Many requests, never more than 32 at once: all counted, and the phases sum to the total. */
static void test_long(void **unused)
{
	struct event image = events_text_one("1 p0 image image=1 client=1 cluster=c id=a");
	struct event made, ended;
	const struct kind_stats *kind;
	uint64_t sum = 0, reaped, ago_ns;
	const uint64_t n = 100000;

	(void)unused;
	model = model_create();
	assert_int_equal(model_feed(model, &image), 0);
	made = events_text_one("1 p0 request image=1 kind=write length_bytes=1");
	ended = events_text_one("1 p0 complete c2d_ns=7");
	for (uint64_t i = 0; i < n + 32; i++) {
		made.time_ns = i * 10 + 1;
		made.request.request = REQUEST(1, i);
		if (i < n)
			assert_int_equal(model_feed(model, &made), 0);
		ended.time_ns = i * 10 + 9;
		ended.complete.request = REQUEST(1, i - 31);
		ended.complete.looked = i % 2;
		ago_ns = 2 - i % 3;
		reaped = REQUEST(1, i - 31);
		if (i >= 31 && i - 31 < n) {
			struct event reap = {.type = EVENT_REAP, .time_ns = ended.time_ns + 2, .reap = {&reaped, &ago_ns, 1}};

			assert_int_equal(model_feed(model, &ended), 0);
			if (!ended.complete.looked)
				assert_int_equal(model_feed(model, &reap), 0);
		}
	}
	assert_int_equal(model_finish(model), 0);
	kind = writes(1);
	assert_int_equal(kind->completed, n);
	assert_int_equal(kind->total.count, n);
	/* From S to C: 31 periods of 10, and 9 − 1 − 7. */
	assert_int_equal(kind->latency.sum, n * 311);
	for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
		sum += kind->phases[phase].sum;
	assert_int_equal(sum, kind->total.sum);
	assert_int_equal(client_stats_in_flight_max(&find_client(1)->stats), 32);
	assert_int_equal(find_client(1)->stats.open_requests, 0);
	check_anomalies(0, 0);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(empty),
		TEST(one_write),
		TEST(look_told_alone),
		TEST(looks_told_later),
		TEST(two_clients_of_one_process),
		TEST(two_processes),
		TEST(complete_without_request),
		TEST(request_lost),
		TEST(loss_elsewhere),
		TEST(looked_at_but_never_complete),
		TEST(negative_phase),
		TEST(duplicate_request),
		TEST(unknown_image_and_kind),
		TEST(recording_begins_late),
		TEST(said_again),
		TEST(announced_before_it_is_said),
		TEST(open_at_the_end),
		TEST(complete_lost),
		TEST(unaccounted),
		TEST(time_went_back),
		TEST(newer_schema),
		TEST(locks),
		TEST(long),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
