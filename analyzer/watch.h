/*
 * The room that a recording takes: a file system that is nearly full ends the recording, never the program, and so does a trace that
 * has grown as large as it may.
 */
#ifndef RBDPROF_ANALYZER_WATCH_H
#define RBDPROF_ANALYZER_WATCH_H

#include <stdint.h>

#include "analyzer/folder.h"

/* What must stay free on the disk besides the buffers that are yet to be written: others write there too between two looks. */
#define WATCH_RESERVE_BYTES (UINT64_C(32) << 20)

struct watch {
	const struct folder *folder;
	uint64_t least_bytes;    /* the recording is stopped when less than that is free */
	uint64_t most_bytes;     /* and when the trace has become as large as that; 0: it may grow */
	char stopped_early[256]; /* why and when it was; "" when it was not */
};

/* Looks once, and stops the session when there is no room left. Returns when to look again, in milliseconds from now. */
unsigned int watch_look(struct watch *watch);

#endif
