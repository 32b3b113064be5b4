/* Choosing, taking and saying stacks. */
#include "preload/stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "preload/recorder.h"

#define DEFAULT_OVER_US 20
#define FRAMES          16
#define OWN_FRAMES      8        /* the provider's and the shim's, before the caller's */
#define PERIOD_NS       100000000
#define BUDGET_NS       100000 /* a period: a thousandth of a processor */
#define MOST_SPENT_NS   50000 /* on one stack: what a thread's first takes longer, since its caches are made, is not held against the others */
#define SITES           1024
#define PROBES          4
#define LONG_ADDS       4 /* a long wait outweighs so many short ones */
#define LONG_MOST       16
#define SAID            2048
#define MOST_RANGES     8

/* A place in the code that waits. */
static struct site {
	uint64_t caller;
	uint32_t lately; /* not 0: waits have been long */
} sites[SITES];

/* A stack that was said, and in which round of descriptions. Two threads that say one at once do no harm. */
static struct said {
	uint64_t stack;
	uint32_t round;
} said[SAID];

static uint64_t over_ns = DEFAULT_OVER_US * 1000;
static uint64_t period, spent_ns; /* in that period */
static struct range {
	uintptr_t begin, end;
} unsafe[MOST_RANGES];
static int unsafe_count;
static bool forked;

void stack_init(void)
{
	const char *over = getenv("RBDPROF_STACKS_OVER");
	char *end;
	unsigned long us;

	if (!over || !*over)
		return;
	us = strtoul(over, &end, 10);
	if (!*end && us <= UINT32_MAX)
		over_ns = (uint64_t)us * 1000;
}

static bool is_unsafe(const struct dl_phdr_info *info, uintptr_t of_malloc)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	name = name ? name + 1 : "";
	if (!strncmp(name, "ld-linux", 8) || !strncmp(name, "libc.so", 7) || !strncmp(name, "libunwind", 9))
		return true;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    of_malloc - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* The unwinder asks the loader where code lies, and its first call in a thread allocates. */
static int note_unsafe(struct dl_phdr_info *info, size_t size, void *of_malloc)
{
	(void)size;
	if (!is_unsafe(info, (uintptr_t)of_malloc))
		return 0;
	for (int i = 0; i < info->dlpi_phnum && unsafe_count < MOST_RANGES; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		unsafe[unsafe_count].begin = info->dlpi_addr + segment->p_vaddr;
		unsafe[unsafe_count].end = unsafe[unsafe_count].begin + segment->p_memsz;
		unsafe_count++;
	}
	return 0;
}

void stack_prepare(void)
{
	if (!unsafe_count)
		dl_iterate_phdr(note_unsafe, dlsym(RTLD_DEFAULT, "malloc"));
}

static bool may_unwind(uintptr_t caller)
{
	if (!recorder_emitter->unwind || forked)
		return false;
	for (int i = 0; i < unsafe_count; i++)
		if (caller >= unsafe[i].begin && caller < unsafe[i].end)
			return false;
	return true;
}

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return value ^ value >> 29;
}

/* The site of a caller; NULL: it is not known, or there is no place for it. */
static struct site *find_site(uint64_t caller, bool make)
{
	size_t at = (size_t)mix(caller);

	for (size_t i = 0; i < PROBES; i++) {
		struct site *site = &sites[(at + i) % SITES];
		uint64_t found = __atomic_load_n(&site->caller, __ATOMIC_RELAXED);

		if (!found && make && __atomic_compare_exchange_n(&site->caller, &found, caller, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return site;
		if (found == caller)
			return site;
		if (!found)
			return NULL;
	}
	return NULL;
}

void stack_judge(const void *caller, uint64_t wait_ns)
{
	bool is_long = wait_ns >= over_ns;
	struct site *site = find_site((uintptr_t)caller, is_long);
	uint32_t lately = site ? __atomic_load_n(&site->lately, __ATOMIC_RELAXED) : 0;

	if (!site || (!is_long && !lately))
		return;
	lately = is_long ? lately + LONG_ADDS : lately - 1;
	__atomic_store_n(&site->lately, lately < LONG_MOST ? lately : LONG_MOST, __ATOMIC_RELAXED);
}

static bool is_slow(const void *caller)
{
	const struct site *site = find_site((uintptr_t)caller, false);

	return !over_ns || (site && __atomic_load_n(&site->lately, __ATOMIC_RELAXED));
}

/* Threads that begin a period at once may each forget what the other spent. */
static bool may_spend(uint64_t now_ns)
{
	uint64_t now = now_ns / PERIOD_NS;

	if (__atomic_exchange_n(&period, now, __ATOMIC_RELAXED) != now)
		__atomic_store_n(&spent_ns, 0, __ATOMIC_RELAXED);
	return __atomic_load_n(&spent_ns, __ATOMIC_RELAXED) < BUDGET_NS;
}

/* Of the caller's own frame and those above it; 0 when it is not among them. */
static size_t unwind(uint64_t frames[FRAMES], const void *caller)
{
	uint64_t all[FRAMES + OWN_FRAMES];
	size_t count = recorder_emitter->unwind(all, FRAMES + OWN_FRAMES), first = 0;

	while (first < count && all[first] != (uintptr_t)caller)
		first++;
	count = count - first < FRAMES ? count - first : FRAMES;
	memcpy(frames, all + first, count * sizeof(frames[0]));
	return count;
}

static uint64_t number(const uint64_t *frames, size_t count)
{
	uint64_t stack = count;

	for (size_t i = 0; i < count; i++)
		stack = mix(stack + frames[i]);
	return stack ? stack : 1;
}

static void say(uint64_t stack, const uint64_t *frames, size_t count)
{
	struct said *before = &said[stack % SAID];
	uint32_t round = recorder_round();

	if (__atomic_load_n(&before->stack, __ATOMIC_RELAXED) == stack && __atomic_load_n(&before->round, __ATOMIC_RELAXED) == round)
		return;
	__atomic_store_n(&before->stack, stack, __ATOMIC_RELAXED);
	__atomic_store_n(&before->round, round, __ATOMIC_RELAXED);
	EMIT(stack(stack, frames, count));
}

uint64_t stack_take(const void *caller, uint64_t now_ns)
{
	uint64_t frames[FRAMES], stack = 0, took_ns;
	int error = errno;
	size_t count;

	if (!is_slow(caller) || !may_unwind((uintptr_t)caller) || !may_spend(now_ns))
		return 0;
	recorder_thread.inside++; /* the unwinder's own locks are not the program's */
	count = unwind(frames, caller);
	recorder_thread.inside--;
	if (count) {
		stack = number(frames, count);
		say(stack, frames, count);
	}
	took_ns = recorder_now_ns() - now_ns;
	__atomic_fetch_add(&spent_ns, took_ns < MOST_SPENT_NS ? took_ns : MOST_SPENT_NS, __ATOMIC_RELAXED);
	errno = error;
	return stack;
}

void stack_reset(void)
{
	forked = true;
}
