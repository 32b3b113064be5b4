/* Saying objects' names. */
#include "preload/objects.h"

#include <string.h>

#include "preload/recorder.h"

#define REMEMBERED 1024 /* names that need not be said again in this round; others share their places */

static uint64_t said[REMEMBERED]; /* an object's number mixed with the round in which it was said */

uint64_t objects_number(const struct cxx_string *oid)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */
	uint64_t mark;
	char name[128];

	for (size_t i = 0; i < oid->length; i++)
		hash = (hash ^ (uint8_t)oid->data[i]) * 0x100000001b3u;
	hash += !hash;
	mark = hash ^ (uint64_t)recorder_round() << 32;
	if (__atomic_exchange_n(&said[hash % REMEMBERED], mark, __ATOMIC_RELAXED) != mark) {
		size_t length = oid->length < sizeof(name) ? oid->length : sizeof(name) - 1;

		memcpy(name, oid->data, length);
		name[length] = '\0';
		EMIT(object(hash, name));
	}
	return hash;
}
