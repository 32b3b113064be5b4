/*
 * What the parts of the text report share: rows of distributions, wrapped sentences, and the parts themselves. Only the text_*.c
 * files include it.
 */
#ifndef RBDPROF_ANALYZER_WRITERS_TEXT_H
#define RBDPROF_ANALYZER_WRITERS_TEXT_H

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"

/* No line is wider than this, in characters. */
#define TEXT_WIDTH 140

/* Width of each number of a distribution, and of a count or a share before it. */
#define TIME_WIDTH 9

/* "" for one, else "s". */
const char *plural(uint64_t count);

/* Prints the text in lines of TEXT_WIDTH, each but the first indented by `indent`; the first begins at column `column`. Ends the line. */
void put_wrapped(FILE *out, int column, int indent, const char *text);

/* The columns of put_dist(). */
#define DIST_HEAD "     mean      p50      p90      p99    p99.9      max"

/* Mean, p50, p90, p99, p99.9 and the greatest of a distribution, each as `cell` writes it (cell_ns, cell_bytes, cell_number); ends the
 * line. */
void put_dist(FILE *out, const struct histogram *histogram, const char *(*cell)(struct cell *, double));

/* --- Parts. Each prints nothing, or an empty line and then its own. ------------------------------------------------------ */

/* An image: what it is, its verdict, who owned it, its journal, and each client's requests. */
void text_image(FILE *out, const struct report *report, const struct image *image);

/* What held the image's requests up: the sentence, what was seen, what to do, what that would give. */
void text_verdict(FILE *out, const struct report *report, const struct image *image);

/* Of an image whose exclusive lock was in use: tenures, handovers and what they are made of, owners over time, incidents. */
void text_ownership(FILE *out, const struct report *report, const struct image *image);

/* Of a journaled image whose journal was in use. */
void text_journal(FILE *out, const struct image *image);

/* The placement groups that are slower than the others, and their OSDs where they are known; or that none is. */
void text_placement(FILE *out, const struct report *report, const struct image *image);

/* Contended locks: the table, who blocked whom, stacks. */
void text_locks(FILE *out, const struct report *report);

/* The threads that did something, and what kept processors from them. */
void text_threads(FILE *out, const struct report *report);

#endif
