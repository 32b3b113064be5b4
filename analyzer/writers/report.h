/*
 * What a writer is given: the results of the core and what only the reading knows. Writers put it on a stream, in one form each;
 * they compute nothing that another form would have to compute again.
 */
#ifndef RBDPROF_ANALYZER_WRITERS_REPORT_H
#define RBDPROF_ANALYZER_WRITERS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/core/lock_rows.h"
#include "analyzer/core/model.h"
#include "analyzer/core/verdict.h"
#include "analyzer/names.h"
#include "analyzer/osdmap.h"
#include "analyzer/recording.h"

struct lock_column;

/* Contended locks, and what of them is told. */
struct lock_view {
	const struct lock_rows *rows;
	struct names *names;
	const struct lock_column *sort; /* NULL: by time waited */
	uint64_t min_wait_ns;           /* only locks that were waited for so long, all waits together */
	const char *thread;             /* only threads whose names begin so; NULL: all */
};

/* Everything is borrowed. */
struct report {
	const struct model *model; /* finished */
	const struct verdicts *verdicts;
	struct lock_view locks;
	const struct recording *recordings;
	size_t recording_count;
	const struct osdmap *osds;   /* NULL: not known */
	const char *image;           /* only this image, as report_image_wanted tells; NULL: all */
	const char *const *problems; /* what could not be read, a sentence each */
	size_t problem_count;
	uint64_t unknown_events; /* with names that this analyzer does not know, left out */
	uint64_t missing_fields; /* events left out because they lack a field */
};

/* POOL/NAME or POOL/NAMESPACE/NAME, cut if need be. Returns `path`. */
#define IMAGE_PATH_BYTES 1024
const char *report_image_path(char path[IMAGE_PATH_BYTES], const struct image *image);

/* Is the image in the report? `image` may be given as NAME, POOL/NAME or POOL/NAMESPACE/NAME. */
bool report_image_wanted(const struct report *report, const struct image *image);

/* All anomalies: the core's, what could not be read, and events without their fields. */
uint64_t report_anomalies(const struct report *report);

/*
 * The name of the lowest feature in *features as the rbd command says it, or its number for a bit without a name; it is taken out of
 * *features. NULL when none is left. Static, until the next call. Bits: RBD_FEATURE_* of rbd/features.h.
 */
const char *feature_next(uint64_t *features);

/* What happens in a step of a handover, in a storage engineer's words: short, and as a line of a table. Static. */
const char *report_step_words(enum handover_step step);
const char *report_step_meaning(enum handover_step step);

/* Puts the names of locks into what verdicts note of them, as text. */
void report_name_locks(struct verdicts *verdicts, const struct lock_rows *rows);

/* Each writes the whole report, and returns 0 or -EIO or -ENOMEM. */
int text_write(FILE *out, const struct report *report);
int json_write(FILE *out, const struct report *report);
int folded_write(FILE *out, const struct report *report); /* without verdicts */

#endif
