/*
 * Processes by identity: a number alone comes back, a number with its start time does not. Reads /proc and signals nobody.
 */
#ifndef RBDPROF_ANALYZER_PROC_H
#define RBDPROF_ANALYZER_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* When that process started, in clock ticks since boot; 0 when there is none, or when it is dead and only waits to be reaped. */
uint64_t proc_start(pid_t pid);

/* Whether the process of that number is alive and is the one that started then. */
bool proc_is(pid_t pid, uint64_t start);

/* Which pid namespace this process lives in, or 0 when that is hidden. */
uint64_t proc_namespace(void);

/* A process and all below it, living ones only, at most `room` of them: returns how many, the process itself first. */
size_t proc_family(pid_t eldest, pid_t *family, size_t room);

/* How many processors can ever be online: LTTng makes buffers for each of them. */
unsigned int proc_possible_processors(void);

#endif
