/*
 * Feeding the ownership model with text. A line is one thing that a client does or hears, at its time in ns:
 *
 *     TIME CLIENT VERB [until=TIME] [result=N] [about=CLIENT] [bytes=N] [c=TIME] [request=NAME]
 *
 * Lines may stand in any order: they are fed by time, and the ends of operations (`until`; without it there is no end) among them.
 * The verbs are the rows of the table in ownership_text.c.
 */
#ifndef RBDPROF_TESTS_UNIT_CORE_OWNERSHIP_TEXT_H
#define RBDPROF_TESTS_UNIT_CORE_OWNERSHIP_TEXT_H

#include "analyzer/core/ownership.h"

/* Feeds the lines, and finishes with a trace of [begin_ns, end_ns]. Returns -ENOMEM when memory ran out. */
int ownership_text_try(struct ownership *ownership, const char *text, uint64_t begin_ns, uint64_t end_ns);

/* The result of these lines, after checking what always holds: all time is somebody's, the steps add up, tenures = 1 + handovers. */
const struct ownership_result *ownership_text_result(const char *text, uint64_t begin_ns, uint64_t end_ns);

/* The last result is no longer needed. */
void ownership_text_done(void);

/* How long the client owned the lock, in ns. */
uint64_t ownership_text_owned(const struct ownership_result *result, uint64_t client);

#endif
