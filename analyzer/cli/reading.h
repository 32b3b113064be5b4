/*
 * Reading recordings for a verb: finds them, feeds a model, says on standard error what went wrong and how far it got. It knows no report;
 * what verbs return when it fails is told here since all of them return the same.
 */
#ifndef RBDPROF_ANALYZER_CLI_READING_H
#define RBDPROF_ANALYZER_CLI_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "analyzer/core/lock_rows.h"
#include "analyzer/core/model.h"
#include "analyzer/names.h"
#include "analyzer/recording.h"
#include "analyzer/source.h"
#include "analyzer/writers/report.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_LIBRBD = 3, EXIT_LOST = 4 };

/* Zeroed memory is an empty one. */
struct reading {
	struct model *model; /* owned, as all of it; finished after reading_run() */
	struct recording *recordings;
	size_t recording_count;
	char **problems; /* what could not be read, a sentence each */
	size_t problem_count;
	struct source_counts counts;
	struct lock_rows rows;
	struct names *names;

	/* Of the reading itself. */
	struct source *source;
	char *newest;        /* the recording that was taken since none was named */
	bool progress;       /* standard error is a terminal */
	bool progress_shown; /* there is a line to be wiped */
	uint32_t until_look; /* events until the clock is looked at again */
	struct timespec begun;
	double shown_at_s;
};

/* Each returns 0 or an exit status, having said why; reading_fini() follows all the same. */

/* Looks into the folders that were named; without a name into the newest recording in the current folder. */
int reading_open(struct reading *reading, char **names, size_t count);

/* Reads all of them into the model. */
int reading_run(struct reading *reading);

/*
 * What a writer is given, of what was read: all but what options say, which is set already. The image that is asked for has to be in it,
 * and contended locks are named.
 */
int reading_report(struct reading *reading, struct report *report);

void reading_fini(struct reading *reading);

#endif
