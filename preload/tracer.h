/* The tracer's objects in this process: loading them, and telling their code from the program's. */
#ifndef RBDPROF_PRELOAD_TRACER_H
#define RBDPROF_PRELOAD_TRACER_H

#include <stdbool.h>

#include "tracepoints/emit.h"

/* Remembers where this library lies, so that the provider beside it is found even if the program changes its folder. Call once, early. */
void tracer_init(void);

/* Whether the provider's file is there. */
bool tracer_present(void);

/* Loads the provider, and with it lttng-ust, whose start waits for a session daemon, if there is one, three seconds at most. NULL when
 * it cannot be loaded, or would do harm: beside another LTTng, or under a filter of system calls that it would offend. The emitter
 * stays for ever. */
const struct rbdprof_emitter *tracer_load(void);

/* Whether a thread of this name is one of lttng-ust's own. */
bool tracer_named(const char *name);

/* Whether the code at this address is the tracer's. Cheap enough for a contended lock, not for every lock. */
bool tracer_owns(const void *address);

#endif
