/* The emitter in use, threads, and the tracer's coming. */
#include "preload/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/control.h"
#include "preload/flusher.h"
#include "preload/images.h"
#include "preload/lockstat.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/said.h"
#include "preload/stack.h"
#include "preload/tracer.h"
#include "preload/unseen.h"

#define EMITTED_SLOTS 1024 /* a thread's own; the first is for all threads beyond this number, and for those without one */
#define FIRST_EVENT_MS 1000 /* how long a process that will be traced waits for its recording to reach it */

static const int nobody; /* the word of a recording that is not there */

/* Its functions are never reached: see recorder_enter(). */
const struct rbdprof_emitter recorder_silent = {
    .requests = &nobody, .lock_waits = &nobody, .cond_waits = &nobody, .all_holds = &nobody, .lock_pairs = &nobody};

__thread struct recorder_thread recorder_thread __attribute__((tls_model("initial-exec")));
__thread void *rbdprof_thread_place;
const struct rbdprof_emitter *recorder_emitter = &recorder_silent;

static const struct rbdprof_emitter *loaded; /* the provider's emitter, once it is in the process */
static __thread const struct rbdprof_emitter *forking __attribute__((tls_model("initial-exec"))); /* knows of this thread's fork() */
static bool enabled;
static char socket_name[108]; /* "": no recording started this program */
static pthread_once_t started = PTHREAD_ONCE_INIT;
static uint32_t thread_count;
static uint32_t round_of_descriptions = 1;
static struct {
	uint64_t events;
} __attribute__((aligned(64))) emitted[EMITTED_SLOTS]; /* counting costs no cache line's travel */

void recorder_install(const struct rbdprof_emitter *emitter)
{
	__atomic_store_n(&recorder_emitter, emitter, __ATOMIC_RELEASE);
}

bool recorder_enabled(void)
{
	return enabled && real_find_rbd();
}

/* A child of fork() has none of the parent's threads, and librbd cannot be used on there: nothing is traced in it until it opens an
 * image itself, and then it is a process of its own for the recording. */
static void before_fork(void)
{
	flusher_pause();
	forking = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
	if (forking)
		forking->fork_before();
}

static void after_fork_in_parent(void)
{
	if (forking)
		forking->fork_after(0);
	flusher_resume();
}

static void after_fork_in_child(void)
{
	recorder_install(&recorder_silent);
	started = (pthread_once_t)PTHREAD_ONCE_INIT;
	memset(emitted, 0, sizeof(emitted));
	recorder_thread.tid = 0;
	flusher_reset();
	lockstat_reset();
	stack_reset();
	images_reset();
	records_reset();
	said_nothing();
	if (forking)
		forking->fork_after(1);
}

static void start(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	static bool watching; /* fork() and exit(); a child of fork() inherits both */

	if (!watching) {
		pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
		atexit(said_totals);
		atexit(flusher_finish); /* before the totals: those are the last word */
		watching = true;
	}
	if (!tracer_present() || (socket_name[0] && !control_ask(socket_name)))
		return;
	if (!loaded)
		__atomic_store_n(&loaded, tracer_load(), __ATOMIC_RELEASE);
	if (!loaded)
		return;
	unseen_find();
	stack_prepare();
	recorder_install(loaded);
	for (int i = 0; socket_name[0] && !recorder_wants_requests() && i < FIRST_EVENT_MS; i++)
		nanosleep(&pause, NULL);
	flusher_ensure();
}

void recorder_start(void)
{
	int error = errno, cancellable;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	pthread_once(&started, start);
	pthread_setcancelstate(cancellable, NULL);
	errno = error;
}

uint32_t recorder_thread_number(void)
{
	if (!recorder_thread.number)
		recorder_thread.number = __atomic_add_fetch(&thread_count, 1, __ATOMIC_RELAXED);
	return recorder_thread.number;
}

uint32_t recorder_ask_tid(void)
{
	recorder_thread.tid = (uint32_t)syscall(SYS_gettid);
	return recorder_thread.tid;
}

void recorder_describe_again(void)
{
	__atomic_fetch_add(&round_of_descriptions, 1, __ATOMIC_RELAXED);
}

uint32_t recorder_round(void)
{
	return __atomic_load_n(&round_of_descriptions, __ATOMIC_RELAXED);
}

uint64_t recorder_emitted(void)
{
	uint32_t threads = __atomic_load_n(&thread_count, __ATOMIC_RELAXED);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < EMITTED_SLOTS && i <= threads; i++)
		sum += __atomic_load_n(&emitted[i].events, __ATOMIC_RELAXED);
	return sum;
}

static void count_one(void)
{
	uint32_t own = recorder_thread.number;

	if (own && own < EMITTED_SLOTS)
		__atomic_store_n(&emitted[own].events, emitted[own].events + 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&emitted[0].events, 1, __ATOMIC_RELAXED);
}

/* Emits this thread's name. lttng-ust's own threads are known by theirs: they never emit from here on, for they may hold locks that
 * emitting takes. */
static bool describe_thread(uint32_t round)
{
	char name[17] = "";

	prctl(PR_GET_NAME, name);
	if (tracer_named(name))
		return false;
	recorder_thread.described = round;
	count_one();
	recorder_emitter->thread(recorder_thread.number, recorder_tid(), name);
	return true;
}

bool recorder_enter(void)
{
	uint32_t round;

	if (recorder_thread.inside)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* pairs with recorder_install(): who saw a word sees its emitter */
	if (recorder_emitter == &recorder_silent)
		return false;
	recorder_thread.inside = 1;
	recorder_thread_number();
	round = recorder_round();
	if (recorder_thread.described != round && !describe_thread(round))
		return false;
	count_one();
	return true;
}

bool recorder_enter_alone(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (recorder_emitter == &recorder_silent)
		return false;
	count_one();
	return true;
}

__attribute__((constructor)) static void init(void)
{
	const char *disable = getenv("RBDPROF_DISABLE");
	const char *name = getenv("RBDPROF_SOCKET");
	int error = errno; /* a program finds 0 in it when it starts */

	real_find_pthread();
	ticks_init();
	stack_init();
	if (disable && *disable && strcmp(disable, "0")) {
		errno = error;
		return;
	}
	tracer_init();
	if (name && strlen(name) < sizeof(socket_name))
		strcpy(socket_name, name);
	enabled = !real_loaded("librbd.so.1") || real_find_rbd();
	errno = error;
}
