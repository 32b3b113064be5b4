/*
 * What addresses of a recorded process are called: functions, data objects, files and lines. It knows libdw; it does not know traces beyond
 * where the process said its modules lie (code.h), nor what a report makes of a name.
 *
 * A module's file is taken only if its build-id is the one that the process had mapped, so that a file that was replaced since gives no
 * wrong names; then the debug file of the right build-id is taken if there is one. Symbols and lines come from the file, from debug
 * packages (/usr/lib/debug), and from debuginfod where DEBUGINFOD_URLS is set: libdw looks there by itself, and nowhere else.
 */
#ifndef RBDPROF_ANALYZER_SYMBOLS_H
#define RBDPROF_ANALYZER_SYMBOLS_H

#include <stdint.h>

#include "analyzer/core/images.h"

struct symbols;

/* Strings belong to the symbols. */
struct symbol {
	const char *module;     /* the file's name without its folder; NULL: no module lies there */
	uint64_t module_offset; /* address within the file */
	const char *name;       /* demangled; of code the function that was written there, inlined or not; NULL: not known */
	uint64_t offset;        /* from the name's begin; 0 where the function is an inlined one */
	const char *file;       /* without its folder; NULL: not known, as always for data */
	int line;
};

/* NULL when memory ran out. */
struct symbols *symbols_create(void);

/* NULL is fine. */
void symbols_destroy(struct symbols *symbols);

/* The call that returns to this address. Of inlined functions of the C++ library the one that called them is meant. */
const struct symbol *symbols_call(struct symbols *symbols, const struct process *process, uint64_t return_address);

/* The data object that holds this address. Both: NULL when memory ran out; else it stays until symbols_destroy(). */
const struct symbol *symbols_object(struct symbols *symbols, const struct process *process, uint64_t address);

#endif
