/*
 * What a process's shim shows of itself (tracepoints/card.h), read from outside: its version and schema, the images that are open, and
 * whether it is being recorded. A process without a shim, or with one of a newer layout, shows nothing; an older one shows less.
 */
#ifndef RBDPROF_ANALYZER_CARD_H
#define RBDPROF_ANALYZER_CARD_H

#include <stdint.h>

#include "analyzer/target.h"

#define CARD_IMAGES     8
#define CARD_NAME_BYTES 192

struct card {
	uint32_t schema;
	char version[16];
	char release[64];                         /* of Ceph, "" while no image is open: "ceph version 16.2.15 (…) pacific (stable)" */
	unsigned int images;                      /* that are open */
	char names[CARD_IMAGES][CARD_NAME_BYTES]; /* of the first of them: POOL/[NAMESPACE/]NAME[@SNAPSHOT], cut to this */
};

/*
 * Returns 0; -ENOENT without a shim; -EPROTO when the shim is so much newer that it shows nothing to this program; -EACCES when
 * the process's memory, or the shim's file, cannot be read.
 */
int card_read(struct card *card, const struct target *target);

/*
 * Whether a recording, anybody's, has reached the process and its requests are events: 1 or 0; -EAGAIN while the shim has no tracer in use;
 * or as card_read(), with -EPROTO for a shim that does not show it.
 */
int card_recorded(const struct target *target);

/* Whether the process may still have something to tell from before its requests were no more wanted: 1 or 0; or as card_recorded(). */
int card_telling(const struct target *target);

#endif
