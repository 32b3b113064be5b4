/* Asking the recording that started this program whether this process is to be traced. Knows the socket and the words on it only. */
#ifndef RBDPROF_PRELOAD_CONTROL_H
#define RBDPROF_PRELOAD_CONTROL_H

#include <stdbool.h>

/*
 * name: of the recording's abstract Unix socket, without its leading NUL. Sends this process's id as a native uint32_t and waits
 * for one byte, five seconds at most. True when the answer is 'y': the recording has made room for this process.
 */
bool control_ask(const char *name);

#endif
