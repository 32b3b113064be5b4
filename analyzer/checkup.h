/*
 * What rbdprof doctor finds, line by line: of this machine, of a process, of a program that is yet to be run. Each function looks at one of
 * these and says everything that matters for being recorded there, the good too.
 */
#ifndef RBDPROF_ANALYZER_CHECKUP_H
#define RBDPROF_ANALYZER_CHECKUP_H

#include <stdio.h>
#include <sys/types.h>

#include "analyzer/target.h"

enum checkup_level {
	CHECKUP_OK,
	CHECKUP_NOTE,  /* it will work, but not all is seen, or not at once */
	CHECKUP_BLIND, /* nothing can be recorded, or nothing of it is seen */
};

struct checkup {
	FILE *out;
	unsigned int blind; /* findings of that level */
};

/* Writes one line: the level, what it is about, and a sentence. */
void checkup_say(struct checkup *checkup, enum checkup_level level, const char *about, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What recordings on this machine need: the library, LTTng, shared memory, the disk of the current folder. */
void checkup_machine(struct checkup *checkup);

/* A running process. looked: what target_look() returned, not -ESRCH. */
void checkup_process(struct checkup *checkup, const struct target *target, int looked);

/* A command, as its words; the first is looked for as the shell does. Nothing of it is run. */
void checkup_command(struct checkup *checkup, char *const *words);

/* What holds for a librbd file, be it mapped or yet to be loaded: which functions of it the shim sees. */
void checkup_librbd(struct checkup *checkup, const char *path, const char *readable);

#endif
