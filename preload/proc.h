/* Reading what the kernel tells of this process, without allocating: the flusher's way to /proc and /sys. */
#ifndef RBDPROF_PRELOAD_PROC_H
#define RBDPROF_PRELOAD_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of a file, as a string. Returns its length, -1 when it cannot be read. */
long proc_read(const char *path, char *text, size_t size);

/* The name of a thread of this process, at most 15 characters; false, and name is untouched, when there is no such thread. */
bool proc_thread_name(uint32_t tid, char name[16]);

/* Calls `each` with the kernel id of every thread of this process. */
void proc_each_thread(void (*each)(uint32_t tid));

#endif
