/* A verdict in words: its sentence, its facts and its advice, with numbers put in. It knows forms of numbers, and not what they mean. */
#ifndef RBDPROF_ANALYZER_WRITERS_VERDICT_WORDS_H
#define RBDPROF_ANALYZER_WRITERS_VERDICT_WORDS_H

#include "analyzer/core/verdict.h"
#include "analyzer/writers/cells.h"

/*
 * The text with each fact in braces replaced by the verdict's, {share} by its mean share, and one that was not noted by "?". The caller
 * frees it; NULL when memory ran out.
 */
char *verdict_words(const struct verdict *verdict, const char *text);

/* The fact as people read it; returns the cell's text. */
const char *fact_words(struct cell *cell, const struct noted_fact *fact);

/* 1 when the advice holds for the verdict. */
int verdict_advises(const struct verdict *verdict, const struct advice *advice);

/* "requests", "submitters" or "wall", as in the JSON report; and what that is in words. */
const char *whole_name(enum whole whole);
const char *whole_words(enum whole whole);

#endif
