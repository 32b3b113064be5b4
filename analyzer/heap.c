#include "analyzer/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_earlier(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

int heap_push(struct heap *heap, int64_t time_ns, uint64_t order, void *what)
{
	const struct heap_entry added = {time_ns, order, what};
	size_t at = heap->count;

	if (heap->count == heap->room) {
		size_t room = heap->room ? 2 * heap->room : 16;
		struct heap_entry *grown = realloc(heap->entries, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		heap->entries = grown;
		heap->room = room;
	}
	heap->count++;
	while (at > 0 && is_earlier(&added, &heap->entries[(at - 1) / 2])) {
		heap->entries[at] = heap->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->entries[at] = added;
	return 0;
}

void heap_settle(struct heap *heap)
{
	struct heap_entry *entries = heap->entries, moving = entries[0];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count && is_earlier(&entries[child + 1], &entries[child]))
			child++;
		if (!is_earlier(&entries[child], &moving))
			break;
		entries[at] = entries[child];
		at = child;
	}
	entries[at] = moving;
}

void heap_pop(struct heap *heap)
{
	heap->entries[0] = heap->entries[--heap->count];
	heap_settle(heap);
}

void heap_fini(struct heap *heap)
{
	free(heap->entries);
	memset(heap, 0, sizeof(*heap));
}
