/*
 * Where the shim is, and the environment that makes a program load it. It knows paths and variables, not what the shim does.
 */
#ifndef RBDPROF_ANALYZER_PRELOAD_H
#define RBDPROF_ANALYZER_PRELOAD_H

#include <limits.h>

/*
 * Finds librbdprof.so: in the folder that the environment variable RBDPROF_PRELOAD_DIR names, else where it is installed
 * relative to this program, else in the build tree. Returns 0, or a negative errno after it said where it looked.
 */
int preload_find(char path[PATH_MAX]);

/* The same, without a word. */
int preload_look(char path[PATH_MAX]);

/* Puts the shim before what is preloaded already, and the door's name beside it, into this process's environment. */
int preload_set(const char *shim, const char *socket_name);

#endif
