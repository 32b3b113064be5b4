/*
 * uthash as the core uses it: when memory runs out it says so instead of ending the program. After an addition `hh.tbl` of the added
 * element is NULL if it failed; hash_failed() asks.
 */
#ifndef RBDPROF_ANALYZER_CORE_HASH_H
#define RBDPROF_ANALYZER_CORE_HASH_H

#include <stdint.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define hash_failed(element) (!(element)->hh.tbl)

/* The hash value of two numbers, most of which follow each other: a multiplication spreads them well, and uthash's own function costs
 * several times as much. For the tables that are asked at every event. */
static inline unsigned hash_numbers(uint64_t first, uint64_t second)
{
	return (unsigned)((first ^ second << 56) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#endif
