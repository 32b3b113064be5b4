#include "analyzer/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/type_votes.h"
#include "analyzer/demangle.h"

struct place {
	struct {
		uint64_t address;
		uint64_t process;
	} key;
	char *site; /* owned, as the next */
	char *function;
	UT_hash_handle hh;
};

struct names {
	struct symbols *symbols;
	struct place *places; /* owned */
	struct type_votes votes;
};

struct names *names_create(void)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->symbols = symbols_create();
	if (names->symbols)
		return names;
	free(names);
	return NULL;
}

void names_destroy(struct names *names)
{
	struct place *place, *next;

	if (!names)
		return;
	HASH_ITER(hh, names->places, place, next)
	{
		HASH_DEL(names->places, place);
		free(place->site);
		free(place->function);
		free(place);
	}
	type_votes_fini(&names->votes);
	symbols_destroy(names->symbols);
	free(names);
}

int names_learn(struct names *names, const struct model *model)
{
	return type_votes_count(&names->votes, model);
}

/* NAME, or NAME+0xOFFSET. */
static char *with_offset(const char *name, uint64_t offset)
{
	char *text;

	if (!offset)
		return strdup(name);
	return asprintf(&text, "%s+0x%" PRIx64, name, offset) < 0 ? NULL : text;
}

/* A function's name without parameters and template arguments, and for a site its line, or how far behind its begin. */
static char *describe(const struct symbol *symbol, bool as_site)
{
	char *function, *text = NULL;

	if (!symbol->module)
		return strdup("unknown code");
	if (!symbol->name)
		return with_offset(symbol->module, symbol->module_offset);
	function = strdup(symbol->name);
	if (!function)
		return NULL;
	shorten_function(function);
	if (!as_site)
		return function;
	if (!symbol->file)
		text = with_offset(function, symbol->offset);
	else if (asprintf(&text, "%s (%s:%d)", function, symbol->file, symbol->line) < 0)
		text = NULL;
	free(function);
	return text;
}

static const struct place *place_get(struct names *names, const struct process *process, uint64_t address)
{
	struct place sought = {.key = {address, process->number}}, *place;
	const struct symbol *symbol;

	HASH_FIND(hh, names->places, &sought.key, sizeof(sought.key), place);
	if (place)
		return place;
	symbol = symbols_call(names->symbols, process, address);
	place = symbol ? calloc(1, sizeof(*place)) : NULL;
	if (!place)
		return NULL;
	place->key = sought.key;
	place->site = address ? describe(symbol, true) : strdup("");
	place->function = address ? describe(symbol, false) : strdup("");
	if (place->site && place->function) {
		HASH_ADD(hh, names->places, key, sizeof(place->key), place);
		if (!hash_failed(place))
			return place;
	}
	free(place->site);
	free(place->function);
	free(place);
	return NULL;
}

const char *names_site(struct names *names, const struct process *process, uint64_t return_address)
{
	const struct place *place = place_get(names, process, return_address);

	return place ? place->site : NULL;
}

const char *names_function(struct names *names, const struct process *process, uint64_t return_address)
{
	const struct place *place = place_get(names, process, return_address);

	return place ? place->function : NULL;
}

static char *name_by_type(const struct lock_type *type)
{
	char *class = demangle_type(type->type), *name;

	if (!class)
		return NULL;
	if (asprintf(&name, "%s+0x%" PRIx64, class, type->offset_bytes) < 0)
		name = NULL;
	free(class);
	return name;
}

/* Where it was waited for longest; of a lock that is only known by its counts, its kind and where it lies. */
static char *name_by_site(struct names *names, const struct lock *lock)
{
	uint64_t address = lock_main_site(lock);
	const char *site = address ? names_site(names, lock->process, address) : NULL;
	char *name;

	if (site && strcmp(site, "unknown code") != 0)
		return asprintf(&name, "lock taken at %s", site) < 0 ? NULL : name;
	return asprintf(&name, "unknown lock 0x%" PRIx64, lock->key.address) < 0 ? NULL : name;
}

int names_lock(void *context, const struct lock *lock, char **name, uint8_t *inferred)
{
	struct names *names = context;
	const struct symbol *object = symbols_object(names->symbols, lock->process, lock->key.address);
	const struct lock_type *type = type_votes_type(&names->votes, lock);

	*inferred = 0;
	if (!object)
		return -ENOMEM;
	if (object->name) {
		*name = with_offset(object->name, object->offset);
	} else if (type) {
		*inferred = 1;
		*name = name_by_type(type);
	} else if (object->module) {
		*name = with_offset(object->module, object->module_offset);
	} else {
		*name = name_by_site(names, lock);
	}
	return *name ? 0 : -ENOMEM;
}
