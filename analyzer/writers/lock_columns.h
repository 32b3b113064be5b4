/*
 * The columns of the table of contended locks, each once: what it is called, how wide it is, what stands in it and how it sorts. And which
 * rows a report is about, in the order that was asked for.
 */
#ifndef RBDPROF_ANALYZER_WRITERS_LOCK_COLUMNS_H
#define RBDPROF_ANALYZER_WRITERS_LOCK_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"

enum column_unit { COLUMN_NAME, COLUMN_KIND, COLUMN_COUNT, COLUMN_NS, COLUMN_HOLD };

struct lock_column {
	const char *key;  /* what --sort calls it */
	const char *head; /* above it */
	int width;        /* in characters, negative: left-aligned; 0: it only sorts */
	enum column_unit unit;
	double (*value)(const struct lock_row *row); /* below 0: not known; NULL of a text */
};

/* The column after `previous` (NULL: the first); NULL after the last. */
const struct lock_column *lock_column_next(const struct lock_column *previous);

/* The column of that key; NULL when there is none. */
const struct lock_column *lock_column_find(const char *key);

/* Prints the row's value in the column's width. */
void lock_column_put(FILE *out, const struct lock_column *column, const struct lock_row *row);

/*
 * The rows that the report is about, in its order: condition variables or the rest. An array that the caller frees, and its length; NULL
 * when memory ran out.
 */
const struct lock_row **report_lock_rows(const struct report *report, bool conditions, size_t *count);

/* Is the thread in the report? By its name, or what its name begins with. Of an edge, either side. */
bool report_thread_wanted(const struct report *report, const char *name);
bool report_edge_wanted(const struct report *report, const struct edge_row *edge);

/* "MUTEX" in words; static. */
const char *lock_kind_words(uint32_t kind);

#endif
