/*
 * The private LTTNG_HOME of an ordinary user's recording: a short folder below /tmp, since the daemon aborts when its socket's path
 * is too long. It names its owner, so that the next recording can remove what a killed one left.
 */
#ifndef RBDPROF_ANALYZER_HOME_H
#define RBDPROF_ANALYZER_HOME_H

#include <stddef.h>

/*
 * Makes the folder, writes its path to `path`, and sets LTTNG_HOME. Removes the folders of this user's dead recordings. Returns 0, or a
 * negative errno after it said why.
 */
int home_make(char *path, size_t size);

/* Removes the folder with all in it, gives LTTNG_HOME its former value, and empties `path`. Fine when there is none. */
void home_remove(char *path);

#endif
