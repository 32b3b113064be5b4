/* The fields of events that were told in other ways in earlier schemas, and the words in which they are told now. */
#include "tests/unit/core/test.h"

#include "tests/unit/analyzer/seen.h"
#include "tracepoints/schema.h"

/* When a request was complete is told in each schema in its own way. */
static void test_complete_of_older_schemas(void **unused)
{
	struct ctf_trace trace = seen_trace("completions");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_complete(&stream, 100, 1, 7, 70);
	ctf_complete(&stream, 200, 2, 8, 170);
	ctf_complete(&stream, 300, 2, 9, 301); /* cannot be, and is no long time */
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 3);
	for (uint64_t e = 0; e < 3; e++) {
		assert_int_equal(seen.events[e].type, EVENT_COMPLETE);
		assert_int_equal(seen.events[e].complete.request, 7 + e);
		assert_int_equal(seen.events[e].complete.thread, 3);
		assert_int_equal(seen.events[e].complete.result, 4096);
		assert_int_equal(seen.events[e].complete.c2d_ns, e < 2 ? 30 : 0);
		assert_int_equal(seen.events[e].complete.looked, 1);
	}
}

/* Each word's parts are where docs/events.md says, whether the event was one of its own or a record of a batch. */
static const uint64_t request_words[] = {0x0000000500000007, 8192, 4096, 0x0000020180000001};
static const uint64_t complete_words[] = {0x0000000500000007, (uint64_t)INT64_C(-5), 150, 0x0000000180000003};
static const uint64_t sent_words[] = {4100, 9, (uint64_t)INT64_C(-1), 0xfedcba9880000011, 0x0002220180000020, 512, 1024};
static const uint64_t wait_words[] = {0x90000, 0x91000, 0x10010, 900, 0x0000000500000007, 77, 0x8000000580000006, 0x00000002fffffff9};
static const uint64_t reap_words[] = {0x0000000500000007};
static const uint64_t hold_words[] = {0x90000, 0x10020, 800, 30, 0x0000000180000005};

static void check_request(const struct event *event, uint64_t at_ns)
{
	assert_int_equal(event->type, EVENT_REQUEST);
	assert_int_equal(event->time_ns, at_ns);
	assert_int_equal(event->request.request, request_words[0]);
	assert_int_equal(event->request.offset_bytes, 8192);
	assert_int_equal(event->request.length_bytes, 4096);
	assert_int_equal(event->request.age_ns, 0);
	assert_int_equal(event->request.image, 0x80000001);
	assert_int_equal(event->request.kind, RBDPROF_WRITE);
	assert_int_equal(event->request.flags, RBDPROF_NO_CALLBACK);
}

static void check_complete(const struct event *event, uint64_t at_ns)
{
	assert_int_equal(event->type, EVENT_COMPLETE);
	assert_int_equal(event->time_ns, at_ns);
	assert_int_equal(event->complete.request, complete_words[0]);
	assert_int_equal(event->complete.result, -5);
	assert_int_equal(event->complete.c2d_ns, at_ns - 150);
	assert_int_equal(event->complete.thread, 0x80000003);
	assert_int_equal(event->complete.looked, 1);
}

static void check_sent(const struct event *event, uint64_t at_ns)
{
	assert_int_equal(event->type, EVENT_SENT);
	assert_int_equal(event->time_ns, at_ns);
	assert_int_equal(event->sent.client, 4100);
	assert_int_equal(event->sent.transaction, 9);
	assert_int_equal(event->sent.pool_id, -1);
	assert_int_equal(event->sent.placement_group, 0x80000011);
	assert_int_equal(event->sent.object_hash, 0xfedcba98);
	assert_int_equal(event->sent.flags, 0x80000020);
	assert_int_equal(event->sent.code, 0x2201);
	assert_int_equal(event->sent.extents, 2);
	assert_int_equal(event->sent.offset_bytes, 512);
	assert_int_equal(event->sent.length_bytes, 1024);
}

static void check_wait(const struct event *event, enum event_type type, uint64_t at_ns)
{
	assert_int_equal(event->type, type);
	assert_int_equal(event->time_ns, at_ns);
	assert_int_equal(event->wait.lock, 0x90000);
	assert_int_equal(event->wait.mutex, 0x91000);
	assert_int_equal(event->wait.caller, 0x10010);
	assert_int_equal(event->wait.wait_ns, 900);
	assert_int_equal(event->wait.request, wait_words[4]);
	assert_int_equal(event->wait.stack, 77);
	assert_int_equal(event->wait.thread, 0x80000006);
	assert_int_equal(event->wait.holder, 0x80000005);
	assert_int_equal(event->wait.result, -7);
	assert_int_equal(event->wait.kind, RBDPROF_RWLOCK_WRITE);
}

static void check_hold(const struct event *event, enum event_type type, uint64_t at_ns)
{
	assert_int_equal(event->type, type);
	assert_int_equal(event->time_ns, at_ns);
	assert_int_equal(event->hold.lock, 0x90000);
	assert_int_equal(event->hold.caller, 0x10020);
	assert_int_equal(event->hold.hold_ns, 800);
	assert_int_equal(event->hold.ago_ns, 30);
	assert_int_equal(event->hold.thread, 0x80000005);
	assert_int_equal(event->hold.kind, RBDPROF_RWLOCK_READ);
}

static void check_all(uint64_t first_ns)
{
	assert_int_equal(seen.count, 8);
	check_request(&seen.events[0], first_ns);
	check_sent(&seen.events[1], first_ns + 10);
	check_complete(&seen.events[2], first_ns + 20);
	check_wait(&seen.events[3], EVENT_LOCK_WAIT, first_ns + 30);
	check_wait(&seen.events[4], EVENT_COND_WAIT, first_ns + 40);
	check_hold(&seen.events[5], EVENT_LOCK_HOLD, first_ns + 50);
	check_hold(&seen.events[6], EVENT_LOCK_PAIR, first_ns + 60);
	assert_int_equal(seen.events[7].type, EVENT_REAP);
	assert_int_equal(seen.events[7].time_ns, first_ns + 70);
	assert_null(seen.events[7].reap.requests);
	assert_int_equal(seen.events[7].reap.one, reap_words[0]);
}

/* What every request has is told in words since schema 3, waits and holds since schema 4, looks since schema 6. */
static void test_words(void **unused)
{
	struct ctf_trace trace = seen_trace("words");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_words(&stream, 180, CTF_REQUEST, request_words);
	ctf_words(&stream, 190, CTF_SENT, sent_words);
	ctf_words(&stream, 200, CTF_COMPLETE, complete_words);
	ctf_words(&stream, 210, CTF_WAIT, wait_words);
	ctf_words(&stream, 220, CTF_COND_WAIT, wait_words);
	ctf_words(&stream, 230, CTF_HOLD, hold_words);
	ctf_words(&stream, 240, CTF_PAIR, hold_words);
	ctf_words(&stream, 250, CTF_REAP, reap_words);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	check_all(180);
}

/* The batch is told at 1000; each of its records is as if it were an event of its own. */
static void test_records(void **unused)
{
	static const uint64_t *const payloads[] = {
	    [RBDPROF_RECORD_REQUEST] = request_words, [RBDPROF_RECORD_SENT] = sent_words,      [RBDPROF_RECORD_COMPLETE] = complete_words,
	    [RBDPROF_RECORD_LOCK_WAIT] = wait_words,  [RBDPROF_RECORD_COND_WAIT] = wait_words, [RBDPROF_RECORD_LOCK_HOLD] = hold_words,
	    [RBDPROF_RECORD_LOCK_PAIR] = hold_words,  [RBDPROF_RECORD_REAP] = reap_words,
	};
	static const enum rbdprof_record order[] = {
	    RBDPROF_RECORD_REQUEST,   RBDPROF_RECORD_SENT,      RBDPROF_RECORD_COMPLETE,  RBDPROF_RECORD_LOCK_WAIT,
	    RBDPROF_RECORD_COND_WAIT, RBDPROF_RECORD_LOCK_HOLD, RBDPROF_RECORD_LOCK_PAIR, RBDPROF_RECORD_REAP,
	};
	struct ctf_trace trace = seen_trace("records");
	struct seen_batch batch = {0};
	struct ctf_stream stream;

	(void)unused;
	trace.more = ctf_batches;
	for (uint64_t i = 0; i < 8; i++)
		seen_record(&batch, order[i], 180 + 10 * i, payloads[order[i]]);
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_batch(&stream, 1000, batch.words, batch.count);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	check_all(180);
	assert_int_equal(seen.counts.events, 8);
}

/* The highest byte of a moment is that of the batch's time, or the one before where that has turned in between. */
static void test_record_moments(void **unused)
{
	const uint64_t turn = UINT64_C(1) << RBDPROF_RECORD_SHIFT;
	const uint64_t times[] = {5, turn - 1, turn, 2 * turn};
	struct ctf_trace trace = seen_trace("moments");
	struct seen_batch first = {0}, second = {0}, third = {0};
	struct ctf_stream stream;

	(void)unused;
	trace.more = ctf_batches;
	seen_record(&first, RBDPROF_RECORD_REQUEST, 5, request_words);
	seen_record(&second, RBDPROF_RECORD_REQUEST, turn - 1, request_words);
	seen_record(&second, RBDPROF_RECORD_REQUEST, turn, request_words);
	seen_record(&third, RBDPROF_RECORD_REQUEST, 2 * turn, request_words);
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_batch(&stream, 10, first.words, first.count);
	ctf_batch(&stream, turn + 1, second.words, second.count);
	ctf_batch(&stream, 2 * turn, third.words, third.count);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 4);
}

/* What is not known, not whole or not of this world ends its batch, and counts once. */
static void test_unknown_records(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 40};
	static const uint64_t heads[] = {(uint64_t)RBDPROF_RECORD_COUNT << RBDPROF_RECORD_SHIFT | 15,     /* of tomorrow */
					 25,                                                              /* RBDPROF_RECORD_NONE */
					 (uint64_t)RBDPROF_RECORD_REQUEST << RBDPROF_RECORD_SHIFT | 35,   /* cut */
					 (uint64_t)RBDPROF_RECORD_REQUEST << RBDPROF_RECORD_SHIFT | 405}; /* after the batch */
	struct ctf_trace trace = seen_trace("unknown-records");
	struct ctf_stream stream;

	(void)unused;
	trace.more = ctf_batches;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	for (uint64_t i = 0; i < 4; i++) {
		struct seen_batch batch = {0};

		seen_record(&batch, RBDPROF_RECORD_REQUEST, 10 * (i + 1), request_words);
		batch.words[batch.count++] = heads[i];
		seen_record(&batch, RBDPROF_RECORD_REQUEST, 99, request_words);
		ctf_batch(&stream, 100 * (i + 1), batch.words, i == 2 ? batch.count - 2 : batch.count);
	}
	ctf_batch(&stream, 500, NULL, 0);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 4);
	assert_int_equal(seen.counts.events, 4);
	assert_int_equal(seen.counts.unknown_events, 4);
	assert_int_equal(seen.counts.missing_fields, 0);
}

/* Before it was told in words; the parts are other ones than in test_words. */
static void test_sent_of_older_schemas(void **unused)
{
	struct ctf_trace trace = seen_trace("sent");
	struct ctf_stream stream;
	const struct event *sent = &seen.events[0];

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_sent_2(&stream, 120);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 1);
	assert_int_equal(sent->type, EVENT_SENT);
	assert_int_equal(sent->sent.client, 4200);
	assert_int_equal(sent->sent.transaction, 10);
	assert_int_equal(sent->sent.pool_id, -2);
	assert_int_equal(sent->sent.placement_group, 0x80000012);
	assert_int_equal(sent->sent.object_hash, 0xfedcba97);
	assert_int_equal(sent->sent.flags, 0x80000010);
	assert_int_equal(sent->sent.code, 0x1201);
	assert_int_equal(sent->sent.extents, 3);
	assert_int_equal(sent->sent.offset_bytes, 2048);
	assert_int_equal(sent->sent.length_bytes, 4096);
}

static void test_locks_of_older_schemas(void **unused)
{
	struct ctf_trace trace = seen_trace("locks-3");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_wait_3(&stream, 100);
	ctf_hold_3(&stream, 200);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.events[0].wait.lock, 0x1000);
	assert_int_equal(seen.events[0].wait.mutex, 0x1001);
	assert_int_equal(seen.events[0].wait.caller, 0x1002);
	assert_int_equal(seen.events[0].wait.wait_ns, 0x1003);
	assert_int_equal(seen.events[0].wait.request, 0x1004);
	assert_int_equal(seen.events[0].wait.stack, 0x1005);
	assert_int_equal(seen.events[0].wait.thread, 5);
	assert_int_equal(seen.events[0].wait.holder, 0x80000006);
	assert_int_equal(seen.events[0].wait.result, -7);
	assert_int_equal(seen.events[0].wait.kind, RBDPROF_RWLOCK_READ);
	assert_int_equal(seen.events[1].hold.lock, 0x2000);
	assert_int_equal(seen.events[1].hold.caller, 0x2001);
	assert_int_equal(seen.events[1].hold.hold_ns, 0x2002);
	assert_int_equal(seen.events[1].hold.ago_ns, 0x2003);
	assert_int_equal(seen.events[1].hold.thread, 0x80000008);
	assert_int_equal(seen.events[1].hold.kind, RBDPROF_RWLOCK_WRITE);
}

/* Counts of some locks are told at once since schema 4. What is left of a lock's words at the end is no lock. */
static void test_counts(void **unused)
{
	static const uint64_t words[] = {
	    0x90000, 9, 640, 20, 3000, 10, 400, 0x0000000280000005, 0x91000, 10, 641, 21, 3001, 11, 401, 0x0000000100000006, 0x92000};
	struct ctf_trace trace = seen_trace("counts");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_counts(&stream, 10, words, 17);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.events[0].type, EVENT_HOLD_COUNTS);
	assert_int_equal(seen.of_locks_count, 2);
	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(seen.of_locks[i].lock, 0x90000 + i * 0x1000);
		assert_int_equal(seen.of_locks[i].series, 9 + i);
		assert_int_equal(seen.of_locks[i].acquisitions, 640 + i);
		assert_int_equal(seen.of_locks[i].contended, 20 + i);
		assert_int_equal(seen.of_locks[i].wait_ns, 3000 + i);
		assert_int_equal(seen.of_locks[i].holds, 10 + i);
		assert_int_equal(seen.of_locks[i].hold_ns, 400 + i);
		assert_int_equal(seen.of_locks[i].thread, i ? 6 : 0x80000005);
		assert_int_equal(seen.of_locks[i].kind, i ? RBDPROF_RWLOCK_READ : RBDPROF_RWLOCK_WRITE);
	}
}

/* Before that each was told alone; counts name their series since schema 3. */
static void test_counts_of_older_schemas(void **unused)
{
	struct ctf_trace trace = seen_trace("counts-3");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_counts_3(&stream, 10, 0);
	ctf_counts_3(&stream, 20, 9);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 2);
	for (uint64_t e = 0; e < 2; e++) {
		assert_int_equal(seen.events[e].type, EVENT_LOCK_COUNTS);
		assert_null(seen.events[e].counts.several);
		assert_int_equal(seen.events[e].counts.one.series, e * 9);
		assert_int_equal(seen.events[e].counts.one.lock, 0x90000);
		assert_int_equal(seen.events[e].counts.one.acquisitions, 640);
		assert_int_equal(seen.events[e].counts.one.thread, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_complete_of_older_schemas),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_records),
	    cmocka_unit_test(test_record_moments),
	    cmocka_unit_test(test_unknown_records),
	    cmocka_unit_test(test_sent_of_older_schemas),
	    cmocka_unit_test(test_locks_of_older_schemas),
	    cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_counts_of_older_schemas),
	};

	return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
