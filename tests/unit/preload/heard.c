/* The emitter that remembers. */
#include "heard.h"

#include <errno.h>
#include <string.h>

#include "preload/lockstat.h"
#include "preload/recorder.h"
#include "preload/said.h"

struct heard heard;
int heard_requests, heard_lock_waits, heard_cond_waits, heard_all_holds, heard_lock_pairs;

void (*heard_during_open)(void);
const void *heard_address;
uint64_t heard_frames[HEARD_FRAMES];
size_t heard_frame_count;

static bool busy; /* a lock that is no pthread's: those are what is being tested */

static void enter(enum heard_what what)
{
	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		;
	heard.count[what]++;
	if (heard.events < HEARD_MOST)
		heard.order[heard.events++] = what;
}

static void leave(void)
{
	__atomic_clear(&busy, __ATOMIC_RELEASE);
	errno = EDOM;
}

static void copy(char *to, size_t size, const char *from)
{
	strncpy(to, from, size - 1);
	to[size - 1] = '\0';
}

static void hear_process(uint32_t schema, const char *version, uint32_t pid, const char *comm)
{
	enter(HEARD_PROCESS);
	heard.process.schema = schema;
	heard.process.pid = pid;
	copy(heard.process.version, sizeof(heard.process.version), version);
	copy(heard.process.comm, sizeof(heard.process.comm), comm);
	leave();
}

static void hear_thread(uint32_t thread, uint32_t tid, const char *name)
{
	enter(HEARD_THREAD);
	heard.thread.thread = thread;
	heard.thread.tid = tid;
	copy(heard.thread.name, sizeof(heard.thread.name), name);
	leave();
}

static void hear_image(const struct rbdprof_image *image)
{
	enter(HEARD_IMAGE);
	heard.image = *image;
	leave();
}

static void hear_config(uint32_t image, const char *option, const char *value)
{
	enter(HEARD_CONFIG);
	heard.config.image = image;
	copy(heard.config.option, sizeof(heard.config.option), option);
	copy(heard.config.value, sizeof(heard.config.value), value);
	leave();
}

static void hear_unseen(const char *function)
{
	enter(HEARD_UNSEEN);
	copy(heard.unseen[(heard.count[HEARD_UNSEEN] - 1) % HEARD_UNSEENS], sizeof(heard.unseen[0]), function);
	leave();
}

static void hear_request_open(const struct rbdprof_request *request, uint64_t age_ns)
{
	enter(HEARD_REQUEST_OPEN);
	heard.open = *request;
	heard.open_age_ns = age_ns;
	leave();
	if (heard_during_open)
		heard_during_open();
}

static void hear_totals(uint64_t emitted, uint64_t passed_through)
{
	enter(HEARD_TOTALS);
	heard.emitted = emitted;
	heard.passed_through = passed_through;
	leave();
}

static void hear_image_closed(uint32_t image, uint64_t close_ns, int32_t result)
{
	enter(HEARD_IMAGE_CLOSED);
	heard.closed.image = image;
	heard.closed.close_ns = close_ns;
	heard.closed.result = result;
	leave();
}

static void hear_request(const struct rbdprof_request *request, uint64_t start_ns)
{
	(void)start_ns;
	enter(HEARD_REQUEST);
	heard.request = *request;
	leave();
}

static void hear_complete(uint64_t request, uint32_t thread, int64_t result, uint64_t complete_ns, uint8_t looked)
{
	enter(HEARD_COMPLETE);
	heard.complete.request = request;
	heard.complete.thread = thread;
	heard.complete.result = result;
	heard.complete.c2d_ns = recorder_now_ns() - complete_ns;
	heard.complete.looked = looked;
	leave();
}

static void hear_reap(uint64_t request, uint64_t looked_ns)
{
	enter(HEARD_REAP);
	if (heard.reaped_count < HEARD_REAPS) {
		heard.looked_ns[heard.reaped_count] = looked_ns;
		heard.reaped[heard.reaped_count++] = request;
	}
	leave();
}

static void hear_lock_wait(const struct rbdprof_lock_wait *wait)
{
	enter(HEARD_LOCK_WAIT);
	heard.wait = *wait;
	if (heard.count[HEARD_LOCK_WAIT] <= HEARD_WAITS)
		heard.waits[heard.count[HEARD_LOCK_WAIT] - 1] = *wait;
	leave();
}

static void hear_lock_wait_open(const struct rbdprof_lock_wait *wait)
{
	enter(HEARD_LOCK_WAIT_OPEN);
	heard.open_wait = *wait;
	leave();
}

static void hear_lock_hold(const struct rbdprof_lock_hold *hold)
{
	enter(HEARD_LOCK_HOLD);
	if (heard.count[HEARD_LOCK_HOLD] <= HEARD_WAITS)
		heard.holds[heard.count[HEARD_LOCK_HOLD] - 1] = *hold;
	leave();
}

static void hear_lock_pair(const struct rbdprof_lock_hold *hold)
{
	enter(HEARD_LOCK_PAIR);
	if (heard.count[HEARD_LOCK_PAIR] <= HEARD_WAITS)
		heard.pairs[heard.count[HEARD_LOCK_PAIR] - 1] = *hold;
	leave();
}

static struct rbdprof_lock_counts *find_counts(uint64_t lock, uint8_t kind, uint32_t thread)
{
	for (int i = 0; i < heard.counts_count; i++)
		if (heard.counts[i].lock == lock && heard.counts[i].kind == kind && heard.counts[i].thread == thread)
			return &heard.counts[i];
	return NULL;
}

/* Each lock is counted, though some are told at once. */
static void hear_lock_counts(const struct rbdprof_lock_counts *counts, size_t count, uint8_t all_holds)
{
	struct rbdprof_lock_counts *known;

	if (count > heard.largest_counts)
		heard.largest_counts = count;
	for (size_t i = 0; i < count; i++) {
		enter(all_holds ? HEARD_HOLD_COUNTS : HEARD_LOCK_COUNTS);
		known = find_counts(counts[i].lock, counts[i].kind, counts[i].thread);
		if (known)
			*known = counts[i];
		else if (heard.counts_count < HEARD_COUNTS)
			heard.counts[heard.counts_count++] = counts[i];
		leave();
	}
}

static void hear_lock_name(uint64_t lock, uint64_t offset_bytes, const char *type)
{
	enter(HEARD_LOCK_NAME);
	heard.name.lock = lock;
	heard.name.offset_bytes = offset_bytes;
	copy(heard.name.type, sizeof(heard.name.type), type);
	leave();
}

static void hear_stack(uint64_t stack, const uint64_t *frames, size_t count)
{
	enter(HEARD_STACK);
	heard.stack.stack = stack;
	heard.stack.count = count;
	memcpy(heard.stack.frames, frames, count * sizeof(frames[0]));
	leave();
}

static void hear_module(const struct rbdprof_module *module)
{
	enter(HEARD_MODULE);
	if ((uintptr_t)heard_address >= module->begin && (uintptr_t)heard_address < module->end)
		heard.module = *module;
	leave();
}

static void hear_usage(uint32_t tid, uint64_t cpu_ns, uint64_t run_queue_ns, const char *name)
{
	int at = 0;

	enter(HEARD_USAGE);
	while (at < heard.usage_count && heard.usages[at].tid != tid)
		at++;
	if (at == heard.usage_count && at < HEARD_USAGES) {
		heard.usages[at].tid = tid;
		heard.usages[at].cpu_ns = cpu_ns;
		heard.usages[at].run_queue_ns = run_queue_ns;
		copy(heard.usages[at].name, sizeof(heard.usages[at].name), name);
		heard.usage_count++;
	}
	leave();
}

static void hear_host(const struct rbdprof_host *host)
{
	enter(HEARD_HOST);
	heard.host = *host;
	leave();
}

static void hear_undecoded(const char *what)
{
	enter(HEARD_UNDECODED);
	copy(heard.undecoded, sizeof(heard.undecoded), what);
	leave();
}

static void hear_batches(int keep)
{
	heard.keeping = keep;
	heard.batches++;
}

static size_t unwind(uint64_t *frames, size_t most)
{
	size_t count = heard_frame_count < most ? heard_frame_count : most;

	memcpy(frames, heard_frames, count * sizeof(*frames));
	errno = EDOM;
	return count;
}

static void hear_fork_before(void)
{
	enter(HEARD_FORK_BEFORE);
	leave();
}

static void hear_fork_after(int in_child)
{
	(void)in_child;
	enter(HEARD_FORK_AFTER);
	leave();
}

const struct rbdprof_emitter heard_emitter = {
    .requests = &heard_requests,
    .lock_waits = &heard_lock_waits,
    .cond_waits = &heard_cond_waits,
    .all_holds = &heard_all_holds,
    .lock_pairs = &heard_lock_pairs,
    .process = hear_process,
    .thread = hear_thread,
    .image = hear_image,
    .config = hear_config,
    .unseen = hear_unseen,
    .request_open = hear_request_open,
    .totals = hear_totals,
    .image_closed = hear_image_closed,
    .request = hear_request,
    .complete = hear_complete,
    .reap = hear_reap,
    .lock_wait = hear_lock_wait,
    .lock_wait_open = hear_lock_wait_open,
    .lock_hold = hear_lock_hold,
    .lock_pair = hear_lock_pair,
    .lock_counts = hear_lock_counts,
    .lock_name = hear_lock_name,
    .stack = hear_stack,
    .module = hear_module,
    .usage = hear_usage,
    .host = hear_host,
    .undecoded = hear_undecoded,
    .batches = hear_batches,
    .unwind = unwind,
    .fork_before = hear_fork_before,
    .fork_after = hear_fork_after,
};

void heard_start(bool recording)
{
	heard_requests = heard_lock_waits = heard_cond_waits = heard_all_holds = heard_lock_pairs = 0;
	recorder_install(&heard_emitter);
	said_nothing();
	memset(&heard, 0, sizeof(heard));
	heard_requests = recording;
}

void heard_start_locks(bool recording)
{
	heard_start(recording);
	heard_lock_waits = heard_cond_waits = recording;
	if (recording)
		lockstat_begin(false, false, true);
	else
		lockstat_end();
}

const struct rbdprof_lock_counts *heard_counts(const void *lock, enum rbdprof_lock_kind kind, uint32_t thread)
{
	return find_counts((uintptr_t)lock, (uint8_t)kind, thread);
}
