/*
 * Which processes a recording could be attached to: what stands in the way of one, and the list of those of this machine. It looks
 * and judges; it attaches to none.
 */
#ifndef RBDPROF_ANALYZER_CANDIDATES_H
#define RBDPROF_ANALYZER_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/target.h"

#define CANDIDATES_WHY_BYTES 1024

/*
 * Whether something keeps a process from being recorded; `why` then tells what, as the end of a sentence that begins with the process.
 * looked: what target_look() returned.
 */
bool candidates_obstacle(const struct target *target, int looked, char why[CANDIDATES_WHY_BYTES]);

/* Writes a table of the processes of this machine that use librbd. Returns how many there are, or a negative errno. */
int candidates_write(FILE *out);

#endif
