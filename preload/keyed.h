/*
 * A fixed number of slots, each found by an address that is its key while it is taken. Any thread, no lock: what is at an address has one
 * owner at a time, and it alone takes, uses and gives back the slot of that address. Memory is the caller's, zero at first.
 */
#ifndef RBDPROF_PRELOAD_KEYED_H
#define RBDPROF_PRELOAD_KEYED_H

#include <stddef.h>
#include <stdint.h>

struct keyed {
	void *slots;       /* each begins with a const void * that is the table's: its key; NULL: free */
	size_t slot_bytes;
	uint32_t count;
};

#define KEYED(array) {.slots = (array), .slot_bytes = sizeof((array)[0]), .count = sizeof(array) / sizeof((array)[0])}

/* The slot of a key; NULL when there is none, as for NULL. */
void *keyed_find(const struct keyed *table, const void *key);

/* A slot for a key that has none; NULL when there is no room near its place. What is in it behind the key is of former times. */
void *keyed_take(const struct keyed *table, const void *key);

void keyed_give_back(void *slot);

#endif
