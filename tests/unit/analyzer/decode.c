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

/* What every request has is told in words since schema 3: each word's parts are where docs/events.md says. */
static void test_words(void **unused)
{
	static const uint64_t request[] = {0x0000000500000007, 8192, 4096, 0x0000020180000001};
	static const uint64_t complete[] = {0x0000000500000007, (uint64_t)INT64_C(-5), 150, 0x0000000180000003};
	static const uint64_t sent[] = {4100, 9, (uint64_t)INT64_C(-1), 0xfedcba9880000011, 0x0002220180000020, 512, 1024};
	struct ctf_trace trace = seen_trace("words");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_words(&stream, 100, CTF_REQUEST, request);
	ctf_words(&stream, 120, CTF_SENT, sent);
	ctf_words(&stream, 200, CTF_COMPLETE, complete);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.events[0].type, EVENT_REQUEST);
	assert_int_equal(seen.events[0].request.request, request[0]);
	assert_int_equal(seen.events[0].request.offset_bytes, 8192);
	assert_int_equal(seen.events[0].request.length_bytes, 4096);
	assert_int_equal(seen.events[0].request.image, 0x80000001);
	assert_int_equal(seen.events[0].request.kind, RBDPROF_WRITE);
	assert_int_equal(seen.events[0].request.flags, RBDPROF_NO_CALLBACK);
	assert_int_equal(seen.events[1].type, EVENT_SENT);
	assert_int_equal(seen.events[1].sent.client, 4100);
	assert_int_equal(seen.events[1].sent.transaction, 9);
	assert_int_equal(seen.events[1].sent.pool_id, -1);
	assert_int_equal(seen.events[1].sent.placement_group, 0x80000011);
	assert_int_equal(seen.events[1].sent.object_hash, 0xfedcba98);
	assert_int_equal(seen.events[1].sent.flags, 0x80000020);
	assert_int_equal(seen.events[1].sent.code, 0x2201);
	assert_int_equal(seen.events[1].sent.extents, 2);
	assert_int_equal(seen.events[1].sent.offset_bytes, 512);
	assert_int_equal(seen.events[1].sent.length_bytes, 1024);
	assert_int_equal(seen.events[2].type, EVENT_COMPLETE);
	assert_int_equal(seen.events[2].complete.request, complete[0]);
	assert_int_equal(seen.events[2].complete.result, -5);
	assert_int_equal(seen.events[2].complete.c2d_ns, 50);
	assert_int_equal(seen.events[2].complete.thread, 0x80000003);
	assert_int_equal(seen.events[2].complete.looked, 1);
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

/* Waits and holds are told in words since schema 4. */
static void test_words_of_locks(void **unused)
{
	static const uint64_t wait[] = {0x90000, 0x91000, 0x10010, 900, 0x0000000500000007, 77, 0x8000000580000006, 0x00000002fffffff9};
	static const uint64_t hold[] = {0x90000, 0x10020, 800, 30, 0x0000000180000005};
	struct ctf_trace trace = seen_trace("locks");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_words(&stream, 100, CTF_WAIT, wait);
	ctf_words(&stream, 200, CTF_HOLD, hold);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.events[0].type, EVENT_LOCK_WAIT);
	assert_int_equal(seen.events[0].wait.lock, 0x90000);
	assert_int_equal(seen.events[0].wait.mutex, 0x91000);
	assert_int_equal(seen.events[0].wait.caller, 0x10010);
	assert_int_equal(seen.events[0].wait.wait_ns, 900);
	assert_int_equal(seen.events[0].wait.request, wait[4]);
	assert_int_equal(seen.events[0].wait.stack, 77);
	assert_int_equal(seen.events[0].wait.thread, 0x80000006);
	assert_int_equal(seen.events[0].wait.holder, 0x80000005);
	assert_int_equal(seen.events[0].wait.result, -7);
	assert_int_equal(seen.events[0].wait.kind, RBDPROF_RWLOCK_WRITE);
	assert_int_equal(seen.events[1].type, EVENT_LOCK_HOLD);
	assert_int_equal(seen.events[1].hold.lock, 0x90000);
	assert_int_equal(seen.events[1].hold.caller, 0x10020);
	assert_int_equal(seen.events[1].hold.hold_ns, 800);
	assert_int_equal(seen.events[1].hold.ago_ns, 30);
	assert_int_equal(seen.events[1].hold.thread, 0x80000005);
	assert_int_equal(seen.events[1].hold.kind, RBDPROF_RWLOCK_READ);
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
	static const uint64_t words[] = {0x90000, 9, 640, 20, 3000, 10, 400, 0x0000000280000005, 0x91000, 10, 641, 21, 3001, 11, 401,
					 0x0000000100000006, 0x92000};
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
	    cmocka_unit_test(test_sent_of_older_schemas),
	    cmocka_unit_test(test_words_of_locks),
	    cmocka_unit_test(test_locks_of_older_schemas),
	    cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_counts_of_older_schemas),
	};

	return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
