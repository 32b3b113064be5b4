/* Reading traces, whole and torn. */
#include "tests/unit/core/test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "tests/unit/analyzer/seen.h"
#include "tracepoints/schema.h"

/* Two streams: process and request 1 at 10 and 30, then request 3 in a packet of its own at 50; requests 2 and 4 at 20 and 40. */
static struct ctf_trace two_streams(const char *name)
{
	static struct ctf_trace trace;
	struct ctf_stream stream;

	trace = seen_trace(name);
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_process(&stream, 10);
	ctf_request(&stream, 30, 1);
	ctf_packet(&stream);
	ctf_request(&stream, 50, 3);
	ctf_stream_end(&stream);
	ctf_stream_begin(&stream, &trace, "c_1");
	ctf_request(&stream, 20, 2);
	ctf_reap(&stream, 40, 7, 1ull << 40 | 9);
	ctf_stream_end(&stream);
	return trace;
}

static void test_whole(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 40, 50};
	struct ctf_trace trace = two_streams("whole");
	const struct event *request = &seen.events[2];

	(void)unused;
	seen_read_one(&trace);
	seen_times(times, 5);
	assert_int_equal(seen.problem_count, 0);
	assert_int_equal(seen.counts.events, 5);
	assert_int_equal(seen.events[0].type, EVENT_PROCESS);
	assert_int_equal(seen.events[0].process_is.pid, 77);
	assert_int_equal(seen.events[0].process_is.clock_offset_ns, 1000000);
	assert_string_equal(seen.host, "alpha");
	assert_int_equal(request->type, EVENT_REQUEST);
	assert_int_equal(request->request.request, 1);
	assert_int_equal(request->request.image, 1);
	assert_int_equal(request->request.kind, RBDPROF_WRITE);
	assert_int_equal(request->request.flags, 2);
	assert_int_equal(request->request.offset_bytes, 8192);
	assert_int_equal(request->request.length_bytes, 4096);
	assert_int_equal(request->request.age_ns, 0);
	assert_int_equal(seen.reaped[0], 7);
	assert_int_equal(seen.reaped[1], 1ull << 40 | 9);
	assert_int_equal(seen.ago_ns[0], 30);
	assert_int_equal(seen.ago_ns[1], 20);
}

/* How many folders of salvage.c's are in the temporary folder. */
static unsigned int shadows(void)
{
	unsigned int count = 0;
	struct dirent *entry;
	DIR *dir = opendir(seen_folder);

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += strncmp(entry->d_name, "rbdprof-torn-", 13) == 0;
	closedir(dir);
	return count;
}

/* One byte is missing from the last packet of c_0: request 3 is gone, with the packet's 72 + 10 + 30 bytes but one. */
static void test_truncated(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 40};
	struct ctf_trace trace = two_streams("truncated");
	char path[300];
	struct stat st;

	(void)unused;
	snprintf(path, sizeof(path), "%s/c_0", trace.folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	seen_read_one(&trace);
	seen_times(times, 4);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], "torn: its last 111 bytes"));
	assert_int_equal(shadows(), 0);
}

/* A packet that begins like one but is nothing: zeroes, as a file system leaves them behind after a crash. */
static void test_zeroes_at_the_end(void **unused)
{
	static const uint64_t times[] = {10, 20, 30, 40, 50};
	struct ctf_trace trace = two_streams("zeroes");
	char path[300];
	struct stat st;

	(void)unused;
	snprintf(path, sizeof(path), "%s/c_0", trace.folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size + 4096), 0);
	seen_read_one(&trace);
	seen_times(times, 5);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], "torn: its last 4096 bytes"));
}

/* Senseless bytes within a packet: its stream ends there, the other one goes on to its end. */
static void test_corrupt(void **unused)
{
	static const uint64_t times[] = {10, 20, 40, 60};
	struct ctf_trace trace = seen_trace("corrupt");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_process(&stream, 10);
	ctf_packet(&stream);
	ctf_senseless(&stream, 30);
	ctf_request(&stream, 35, 1);
	ctf_stream_end(&stream);
	ctf_stream_begin(&stream, &trace, "c_1");
	ctf_request(&stream, 20, 2);
	ctf_request(&stream, 40, 3);
	ctf_request(&stream, 60, 4);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 4);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], "one of its streams ends early"));
	assert_null(strstr(seen.problems[0], "0x"));
}

/* Two traces; the process of one says that it writes a schema of tomorrow: of it nothing more is read, of the other one everything. */
static void test_newer_schema(void **unused)
{
	static const uint64_t times[] = {5, 20, 40, 60};
	struct ctf_trace newer = seen_trace("newer-schema"), other = seen_trace("older-schema");
	const struct ctf_trace *const traces[] = {&newer, &other};
	struct ctf_stream stream;

	(void)unused;
	other.uuid = 0x12;
	ctf_begin(&newer);
	ctf_stream_begin(&stream, &newer, "c_0");
	ctf_process_of_schema(&stream, 10, RBDPROF_SCHEMA + 1);
	ctf_packet(&stream);
	ctf_request(&stream, 30, 1);
	ctf_stream_end(&stream);
	ctf_stream_begin(&stream, &newer, "c_1");
	ctf_request(&stream, 15, 2);
	ctf_request(&stream, 45, 3);
	ctf_stream_end(&stream);
	ctf_begin(&other);
	ctf_stream_begin(&stream, &other, "c_0");
	ctf_process_of_schema(&stream, 5, RBDPROF_SCHEMA - 1);
	ctf_request(&stream, 20, 4);
	ctf_request(&stream, 40, 5);
	ctf_request(&stream, 60, 6);
	ctf_stream_end(&stream);
	seen_read(traces, 2);
	seen_times(times, 4);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], "newer-schema"));
	assert_non_null(strstr(seen.problems[0], "written by a newer library (rbdprof 0.1.0, schema 7; this program knows 6)"));
}

static void overwrite_metadata(const struct ctf_trace *trace, const void *bytes, size_t size)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/metadata", trace->folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void check_unreadable(const struct ctf_trace *trace, const char *why)
{
	seen_read_one(trace);
	assert_int_equal(seen.count, 0);
	assert_int_equal(seen.problem_count, 1);
	assert_non_null(strstr(seen.problems[0], trace->folder));
	assert_non_null(strstr(seen.problems[0], why));
}

static void test_metadata(void **unused)
{
	static const char ctf2[] = "\x1e{\"type\":\"preamble\",\"version\":2}\n";
	struct ctf_trace trace = two_streams("metadata");
	/* A packet of 4096 bytes, says its head, of which the file has 64. */
	uint8_t packet[64] = {0x57, 0x1d, 0xd1, 0x75, [26] = 2, [29] = 0x80, [35] = 1, [36] = 8};

	(void)unused;
	overwrite_metadata(&trace, "", 0);
	check_unreadable(&trace, "empty");
	overwrite_metadata(&trace, packet, sizeof(packet));
	check_unreadable(&trace, "not whole");
	overwrite_metadata(&trace, packet, 20);
	check_unreadable(&trace, "not whole");
	overwrite_metadata(&trace, ctf2, sizeof(ctf2) - 1);
	check_unreadable(&trace, "CTF 2");
}

static void test_metadata_text(void **unused)
{
	struct ctf_trace trace = two_streams("metadata-text");

	(void)unused;
	overwrite_metadata(&trace, "/* CTF 1.8 */ trace {", 21);
#ifdef __SANITIZE_ADDRESS__
	__lsan_disable(); /* babeltrace2 2.0.4 leaks its parser's tree */
#endif
	check_unreadable(&trace, "not understood");
#ifdef __SANITIZE_ADDRESS__
	__lsan_enable();
#endif
}

/* One that cannot be read does not take the others with it. */
static void test_one_of_two(void **unused)
{
	struct ctf_trace bad = two_streams("bad"), good = two_streams("good");
	const struct ctf_trace *const traces[] = {&bad, &good};

	(void)unused;
	overwrite_metadata(&bad, "", 0);
	seen_read(traces, 2);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.problem_count, 1);
}

static void test_not_ours(void **unused)
{
	static const uint64_t times[] = {10, 50};
	struct ctf_trace trace = seen_trace("not-ours");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	ctf_request(&stream, 10, 1);
	ctf_unknown(&stream, 20);
	ctf_unknown(&stream, 25);
	ctf_lacking(&stream, 30);
	ctf_foreign(&stream, 40);
	ctf_request(&stream, 50, 2);
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	seen_times(times, 2);
	assert_int_equal(seen.counts.unknown_events, 2);
	assert_int_equal(seen.counts.missing_fields, 1);
	assert_int_equal(seen.problem_count, 0);
}

/*
 * The tracer's count of discarded events at each packet's end: 5, 2188, 5, 12. Differences: 2183, 2183 too few, 7. Their sum
 * modulo 2^64 is 12 − 5 = 7, though babeltrace2 hands out 2^64 − 2183 in between.
 */
static void test_lost(void **unused)
{
	static const uint64_t counts[] = {5, 2188, 5, 12};
	struct ctf_trace trace = seen_trace("lost");
	struct ctf_stream stream;

	(void)unused;
	ctf_begin(&trace);
	ctf_stream_begin(&stream, &trace, "c_0");
	for (unsigned int i = 0; i < 4; i++) {
		ctf_request(&stream, 100 * (i + 1), i);
		stream.discarded = counts[i];
		ctf_packet(&stream);
	}
	ctf_stream_end(&stream);
	seen_read_one(&trace);
	assert_int_equal(seen.counts.events, 4);
	assert_int_equal(seen.lost, 7);
}

/* B's clock has an older offset to wall clock, by 500 ns, but it is the same clock: A's 100 is before B's 200, which is before A's 300. */
static void test_one_host(void **unused)
{
	static const uint64_t times[] = {100, 200, 300};
	struct ctf_trace a = seen_trace("host-a"), b = seen_trace("host-b");
	const struct ctf_trace *const traces[] = {&a, &b};
	struct ctf_stream stream;

	(void)unused;
	b.uuid = 0x22;
	b.clock_offset_ns = a.clock_offset_ns - 500;
	ctf_begin(&a);
	ctf_stream_begin(&stream, &a, "c_0");
	ctf_request(&stream, 100, 1);
	ctf_request(&stream, 300, 2);
	ctf_stream_end(&stream);
	ctf_begin(&b);
	ctf_stream_begin(&stream, &b, "c_0");
	ctf_request(&stream, 200, 1);
	ctf_stream_end(&stream);
	seen_read(traces, 2);
	seen_times(times, 3);
	assert_int_equal(seen.events[0].process, seen.events[2].process);
	assert_int_not_equal(seen.events[0].process, seen.events[1].process);
}

/* Another clock: now only wall clock can order them. B's 200 is at 1000000 − 500 + 200, before A's 1000000 + 100. */
static void test_two_hosts(void **unused)
{
	static const uint64_t times[] = {200, 100};
	struct ctf_trace a = seen_trace("hosts-a"), b = seen_trace("hosts-b");
	const struct ctf_trace *const traces[] = {&a, &b};
	struct ctf_stream stream;

	(void)unused;
	b.uuid = 0x22;
	b.clock_uuid = 0xbb;
	b.clock_offset_ns = a.clock_offset_ns - 500;
	ctf_begin(&a);
	ctf_stream_begin(&stream, &a, "c_0");
	ctf_request(&stream, 100, 1);
	ctf_stream_end(&stream);
	ctf_begin(&b);
	ctf_stream_begin(&stream, &b, "c_0");
	ctf_request(&stream, 200, 1);
	ctf_stream_end(&stream);
	seen_read(traces, 2);
	seen_times(times, 2);
}

/* Two chunks of one rotated trace have the same UUID and are one process. */
static void test_chunks(void **unused)
{
	struct ctf_trace a = two_streams("chunk-1"), b = two_streams("chunk-2");
	const struct ctf_trace *const traces[] = {&a, &b};

	(void)unused;
	seen_read(traces, 2);
	assert_int_equal(seen.count, 10);
	for (size_t i = 0; i < seen.count; i++)
		assert_int_equal(seen.events[i].process, 0);
}

static void test_stop(void **unused)
{
	struct ctf_trace trace = two_streams("stop");

	(void)unused;
	seen_stop_at_once(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),      cmocka_unit_test(test_truncated), cmocka_unit_test(test_zeroes_at_the_end),
	    cmocka_unit_test(test_corrupt),    cmocka_unit_test(test_newer_schema),
	    cmocka_unit_test(test_metadata),   cmocka_unit_test(test_metadata_text),
	    cmocka_unit_test(test_one_of_two), cmocka_unit_test(test_not_ours),  cmocka_unit_test(test_lost),
	    cmocka_unit_test(test_one_host),   cmocka_unit_test(test_two_hosts), cmocka_unit_test(test_chunks),
	    cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
