/* Names and rows of a model's contended locks, for tests of the writers; one at a time. */
#ifndef RBDPROF_TESTS_ROWS_H
#define RBDPROF_TESTS_ROWS_H

#include "analyzer/writers/report.h"

/* Points the report to the rows of its model. */
void rows_make(struct report *report);

/* Frees them; nothing when there are none. */
void rows_done(void);

#endif
