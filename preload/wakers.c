/* The last signaller of condition variables. */
#include "preload/wakers.h"

#include "preload/recorder.h"

#define ENTRIES  1024
#define TID_BITS 22 /* Linux gives no higher ones */

static uint64_t entries[ENTRIES]; /* the variable's address / 8, as far as it fits, << TID_BITS | tid */

static uint64_t tag(const void *cond)
{
	return (uint64_t)(uintptr_t)cond >> 3 << TID_BITS;
}

static uint64_t *entry(const void *cond)
{
	return &entries[(uint64_t)(uintptr_t)cond * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ENTRIES - 1)];
}

void wakers_note(const void *cond)
{
	__atomic_store_n(entry(cond), tag(cond) | recorder_tid(), __ATOMIC_RELAXED);
}

uint32_t wakers_last(const void *cond)
{
	uint64_t last = __atomic_load_n(entry(cond), __ATOMIC_RELAXED);
	uint64_t tid = (UINT64_C(1) << TID_BITS) - 1;

	return (last & ~tid) == tag(cond) ? (uint32_t)(last & tid) : 0;
}
