/* What is missing in this process's traces: the functions of its librbd that move data and that the shim does not know, and those of the
 * boundary below librbd that this release does not have. */
#ifndef RBDPROF_PRELOAD_UNSEEN_H
#define RBDPROF_PRELOAD_UNSEEN_H

/* Reads the loaded librbd's symbol table, once: before anything is said, and not within a call that moves data, for it asks the loader. */
void unseen_find(void);

/* Says each of them to the recording. */
void unseen_say(void);

#endif
