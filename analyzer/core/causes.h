/*
 * The causes that a verdict can name, as a table: causes.def. It knows what is to be said about each, and the conditions of advice; how a
 * cause is found is evidence.h's, and how a sentence is written the writers'.
 */
#ifndef RBDPROF_ANALYZER_CORE_CAUSES_H
#define RBDPROF_ANALYZER_CORE_CAUSES_H

#include <stdint.h>

enum cause {
#define CAUSE(upper, ...) CAUSE_##upper,
#include "analyzer/core/causes.def"
#undef CAUSE
	CAUSE_COUNT
};

/* When a piece of advice is told. Those of facts are told when the fact was noted. */
enum advise_when {
	ADVISE_NEVER, /* ends a list */
	ADVISE_ALWAYS,
	ADVISE_LIMIT,          /* the limit that throttles is known */
	ADVISE_NO_LIMIT,       /* it is not */
	ADVISE_SILENT,         /* who did not answer is known */
	ADVISE_REPLAY,         /* handovers read 1 MiB or more of the journal back */
	ADVISE_JOURNALED,      /* the image is journaled */
	ADVISE_NOT_JOURNALED,  /* it is not */
	ADVISE_SPLAY,          /* it is used by one client, and its journal is not wide yet */
	ADVISE_SCHEDULER_NONE, /* rbd_io_scheduler is none */
	ADVISE_SLOW_GROUP,     /* a placement group stands out */
	ADVISE_SLOW_TIMES,     /* times of the trace stand out */
};

struct advice {
	enum advise_when when;
	const char *text; /* with facts in braces, as a sentence */
};

struct cause_info {
	const char *name;     /* the stable identifier */
	double least;         /* the smallest share for which it is told */
	const char *sentence; /* with facts in braces: {share}, and those of verdict.h */
	const struct advice *advice; /* up to one of ADVISE_NEVER */
};

/* Static. */
const struct cause_info *cause_info(enum cause cause);

#endif
