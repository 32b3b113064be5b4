/* Slots that are looked for near a place that the key's address gives. */
#include "preload/keyed.h"

#include <stdbool.h>

#define NEAR 8 /* slots that are looked at */

static const void **slot_near(const struct keyed *table, const void *key, uint32_t i)
{
	uint32_t place = (uint32_t)(((uintptr_t)key >> 4) * 2654435761u);

	return (const void **)((char *)table->slots + (place + i) % table->count * table->slot_bytes);
}

void *keyed_find(const struct keyed *table, const void *key)
{
	for (uint32_t i = 0; key && i < NEAR; i++) {
		const void **slot = slot_near(table, key, i);

		if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) == key)
			return slot;
	}
	return NULL;
}

void *keyed_take(const struct keyed *table, const void *key)
{
	for (uint32_t i = 0; i < NEAR; i++) {
		const void **slot = slot_near(table, key, i), *none = NULL;

		if (__atomic_compare_exchange_n(slot, &none, key, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return slot;
	}
	return NULL;
}

void keyed_give_back(void *slot)
{
	__atomic_store_n((const void **)slot, NULL, __ATOMIC_RELEASE);
}
