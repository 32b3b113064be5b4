/*
 * What the shim shows to those who look into its process from outside, with no tracer and no event: which shim it is, which images are
 * open and whether it is recorded. The variable is found by its name among the dynamic symbols of librbdprof.so. A shim may be older or newer
 * than who reads: `layout` counts the changes of this struct, which only grows at its end.
 */
#ifndef RBDPROF_TRACEPOINTS_CARD_H
#define RBDPROF_TRACEPOINTS_CARD_H

#include <stdint.h>

#define RBDPROF_CARD_SYMBOL "rbdprof_card"
#define RBDPROF_CARD_MAGIC  "rbdprof"
#define RBDPROF_CARD_LAYOUT 3

struct rbdprof_card {
	char magic[8];
	uint32_t layout;
	uint32_t schema;     /* of the events that it writes */
	char version[16];    /* rbdprof's */
	const void *handles; /* an array of pointers, one a slot; NULL: no image in it */
	const void *images;  /* an array of as many descriptions */
	uint32_t slots;
	uint32_t stride; /* bytes from one description to the next; in it, from its begin, strings that end with a NUL byte: */
	uint32_t pool_at;
	uint32_t namespace_at;
	uint32_t name_at;
	uint32_t snapshot_at;
	uint32_t release_at;
	uint32_t string_bytes; /* none of them is longer */
	/* Since layout 2. */
	const void *emitter;    /* where the pointer to the emitter in use lies (emit.h): it begins with the address of the word for requests */
	const void *no_emitter; /* what that pointer is while no tracer is in use */
	/* Since layout 3. */
	const void *flusher_alive; /* a byte that is not 0 until all has been told that was kept or counted while requests were wanted */
};

#endif
