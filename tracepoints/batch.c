/* Threads' places for records, filled from the beginning; a full one is told and begun again. */
#include "tracepoints/batch.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracepoints/emit.h"

#define PLACES 512
#define WORDS  250 /* with what stands before them 2 KiB */

struct place {
	uint64_t words[WORDS];
	uint32_t end;  /* of what the thread has put in. Only that thread writes it */
	uint32_t told; /* of these. Whoever has `busy` writes it */
	uint32_t tid;  /* the thread's, the kernel's; 0: free */
	bool busy;     /* somebody tells */
} __attribute__((aligned(64)));

static struct place places[PLACES];
static uint32_t used; /* places that were ever taken */
static bool keeping;

uint64_t batch_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool enter(struct place *place)
{
	return !__atomic_test_and_set(&place->busy, __ATOMIC_ACQUIRE);
}

static void leave(struct place *place)
{
	__atomic_clear(&place->busy, __ATOMIC_RELEASE);
}

/* Between enter() and leave(). */
static void tell(struct place *place)
{
	uint32_t end = __atomic_load_n(&place->end, __ATOMIC_ACQUIRE);

	if (end != place->told)
		batch_emit(place->words + place->told, end - place->told);
	place->told = end;
}

static void note_used(uint32_t count)
{
	uint32_t before = __atomic_load_n(&used, __ATOMIC_RELAXED);

	while (before < count && !__atomic_compare_exchange_n(&used, &before, count, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* The calling thread's; NULL: there is none. */
static struct place *take(void)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	for (uint32_t i = 0; i < PLACES; i++) {
		uint32_t none = 0;

		if (__atomic_load_n(&places[i].tid, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&places[i].tid, &none, tid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		note_used(i + 1);
		rbdprof_thread_place = &places[i];
		return &places[i];
	}
	return NULL;
}

/* Makes room by telling. False: somebody else tells it just now. */
static bool empty(struct place *place)
{
	if (!enter(place))
		return false;
	tell(place);
	place->told = 0;
	__atomic_store_n(&place->end, 0, __ATOMIC_RELAXED);
	leave(place);
	return true;
}

uint64_t *batch_begin(uint8_t what, uint64_t moment_ns, size_t count, uint64_t *own)
{
	struct place *mine = rbdprof_thread_place;
	uint64_t *header;
	uint32_t end;

	if (!__atomic_load_n(&keeping, __ATOMIC_RELAXED))
		return own;
	if (!mine)
		mine = take();
	if (!mine)
		return own;
	end = __atomic_load_n(&mine->end, __ATOMIC_RELAXED);
	if (end + 1 + count > WORDS) {
		if (!empty(mine))
			return own;
		end = 0;
	}
	header = mine->words + end;
	*header = (uint64_t)what << RBDPROF_RECORD_SHIFT | (moment_ns & ((UINT64_C(1) << RBDPROF_RECORD_SHIFT) - 1));
	return header + 1;
}

void batch_end(size_t count)
{
	struct place *mine = rbdprof_thread_place;

	__atomic_store_n(&mine->end, __atomic_load_n(&mine->end, __ATOMIC_RELAXED) + 1 + (uint32_t)count, __ATOMIC_RELEASE);
}

void batches_tell_now(void)
{
	uint32_t end = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		if (!enter(&places[i]))
			continue;
		tell(&places[i]);
		leave(&places[i]);
	}
}

/* Threads that are gone leave their places to others. */
static void take_back(void)
{
	uint32_t end = __atomic_load_n(&used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		struct place *place = &places[i];
		uint32_t tid = __atomic_load_n(&place->tid, __ATOMIC_RELAXED);

		if (tid && syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH && empty(place))
			__atomic_store_n(&place->tid, 0, __ATOMIC_RELEASE);
	}
}

uint64_t batches_tell(int keep)
{
	static uint64_t begun_ns; /* the call before */
	uint64_t until_ns = begun_ns;

	begun_ns = keep ? batch_now_ns() : 0;
	__atomic_store_n(&keeping, keep, __ATOMIC_SEQ_CST);
	batches_tell_now();
	take_back();
	return until_ns;
}

void batches_forget(void)
{
	keeping = false;
	for (uint32_t i = 0; i < used; i++) {
		places[i].tid = &places[i] == rbdprof_thread_place ? (uint32_t)syscall(SYS_gettid) : 0;
		places[i].end = places[i].told = 0;
		places[i].busy = false;
	}
}
