/*
 * What objects locks lie in, as the shim inferred from run-time type information: a mangled type and the place within it. Each type and
 * place is one thing, so that two locks are of one kind when their types are one pointer. It does not demangle.
 */
#ifndef RBDPROF_ANALYZER_CORE_LOCK_TYPES_H
#define RBDPROF_ANALYZER_CORE_LOCK_TYPES_H

#include <stdint.h>

#include "analyzer/core/hash.h"

struct lock_type {
	char *key;        /* owned */
	const char *type; /* mangled, within key */
	uint64_t offset_bytes;
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct lock_types {
	struct lock_type *types; /* owned */
	struct told_type *told;  /* owned; by address */
};

void lock_types_fini(struct lock_types *types);

/* Notes what the lock at this address of the process lies in from now on. *type is that type. Returns 0 or -ENOMEM. */
int lock_types_tell(struct lock_types *types, uint32_t process, uint64_t address, uint64_t offset_bytes, const char *mangled,
		    const struct lock_type **type);

/* What was last told of the address; NULL when nothing was. */
const struct lock_type *lock_types_find(const struct lock_types *types, uint32_t process, uint64_t address);

#endif
