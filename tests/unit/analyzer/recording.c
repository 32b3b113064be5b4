/* What a folder says of itself, without its traces being read. */
#include "tests/unit/core/test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/recording.h"

static char work[] = "/tmp/rbdprof-test-XXXXXX";

static void make(const char *name, const char *text)
{
	char path[512], *slash = path;

	snprintf(path, sizeof(path), "%s/%s", work, name);
	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	if (text) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
}

static int open_recording(struct recording *recording, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	return recording_init(recording, path);
}

static void test_note(void **unused)
{
	struct recording recording;

	(void)unused;
	make("noted/ust/pid/fio-2/metadata", "");
	make("noted/ust/pid/fio-1/metadata", "");
	make("noted/rbdprof.json", "{\"version\": \"0.1.0\", \"command\": [\"fio\", \"--name=a b\"], \"begin_ns\": 1700000000000000001,\n"
				   "\"end_ns\": 1700000000000000009, \"status\": 7, \"processes_traced\": 2, \"processes_refused\": 1,\n"
				   "\"stopped_early\": \"stopped because the disk is full\"}");
	assert_int_equal(open_recording(&recording, "noted"), 0);
	assert_true(recording.noted);
	assert_string_equal(recording.command, "fio --name=a b");
	assert_int_equal(recording.begin_ns, 1700000000000000001);
	assert_int_equal(recording.end_ns, 1700000000000000009);
	assert_int_equal(recording.status, 7);
	assert_int_equal(recording.processes_traced, 2);
	assert_int_equal(recording.processes_refused, 1);
	assert_string_equal(recording.stopped_early, "stopped because the disk is full");
	assert_int_equal(recording.trace_count, 2);
	assert_non_null(strstr(recording.traces[0], "noted/ust/pid/fio-1"));
	assert_non_null(strstr(recording.traces[1], "noted/ust/pid/fio-2"));
	recording_fini(&recording);
}

/* A command that never ended has the status null; an empty object is a note that says nothing. */
static void test_nulls(void **unused)
{
	struct recording recording;

	(void)unused;
	make("nulls/rbdprof.json", "{\"status\": null, \"stopped_early\": null, \"command\": null}");
	assert_int_equal(open_recording(&recording, "nulls"), 0);
	assert_true(recording.noted);
	assert_null(recording.command);
	assert_null(recording.stopped_early);
	assert_int_equal(recording.status, -1);
	assert_int_equal(recording.processes_traced, -1);
	assert_int_equal(recording.trace_count, 0);
	recording_fini(&recording);
}

static void test_without_note(void **unused)
{
	struct recording recording;

	(void)unused;
	make("bare/metadata", "");
	assert_int_equal(open_recording(&recording, "bare"), 0);
	assert_false(recording.noted);
	assert_int_equal(recording.trace_count, 1);
	recording_fini(&recording);
}

/* The traces are worth reading though the note is not. */
static void test_broken_note(void **unused)
{
	struct recording recording;

	(void)unused;
	make("broken/metadata", "");
	make("broken/rbdprof.json", "{\"command\": [");
	assert_int_equal(open_recording(&recording, "broken"), -EBADMSG);
	assert_false(recording.noted);
	assert_int_equal(recording.trace_count, 1);
	recording_fini(&recording);
}

static void test_not_there(void **unused)
{
	struct recording recording;

	(void)unused;
	make("file", "text");
	assert_int_equal(open_recording(&recording, "nowhere"), -ENOENT);
	assert_int_equal(open_recording(&recording, "file"), -ENOTDIR);
}

static void set_time(const char *name, time_t at)
{
	const struct timespec times[] = {{at, 0}, {at, 0}};
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", work, name);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_newest(void **unused)
{
	char parent[300], *found;

	(void)unused;
	snprintf(parent, sizeof(parent), "%s/several", work);
	make("several/none/other", "");
	assert_null(recording_newest(parent));
	make("several/a/rbdprof.json", "{}");
	make("several/b/rbdprof.json", "{}");
	make("several/c/rbdprof.json", "{}");
	set_time("several/a/rbdprof.json", 1000);
	set_time("several/b/rbdprof.json", 3000);
	set_time("several/c/rbdprof.json", 2000);
	found = recording_newest(parent);
	assert_non_null(found);
	assert_non_null(strstr(found, "several/b"));
	free(found);
	assert_null(recording_newest("/nowhere"));
}

static int make_work(void **unused)
{
	(void)unused;
	return mkdtemp(work) ? 0 : -1;
}

static int remove_work(void **unused)
{
	char command[64];

	(void)unused;
	snprintf(command, sizeof(command), "rm -rf %s", work);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_note),        cmocka_unit_test(test_nulls),     cmocka_unit_test(test_without_note),
	    cmocka_unit_test(test_broken_note), cmocka_unit_test(test_not_there), cmocka_unit_test(test_newest),
	};

	return cmocka_run_group_tests(tests, make_work, remove_work);
}
