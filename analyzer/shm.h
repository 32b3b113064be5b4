/*
 * The folder of shared memory, /dev/shm, as far as a recording must care: how much room it has, and the little files of
 * lttng-ust in it. Every program with LTTng in it sleeps on such a file (lttng-ust-wait-…) until a session daemon comes, and nobody
 * ever removes one; rbdprof leaves the folder as it found it. It knows nothing of sessions.
 */
#ifndef RBDPROF_ANALYZER_SHM_H
#define RBDPROF_ANALYZER_SHM_H

#include <stdint.h>

#define SHM_FILES      16
#define SHM_NAME_BYTES 64

/* The wait files that were there at some time. */
struct shm_files {
	unsigned int count;
	char name[SHM_FILES][SHM_NAME_BYTES];
};

/* Size of the file system and what is free of it, in bytes. Returns 0 or a negative errno. */
int shm_room(uint64_t *size_bytes, uint64_t *free_bytes);

/* Which wait files are there now. */
void shm_list(struct shm_files *files);

/* Removes the wait files that are not among `before`, but for those that a process has open or mapped; returns how many these are. */
unsigned int shm_tidy(const struct shm_files *before);

#endif
