/* What the dynamic loader would make of a file: asked of the loader itself, which lists and runs nothing. */
#ifndef RBDPROF_ANALYZER_LOADER_H
#define RBDPROF_ANALYZER_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls back with every library that a program or library would be started with: its name, and its path or NULL when it is not found. The
 * callback ends it by returning false. preload: libraries to be preloaded, or NULL for none. Returns 0 or a negative errno.
 */
int loader_list(const char *path, const char *preload, bool (*take)(void *data, const char *name, const char *found), void *data);

/* Whether a library that it needs is not found; the first one's name is written then. */
bool loader_missing(const char *path, char *name, size_t size);

#endif
