/*
 * A fixed number of items of one size, taken and given back by any thread without a lock. Memory is the caller's: zero pages that are
 * touched only once used, last given back first taken. Nothing is ever allocated.
 */
#ifndef RBDPROF_PRELOAD_POOL_H
#define RBDPROF_PRELOAD_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
	void *items;        /* each begins with a uint32_t that is the pool's while the item is free */
	size_t item_bytes;
	uint32_t most;
	uint32_t fresh;     /* items from here on were never taken */
	uint64_t free_list; /* a count that makes each head unique << 32 | index + 1 of the first free item */
};

#define POOL(array) {.items = (array), .item_bytes = sizeof((array)[0]), .most = sizeof(array) / sizeof((array)[0])}

/* An item; NULL when there is none. */
void *pool_take(struct pool *pool);

void pool_give_back(struct pool *pool, void *item);

#endif
