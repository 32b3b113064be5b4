/*
 * An emitter for tests that remembers what it was told. It knows how many events of each kind came, the last of each, and the order of all.
 * Any thread may emit. Each of its functions spoils errno, as a tracer may.
 */
#ifndef RBDPROF_TESTS_HEARD_H
#define RBDPROF_TESTS_HEARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracepoints/emit.h"

#define HEARD_MOST    4096 /* events whose order is remembered; further ones are only counted */
#define HEARD_REAPS   256
#define HEARD_UNSEENS 64
#define HEARD_COUNTS  256
#define HEARD_WAITS   64
#define HEARD_USAGES  64
#define HEARD_FRAMES  64

enum heard_what {
	HEARD_PROCESS,
	HEARD_THREAD,
	HEARD_IMAGE,
	HEARD_CONFIG,
	HEARD_UNSEEN,
	HEARD_REQUEST_OPEN,
	HEARD_TOTALS,
	HEARD_IMAGE_CLOSED,
	HEARD_REQUEST,
	HEARD_COMPLETE,
	HEARD_REAP,
	HEARD_LOCK_WAIT,
	HEARD_LOCK_WAIT_OPEN,
	HEARD_LOCK_HOLD,
	HEARD_LOCK_PAIR,
	HEARD_LOCK_COUNTS,
	HEARD_HOLD_COUNTS,
	HEARD_LOCK_NAME,
	HEARD_STACK,
	HEARD_MODULE,
	HEARD_USAGE,
	HEARD_HOST,
	HEARD_UNDECODED,
	HEARD_FORK_BEFORE,
	HEARD_FORK_AFTER,
	HEARD_KINDS
};

struct heard {
	int count[HEARD_KINDS];
	enum heard_what order[HEARD_MOST];
	int events;
	struct {
		uint32_t schema, pid;
		char version[32], comm[32];
	} process;
	struct {
		uint32_t thread, tid;
		char name[32];
	} thread;
	struct rbdprof_image image;
	struct {
		uint32_t image;
		char option[64], value[64];
	} config;
	char unseen[HEARD_UNSEENS][64];
	struct rbdprof_request open;
	uint64_t open_age_ns;
	uint64_t emitted, passed_through;
	struct {
		uint32_t image;
		uint64_t close_ns;
		int32_t result;
	} closed;
	struct rbdprof_request request;
	struct {
		uint64_t request;
		uint32_t thread;
		int64_t result;
		uint64_t c2d_ns;
		uint8_t looked;
	} complete;
	uint64_t reaped[HEARD_REAPS]; /* all requests of all reap events */
	uint64_t looked_ns[HEARD_REAPS]; /* of each */
	size_t reaped_count;
	size_t largest_counts; /* of how many locks at once */
	struct rbdprof_lock_wait wait; /* the last */
	struct rbdprof_lock_wait open_wait; /* the last */
	struct rbdprof_lock_wait waits[HEARD_WAITS];
	struct rbdprof_lock_hold holds[HEARD_WAITS], pairs[HEARD_WAITS];
	struct rbdprof_lock_counts counts[HEARD_COUNTS]; /* the last of each thread, lock and kind */
	int counts_count;
	struct {
		uint64_t lock, offset_bytes;
		char type[256];
	} name;
	int keeping, batches; /* what threads may do with what they have to tell, and how often that was said */
	char undecoded[128];
	struct {
		uint64_t stack;
		uint64_t frames[32];
		size_t count;
	} stack;
	struct rbdprof_module module; /* the last that `heard_address` lies in */
	struct {
		uint32_t tid;
		uint64_t cpu_ns, run_queue_ns;
		char name[32];
	} usages[HEARD_USAGES]; /* the first of each thread since the start */
	int usage_count;
	struct rbdprof_host host;
};

extern struct heard heard;

/* The state words: not 0 while "somebody records". */
extern int heard_requests, heard_lock_waits, heard_cond_waits, heard_all_holds, heard_lock_pairs;

extern const struct rbdprof_emitter heard_emitter;

/* Called while a request_open event is being written; NULL: nothing is. */
extern void (*heard_during_open)(void);

/* An address whose module is remembered. */
extern const void *heard_address;

/* What the unwinder finds, any thread's own frames first; none: it finds nothing. */
extern uint64_t heard_frames[HEARD_FRAMES];
extern size_t heard_frame_count;

/* Installs the emitter with requests wanted (true) or nothing, and forgets what was heard. */
void heard_start(bool recording);

/* The same, with waits for locks and condition variables wanted too: calls of librbd then start the flusher. */
void heard_start_locks(bool recording);

/* What was last said of a lock in a thread; NULL: nothing. */
const struct rbdprof_lock_counts *heard_counts(const void *lock, enum rbdprof_lock_kind kind, uint32_t thread);

#endif
