/*
 * What rbdprof does while the command runs: passes signals on, answers processes that ask to be traced, and keeps an eye on the
 * disk. A file system that is nearly full ends the recording, never the command.
 */
#ifndef RBDPROF_ANALYZER_WATCH_H
#define RBDPROF_ANALYZER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/child.h"
#include "analyzer/control.h"
#include "analyzer/folder.h"

/* What must stay free on the disk besides the buffers that are yet to be written: others write there too between two looks. */
#define WATCH_RESERVE_BYTES (UINT64_C(32) << 20)

struct watch {
	struct child *child;
	struct control *control;
	const struct folder *folder;
	int signals;             /* child_signals() */
	uint64_t least_bytes;    /* the recording is stopped when less than that is free */
	char stopped_early[256]; /* why and when it was; "" when it was not */
};

/* Returns when the command has ended, with child->status set. */
void watch_run(struct watch *watch);

#endif
