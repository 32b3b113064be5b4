/* The functions of this librbd that move data and that the shim does not know: their calls are missing in every trace. */
#ifndef RBDPROF_PRELOAD_UNSEEN_H
#define RBDPROF_PRELOAD_UNSEEN_H

/* Says each of them to the recording. Reads the library's symbol table at its first call. */
void unseen_say(void);

#endif
