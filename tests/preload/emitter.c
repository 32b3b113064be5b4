/*
 * An emitter in the place of the LTTng provider, under its name: the shim loads it as it loads that one. It counts events in a file that
 * the driver maps too (RBDPROF_TEST_COUNTS), across fork(). RBDPROF_TEST_DORMANT: nobody records. RBDPROF_TEST_LOCKS: what is recorded of
 * locks, contended or holds; all when it is not there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracepoints/emit.h"

/* The order is the driver's. */
enum what {
	PROCESS,
	THREAD,
	IMAGE,
	CONFIG,
	UNSEEN,
	REQUEST_OPEN,
	TOTALS,
	IMAGE_CLOSED,
	REQUEST,
	COMPLETE,
	REAP,
	LOCK_WAIT,
	LOCK_WAIT_OPEN,
	COND_WAIT,
	LOCK_HOLD,
	LOCK_PAIR,
	LOCK_COUNTS,
	LOCK_NAME,
	MODULE,
	USAGE,
	HOST,
	UNDECODED,
	REAPED,
	WHATS
};

static uint64_t nowhere[WHATS], *counts = nowhere;
static int recording, recording_holds, recording_all;

__attribute__((constructor)) static void init(void)
{
	const char *path = getenv("RBDPROF_TEST_COUNTS"), *locks = getenv("RBDPROF_TEST_LOCKS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(nowhere), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (map != MAP_FAILED)
		counts = map;
	recording = !getenv("RBDPROF_TEST_DORMANT");
	recording_all = recording && !locks;
	recording_holds = recording_all || (recording && !strcmp(locks, "holds"));
}

static void count(enum what what, uint64_t times)
{
	__atomic_fetch_add(&counts[what], times, __ATOMIC_RELAXED);
}

static void count_process(uint32_t schema, const char *version, uint32_t pid, const char *comm)
{
	(void)schema, (void)version, (void)pid, (void)comm;
	count(PROCESS, 1);
}

static void count_thread(uint32_t thread, uint32_t tid, const char *name)
{
	(void)thread, (void)tid, (void)name;
	count(THREAD, 1);
}

static void count_image(const struct rbdprof_image *image)
{
	(void)image;
	count(IMAGE, 1);
}

static void count_config(uint32_t image, const char *option, const char *value)
{
	(void)image, (void)option, (void)value;
	count(CONFIG, 1);
}

static void count_unseen(const char *function)
{
	(void)function;
	count(UNSEEN, 1);
}

static void count_request_open(const struct rbdprof_request *request, uint64_t age_ns)
{
	(void)request, (void)age_ns;
	count(REQUEST_OPEN, 1);
}

static void count_totals(uint64_t emitted, uint64_t passed_through)
{
	(void)emitted, (void)passed_through;
	count(TOTALS, 1);
}

static void count_image_closed(uint32_t image, uint64_t close_ns, int32_t result)
{
	(void)image, (void)close_ns, (void)result;
	count(IMAGE_CLOSED, 1);
}

static void count_request(const struct rbdprof_request *request, uint64_t start_ns)
{
	(void)start_ns;
	(void)request;
	count(REQUEST, 1);
}

static void count_complete(uint64_t request, uint32_t thread, int64_t result, uint64_t complete_ns, uint8_t looked)
{
	(void)request, (void)thread, (void)result, (void)complete_ns;
	count(COMPLETE, 1);
	count(REAPED, looked);
}

static void count_reap(uint64_t request, uint64_t looked_ns)
{
	(void)request, (void)looked_ns;
	count(REAP, 1);
	count(REAPED, 1);
}

static void count_lock_wait(const struct rbdprof_lock_wait *wait)
{
	count(wait->kind == RBDPROF_COND ? COND_WAIT : LOCK_WAIT, 1);
}

static void count_lock_wait_open(const struct rbdprof_lock_wait *wait)
{
	(void)wait;
	count(LOCK_WAIT_OPEN, 1);
}

static void count_lock_hold(const struct rbdprof_lock_hold *hold)
{
	(void)hold;
	count(LOCK_HOLD, 1);
}

static void count_lock_pair(const struct rbdprof_lock_hold *hold)
{
	(void)hold;
	count(LOCK_PAIR, 1);
}

static void count_lock_counts(const struct rbdprof_lock_counts *of, size_t number, uint8_t all_holds)
{
	(void)of, (void)number, (void)all_holds;
	count(LOCK_COUNTS, 1);
}

static void count_lock_name(uint64_t lock, uint64_t offset_bytes, const char *type)
{
	(void)lock, (void)offset_bytes, (void)type;
	count(LOCK_NAME, 1);
}

static void count_module(const struct rbdprof_module *module)
{
	(void)module;
	count(MODULE, 1);
}

static void count_usage(uint32_t tid, uint64_t cpu_ns, uint64_t run_queue_ns, const char *name)
{
	(void)tid, (void)cpu_ns, (void)run_queue_ns, (void)name;
	count(USAGE, 1);
}

static void count_host(const struct rbdprof_host *host)
{
	(void)host;
	count(HOST, 1);
}

static void count_undecoded(const char *what)
{
	(void)what;
	count(UNDECODED, 1);
}

static void nothing(void)
{
}

static void nothing_after(int in_child)
{
	(void)in_child;
}

static void keep_nothing(int keep)
{
	(void)keep;
}

extern const struct rbdprof_emitter rbdprof_lttng_emitter;
__attribute__((visibility("default"))) const struct rbdprof_emitter rbdprof_lttng_emitter = {
    .requests = &recording,
    .lock_waits = &recording,
    .cond_waits = &recording_all,
    .all_holds = &recording_holds,
    .lock_pairs = &recording_all,
    .process = count_process,
    .thread = count_thread,
    .image = count_image,
    .config = count_config,
    .unseen = count_unseen,
    .request_open = count_request_open,
    .totals = count_totals,
    .image_closed = count_image_closed,
    .request = count_request,
    .complete = count_complete,
    .reap = count_reap,
    .lock_wait = count_lock_wait,
    .lock_wait_open = count_lock_wait_open,
    .lock_hold = count_lock_hold,
    .lock_pair = count_lock_pair,
    .lock_counts = count_lock_counts,
    .lock_name = count_lock_name,
    .module = count_module,
    .usage = count_usage,
    .host = count_host,
    .undecoded = count_undecoded,
    .batches = keep_nothing,
    .fork_before = nothing,
    .fork_after = nothing_after,
};
