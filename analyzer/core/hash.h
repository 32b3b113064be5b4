/*
 * uthash as the core uses it: when memory runs out it says so instead of ending the program. After an addition `hh.tbl` of the added
 * element is NULL if it failed; hash_failed() asks.
 */
#ifndef RBDPROF_ANALYZER_CORE_HASH_H
#define RBDPROF_ANALYZER_CORE_HASH_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define hash_failed(element) (!(element)->hh.tbl)

#endif
