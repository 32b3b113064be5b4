/*
 * The shim under several threads at once, built with the thread sanitizer where the compiler has it: completions created, submitted,
 * completed, looked at and released by different threads while others open and close images, take contended locks, and everything is said
 * again all the time. Counted exactly, so that it is of use without the sanitizer too.
 */
#include "test.h"

#include <sched.h>

#include "preload/images.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "preload/said.h"
#include "stubs.h"

#define SUBMITTERS 3
#define REQUESTS   4000 /* of each submitter */
#define IN_FLIGHT  16

/* An emitter that reads all that it is given and orders nothing between threads, so that it hides no race. */
enum what { PROCESS, THREAD, IMAGE, CONFIG, UNSEEN, OPEN, TOTALS, CLOSED, REQUEST, COMPLETE, LOOKED, LOCK_WAIT, LOCK_HOLD, LOCK_COUNTS, LOCK_NAME, MODULE, USAGE, HOST, UNDECODED, WHATS };

static int counts[WHATS], recording;
static uint64_t sum;

static void count(enum what what, const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint64_t of_bytes = 0;

	for (size_t i = 0; i < size; i++)
		of_bytes += byte[i];
	__atomic_fetch_add(&sum, of_bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
}

static void count_process(uint32_t schema, const char *version, uint32_t pid, const char *comm)
{
	(void)schema, (void)pid, (void)comm;
	count(PROCESS, version, strlen(version));
}

static void count_thread(uint32_t thread, uint32_t tid, const char *name)
{
	(void)thread, (void)tid;
	count(THREAD, name, strlen(name));
}

static void count_image(const struct rbdprof_image *image)
{
	count(IMAGE, image, sizeof(*image));
}

static void count_config(uint32_t image, const char *option, const char *value)
{
	(void)image, (void)option;
	count(CONFIG, value, strlen(value));
}

static void count_unseen(const char *function)
{
	count(UNSEEN, function, strlen(function));
}

static void count_request_open(const struct rbdprof_request *request, uint64_t age_ns)
{
	if (age_ns > UINT64_C(100000000000) || request->length_bytes % 512)
		abort(); /* of two requests, or of none */
	count(OPEN, request, sizeof(*request));
}

static void count_totals(uint64_t emitted, uint64_t passed_through)
{
	(void)emitted, (void)passed_through;
	count(TOTALS, NULL, 0);
}

static void count_image_closed(uint32_t image, uint64_t close_ns, int32_t result)
{
	(void)image, (void)close_ns, (void)result;
	count(CLOSED, NULL, 0);
}

static void count_request(const struct rbdprof_request *request, uint64_t start_ns)
{
	(void)start_ns;
	count(REQUEST, request, sizeof(*request));
}

static void count_complete(uint64_t request, uint32_t thread, int64_t result, uint64_t complete_ns, uint8_t looked)
{
	(void)request, (void)thread, (void)result, (void)complete_ns;
	count(COMPLETE, NULL, 0);
	if (looked)
		count(LOOKED, NULL, 0);
}

static void count_reap(uint64_t request, uint64_t looked_ns)
{
	(void)looked_ns;
	count(LOOKED, &request, sizeof(request));
}

static void count_lock_wait(const struct rbdprof_lock_wait *wait)
{
	count(LOCK_WAIT, wait, sizeof(*wait));
}

static void count_lock_hold(const struct rbdprof_lock_hold *hold)
{
	count(LOCK_HOLD, hold, sizeof(*hold));
}

static void count_lock_counts(const struct rbdprof_lock_counts *of, size_t number, uint8_t all_holds)
{
	(void)all_holds;
	count(LOCK_COUNTS, of, number * sizeof(*of));
}

static void count_lock_name(uint64_t lock, uint64_t offset_bytes, const char *type)
{
	(void)lock, (void)offset_bytes;
	count(LOCK_NAME, type, strlen(type));
}

static void count_module(const struct rbdprof_module *module)
{
	count(MODULE, module, sizeof(*module));
}

static void count_usage(uint32_t tid, uint64_t cpu_ns, uint64_t run_queue_ns, const char *name)
{
	(void)tid, (void)cpu_ns, (void)run_queue_ns;
	count(USAGE, name, strlen(name));
}

static void count_host(const struct rbdprof_host *host)
{
	count(HOST, host, sizeof(*host));
}

static void count_undecoded(const char *what)
{
	count(UNDECODED, what, strlen(what));
}

static void keep_nothing(int keep)
{
	(void)keep;
}

static const struct rbdprof_emitter counting = {
    .requests = &recording,
    .lock_waits = &recording,
    .cond_waits = &recording,
    .all_holds = &recording,
    .lock_pairs = &recording,
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
    .lock_wait_open = count_lock_wait,
    .lock_hold = count_lock_hold,
    .lock_pair = count_lock_hold,
    .lock_counts = count_lock_counts,
    .lock_name = count_lock_name,
    .module = count_module,
    .usage = count_usage,
    .host = count_host,
    .undecoded = count_undecoded,
    .batches = keep_nothing,
};

static char handles[SUBMITTERS];
static int called, stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* One slot of what is in flight between a submitter and the thread that completes for it. */
struct slot {
	rbd_completion_t completion;
	int state; /* 0 free, 1 submitted, 2 completed */
	int release_early;
};

static struct slot slots[SUBMITTERS][IN_FLIGHT];

static void callback(rbd_completion_t completion, void *arg)
{
	struct slot *slot = arg;

	if (rbd_aio_get_arg(completion) != slot)
		abort();
	__atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
	if (slot->release_early)
		rbd_aio_release(completion);
}

static void *complete_all(void *arg)
{
	struct slot *mine = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		for (int i = 0; i < IN_FLIGHT; i++) {
			if (__atomic_load_n(&mine[i].state, __ATOMIC_ACQUIRE) != 1)
				continue;
			stub_finish(mine[i].completion, 512);
			__atomic_store_n(&mine[i].state, 2, __ATOMIC_RELEASE);
		}
		sched_yield();
	}
	return NULL;
}

static void *submit_all(void *arg)
{
	static char data[512];
	int number = (int)((char *)arg - handles);
	struct slot *mine = slots[number];

	for (int sent = 0, done = 0; done < REQUESTS;) {
		for (int i = 0; i < IN_FLIGHT; i++) {
			int state = __atomic_load_n(&mine[i].state, __ATOMIC_ACQUIRE);

			if (state == 2) {
				if (!mine[i].release_early) {
					rbd_aio_is_complete(mine[i].completion);
					rbd_aio_release(mine[i].completion);
				}
				free(mine[i].completion);
				__atomic_store_n(&mine[i].state, 0, __ATOMIC_RELAXED);
				done++;
			}
			if (state == 0 && sent < REQUESTS) {
				mine[i].release_early = sent % 3 == 0;
				rbd_aio_create_completion(&mine[i], callback, &mine[i].completion);
				rbd_aio_read(arg, (uint64_t)sent * 512, sizeof(data), data, mine[i].completion);
				__atomic_store_n(&mine[i].state, 1, __ATOMIC_RELEASE);
				sent++;
			}
		}
		sched_yield();
	}
	return NULL;
}

static void *say_again(void *unused)
{
	for (uint64_t second = 1; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); second++) {
		said_when_due(recorder_now_ns() + second * UINT64_C(10000000000));
		sched_yield();
	}
	return unused;
}

static void *open_and_close(void *unused)
{
	static char handle, data[512];

	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		images_opened(&handle, NULL, "snapshot", false, 1);
		rbd_read(&handle, 0, sizeof(data), data);
		images_closed(images_forget(&handle), 1, 0);
		pthread_mutex_lock(&mutex);
		sched_yield();
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void nothing_is_lost_among_threads(void **state)
{
	pthread_t submitters[SUBMITTERS], completers[SUBMITTERS], others[3];
	uint64_t passed = records_passed_through();

	(void)state;
	for (int i = 0; i < SUBMITTERS; i++)
		stub_open(&handles[i]);
	recorder_install(&counting);
	__atomic_store_n(&recording, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < SUBMITTERS; i++) {
		pthread_create(&completers[i], NULL, complete_all, slots[i]);
		pthread_create(&submitters[i], NULL, submit_all, &handles[i]);
	}
	pthread_create(&others[0], NULL, say_again, NULL);
	pthread_create(&others[1], NULL, open_and_close, NULL);
	pthread_create(&others[2], NULL, say_again, NULL);
	for (int i = 0; i < SUBMITTERS; i++)
		pthread_join(submitters[i], NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < SUBMITTERS; i++)
		pthread_join(completers[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(others[i], NULL);
	assert_int_equal(called, SUBMITTERS * REQUESTS);
	assert_int_equal(counts[REQUEST], counts[COMPLETE]);
	assert_true(counts[REQUEST] >= SUBMITTERS * REQUESTS);
	/* Each A once: with the completion, or reaped. */
	assert_int_equal(counts[LOOKED], counts[REQUEST]);
	assert_true(counts[OPEN] > 0);
	assert_int_equal(records_passed_through(), passed);
	/* Nobody is in flight any more. */
	counts[OPEN] = 0;
	records_say();
	assert_int_equal(counts[OPEN], 0);
	__atomic_store_n(&recording, 0, __ATOMIC_RELAXED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_lost_among_threads),
	};

	stubs_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
