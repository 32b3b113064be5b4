/*
 * Events in no order at all, as a torn trace might give them: nothing breaks, and what holds by arithmetic holds. It is for the
 * sanitizers and valgrind as much as for the assertions.
 */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

#define ROUNDS 100
#define EVENTS 1500

static unsigned state;

static unsigned below(unsigned bound)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % bound;
}

static uint64_t some_request(void)
{
	return REQUEST(below(3), below(30));
}

/* Few numbers, so that they meet; some that no shim would write. */
static struct event some_event(uint64_t time_ns)
{
	static const char *const texts[] = {
	    "0 p0 process comm=a",
	    "0 p0 thread name=t",
	    "0 p0 image cluster=c",
	    "0 p0 image cluster=c id=b",
	    "0 p0 image_closed",
	    "0 p0 config option=o value=v",
	    "0 p0 unseen function=f",
	    "0 p0 totals",
	    "0 p0 lost",
	    "0 p0 lock_wait",
	    "0 p0 request",
	    "0 p0 request_open",
	    "0 p0 complete",
	    "0 p0 reap",
	};
	static uint64_t reaped[3];
	/* Half of all events are the last four. */
	unsigned text = below(2) ? 10 + below(4) : below(14);
	struct event event = events_text_one(texts[text]);

	event.process = below(2);
	event.time_ns = below(10) ? time_ns : below(1000000);
	switch (event.type) {
	case EVENT_PROCESS:
		event.process_is.schema = below(3);
		break;
	case EVENT_THREAD:
		event.thread.thread = below(3);
		break;
	case EVENT_IMAGE:
		event.image.image = below(4);
		event.image.client = below(3);
		break;
	case EVENT_IMAGE_CLOSED:
		event.image_closed.image = below(40);
		break;
	case EVENT_CONFIG:
		event.config.image = below(4);
		break;
	case EVENT_TOTALS:
		event.totals.emitted = below(2000);
		break;
	case EVENT_LOST:
		event.lost.begin_ns = below(1000000);
		event.lost.events = (uint64_t)below(4) - 1;
		break;
	case EVENT_LOCK_WAIT:
		event.wait.lock = below(4);
		event.wait.kind = (uint8_t)below(5);
		event.wait.wait_ns = below(1000);
		break;
	case EVENT_REQUEST:
	case EVENT_REQUEST_OPEN:
		event.request.request = some_request();
		event.request.image = below(4);
		event.request.kind = (uint8_t)below(10);
		event.request.age_ns = below(5) ? below(1000) : UINT64_MAX;
		break;
	case EVENT_COMPLETE:
		event.complete.request = some_request();
		event.complete.c2d_ns = below(5) ? below(1000) : UINT64_MAX;
		event.complete.looked = (uint8_t)below(2);
		event.complete.result = (int64_t)below(10) - 5;
		break;
	case EVENT_REAP:
		event.reap.requests = reaped;
		event.reap.count = below(4);
		for (size_t i = 0; i < event.reap.count; i++)
			reaped[i] = some_request();
		break;
	default:
		break;
	}
	return event;
}

/* The number of requests in the kind's statistics. */
static uint64_t check_kind(const struct kind_stats *kind)
{
	uint64_t sum = 0;

	for (unsigned phase = 0; phase < PHASE_COUNT; phase++)
		sum += kind->phases[phase].sum;
	assert_int_equal(sum, kind->total.sum);
	assert_int_equal(kind->latency.count + kind->irregular, kind->completed);
	assert_true(kind->total.count <= kind->latency.count);
	assert_true(kind->failed <= kind->completed);
	return kind->completed;
}

static void check(const struct model *model)
{
	uint64_t requests = 0;

	for (const struct image *image = model_image_next(model, NULL); image; image = model_image_next(model, image))
		for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client)) {
			assert_true(client->stats.open_requests <= client->stats.in_flight.now);
			for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++)
				if (client->stats.kinds[kind])
					requests += check_kind(client->stats.kinds[kind]);
		}
	assert_int_equal(model_trace(model)->requests, requests);
}

static void test_any_order(void **unused)
{
	uint64_t completed = 0;

	(void)unused;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct model *model = model_create();
		uint64_t time_ns = 1000;

		state = round;
		for (unsigned i = 0; i < EVENTS; i++) {
			struct event event = some_event(time_ns += below(100));

			assert_int_equal(model_feed(model, &event), 0);
		}
		assert_int_equal(model_finish(model), 0);
		check(model);
		completed += model_trace(model)->requests;
		model_destroy(model);
	}
	/* Else nothing was tested. */
	assert_in_range(completed, ROUNDS, ROUNDS * EVENTS);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
