/*
 * What the OSDs copy after a snapshot: each object as a whole, at the first write to it, and whatever is asked of it and of its neighbours
 * meanwhile waits. It knows objects by number, snapshots, and how long the network and the OSDs took for requests at other times; not why a
 * snapshot was made.
 *
 * Its memory is a bit for each object of the image up to the greatest that was written to since the last snapshot, and at most
 * COPYING_OBJECTS of them.
 */
#ifndef RBDPROF_ANALYZER_CORE_COPYING_H
#define RBDPROF_ANALYZER_CORE_COPYING_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/coverage.h"

/* Objects beyond are not followed: 256 TiB in objects of 4 MiB. */
#define COPYING_OBJECTS (UINT64_C(1) << 26)

/* Of one client's use of an image. Zeroed memory is one before its first snapshot. */
struct copying {
	struct coverage copies; /* first writes were on their way */
	uint8_t *written;       /* owned; a bit for each object that was written to since the last snapshot */
	size_t written_bytes;
	uint8_t snapshots;    /* there was one */
	uint64_t usual_count; /* requests that no copy can have held up … */
	uint64_t usual_ns;    /* … and the sum of their times from the last operation to completion */
};

void copying_fini(struct copying *copying);

/* From now on each object has to be copied before it is written to. */
void copying_snapshot(struct copying *copying);

/* A write to the object is sent. Returns 1 if that is a copy, of which copying_end() has to tell the end; else 0. */
int copying_begin(struct copying *copying, uint64_t object, uint64_t now_ns);
int copying_end(struct copying *copying, uint64_t now_ns);

/*
 * How much of the time of a request from its last operation to its completion, in ns, was waiting for copies: the time in which some were
 * on their way, but no more than what it took beyond the usual. While a snapshot was being made, for changing_ns of that time, it waited
 * anyway. A request that nothing of this held up makes the usual.
 */
uint64_t copying_held(struct copying *copying, uint64_t sent_ns, uint64_t c_ns, uint64_t changing_ns);

#endif
