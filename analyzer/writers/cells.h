/*
 * Numbers as people read them, and columns of text. It knows units and widths (in characters, not bytes: µ is one); it does not know
 * what is told. All functions return the buffer they are given.
 */
#ifndef RBDPROF_ANALYZER_WRITERS_CELLS_H
#define RBDPROF_ANALYZER_WRITERS_CELLS_H

#include <stdint.h>
#include <stdio.h>

struct cell {
	char text[64];
};

/* A duration with three significant digits and its unit: 812 ns, 81.2 µs, 7.40 ms, 12.3 s, 61 min. */
const char *cell_ns(struct cell *cell, double ns);

/* A size: 512 B, 4 KiB, 1.5 MiB; whole where it is whole. */
const char *cell_bytes(struct cell *cell, double bytes);

/* A number with three significant digits or all before the point: 0.0123, 7.40, 812, 12345. */
const char *cell_number(struct cell *cell, double number);

/* A share of 0 to 1 as per cent with one decimal. */
const char *cell_share(struct cell *cell, double share);

/* Prints text in a column of `width` characters: right-aligned; left-aligned when width is negative. Longer text is cut, with … */
void put_cell(FILE *out, int width, const char *text);

#endif
