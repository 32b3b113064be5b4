/*
 * The files in shared memory on which lttng-ust sleeps until a session daemon comes. Where one is not there, lttng-ust forks a child to
 * make it: QEMU's sandbox kills the guest for that, and no program has asked for a child. So they are made before lttng-ust is loaded.
 */
#ifndef RBDPROF_PRELOAD_WAITFILE_H
#define RBDPROF_PRELOAD_WAITFILE_H

#include <stdbool.h>

/* Makes what is missing. False when lttng-ust would still fork, and this process runs under a filter of system calls that may kill it. */
bool waitfile_make(void);

#endif
