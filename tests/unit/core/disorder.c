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

static uint64_t some_operation(void)
{
	return REQUEST(9, below(20));
}

/* Few numbers, so that they meet; some that no shim would write. */
static struct event some_event(uint64_t time_ns)
{
	static const char *const texts[] = {
	    "0 p0 process comm=a",
	    "0 p0 thread name=t",
	    "0 p0 image cluster=c id=a features=69 prefix=rbd_data.1017716fa366 object_size_bytes=4096 stripe_unit_bytes=4096 "
	    "stripe_count=1",
	    "0 p0 image cluster=c id=b features=5 prefix=rbd_data.1017716fa366 object_size_bytes=4096 stripe_unit_bytes=1024 "
	    "stripe_count=2",
	    "0 p0 image_closed",
	    "0 p0 config option=o value=v",
	    "0 p0 unseen function=f",
	    "0 p0 totals",
	    "0 p0 lost",
	    "0 p0 lock_wait",
	    "0 p0 lock_hold",
	    "0 p0 lock_pair",
	    "0 p0 lock_counts",
	    "0 p0 lock_name type=1L",
	    "0 p0 lock_name type=1M",
	    "0 p0 module begin=1000 end=2000 path=/lib/librbd.so.1",
	    "0 p0 usage name=t",
	    "0 p0 object name=rbd_header.a",
	    "0 p0 object name=rbd_header.b",
	    "0 p0 object name=journal_data.0.a.1",
	    "0 p0 notify_ack",
	    "0 p0 watch_error",
	    "0 p0 watching",
	    "0 p0 throttled",
	    "0 p0 undecoded what=w",
	    "0 p0 lock_acquired",
	    "0 p0 lock_call",
	    "0 p0 journal_append",
	    "0 p0 notification",
	    "0 p0 operation",
	    "0 p0 operation_done",
	    "0 p0 sent object_hash=0xa7a8db3b",
	    "0 p0 request",
	    "0 p0 request_open",
	    "0 p0 complete",
	    "0 p0 reap",
	};
	static const uint64_t methods[] = {0,
					   RBDPROF_METHOD_lock_lock,
					   RBDPROF_METHOD_lock_unlock,
					   RBDPROF_METHOD_lock_break_lock,
					   RBDPROF_METHOD_journal_append,
					   RBDPROF_METHOD_osd_read | RBDPROF_METHOD_lock_get_info << 8};
	static uint64_t reaped[3], ago_ns[3], entries[4][3];
	enum { COUNT = sizeof(texts) / sizeof(*texts), OFTEN = 10 };
	/* Three in four events are among the last ten. */
	unsigned text = below(4) ? COUNT - OFTEN + below(OFTEN) : below(COUNT);
	struct event event = events_text_one(texts[text]);

	event.process = below(2);
	event.time_ns = below(10) ? time_ns : below(1000000);
	switch (event.type) {
	case EVENT_PROCESS:
		event.process_is.schema = below(3);
		break;
	case EVENT_THREAD:
		event.thread.thread = below(3);
		event.thread.tid = below(4);
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
		event.wait.wait_ns = below(5) ? below(1000) : UINT64_MAX;
		event.wait.caller = below(3) * 1000;
		event.wait.thread = below(4);
		event.wait.holder = below(4);
		event.wait.stack = below(2);
		event.wait.request = below(2) ? some_request() : 0;
		break;
	case EVENT_LOCK_HOLD:
	case EVENT_LOCK_PAIR:
		event.hold.lock = below(4);
		event.hold.kind = (uint8_t)below(5);
		event.hold.thread = below(4);
		event.hold.ago_ns = below(5) ? below(1000) : UINT64_MAX;
		break;
	case EVENT_LOCK_COUNTS:
		event.counts.one.lock = below(4);
		event.counts.one.kind = (uint8_t)below(5);
		event.counts.one.thread = below(4);
		event.counts.one.acquisitions = below(100);
		event.counts.one.contended = below(100);
		break;
	case EVENT_LOCK_NAME:
		event.lock_name.lock = below(4);
		break;
	case EVENT_USAGE:
		event.usage.tid = below(4);
		event.usage.cpu_ns = below(1000);
		break;
	case EVENT_REQUEST:
	case EVENT_REQUEST_OPEN:
		event.request.request = some_request();
		event.request.image = below(4);
		event.request.kind = (uint8_t)below(10);
		event.request.offset_bytes = below(8) * 512;
		event.request.length_bytes = below(20) ? below(8) * 512 : UINT64_MAX;
		event.request.age_ns = below(5) ? below(1000) : UINT64_MAX;
		break;
	case EVENT_COMPLETE:
		event.complete.request = some_request();
		event.complete.c2d_ns = below(5) ? below(1000) : UINT64_MAX;
		event.complete.looked = (uint8_t)below(2);
		event.complete.result = (int64_t)below(10) - 5;
		break;
	case EVENT_REAP:
		event.reap.one = some_request();
		event.reap.requests = below(2) ? reaped : NULL;
		event.reap.ago_ns = ago_ns;
		event.reap.count = below(4);
		for (size_t i = 0; i < event.reap.count; i++) {
			reaped[i] = some_request();
			ago_ns[i] = below(5) ? below(1000) : UINT64_MAX;
		}
		break;
	case EVENT_OBJECT:
		event.object.object = below(5);
		break;
	case EVENT_OPERATION:
		event.operation.operation = some_operation();
		event.operation.client = below(3);
		event.operation.object = below(5);
		event.operation.methods = methods[below(sizeof(methods) / sizeof(*methods))];
		event.operation.watch = below(3);
		event.operation.kind = (uint8_t)below(RBDPROF_OPERATION_COUNT + 1);
		event.operation.tracked = below(10) > 0;
		break;
	case EVENT_OPERATION_DONE:
		event.operation_done.operation = some_operation();
		event.operation_done.result = below(3) ? 0 : -75;
		break;
	case EVENT_LOCK_CALL:
		event.lock_call.operation = some_operation();
		event.lock_call.watch = below(3);
		event.lock_call.lock_type = (uint8_t)below(3);
		event.lock_call.locker = below(3);
		break;
	case EVENT_JOURNAL_APPEND:
		event.journal_append.operation = some_operation();
		event.journal_append.count = 1 + below(3);
		event.journal_append.entries = entries[0];
		event.journal_append.offsets_bytes = entries[1];
		event.journal_append.lengths_bytes = entries[2];
		event.journal_append.kinds = entries[3];
		for (size_t i = 0; i < event.journal_append.count; i++) {
			entries[1][i] = below(8) * 512;
			entries[2][i] = below(8) * 512;
			entries[3][i] = below(20);
		}
		break;
	case EVENT_NOTIFICATION:
		event.notification.operation = below(2) ? some_operation() : 0;
		event.notification.client = below(3);
		event.notification.object = below(5);
		event.notification.notify_id = below(3);
		event.notification.about = below(3);
		event.notification.what = below(5);
		break;
	case EVENT_NOTIFY_ACK:
		event.notify_ack.client = below(3);
		event.notify_ack.object = below(5);
		event.notify_ack.notify_id = below(3);
		event.notify_ack.answered = (uint8_t)below(2);
		break;
	case EVENT_WATCHING:
	case EVENT_WATCH_ERROR:
		event.watch.client = below(3);
		event.watch.object = below(5);
		event.watch.watch = below(3);
		break;
	case EVENT_LOCK_ACQUIRED:
		event.lock_acquired.image = below(4);
		break;
	case EVENT_SENT:
		event.sent.client = below(3);
		event.sent.transaction = below(1000);
		event.sent.flags = 0x10 + below(2) * 0x10;
		event.sent.code = 0x2201 + below(5);
		event.sent.offset_bytes = below(8) * 512;
		event.sent.length_bytes = below(20) ? below(8) * 512 : UINT64_MAX;
		break;
	case EVENT_THROTTLED:
		event.throttled.bucket = below(3);
		event.throttled.wanted = 1;
		event.throttled.granted = below(2);
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

static void check_image(const struct image *image)
{
	uint64_t operations = 0;

	assert_true(image->journal.entries_joined <= image->journal.entries);
	assert_true(image->journal.writes_unjoined <= image->journal.writes);
	for (const struct placement_group *group = placement_groups_next(&image->placement_groups, NULL); group;
	     group = placement_groups_next(&image->placement_groups, group))
		operations += group->operations;
	assert_int_equal(operations, image->operations);
}

/* Whatever came in whichever order: every wait is in one edge and one stack, and nothing was got less often than waited for. */
static void check_lock(const struct lock *lock)
{
	const struct contention *contention = lock->contention;
	uint64_t waits = 0, stacks = 0;

	assert_true(!lock_acquisitions_known(lock) || lock_acquisitions(lock) >= lock_contended(lock));
	if (!contention)
		return;
	for (const struct edge *edge = edges_next(&contention->edges, NULL); edge; edge = edges_next(&contention->edges, edge))
		waits += edge->count;
	for (const struct stack_wait *stack = stack_wait_next(contention, NULL); stack; stack = stack_wait_next(contention, stack))
		stacks += stack->count;
	assert_int_equal(waits, contention->wait.count + contention->failed.count);
	assert_int_equal(stacks, waits);
	/* No request is delayed longer than it takes, and times here are below a million. */
	assert_true(!contention->delay->delay.count || contention->delay->delay.max < 1000000);
	assert_true(contention->delay->exact + contention->delay->overlapping >= contention->delay->delay.count);
}

static void check(const struct model *model)
{
	uint64_t requests = 0;

	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock))
		check_lock(lock);
	for (const struct image *image = model_image_next(model, NULL); image; image = model_image_next(model, image)) {
		check_image(image);
		for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client)) {
			assert_true(client->stats.open_requests <= client->stats.in_flight.now);
			for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++)
				if (client->stats.kinds[kind])
					requests += check_kind(client->stats.kinds[kind]);
		}
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
