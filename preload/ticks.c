/* The rate of the cycle counter, against the monotonic clock. */
#include "preload/ticks.h"

#include <stddef.h>
#include <sys/prctl.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define LEAST_BASE_NS 10000000u  /* a reading of the clock is good to some 50 ns: 5 in a million of this */
#define JUDGED_NS     500000000u /* a rate over less than this is too coarse to be held against another */
#define TOLERANCE     1000       /* one part in so many: a counter that is off by more does not keep time */

struct moment {
	uint64_t ticks;
	uint64_t ns;
};

int ticks_invariant;

static struct moment first, previous;
static uint64_t ns_per_tick; /* << 32 */

/* Both at once: of a few tries the one that was interrupted least. */
static struct moment read_both(void)
{
	struct moment best = {0};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t before = ticks_now(), ns = recorder_now_ns(), after = ticks_now();

		if (after - before < least) {
			least = after - before;
			best.ticks = before + (after - before) / 2;
			best.ns = ns;
		}
	}
	return best;
}

static const char *unusable(void)
{
#if defined(__x86_64__)
	unsigned int a, b, c, d;
	int may = PR_TSC_ENABLE;

	if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & 1u << 8))
		return "cycle counter: its rate is not constant";
	if (!prctl(PR_GET_TSC, &may) && may != PR_TSC_ENABLE)
		return "cycle counter: this process may not read it";
	return NULL;
#elif defined(__aarch64__)
	return NULL;
#else
	return "cycle counter: not known on this processor";
#endif
}

void ticks_init(void)
{
	if (first.ns)
		return;
	ticks_invariant = !unusable();
	first = previous = read_both();
	ns_per_tick = UINT64_C(1) << 32;
}

static uint64_t rate(const struct moment *from, const struct moment *to)
{
	uint64_t ticks = to->ticks - from->ticks;

	return ticks ? (uint64_t)(((unsigned __int128)(to->ns - from->ns) << 32) / ticks) : 0;
}

/* Whether the last stretch ran at the rate of the whole. */
static bool steady(const struct moment *now, uint64_t overall)
{
	uint64_t lately = rate(&previous, now), off = lately > overall ? lately - overall : overall - lately;

	return now->ns - previous.ns < JUDGED_NS || off <= overall / TOLERANCE;
}

const char *ticks_calibrate(void)
{
	const char *why = unusable();
	struct moment now;
	uint64_t overall;

	if (why || !ticks_invariant)
		return why ? why : "cycle counter: it does not keep time";
	now = read_both();
	if (now.ns - first.ns < LEAST_BASE_NS) {
		const struct timespec rest = {.tv_nsec = (long)(LEAST_BASE_NS - (now.ns - first.ns))};

		nanosleep(&rest, NULL);
		now = read_both();
	}
	overall = rate(&first, &now);
	if (!overall || !steady(&now, overall)) {
		__atomic_store_n(&ticks_invariant, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ns_per_tick, UINT64_C(1) << 32, __ATOMIC_RELAXED);
		return "cycle counter: it does not keep time";
	}
	if (now.ns - previous.ns >= JUDGED_NS)
		previous = now;
	__atomic_store_n(&ns_per_tick, overall, __ATOMIC_RELAXED);
	return NULL;
}

uint64_t ticks_to_ns(uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * __atomic_load_n(&ns_per_tick, __ATOMIC_RELAXED)) >> 32);
}
