/* The life of the thread that says what was counted. */
#include "preload/flusher.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/counts.h"
#include "preload/host.h"
#include "preload/lockname.h"
#include "preload/lockstat.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "preload/ticks.h"
#include "preload/usage.h"

#define LOOK_NS     100000000u /* how often it looks whether it is still wanted */
#define LOOKS       10         /* between two passes */
#define PATIENCE_MS 2000
#define FORK_MS     100 /* a pass takes a few; whoever forks may hold what it waits for */
#define STACK_BYTES (256 * 1024)

bool flusher_alive;
static uint32_t finishing; /* a futex: 1 when it is to say all that is left and end */
static pthread_mutex_t passing = PTHREAD_MUTEX_INITIALIZER;
static __thread bool paused __attribute__((tls_model("initial-exec"))); /* by this thread's fork() */
static bool counting, every, pairs, conds;                              /* what is asked for of locks */
static const char *excuse;                                              /* why not all holds can be timed; NULL: they can */
static bool excuse_said;

static bool is_set(const int *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

/* Begins to count locks as the recording wants it. */
static bool begin(void)
{
	const struct rbdprof_emitter *emitter = __atomic_load_n(&recorder_emitter, __ATOMIC_ACQUIRE);
	bool usable;

	counting = is_set(emitter->lock_waits);
	excuse = counting ? ticks_calibrate() : NULL;
	excuse_said = false;
	usable = counting && !excuse;
	every = usable && is_set(emitter->all_holds);
	pairs = usable && is_set(emitter->lock_pairs);
	conds = counting && is_set(emitter->cond_waits);
	if (counting)
		return lockstat_begin(every || pairs, pairs, conds);
	lockstat_end();
	return true;
}

static bool wants_otherwise(void)
{
	const struct rbdprof_emitter *emitter = __atomic_load_n(&recorder_emitter, __ATOMIC_ACQUIRE);

	return is_set(emitter->lock_waits) != counting || (counting && is_set(emitter->cond_waits) != conds) ||
	       (counting && !excuse && (is_set(emitter->all_holds) != every || is_set(emitter->lock_pairs) != pairs));
}

/* A counter that does not keep time any more cannot be told from what it got wrong: all begins anew. */
static void look_after_clock(void)
{
	if (wants_otherwise() || (counting && ticks_calibrate() && !excuse))
		begin();
	if (!excuse || excuse_said || !is_set(recorder_emitter->all_holds))
		return;
	excuse_said = true;
	EMIT_ALONE(undecoded(excuse));
}

static void say_locks(void)
{
	modules_say();
	counts_say(every || pairs);
	locknames_say();
}

static void pass(void)
{
	REAL(pthread_mutex_lock)(&passing);
	look_after_clock();
	if (counting)
		say_locks();
	usage_say();
	host_say();
	REAL(pthread_mutex_unlock)(&passing);
}

/* In between, when locks come and go faster than that. */
static void pass_counts(void)
{
	REAL(pthread_mutex_lock)(&passing);
	counts_say(every || pairs);
	REAL(pthread_mutex_unlock)(&passing);
}

/* Tells what threads keep. keep: they may go on with it. */
static void tell_batches(bool keep)
{
	REAL(pthread_mutex_lock)(&passing);
	recorder_emitter->batches(keep);
	REAL(pthread_mutex_unlock)(&passing);
}

/* Sleeps until the next pass is due. False: it is not to live longer. */
static bool rest(void)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};

	for (int i = 0; i < LOOKS; i++) {
		syscall(SYS_futex, &finishing, FUTEX_WAIT_PRIVATE, 0, &look, NULL, 0);
		if (__atomic_load_n(&finishing, __ATOMIC_ACQUIRE) || !recorder_wants_requests())
			return false;
		tell_batches(true);
		if (lockstat_crowded())
			pass_counts();
	}
	return true;
}

/* When requests are not wanted any more, the rest may still be: whoever ends a recording gives it time for a last pass. */
static void *live(void *unused)
{
	recorder_thread.inside = 1; /* its locks are nobody's business */
	prctl(PR_SET_NAME, FLUSHER_NAME);
	tell_batches(true);
	do
		pass();
	while (rest());
	pass();
	tell_batches(false);
	EMIT_ALONE(totals(recorder_emitted(), records_passed_through()));
	lockstat_end();
	__atomic_store_n(&flusher_alive, false, __ATOMIC_RELEASE);
	return unused;
}

/* With all signals blocked: the program's handlers run on the program's threads. */
static bool start(void)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	int result;

	if (pthread_attr_init(&attributes))
		return false;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&thread, &attributes, live, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return !result;
}

void flusher_ensure(void)
{
	int error = errno, cancellable;

	if (__atomic_load_n(&flusher_alive, __ATOMIC_RELAXED) || !recorder_wants_requests() ||
	    __atomic_load_n(&finishing, __ATOMIC_RELAXED) || __atomic_exchange_n(&flusher_alive, true, __ATOMIC_ACQUIRE))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	recorder_thread.inside++; /* so that pthread_create's locks are not counted as the program's */
	if (!begin() || !start()) {
		lockstat_end();
		__atomic_store_n(&flusher_alive, false, __ATOMIC_RELEASE);
	}
	recorder_thread.inside--;
	pthread_setcancelstate(cancellable, NULL);
	errno = error;
}

static void sleep_ms(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	nanosleep(&pause, NULL);
}

void flusher_finish(void)
{
	__atomic_store_n(&finishing, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &finishing, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	for (int i = 0; i < PATIENCE_MS && __atomic_load_n(&flusher_alive, __ATOMIC_ACQUIRE); i++)
		sleep_ms();
}

void flusher_pause(void)
{
	for (int i = 0; i < FORK_MS && !paused; i++) {
		paused = !REAL(pthread_mutex_trylock)(&passing);
		if (!paused)
			sleep_ms();
	}
}

void flusher_resume(void)
{
	if (paused)
		REAL(pthread_mutex_unlock)(&passing);
	paused = false;
}

void flusher_reset(void)
{
	passing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	paused = false;
	flusher_alive = false;
	finishing = 0;
}
