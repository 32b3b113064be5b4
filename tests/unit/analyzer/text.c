/* The text report, whole: a change of it is to be looked at and pasted here. Numbers: report.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"
#include "tests/unit/analyzer/report.h"
#include "tests/unit/core/events_text.h"

static const char golden[] =
    "Recording /work/slow\n"
    "  command    fio --name=t\n"
    "  recorded   1970-01-02 00:00:00 UTC, for 7.25 s, exit status 0\n"
    "  2 processes wanted to be traced and could not be: buffers were in use by others\n"
    "  process    fio, pid 77, on alpha\n"
    "  events     over 6.50 ms\n"
    "\n"
    "Image rbd/one, 64 MiB in objects of 4 MiB\n"
    "  the exclusive lock was not observed; what could not be told apart is 64 % of the requests' time\n"
    "  features   layering, exclusive-lock, journaling\n"
    "  cluster    c1\n"
    "  Ceph       16.2.15\n"
    "\n"
    "  Client 4001 (fio, pid 77), opened in 12.0 ms: in flight 0.636 mean, 1 max\n"
    "\n"
    "    write: 2 completed, 0 failed, 500 IOPS, 1.95 MiB/s, 4 KiB each on average\n"
    "    time of one request                      of total     mean      p50      p90      p99    p99.9      max\n"
    "    latency  call to librbd's completion       60.0 %  1.50 ms  1.50 ms  1.50 ms  1.50 ms  1.50 ms  1.50 ms\n"
    "    c2d      the program's callback            20.0 %   500 µs   500 µs   500 µs   500 µs   500 µs   500 µs\n"
    "    d2a      until the program looked          20.0 %   500 µs   500 µs   500 µs   500 µs   500 µs   500 µs\n"
    "    total    call until the program looked    100.0 %  2.50 ms  2.50 ms  2.50 ms  2.50 ms  2.50 ms  2.50 ms\n"
    "\n"
    "    flush: 1 completed, 1 failed, latency 500 µs, total 500 µs\n"
    "\n"
    "Contended locks, by time waited (2 of 2; how often they were free when asked for is not known)\n"
    "  address             kind               waits   failed    waited     mean      p50      p90      p99      max  mostly in thread\n"
    "  0x1000              mutex                  2        0   40.0 µs  20.0 µs  10.0 µs  30.0 µs  30.0 µs  30.0 µs  worker\n"
    "  0x2000              rwlock, reading        1        0   5.00 µs  5.00 µs  5.00 µs  5.00 µs  5.00 µs  5.00 µs  worker\n"
    "\n"
    "How far to trust this\n"
    "  events     16 read, 0 lost, 0 unaccounted for, 0 calls not recorded\n"
    "  anomalies  1: unreadable 1\n"
    "             DIR: torn\n"
    "  operations 0 carry requests, 0 carry none (replay, copy-up …), 0 sent again, 0 joined ambiguously\n"
    "  undecoded  0 payloads\n"
    "  not seen   1 function: rbd_aio_of_tomorrow\n";

/* Compares line by line; prints the new text as C when it differs. */
static void check_text(const char *text, const char *wanted)
{
	if (strcmp(text, wanted) == 0)
		return;
	printf("the report is now:\n");
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		printf("\t\"%.*s\\n\"\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	fail();
}

static char *write_text(const char *events, struct report *report)
{
	struct model *model = events_text_model(events);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report->model = model;
	assert_non_null(out);
	assert_int_equal(text_write(out, report), 0);
	fclose(out);
	model_destroy(model);
	return text;
}

static void test_golden(void **unused)
{
	static const char *const problems[] = {"DIR: torn"};
	struct recording recording = {
	    .folder = (char[]){"/work/slow"},
	    .command = (char[]){"fio --name=t"},
	    .begin_ns = 86400ll * 1000000000, /* 2 January 1970, 0:00 UTC */
	    .end_ns = 86400ll * 1000000000 + 7250000000,
	    .status = 0,
	    .processes_refused = 2,
	};
	struct report report = {.recordings = &recording, .recording_count = 1, .problems = problems, .problem_count = 1};
	char *text = write_text(REPORT_EVENTS, &report);

	(void)unused;
	check_text(text, golden);
	free(text);
}

/* No line is wider than a terminal is taken to be, however large the numbers. */
static void test_width(void **unused)
{
	struct report report = {0};
	char *text = write_text(
	    TEXT_IMAGE "2 p0 request request=1:1 image=1 kind=compare_and_write length_bytes=18446744073709551\n"
		       "18446744073709551 p0 complete request=1:1 thread=1 c2d_ns=99999999999999 looked=1\n"
		       "18446744073709552 p0 request request=1:2 image=1 kind=compare_and_write length_bytes=18446744073709551\n"
		       "36893488147419102 p0 complete request=1:2 thread=1 c2d_ns=99999999999999 looked=1\n"
		       "36893488147419103 p0 lock_wait lock=18446744073709551615 thread=1 kind=rwlock_write wait_ns=18446744073709551\n",
	    &report);

	(void)unused;
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t width = 0;

		for (const char *at = line; *at != '\n'; at++)
			width += ((unsigned char)*at & 0xc0) != 0x80;
		assert_in_range(width, 0, 140);
	}
	free(text);
}

/* With --image only that one, under its name alone or with its pool. */
static void test_image(void **unused)
{
	static const char events[] = TEXT_IMAGE "2 p0 image image=2 client=4001 cluster=c1 pool_id=2 pool=rbd name=two id=10ac\n";
	struct report report = {.image = "two"};
	char *text = write_text(events, &report);

	(void)unused;
	assert_non_null(strstr(text, "Image rbd/two"));
	assert_null(strstr(text, "Image rbd/one"));
	free(text);
	report.image = "rbd/one";
	text = write_text(events, &report);
	assert_null(strstr(text, "Image rbd/two"));
	assert_non_null(strstr(text, "Image rbd/one"));
	free(text);
}

static void test_cells(void **unused)
{
	static const struct {
		double ns;
		const char *text;
	} times[] = {{0, "0 ns"},        {999, "999 ns"},     {1000, "1.00 µs"},  {9994, "9.99 µs"},
		     {9996, "10.0 µs"},  {81234, "81.2 µs"},  {812345, "812 µs"}, {999600, "1.00 ms"},
		     {7.4e6, "7.40 ms"}, {12.34e9, "12.3 s"}, {599e9, "599 s"},   {660e9, "11.0 min"}};
	static const struct {
		double bytes;
		const char *text;
	} sizes[] = {{512, "512 B"}, {4096, "4 KiB"}, {1536, "1.50 KiB"}, {2048000, "1.95 MiB"}, {4194304, "4 MiB"}};
	struct cell cell;

	(void)unused;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(cell_ns(&cell, times[i].ns), times[i].text);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_string_equal(cell_bytes(&cell, sizes[i].bytes), sizes[i].text);
	assert_string_equal(cell_number(&cell, 0), "0.00");
	assert_string_equal(cell_number(&cell, 0.01234), "0.0123");
	assert_string_equal(cell_number(&cell, 31.06), "31.1");
	assert_string_equal(cell_number(&cell, 12345.6), "12346");
	assert_string_equal(cell_share(&cell, 0.1234), "12.3 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_golden),
	    cmocka_unit_test(test_width),
	    cmocka_unit_test(test_image),
	    cmocka_unit_test(test_cells),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
