#include "analyzer/core/lock_counts.h"

#include <errno.h>
#include <stdlib.h>

/* What a thread last said of a lock. */
struct thread_counts {
	struct {
		uint64_t address;
		uint32_t process;
		uint32_t thread;
		uint64_t kind;
	} key;
	uint64_t series;
	struct counts said;
	UT_hash_handle hh;
};

void lock_counts_fini(struct lock_counts *counts)
{
	struct thread_counts *thread, *next;

	HASH_ITER(hh, counts->threads, thread, next)
	{
		HASH_DEL(counts->threads, thread);
		free(thread);
	}
}

static struct thread_counts *thread_get(struct lock_counts *counts, uint32_t process, const struct event_counts *told)
{
	struct thread_counts sought = {.key = {told->lock, process, told->thread, told->kind}}, *thread;

	HASH_FIND(hh, counts->threads, &sought.key, sizeof(sought.key), thread);
	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->key = sought.key;
	HASH_ADD(hh, counts->threads, key, sizeof(thread->key), thread);
	if (hash_failed(thread)) {
		free(thread);
		return NULL;
	}
	return thread;
}

int lock_counts_feed(struct lock_counts *counts, uint32_t process, const struct event_counts *told, struct counts *added)
{
	struct counts said = {told->acquisitions, told->contended, told->wait_ns, told->holds, told->hold_ns};
	struct thread_counts *thread = thread_get(counts, process, told);

	if (!thread)
		return -ENOMEM;
	*added = said;
	if (told->series == thread->series && said.acquisitions >= thread->said.acquisitions &&
	    said.contended >= thread->said.contended && said.wait_ns >= thread->said.wait_ns && said.holds >= thread->said.holds &&
	    said.hold_ns >= thread->said.hold_ns) {
		added->acquisitions -= thread->said.acquisitions;
		added->contended -= thread->said.contended;
		added->wait_ns -= thread->said.wait_ns;
		added->holds -= thread->said.holds;
		added->hold_ns -= thread->said.hold_ns;
	}
	thread->series = told->series;
	thread->said = said;
	return 0;
}

void counts_add(struct counts *to, const struct counts *added)
{
	to->acquisitions += added->acquisitions;
	to->contended += added->contended;
	to->wait_ns += added->wait_ns;
	to->holds += added->holds;
	to->hold_ns += added->hold_ns;
}
