/* What a writer is given beside the model: rows of its contended locks, their names, and verdicts. */
#ifndef RBDPROF_TESTS_ROWS_H
#define RBDPROF_TESTS_ROWS_H

#include "analyzer/writers/report.h"

/* What the writer makes of the report's model, whole, with the rows of its locks and the verdicts on it. The caller frees it. */
char *rows_write(struct report *report, int (*write)(FILE *out, const struct report *report));

#endif
