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

/* Counts name their series since schema 3. */
static void test_counts(void **unused)
{
	struct ctf_trace trace = seen_trace("counts");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_counts(&stream, 10, 0);
	ctf_counts(&stream, 20, 9);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 2);
	for (uint64_t e = 0; e < 2; e++) {
		assert_int_equal(seen.events[e].type, EVENT_LOCK_COUNTS);
		assert_int_equal(seen.events[e].counts.series, e * 9);
		assert_int_equal(seen.events[e].counts.lock, 0x90000);
		assert_int_equal(seen.events[e].counts.acquisitions, 640);
		assert_int_equal(seen.events[e].counts.thread, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_complete_of_older_schemas),
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_sent_of_older_schemas),
	    cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
