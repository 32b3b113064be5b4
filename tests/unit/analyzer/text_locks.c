/* What the text report tells of locks and threads, and the folded form; whole. Numbers: locked.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/lock_columns.h"
#include "tests/unit/analyzer/locked.h"
#include "tests/unit/analyzer/rows.h"
#include "tests/unit/core/events_text.h"

static char *text;

static const char *write(struct report report, const char *events, int (*writer)(FILE *out, const struct report *report))
{
	struct model *model = events_text_model(events);

	free(text);
	report.model = model;
	text = rows_write(&report, writer);
	model_destroy(model);
	return text;
}

static int teardown(void **unused)
{
	(void)unused;
	free(text);
	text = NULL;
	return 0;
}

/* clang-format off */
static const char golden[] =
    "Contended locks, by time waited (3 of 3; 1 more were always free when asked for, 1234 times)\n"
    "  lock                                 kind      n   acquired contended   waited      p50      p99       hold  requests   by p50   by p99\n"
    "  ~Lock+0x20                           mutex     1        640         2  1.10 µs   100 ns   300 ns   150 ns b         2   302 ns   700 ns\n"
    "  app+0x100                            write     1          -         1    50 ns    50 ns    50 ns          -         1    50 ns    50 ns\n"
    "  at app+0x20                          mutex     1          -         1    20 ns    20 ns    20 ns          -         0        -        -\n"
    "  ~ the class around the lock, inferred from memory, and the lock's place in it\n"
    "  b mean of the holds that others waited for, from the first waiter's arrival until the release\n"
    "  requests that a lock delayed, and by how much: in the request's own call 1, because a thread of librbd waited meanwhile 2\n"
    "\n"
    "Who blocked whom, by time waited (4 of 4)\n"
    "       waited     waits\n"
    "       700 ns         1  main at librbd.so.1+0x8010\n"
    "                         waits for Lock+0x20; who held it is not known\n"
    "       400 ns         2  io at librbd.so.1+0x8010\n"
    "                         waits for Lock+0x20, held by worker until app+0x44\n"
    "                         who waits for app+0x100 meanwhile: 1 time, 50 ns\n"
    "        50 ns         1  worker at librbd.so.1+0x8030\n"
    "                         waits for app+0x100; readers held it, or it is not known who did\n"
    "        20 ns         1  main at app+0x20\n"
    "                         waits for lock taken at app+0x20, held by io\n"
    "\n"
    "Stacks of the longest waits, together (1 of 1)\n"
    "       waited     waits\n"
    "       400 ns         2  io waits for Lock+0x20, at most 300 ns\n"
    "                          librbd.so.1+0x8010\n"
    "                          librbd.so.1+0x8020\n"
    "                          app+0x10\n"
    "\n"
    "Waits on condition variables, mostly for work, by time waited (1 of 1)\n"
    "  lock                                 kind      n   acquired contended   waited      p50      p99       hold  requests   by p50   by p99\n"
    "  at librbd.so.1+0x8040                cond      1          -         1  5.00 µs  5.00 µs  5.00 µs          -         0        -        -\n"
    "\n"
    "Threads of app, pid 77 (2 of 4; the others did next to nothing)\n"
    "    thread                tid  processor    waiting  at most, in one second\n"
    "    io                     15     90.0 %      1.0 %     90.0 %      1.0 %  saturated\n"
    "    worker                 16     30.0 %     60.0 %     30.0 %     60.0 %  starved: it waits for a processor\n"
    "    may run on 2 processors, its group on 1.50 together; of their time its group was throttled 10.0 % and the hypervisor took 2.0 %\n";
/* clang-format on */

static void test_text(void **unused)
{
	const char *from = strstr(write((struct report){0}, LOCKED_EVENTS, text_write), "Contended locks");
	char *until = from ? strstr(from, "\nHow far to trust this") : NULL;

	(void)unused;
	assert_non_null(until);
	*until = '\0';
	if (strcmp(from, golden))
		printf("the report is now:\n%s\n", from);
	assert_string_equal(from, golden);
}

/* 400 ns are not half a µs; 700 ns are more; what has no stack has its place. */
static void test_folded(void **unused)
{
	(void)unused;
	assert_string_equal(write((struct report){0}, LOCKED_EVENTS, folded_write), "main;librbd.so.1+0x8010;Lock+0x20 1\n");
	assert_string_equal(write((struct report){0},
				  LOCKED_EVENTS
				  "2000000000 p0 lock_wait lock=0x90000 thread=5 caller=0x10010 wait_ns=999000 kind=mutex stack=3\n",
				  folded_write),
			    "io;app+0x10;librbd.so.1+0x8020;librbd.so.1+0x8010;Lock+0x20 999\n"
			    "main;librbd.so.1+0x8010;Lock+0x20 1\n");
	assert_string_equal(write((struct report){.locks = {.thread = "worker"}}, LOCKED_EVENTS, folded_write), "");
}

/* Main waits for 0x90000, and has for 1.5 s when the trace ends. */
static void test_open(void **unused)
{
	const char *report = write((struct report){0},
				   LOCKED_EVENTS
				   "2000000000 p0 lock_wait_open lock=0x90000 thread=1 caller=0x10010 holder=16 wait_ns=1500000000 kind=mutex\n",
				   text_write);

	(void)unused;
	assert_non_null(strstr(report, "\n  1 wait was not over at the end, the longest for 1.50 s until then\n"));
	assert_non_null(strstr(report, "1.50 s         1  main at librbd.so.1+0x8010\n"
				       "                         waits for Lock+0x20, held by worker\n"));
	assert_null(strstr(write((struct report){0}, LOCKED_EVENTS, text_write), "not over at the end"));
}

/* Columns that only sort are in no table, and every column can be found by its key. */
static void test_columns(void **unused)
{
	int width = 2;

	(void)unused;
	for (const struct lock_column *column = lock_column_next(NULL); column; column = lock_column_next(column)) {
		assert_ptr_equal(lock_column_find(column->key), column);
		width += abs(column->width);
	}
	assert_in_range(width, 100, 140);
	assert_null(lock_column_find("nonsense"));
	assert_int_equal(lock_column_find("max")->width, 0);
}

/* However long names and numbers are, and without anything that is not known. */
static void test_width(void **unused)
{
	const char *line =
	    write((struct report){0},
		  TEXT_IMAGE
		  "2 p0 thread thread=1 tid=4294967295 name=fifteen-letters\n"
		  "2 p0 usage tid=4294967295 cpu_ns=0 name=fifteen-letters\n"
		  "2 p0 lock_name lock=1 offset_bytes=18446744073709551615 "
		  "type=N6librbd26a_class_whose_name_is_longIN3foo25another_of_the_same_kind1EEEE\n"
		  "18446744073709551 p0 lock_wait lock=1 thread=1 kind=rwlock_write wait_ns=18446744073709 holder=4294967294 caller=1\n"
		  "18446744073709552 p0 lock_counts lock=1 thread=1 kind=rwlock_write acquisitions=999999999999 contended=99999999999 "
		  "holds=1 hold_ns=18446744073709\n"
		  "18446744073709553 p0 usage tid=4294967295 cpu_ns=18446744073709550 name=fifteen-letters\n",
		  text_write);

	(void)unused;
	for (; *line; line += strcspn(line, "\n") + 1) {
		size_t width = 0;

		for (const char *at = line; *at != '\n'; at++)
			width += ((unsigned char)*at & 0xc0) != 0x80;
		if (width > 140)
			fail_msg("%.*s", (int)strcspn(line, "\n"), line);
	}
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(text), TEST(folded), TEST(open), TEST(columns), TEST(width)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
