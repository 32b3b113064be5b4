/*
 * Which functions of a librbd the shim sees: tracepoints/functions.def held against names in files. It knows names; it opens files only
 * to read those.
 */
#ifndef RBDPROF_ANALYZER_FUNCTIONS_H
#define RBDPROF_ANALYZER_FUNCTIONS_H

#include <stdbool.h>

struct functions_seen {
	unsigned int missing;   /* functions that the shim needs and that this librbd has not: it stands aside then */
	unsigned int unseen;    /* functions of its C interface that move data and that the shim does not know */
	char first_missing[64]; /* "" */
	char first_unseen[64];
};

/* Compares a librbd file with the table. Returns 0, or a negative errno when it cannot be read. */
int functions_compare(struct functions_seen *seen, const char *librbd);

/* Whether a name is one of the table's. */
bool functions_has_row(const char *name);

/* Whether a name is a function of librbd that moves data, of its C interface or of its C++ one. */
bool functions_moves_data(const char *name);
bool functions_moves_data_cxx(const char *name);

#endif
