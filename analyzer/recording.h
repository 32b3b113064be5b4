/*
 * A folder that holds a recording: the note that `rbdprof record` left in it (rbdprof.json) and the CTF traces below it. It knows
 * file names; it reads no trace. The note is optional: a folder recorded with the lttng command has none.
 */
#ifndef RBDPROF_ANALYZER_RECORDING_H
#define RBDPROF_ANALYZER_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_NOTE "rbdprof.json"

struct recording {
	char *folder;  /* absolute */
	char **traces; /* folders below it with a file named metadata, sorted */
	size_t trace_count;
	bool noted;       /* there is a note; without one the rest is not known */
	char *command;    /* words joined by blanks; NULL when not known */
	bool attached;    /* command names the processes that were attached to */
	int64_t begin_ns; /* wall clock; 0 when not known */
	int64_t end_ns;
	int status;               /* the command's exit status, -1 when not known */
	int64_t processes_traced; /* -1 when not known */
	int64_t processes_refused;
	char *stopped_early; /* why the recording ended before the command; NULL when it did not */
};

/*
 * Looks into a folder. Returns 0; -ENOENT or -ENOTDIR when there is no such folder; -EBADMSG when the note cannot be
 * understood (the traces are known all the same, so the recording is valid then too); another negative errno. After 0 and -EBADMSG
 * recording_fini frees what the recording owns.
 */
int recording_init(struct recording *recording, const char *folder);
void recording_fini(struct recording *recording);

/* The path of the newest folder with a note directly in `parent`, to be freed by the caller; NULL when there is none. */
char *recording_newest(const char *parent);

#endif
