/*
 * The folder that a recording goes to: made or found empty, and watched, because a file system that runs full in the middle of a
 * packet leaves a torn trace. It knows nothing of what is written there.
 */
#ifndef RBDPROF_ANALYZER_FOLDER_H
#define RBDPROF_ANALYZER_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct folder {
	char path[PATH_MAX]; /* absolute */
	bool made;           /* by us */
};

/*
 * Makes the folder `name` for its owner alone, or takes it when it is there, empty and writable. Returns 0, or a negative errno after it
 * said why; nothing is left then.
 */
int folder_init(struct folder *folder, const char *name);

/* The same with a name of our own making: a number is added until the folder is new, since two recordings can begin in one second. */
int folder_init_new(struct folder *folder, const char *name);

/* Removes what a recording that never began has left: LTTng's empty folders, and the folder itself when we made it. */
void folder_undo(const struct folder *folder);

/* Bytes free for this user on its file system, UINT64_MAX when that cannot be told. */
uint64_t folder_free(const struct folder *folder);

/* Bytes of all files in it. */
uint64_t folder_size(const struct folder *folder);

/* How many traces of processes are in it. */
unsigned int folder_traces(const struct folder *folder);

/*
 * Whether one of them is of the process of that number, as it calls itself. LTTng makes it when it has reached the process, and its metadata
 * once its buffers are there and its events are switched on.
 */
bool folder_has_trace_of(const struct folder *folder, pid_t vpid);

#endif
