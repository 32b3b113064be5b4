/* Two threads and a lock. */
#include "holding.h"

#include "test.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.h"

#define TRIES 10

static const struct holding *plan;
static struct held seen;
static int step; /* 1: held; 2: about to be asked for */
static uint64_t acquired_ns, released_ns, asked_ns;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void sleep_ns(uint64_t ns)
{
	const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	nanosleep(&t, NULL);
}

bool agrees(uint64_t measured_ns, uint64_t own_ns)
{
	uint64_t off = measured_ns > own_ns ? measured_ns - own_ns : own_ns - measured_ns;

	return off <= 20000 || off <= own_ns / 20;
}

static void *hold(void *unused)
{
	seen.holder = (uint32_t)syscall(SYS_gettid);
	if (plan->acquire(plan->lock))
		abort();
	acquired_ns = now_ns();
	seen.holder_thread = recorder_thread_number();
	__atomic_store_n(&step, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&step, __ATOMIC_ACQUIRE) != 2)
		sched_yield();
	sleep_ns(plan->after_ns);
	released_ns = now_ns();
	if (plan->release)
		plan->release(plan->lock);
	return unused;
}

static void *ask(void *unused)
{
	seen.waiter = (uint32_t)syscall(SYS_gettid);
	seen.waiter_thread = recorder_thread_number();
	while (__atomic_load_n(&step, __ATOMIC_ACQUIRE) != 1)
		sched_yield();
	sleep_ns(plan->before_ns);
	__atomic_store_n(&step, 2, __ATOMIC_RELEASE);
	asked_ns = now_ns();
	seen.result = plan->ask(plan->lock);
	seen.wait_ns = now_ns() - asked_ns;
	if (seen.result == 0 || seen.result == EOWNERDEAD)
		plan->give_back(plan->lock);
	return unused;
}

struct held hold_and_ask(const struct holding *holding)
{
	pthread_t threads[2];

	plan = holding;
	memset(&seen, 0, sizeof(seen));
	step = 0;
	pthread_create(&threads[0], NULL, hold, NULL);
	pthread_create(&threads[1], NULL, ask, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	seen.blocked_ns = released_ns - asked_ns;
	seen.hold_ns = released_ns - acquired_ns;
	return seen;
}

void at_last(bool (*run)(void))
{
	for (int i = 0; i < TRIES; i++)
		if (run())
			return;
	fail_msg("in none of %d runs did the times agree", TRIES);
}
