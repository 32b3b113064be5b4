/*
 * Writing the note that a recording leaves in its folder, rbdprof.json; recording.h reads it. Keys: version, command (words; names of
 * processes where attached), attached (bool), begin_ns and end_ns (wall clock), status (exit status, null when the command never ended),
 * processes_traced, processes_refused, stopped_early (null, or a sentence).
 */
#ifndef RBDPROF_ANALYZER_NOTE_H
#define RBDPROF_ANALYZER_NOTE_H

#include <stdbool.h>
#include <stdint.h>

struct note {
	char *const *command; /* ends with NULL */
	bool attached;        /* command is no command, but the names of the processes that were attached to */
	int64_t begin_ns;     /* wall clock */
	int64_t end_ns;
	int status; /* -1 when it is not known */
	unsigned int processes_traced;
	unsigned int processes_refused;
	const char *stopped_early; /* NULL when it was not */
};

/* Writes the note into the folder, whole or not at all. Returns 0 or a negative errno. */
int note_write(const struct note *note, const char *folder);

#endif
