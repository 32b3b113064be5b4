/*
 * What the reader hands out of a test's traces, the folder in which those are made, and the batches that go into them. It knows how to
 * read; what is right is the tests' business.
 */
#ifndef RBDPROF_TESTS_SEEN_H
#define RBDPROF_TESTS_SEEN_H

#include "analyzer/source.h"
#include "tests/unit/analyzer/ctf.h"

#define SEEN_MAX 64

/* What the reader handed out. */
extern struct seen {
	struct source *source;
	struct event events[SEEN_MAX];
	size_t count;
	uint64_t lost;
	uint64_t reaped[2], ago_ns[2];
	struct event_counts of_locks[2]; /* told at once */
	size_t of_locks_count;
	char host[32];
	char problems[8][1024];
	size_t problem_count;
	struct source_counts counts;
} seen;

extern char seen_folder[];

/* A group's: make the folder, which is TMPDIR then, and remove it. */
int seen_setup(void **unused);
int seen_teardown(void **unused);

/* A trace of that name in it, whose clock is 1 ms before the wall's; not made yet. */
struct ctf_trace seen_trace(const char *name);

/* A batch in the making. */
struct seen_batch {
	uint64_t words[64];
	uint32_t count;
};

/* Adds a record of this moment; as many words as it has are read. */
void seen_record(struct seen_batch *batch, enum rbdprof_record record, uint64_t moment_ns, const uint64_t *words);

/* Reads traces as one; afterwards `seen` is of them. */
void seen_read(const struct ctf_trace *const *traces, size_t count);
void seen_read_one(const struct ctf_trace *trace);

/* Reads a trace with a handler that wants no more after the first event; its answer is the reading's. */
void seen_stop_at_once(const struct ctf_trace *trace);

/* All events came, and at these times. */
void seen_times(const uint64_t *times, size_t count);

#endif
