/* Looks, told by the dozen. */
#include "preload/reaps.h"

#include <stdbool.h>

#include "preload/recorder.h"

#define AT_ONCE 16

struct looks {
	size_t count;
	uint64_t requests[AT_ONCE];
	uint64_t at_ns[AT_ONCE];
};

static struct {
	struct looks looks;
	bool busy; /* they are being changed */
} __attribute__((aligned(64))) kept; /* what others read must not share its lines */

static bool enter(void)
{
	return !__atomic_test_and_set(&kept.busy, __ATOMIC_ACQUIRE);
}

static void leave(void)
{
	__atomic_clear(&kept.busy, __ATOMIC_RELEASE);
}

static void say(const struct looks *looks)
{
	uint64_t ago_ns[AT_ONCE], now_ns = recorder_now_ns();

	for (size_t i = 0; i < looks->count; i++)
		ago_ns[i] = now_ns - looks->at_ns[i];
	EMIT(reap(looks->requests, ago_ns, looks->count));
}

/* To be called between enter() and leave(). The count is also looked at from outside. */
static void keep(size_t count)
{
	__atomic_store_n(&kept.looks.count, count, __ATOMIC_RELAXED);
}

static void add(uint64_t request, uint64_t now_ns)
{
	struct looks own;

	own.count = 0;
	if (!enter()) {
		own.requests[0] = request;
		own.at_ns[0] = now_ns;
		own.count = 1;
	} else {
		kept.looks.requests[kept.looks.count] = request;
		kept.looks.at_ns[kept.looks.count] = now_ns;
		keep(kept.looks.count + 1);
		if (kept.looks.count == AT_ONCE) {
			own = kept.looks;
			keep(0);
		}
		leave();
	}
	if (own.count)
		say(&own);
}

void reaps_add(const uint64_t *requests, size_t count)
{
	uint64_t now_ns = recorder_now_ns();

	for (size_t i = 0; i < count; i++)
		add(requests[i], now_ns);
}

void reaps_say(void)
{
	struct looks left;

	if (!__atomic_load_n(&kept.looks.count, __ATOMIC_RELAXED) || !enter())
		return;
	left = kept.looks;
	keep(0);
	leave();
	if (left.count && recorder_wants_requests())
		say(&left);
}

void reaps_reset(void)
{
	keep(0);
	leave();
}
