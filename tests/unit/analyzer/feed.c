/* Records of batches in their places between events, as far as watermarks say, and the order across processes. */
#include "tests/unit/core/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/analyzer/seen.h"
#include "tracepoints/schema.h"

/* A batch with nothing but requests; the last of the moments is 0. */
static void put_requests(struct ctf_stream *stream, uint64_t at_ns, const uint64_t *moments_ns)
{
	struct seen_batch batch = {0};

	for (; *moments_ns; moments_ns++) {
		/* Each has its moment as its number, too. */
		const uint64_t words[RBDPROF_REQUEST_WORDS] = {*moments_ns, 8192, 4096, 1};

		seen_record(&batch, RBDPROF_RECORD_REQUEST, *moments_ns, words);
	}
	ctf_batch(stream, at_ns, batch.words, batch.count);
}

#define MOMENTS(...) ((const uint64_t[]){__VA_ARGS__, 0})

static struct ctf_trace trace_of_batches(const char *name)
{
	struct ctf_trace trace = seen_trace(name);

	trace.more = ctf_batches;
	return trace;
}

/* A trace of one stream that goes on in the test. */
static void begin(struct ctf_trace *trace, struct ctf_stream *stream)
{
	ctf_begin(trace);
	ctf_stream_begin(stream, trace, "c_0");
}

/* Two threads tell batches, whose records come between each other's and the events of a third stream. */
static void test_order(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 40, 50, 60, 65, 70, 130};
	struct ctf_trace trace = trace_of_batches("order");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_process(&stream, 10);
	put_requests(&stream, 100, MOMENTS(20, 60));
	ctf_stream_end(&stream);
	ctf_stream_begin(&stream, &trace, "c_1");
	put_requests(&stream, 110, MOMENTS(30, 50, 70));
	ctf_stream_end(&stream);
	ctf_stream_begin(&stream, &trace, "c_2");
	ctf_request(&stream, 40, 40);
	ctf_request(&stream, 65, 65);
	ctf_watermark(&stream, 120, 115);
	ctf_request(&stream, 130, 130);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 9);
	for (size_t i = 1; i < seen.count; i++)
		assert_int_equal(seen.events[i].request.request, times[i]);
	assert_string_equal(seen.host, "alpha");
	assert_int_equal(seen.counts.events, 9);
	assert_int_equal(seen.counts.unknown_events, 0);
	assert_int_equal(seen.counts.missing_fields, 0);
	assert_int_equal(seen.problem_count, 0);
}

/* What has the same moment comes as it was read. */
static void test_same_moment(void **unused)
{
	static const uint64_t request[] = {7, 8192, 4096, 1}, complete[] = {7, 0, 50, 3}, hold[] = {0x90000, 0x10020, 800, 30, 3};
	struct ctf_trace trace = trace_of_batches("same-moment");
	struct seen_batch batch = {0};
	struct ctf_stream stream;

	(void)unused;
	seen_record(&batch, RBDPROF_RECORD_REQUEST, 50, request);
	seen_record(&batch, RBDPROF_RECORD_COMPLETE, 50, complete);
	seen_record(&batch, RBDPROF_RECORD_LOCK_HOLD, 50, hold);
	begin(&trace, &stream);
	ctf_reap(&stream, 50, 5, 6);
	ctf_batch(&stream, 60, batch.words, batch.count);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.events[0].type, EVENT_REAP);
	assert_int_equal(seen.events[1].type, EVENT_REQUEST);
	assert_int_equal(seen.events[2].type, EVENT_COMPLETE);
	assert_int_equal(seen.events[3].type, EVENT_LOCK_HOLD);
}

/* A was stopped between 20 and 990, and told both at 1000. All of B's events are in their places among A's. */
static void test_processes(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 500, 990, 995, 1010, 2000};
	static const uint32_t processes[] = {0, 0, 1, 1, 0, 1, 0, 1};
	struct ctf_trace a = trace_of_batches("stopped"), b = trace_of_batches("busy");
	const struct ctf_trace *const traces[] = {&a, &b};
	struct ctf_stream stream;

	(void)unused;
	b.uuid = 0x22;
	begin(&a, &stream);
	ctf_process(&stream, 10);
	ctf_watermark(&stream, 15, 12);
	put_requests(&stream, 1000, MOMENTS(20, 990));
	ctf_watermark(&stream, 1005, 1001);
	ctf_request(&stream, 1010, 1010);
	ctf_stream_end(&stream);
	begin(&b, &stream);
	put_requests(&stream, 200, MOMENTS(30));
	ctf_watermark(&stream, 210, 205);
	ctf_request(&stream, 500, 500);
	ctf_request(&stream, 995, 995);
	ctf_watermark(&stream, 1100, 1090);
	ctf_request(&stream, 2000, 2000);
	ctf_stream_end(&stream);
	seen_read(traces, 2);
	seen_times(times, 8);
	for (size_t i = 0; i < seen.count; i++)
		assert_int_equal(seen.events[i].process, processes[i]);
}

/*
 * Reading stops at the watermark of 25: what was held until then is out when the record of 15 is read, which ought to have been told
 * before. It comes at once, at the time of the event before it; C at 12 was 3 ns before its own moment, and that is what stays true. The
 * one of 17 is no better off.
 */
static void test_late(void **unused)
{
	static const uint64_t times[] = {10, 20, 20, 20, 60};
	static const uint64_t complete[] = {7, 0, 12, 3};
	struct ctf_trace trace = trace_of_batches("late");
	struct seen_batch batch = {0};
	struct ctf_stream stream;

	(void)unused;
	seen_record(&batch, RBDPROF_RECORD_COMPLETE, 15, complete);
	begin(&trace, &stream);
	ctf_process(&stream, 10);
	ctf_request(&stream, 20, 20);
	ctf_watermark(&stream, 30, 25);
	ctf_batch(&stream, 40, batch.words, batch.count);
	put_requests(&stream, 45, MOMENTS(17));
	ctf_watermark(&stream, 50, 45);
	ctf_request(&stream, 60, 60);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 5);
	assert_int_equal(seen.events[2].type, EVENT_COMPLETE);
	assert_int_equal(seen.events[2].complete.c2d_ns, 3);
	assert_int_equal(seen.events[3].request.request, 17);
}

/* A watermark that says less than one before it says nothing: the record of 25 is late. */
static void test_lower_watermark(void **unused)
{
	static const uint64_t times[] = {30, 30, 50};
	struct ctf_trace trace = trace_of_batches("lower");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_request(&stream, 30, 30);
	ctf_watermark(&stream, 40, 35);
	ctf_watermark(&stream, 42, 20);
	put_requests(&stream, 60, MOMENTS(25, 50));
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 3);
}

/* Killed after its last watermark, or before its first: everything is there all the same. */
static void test_killed(void **unused)
{
	static const uint64_t times[] = {10, 50, 70, 90, 120};
	struct ctf_trace trace = trace_of_batches("killed");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_process(&stream, 10);
	ctf_watermark(&stream, 20, 15);
	ctf_request(&stream, 70, 70);
	put_requests(&stream, 100, MOMENTS(50, 90));
	ctf_request(&stream, 120, 120);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 5);
}

/* The last packet is not whole: its records and the watermark are gone, no others. */
static void test_torn(void **unused)
{
	static const uint64_t times[] = {10, 50, 70, 90};
	struct ctf_trace trace = trace_of_batches("torn");
	struct ctf_stream stream;
	struct stat st;

	(void)unused;
	begin(&trace, &stream);
	ctf_process(&stream, 10);
	ctf_request(&stream, 70, 70);
	put_requests(&stream, 100, MOMENTS(50, 90));
	ctf_packet(&stream);
	put_requests(&stream, 110, MOMENTS(60, 80));
	ctf_watermark(&stream, 120, 115);
	ctf_stream_end(&stream);
	assert_int_equal(stat(stream.path, &st), 0);
	assert_int_equal(truncate(stream.path, st.st_size - 1), 0);
	seen_read_one(&trace);
	seen_times(times, 4);
	assert_int_equal(seen.problem_count, 1);
}

/* The record of 90 was told in the first chunk, the watermark and what comes before 90 are in the second. */
static void test_chunks(void **unused)
{
	static const uint64_t times[] = {50, 80, 90, 150};
	struct ctf_trace a = trace_of_batches("chunk-1"), b = trace_of_batches("chunk-2");
	const struct ctf_trace *const traces[] = {&a, &b};
	struct ctf_stream stream;

	(void)unused;
	begin(&a, &stream);
	put_requests(&stream, 100, MOMENTS(50, 90));
	ctf_stream_end(&stream);
	begin(&b, &stream);
	put_requests(&stream, 110, MOMENTS(80));
	ctf_watermark(&stream, 120, 115);
	ctf_request(&stream, 150, 150);
	ctf_stream_end(&stream);
	seen_read(traces, 2);
	seen_times(times, 4);
	for (size_t i = 0; i < seen.count; i++)
		assert_int_equal(seen.events[i].process, 0);
}

/*
 * Three events were lost between 110, where a packet ends, and 300, where the next one does. They may have been batches with records of any
 * moment since 105; it is known before the record of 108 comes.
 */
static void test_lost(void **unused)
{
	struct ctf_trace trace = trace_of_batches("lost");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_request(&stream, 100, 100);
	ctf_watermark(&stream, 110, 105);
	ctf_packet(&stream);
	put_requests(&stream, 300, MOMENTS(108));
	stream.discarded = 3;
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.events[0].time_ns, 100);
	assert_int_equal(seen.events[1].type, EVENT_LOST);
	assert_int_equal(seen.events[1].time_ns, 300);
	assert_int_equal(seen.events[1].lost.begin_ns, 105);
	assert_int_equal(seen.events[1].lost.events, 3);
	assert_int_equal(seen.events[2].time_ns, 108);
	assert_int_equal(seen.counts.events, 2);
}

/* The process of 40 writes a schema of tomorrow: what was read before it is not trusted either, and its batches are not looked at. */
static void test_newer_schema(void **unused)
{
	static const uint64_t unknown[] = {(uint64_t)RBDPROF_RECORD_COUNT << RBDPROF_RECORD_SHIFT | 45};
	struct ctf_trace trace = trace_of_batches("newer");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_request(&stream, 20, 20);
	put_requests(&stream, 30, MOMENTS(15));
	ctf_process_of_schema(&stream, 40, RBDPROF_SCHEMA + 1);
	ctf_batch(&stream, 50, unknown, 1);
	ctf_watermark(&stream, 60, 55);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.count, 0);
	assert_int_equal(seen.counts.events, 0);
	assert_int_equal(seen.counts.unknown_events, 0);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], "written by a newer library"));
}

/* A process that says no watermarks is not read ahead: the record of 50 is late. */
static void test_no_watermarks(void **unused)
{
	static const char batches_only[] =
	    "event { name = \"rbdprof:batch\"; id = 21; stream_id = 0; fields := struct { u32 length; u64 words[length]; }; };\n";
	static const char without_field[] =
	    "event { name = \"rbdprof:batch\"; id = 21; stream_id = 0; fields := struct { u32 length; u64 words[length]; }; };\n"
	    "event { name = \"rbdprof:watermark\"; id = 22; stream_id = 0; fields := struct { u64 until; }; };\n";
	static const uint64_t times[] = {70, 70, 90, 120};
	struct ctf_trace trace;
	struct ctf_stream stream;

	(void)unused;
	for (int has_class = 0; has_class < 2; has_class++) {
		trace = seen_trace(has_class ? "without-field" : "batches-only");
		trace.more = has_class ? without_field : batches_only;
		begin(&trace, &stream);
		ctf_request(&stream, 70, 70);
		put_requests(&stream, 100, MOMENTS(50, 90));
		if (has_class)
			ctf_watermark(&stream, 110, 20);
		ctf_request(&stream, 120, 120);
		ctf_stream_end(&stream);
		seen_read_one(&trace);
		seen_times(times, 4);
		assert_int_equal(seen.counts.missing_fields, has_class);
	}
}

/* A batch without its words is left out, and counted. */
static void test_no_words(void **unused)
{
	static const char without_words[] =
	    "event { name = \"rbdprof:batch\"; id = 21; stream_id = 0; fields := struct { u32 length; u64 records[length]; }; };\n"
	    "event { name = \"rbdprof:watermark\"; id = 22; stream_id = 0; fields := struct { u64 until_ns; }; };\n";
	static const uint64_t times[] = {10, 120};
	struct ctf_trace trace = seen_trace("without-words");
	struct ctf_stream stream;

	(void)unused;
	trace.more = without_words;
	begin(&trace, &stream);
	ctf_request(&stream, 10, 10);
	put_requests(&stream, 100, MOMENTS(50, 90));
	ctf_watermark(&stream, 110, 105);
	ctf_request(&stream, 120, 120);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 2);
	assert_int_equal(seen.counts.missing_fields, 1);
}

/* What is held then is let go. */
static void test_stop(void **unused)
{
	struct ctf_trace trace = trace_of_batches("stop");
	struct ctf_stream stream;

	(void)unused;
	begin(&trace, &stream);
	ctf_process(&stream, 10);
	put_requests(&stream, 100, MOMENTS(50, 90));
	ctf_request(&stream, 120, 120);
	ctf_stream_end(&stream);
	seen_stop_at_once(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),        cmocka_unit_test(test_same_moment),     cmocka_unit_test(test_processes),
	    cmocka_unit_test(test_late),         cmocka_unit_test(test_lower_watermark), cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_torn),         cmocka_unit_test(test_chunks),          cmocka_unit_test(test_lost),
	    cmocka_unit_test(test_newer_schema), cmocka_unit_test(test_no_watermarks),   cmocka_unit_test(test_no_words),
	    cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
