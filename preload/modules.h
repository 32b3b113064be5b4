/* Saying which files' code and data lie where in the process. Knows their mapped range, what is added to a file's addresses, and its build
 * id. */
#ifndef RBDPROF_PRELOAD_MODULES_H
#define RBDPROF_PRELOAD_MODULES_H

/* Says all modules. The flusher only: it asks the loader. */
void modules_say(void);

#endif
