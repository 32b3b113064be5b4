/* The table of requests in flight: what becomes of each, and which sequences are anomalies. */
#include "tests/unit/core/test.h"

#include "analyzer/core/requests.h"
#include "tests/unit/core/events_text.h"

/* What the consumer was told, one word a call: the request's number in its thread, and moments. */
static char told[4096];
static struct health health;
static struct process processes[2];
static struct client client;
static struct requests *requests;

static void tell(const char *what, const struct request *request)
{
	size_t length = strlen(told);
	const struct moments *moments = &request->moments;

	length += (size_t)snprintf(told + length, sizeof(told) - length, "%s%s%u/%u", length ? " " : "", what,
				   (unsigned)request->key.process, (unsigned)(request->key.number & 0xff));
	for (unsigned moment = 0; moment < MOMENT_COUNT; moment++)
		if (moments_know(moments, moment))
			length += (size_t)snprintf(told + length, sizeof(told) - length, "%c%c%u", moment ? ',' : ':', "SQLJNCDA"[moment],
						   (unsigned)moments -> at_ns[moment]);
	if (request->irregular)
		snprintf(told + length, sizeof(told) - length, "!");
}

static int completed(void *context, struct request *request)
{
	assert_ptr_equal(context, &told);
	tell("completed", request);
	return 0;
}

static int closed(void *context, struct request *request)
{
	assert_ptr_equal(context, &told);
	tell("closed", request);
	return 0;
}

static int dropped(void *context, struct request *request, uint64_t now_ns)
{
	(void)now_ns;
	assert_ptr_equal(context, &told);
	tell("dropped", request);
	return 0;
}

static int left(void *context, struct request *request)
{
	assert_ptr_equal(context, &told);
	tell("left", request);
	return 0;
}

static const struct requests_consumer consumer = {
    .context = &told,
    .completed = completed,
    .closed = closed,
    .dropped = dropped,
    .left = left,
};

static int setup(void **unused)
{
	(void)unused;
	told[0] = '\0';
	health = (struct health){0};
	processes[0] = (struct process){.number = 0};
	processes[1] = (struct process){.number = 1};
	requests = requests_create(&health, &consumer);
	return requests ? 0 : -1;
}

static int teardown(void **unused)
{
	(void)unused;
	requests_destroy(requests);
	return 0;
}

static int feed(void *context, const struct event *event)
{
	struct request *request;
	uint64_t *round = context;

	switch (event->type) {
	case EVENT_REQUEST:
	case EVENT_REQUEST_OPEN:
		return requests_open(requests, &processes[event->process], &client, event, *round, &request);
	case EVENT_COMPLETE:
		return requests_complete(requests, event);
	case EVENT_REAP:
		for (size_t i = 0; i < event->reap.count; i++) {
			int status = requests_reap(requests, event->process, event->reap.requests[i], event->time_ns);

			if (status)
				return status;
		}
		return 0;
	default:
		return -EINVAL;
	}
}

static int run(const char *text)
{
	uint64_t round = 0;

	return events_text_each(text, feed, &round);
}

static uint64_t anomalies(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ANOMALY_COUNT; i++)
		sum += health.anomalies[i];
	return sum;
}

static void test_callback_and_reap(void **unused)
{
	(void)unused;
	assert_int_equal(run("100 p0 request request=1:1 image=1 kind=write\n"
			     "150 p0 complete request=1:1 c2d_ns=20\n"
			     "180 p0 reap requests=1:1\n"),
			 0);
	assert_string_equal(told, "completed0/1:S100,C130,D150 closed0/1:S100,C130,D150,A180");
	assert_null(requests_find(requests, 0, REQUEST(1, 1)));
	assert_int_equal(anomalies(), 0);
}

static void test_looked_inside_the_callback(void **unused)
{
	(void)unused;
	assert_int_equal(run("100 p0 request request=1:1 image=1\n"
			     "150 p0 complete request=1:1 c2d_ns=20 looked=1\n"),
			 0);
	assert_string_equal(told, "completed0/1:S100,C130,D150,A150 closed0/1:S100,C130,D150,A150");
}

/* Flag 2: no callback; 1: a blocking call. C is 30 before the look, or before the call's return. */
static void test_nothing_is_called(void **unused)
{
	(void)unused;
	assert_int_equal(run("100 p0 request request=1:1 image=1 flags=2\n"
			     "110 p0 request request=1:2 image=1 flags=1\n"
			     "120 p0 request_open request=1:3 image=1 flags=2 age_ns=20\n"
			     "150 p0 complete request=1:1 c2d_ns=30 looked=1\n"
			     "160 p0 complete request=1:2 c2d_ns=30 looked=1\n"
			     "170 p0 complete request=1:3 looked=1\n"),
			 0);
	assert_string_equal(told, "completed0/1:S100,C120,D120,A150 closed0/1:S100,C120,D120,A150 "
				  "completed0/2:S110,C130,D130,A160 closed0/2:S110,C130,D130,A160 "
				  "completed0/3:S100,C170,D170,A170 closed0/3:S100,C170,D170,A170");
	assert_int_equal(anomalies(), 0);
}

static void test_one_reap_of_several(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 request request=1:1 image=1\n"
			     "2 p0 request request=2:2 image=1\n"
			     "3 p0 complete request=2:2\n"
			     "4 p0 complete request=1:1\n"
			     "5 p0 reap requests=1:1,2:2\n"),
			 0);
	assert_string_equal(told, "completed0/2:S2,C3,D3 completed0/1:S1,C4,D4 closed0/1:S1,C4,D4,A5 closed0/2:S2,C3,D3,A5");
}

static void test_same_number_in_two_processes(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 request request=1:1 image=1\n"
			     "2 p1 request request=1:1 image=1\n"
			     "3 p1 complete request=1:1 looked=1\n"
			     "4 p0 complete request=1:1 looked=1\n"),
			 0);
	assert_string_equal(told, "completed1/1:S2,C3,D3,A3 closed1/1:S2,C3,D3,A3 completed0/1:S1,C4,D4,A4 closed0/1:S1,C4,D4,A4");
}

/* Two streams, one time: the reader may give either event first. And between D and its event another thread can look. */
static void test_reap_overtakes_complete(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 request request=1:1 image=1\n"
			     "9 p0 reap requests=1:1\n"
			     "9 p0 complete request=1:1 c2d_ns=2\n"
			     "10 p0 request request=1:2 image=1\n"
			     "18 p0 reap requests=1:2\n"
			     "20 p0 complete request=1:2 c2d_ns=5\n"),
			 0);
	assert_string_equal(told, "completed0/1:S1,C7,D9,A9 closed0/1:S1,C7,D9,A9 completed0/2:S10,C15,D20,A20 closed0/2:S10,C15,D20,A20");
	assert_int_equal(anomalies(), 0);
}

static void test_unknown(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 complete request=1:1\n"), -ENOENT);
	assert_int_equal(run("1 p0 reap requests=1:1\n"), -ENOENT);
	assert_int_equal(run("1 p0 request request=1:1 image=1\n2 p0 complete request=1:1 looked=1\n"), 0);
	assert_int_equal(run("3 p0 complete request=1:1 looked=1\n"), -ENOENT);
	assert_int_equal(anomalies(), 0);
}

static void test_duplicates(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 request request=1:1 image=1\n"), 0);
	assert_int_equal(run("2 p0 request request=1:1 image=1\n"), -EEXIST);
	assert_int_equal(health.anomalies[ANOMALY_DUPLICATE_REQUEST], 1);
	assert_int_equal(run("3 p0 complete request=1:1\n4 p0 complete request=1:1\n5 p0 reap requests=1:1\n"), 0);
	assert_int_equal(health.anomalies[ANOMALY_DUPLICATE_COMPLETE], 1);
	assert_string_equal(told, "completed0/1:S1,C3,D3! closed0/1:S1,C3,D3,A5!");
	assert_int_equal(run("6 p0 request request=1:2 image=1\n7 p0 reap requests=1:2\n7 p0 reap requests=1:2\n"), 0);
	assert_int_equal(health.anomalies[ANOMALY_REAP_OF_UNKNOWN_REQUEST], 1);
	assert_int_equal(anomalies(), 3);
}

static void test_complete_before_request(void **unused)
{
	(void)unused;
	assert_int_equal(run("100 p0 request request=1:1 image=1\n"
			     "150 p0 complete request=1:1 c2d_ns=51 looked=1\n"
			     "160 p0 request request=1:2 image=1\n"
			     "170 p0 complete request=1:2 c2d_ns=10 looked=1\n"),
			 0);
	assert_string_equal(told, "completed0/1:S100,C99,D150,A150! closed0/1:S100,C99,D150,A150! "
				  "completed0/2:S160,C160,D170,A170 closed0/2:S160,C160,D170,A170");
	assert_int_equal(health.anomalies[ANOMALY_NEGATIVE_PHASE], 1);
}

static void test_announced(void **unused)
{
	(void)unused;
	/* Made before the recording began. */
	assert_int_equal(run("100 p0 request_open request=1:1 image=1 age_ns=60\n"), 0);
	/* Said again: no news. */
	assert_int_equal(run("200 p0 request_open request=1:1 image=1 age_ns=160\n"), -EEXIST);
	assert_int_equal(run("210 p0 complete request=1:1 looked=1\n"), 0);
	/* The announcer overtakes the request's own event: the earlier S is right. */
	assert_int_equal(run("300 p0 request_open request=1:2 image=1 age_ns=5\n"), 0);
	assert_int_equal(run("310 p0 request request=1:2 image=1\n"), -EEXIST);
	assert_int_equal(run("320 p0 complete request=1:2 looked=1\n"), 0);
	/* Older than the clock: as old as it gets. */
	assert_int_equal(run("400 p0 request_open request=1:3 image=1 age_ns=500\n410 p0 complete request=1:3 looked=1\n"), 0);
	assert_string_equal(told, "completed0/1:S40,C210,D210,A210 closed0/1:S40,C210,D210,A210 "
				  "completed0/2:S295,C320,D320,A320 closed0/2:S295,C320,D320,A320 "
				  "completed0/3:S0,C410,D410,A410 closed0/3:S0,C410,D410,A410");
	assert_int_equal(anomalies(), 0);
}

/* Without a client at first: it finds one when its image is described and it is spoken of again, unless it is over by then. */
static void test_finds_its_client(void **unused)
{
	struct event open = events_text_one("9 p0 request_open request=1:1 image=1 kind=write age_ns=4");
	struct event other = events_text_one("9 p0 request_open request=1:1 image=2 kind=write age_ns=4");
	struct event made = events_text_one("5 p0 request request=1:1 image=1 kind=write");
	struct request *request;

	(void)unused;
	assert_int_equal(requests_open(requests, &processes[0], NULL, &made, 0, &request), 0);
	assert_int_equal(requests_open(requests, &processes[0], &client, &other, 0, &request), -EEXIST);
	assert_int_equal(requests_open(requests, &processes[0], &client, &open, 0, &request), -EALREADY);
	assert_ptr_equal(request->client, &client);
	assert_int_equal(requests_open(requests, &processes[0], &client, &open, 0, &request), -EEXIST);

	made.request.request = open.request.request = REQUEST(1, 2);
	assert_int_equal(requests_open(requests, &processes[0], NULL, &made, 0, &request), 0);
	assert_int_equal(run("10 p0 complete request=1:2\n"), 0);
	assert_int_equal(requests_open(requests, &processes[0], &client, &open, 0, &request), -EEXIST);
	assert_null(request->client);
}

static void test_sweep(void **unused)
{
	uint64_t first = 1, second = 2;

	(void)unused;
	assert_int_equal(events_text_each("1 p0 request request=1:1 image=1\n"
					  "2 p0 request request=1:2 image=1\n"
					  "3 p0 complete request=1:2\n"
					  "4 p0 request_open request=1:3 image=1\n"
					  "5 p1 request_open request=1:4 image=1\n",
					  feed, &first),
			 0);
	assert_int_equal(events_text_each("6 p0 request request=1:5 image=1\n", feed, &second), 0);
	/* Nothing was lost: only the announced one can be a phantom. */
	assert_int_equal(requests_sweep(requests, &processes[0], 2, 9), 0);
	assert_string_equal(told, "completed0/2:S2,C3,D3 dropped0/3:S4");
	told[0] = '\0';
	processes[0].health.lost_count = 1;
	assert_int_equal(requests_sweep(requests, &processes[0], 2, 9), 0);
	assert_string_equal(told, "dropped0/1:S1 closed0/2:S2,C3,D3");
	assert_non_null(requests_find(requests, 0, REQUEST(1, 5)));
	assert_non_null(requests_find(requests, 1, REQUEST(1, 4)));
}

static void test_end(void **unused)
{
	(void)unused;
	assert_int_equal(run("1 p0 request request=1:1 image=1\n"
			     "2 p0 request request=1:2 image=1\n"
			     "3 p0 complete request=1:2\n"),
			 0);
	assert_int_equal(requests_finish(requests), 0);
	assert_string_equal(told, "completed0/2:S2,C3,D3 left0/1:S1 closed0/2:S2,C3,D3");
}

/* Numbers of many threads, far apart and close together, all at once. */
static void test_many(void **unused)
{
	struct event made = events_text_one("1 p0 request image=1"), ended = events_text_one("2 p0 complete looked=0");
	struct request *request;

	(void)unused;
	for (uint64_t thread = 1; thread <= 50; thread++)
		for (uint64_t count = 1; count <= 200; count++) {
			made.request.request = REQUEST(thread, count);
			assert_int_equal(requests_open(requests, &processes[0], &client, &made, 0, &request), 0);
		}
	for (uint64_t thread = 1; thread <= 50; thread++)
		for (uint64_t count = 200; count >= 1; count--) {
			told[0] = '\0';
			ended.complete.request = REQUEST(thread, count);
			assert_int_equal(requests_complete(requests, &ended), 0);
			assert_int_equal(requests_reap(requests, 0, REQUEST(thread, count), 3), 0);
			assert_int_equal(requests_reap(requests, 0, REQUEST(thread, count), 3), -ENOENT);
		}
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(callback_and_reap),
		TEST(looked_inside_the_callback),
		TEST(nothing_is_called),
		TEST(one_reap_of_several),
		TEST(same_number_in_two_processes),
		TEST(reap_overtakes_complete),
		TEST(unknown),
		TEST(duplicates),
		TEST(complete_before_request),
		TEST(announced),
		TEST(finds_its_client),
		TEST(sweep),
		TEST(end),
		TEST(many),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
