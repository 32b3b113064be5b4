#include "tests/unit/core/test.h"

#include <errno.h>

#include "tests/unit/analyzer/seen.h"

struct seen seen;
char seen_folder[] = "/tmp/rbdprof-test-XXXXXX";

static int take(void *user, const struct event *event)
{
	(void)user;
	assert_true(seen.count < SEEN_MAX);
	if (event->type == EVENT_LOST)
		seen.lost += event->lost.events;
	if (event->type == EVENT_REAP && event->reap.requests) {
		assert_int_equal(event->reap.count, 2);
		memcpy(seen.reaped, event->reap.requests, sizeof(seen.reaped));
		memcpy(seen.ago_ns, event->reap.ago_ns, sizeof(seen.ago_ns));
	}
	if (event->type == EVENT_HOLD_COUNTS) {
		assert_true(event->counts.several && event->counts.count <= 2);
		seen.of_locks_count = event->counts.count;
		memcpy(seen.of_locks, event->counts.several, event->counts.count * sizeof(seen.of_locks[0]));
	}
	if (event->type == EVENT_PROCESS)
		snprintf(seen.host, sizeof(seen.host), "%s", event->process_is.host);
	seen.events[seen.count++] = *event;
	return 0;
}

static void note_problem(void *user, const char *sentence)
{
	(void)user;
	assert_true(seen.problem_count < 8);
	snprintf(seen.problems[seen.problem_count++], sizeof(seen.problems[0]), "%s", sentence);
}

void seen_read(const struct ctf_trace *const *traces, size_t count)
{
	const struct source_handler handler = {NULL, take, note_problem};
	const char *why;

	memset(&seen, 0, sizeof(seen));
	seen.source = source_create(&handler, &why);
	assert_non_null(seen.source);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(source_add(seen.source, traces[i]->folder), 0);
	assert_int_equal(source_run(seen.source), 0);
	seen.counts = *source_counts(seen.source);
	source_destroy(seen.source);
	assert_int_equal(seen.counts.problems, seen.problem_count);
}

void seen_read_one(const struct ctf_trace *trace)
{
	seen_read(&trace, 1);
}

static int want_no_more(void *user, const struct event *event)
{
	(void)user;
	(void)event;
	return -EINTR;
}

void seen_stop_at_once(const struct ctf_trace *trace)
{
	const struct source_handler handler = {NULL, want_no_more, note_problem};
	const char *why;
	struct source *source = source_create(&handler, &why);

	assert_non_null(source);
	assert_int_equal(source_add(source, trace->folder), 0);
	assert_int_equal(source_run(source), -EINTR);
	source_destroy(source);
}

struct ctf_trace seen_trace(const char *name)
{
	struct ctf_trace trace = {.uuid = 0x11, .clock_uuid = 0xaa, .clock_offset_ns = 1000000, .pid = 77};

	snprintf(trace.folder, sizeof(trace.folder), "%s/%s", seen_folder, name);
	return trace;
}

void seen_record(struct seen_batch *batch, enum rbdprof_record record, uint64_t moment_ns, const uint64_t *words)
{
	static const uint32_t counts[] = {
#define RECORD(upper, lower, count) [RBDPROF_RECORD_##upper] = (count),
	    RBDPROF_RECORDS(RECORD)
#undef RECORD
	};

	assert_true(batch->count + 1 + counts[record] <= sizeof(batch->words) / sizeof(batch->words[0]));
	batch->words[batch->count++] = (uint64_t)record << RBDPROF_RECORD_SHIFT | (moment_ns & ((UINT64_C(1) << RBDPROF_RECORD_SHIFT) - 1));
	memcpy(&batch->words[batch->count], words, counts[record] * sizeof(*words));
	batch->count += counts[record];
}

void seen_times(const uint64_t *times, size_t count)
{
	assert_int_equal(seen.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(seen.events[i].time_ns, times[i]);
}

int seen_setup(void **unused)
{
	(void)unused;
	if (!mkdtemp(seen_folder))
		return -1;
	return setenv("TMPDIR", seen_folder, 1);
}

int seen_teardown(void **unused)
{
	char command[64];

	(void)unused;
	snprintf(command, sizeof(command), "rm -rf %s", seen_folder);
	return system(command);
}
