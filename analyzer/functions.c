/* The table's names, and beginnings of names. */
#include "analyzer/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/binary.h"

enum family {
	PTHREAD,
	RBD,
	RADOS,
	COMMON,
};

static const struct {
	enum family family;
	bool required;
	const char *name;
} rows[] = {
#define REQUIRED                          true
#define OPTIONAL                          false
#define FN(family, need, name)            {family, need, #name},
#define FN_AS(family, need, name, symbol) {family, need, symbol},
#include "tracepoints/functions.def"
#undef FN
#undef REQUIRED
#undef OPTIONAL
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool begins_with_one_of(const char *name, const char *const *beginnings, size_t count)
{
	for (size_t b = 0; b < count; b++)
		if (!strncmp(name, beginnings[b], strlen(beginnings[b])))
			return true;
	return false;
}

bool functions_has_row(const char *name)
{
	for (size_t r = 0; r < ROWS; r++)
		if (!strcmp(rows[r].name, name))
			return true;
	return false;
}

bool functions_moves_data(const char *name)
{
	static const char *const beginnings[] = {
#define MOVES(beginning) beginning,
#include "tracepoints/moving.def"
#undef MOVES
	};

	return !strstr(name, "_mirror_") && begins_with_one_of(name, beginnings, sizeof(beginnings) / sizeof(beginnings[0]));
}

bool functions_moves_data_cxx(const char *name)
{
	static const char class[] = "_ZN6librbd5Image";
	static const char *const beginnings[] = {
#define MOVES_CXX(beginning) beginning,
#include "tracepoints/moving.def"
#undef MOVES_CXX
	};

	if (strncmp(name, class, sizeof(class) - 1))
		return false;
	for (name += sizeof(class) - 1; isdigit((unsigned char)*name); name++)
		;
	return begins_with_one_of(name, beginnings, sizeof(beginnings) / sizeof(beginnings[0]));
}

struct comparison {
	struct functions_seen *seen;
	bool has[ROWS];
};

static bool compare(void *data, const char *name, bool offered, uint64_t value)
{
	struct comparison *comparison = data;

	(void)value;
	if (!offered)
		return true;
	for (size_t r = 0; r < ROWS; r++)
		comparison->has[r] |= !strcmp(rows[r].name, name);
	if (functions_moves_data(name) && !functions_has_row(name) && !comparison->seen->unseen++)
		snprintf(comparison->seen->first_unseen, sizeof(comparison->seen->first_unseen), "%.63s", name);
	return true;
}

int functions_compare(struct functions_seen *seen, const char *librbd)
{
	struct comparison comparison = {.seen = seen};
	struct binary *binary;
	int result = binary_open(&binary, librbd);

	memset(seen, 0, sizeof(*seen));
	if (result)
		return result;
	binary_symbols(binary, compare, &comparison);
	for (size_t r = 0; r < ROWS; r++)
		if (rows[r].family == RBD && rows[r].required && !comparison.has[r] && !seen->missing++)
			snprintf(seen->first_missing, sizeof(seen->first_missing), "%.63s", rows[r].name);
	binary_close(binary);
	return 0;
}
