#include "analyzer/core/lock_types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct told_type {
	struct {
		uint64_t address;
		uint64_t process;
	} key;
	const struct lock_type *type;
	UT_hash_handle hh;
};

void lock_types_fini(struct lock_types *types)
{
	struct lock_type *type, *next_type;
	struct told_type *told, *next_told;

	HASH_ITER(hh, types->told, told, next_told)
	{
		HASH_DEL(types->told, told);
		free(told);
	}
	HASH_ITER(hh, types->types, type, next_type)
	{
		HASH_DEL(types->types, type);
		free(type->key);
		free(type);
	}
}

static const struct lock_type *type_get(struct lock_types *types, uint64_t offset_bytes, const char *mangled)
{
	struct lock_type *type;
	char *key;

	if (asprintf(&key, "%" PRIu64 " %s", offset_bytes, mangled) < 0)
		return NULL;
	HASH_FIND_STR(types->types, key, type);
	if (type) {
		free(key);
		return type;
	}
	type = calloc(1, sizeof(*type));
	if (type) {
		type->key = key;
		type->type = strchr(key, ' ') + 1;
		type->offset_bytes = offset_bytes;
		HASH_ADD_KEYPTR(hh, types->types, type->key, strlen(type->key), type);
		if (!hash_failed(type))
			return type;
	}
	free(type);
	free(key);
	return NULL;
}

static struct told_type *told_find(const struct lock_types *types, uint32_t process, uint64_t address)
{
	struct told_type sought = {.key = {address, process}}, *told;

	HASH_FIND(hh, types->told, &sought.key, sizeof(sought.key), told);
	return told;
}

const struct lock_type *lock_types_find(const struct lock_types *types, uint32_t process, uint64_t address)
{
	const struct told_type *told = told_find(types, process, address);

	return told ? told->type : NULL;
}

int lock_types_tell(struct lock_types *types, uint32_t process, uint64_t address, uint64_t offset_bytes, const char *mangled,
		    const struct lock_type **type)
{
	struct told_type *told = told_find(types, process, address);

	*type = type_get(types, offset_bytes, mangled);
	if (!*type)
		return -ENOMEM;
	if (!told) {
		told = calloc(1, sizeof(*told));
		if (!told)
			return -ENOMEM;
		told->key.address = address;
		told->key.process = process;
		HASH_ADD(hh, types->told, key, sizeof(told->key), told);
		if (hash_failed(told)) {
			free(told);
			return -ENOMEM;
		}
	}
	told->type = *type;
	return 0;
}
