/* A free list whose head carries a count, so that an item that came back in between is noticed. */
#include "preload/pool.h"

#include <stdbool.h>

static uint32_t *link_of(struct pool *pool, uint32_t index)
{
	return (uint32_t *)((char *)pool->items + index * pool->item_bytes);
}

void *pool_take(struct pool *pool)
{
	uint64_t head = __atomic_load_n(&pool->free_list, __ATOMIC_ACQUIRE);
	uint32_t index;

	while ((uint32_t)head) {
		uint32_t *first = link_of(pool, (uint32_t)head - 1);
		uint64_t rest = ((head >> 32) + 1) << 32 | __atomic_load_n(first, __ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&pool->free_list, &head, rest, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return first;
	}
	index = __atomic_load_n(&pool->fresh, __ATOMIC_RELAXED);
	while (index < pool->most)
		if (__atomic_compare_exchange_n(&pool->fresh, &index, index + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return link_of(pool, index);
	return NULL;
}

void pool_give_back(struct pool *pool, void *item)
{
	uint64_t head = __atomic_load_n(&pool->free_list, __ATOMIC_RELAXED);
	uint64_t mine = (size_t)((char *)item - (char *)pool->items) / pool->item_bytes + 1;

	do
		__atomic_store_n((uint32_t *)item, (uint32_t)head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&pool->free_list, &head, ((head >> 32) + 1) << 32 | mine, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}
