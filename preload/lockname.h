/*
 * What a contended lock's surroundings are called, in a stripped binary: the class of the C++ object that it lies in, by run-time type
 * information, and how far from its beginning. It is inferred from memory and may be wrong; symbols, where there are any, are better. Locks
 * in a module's own data are not looked at: those have symbols or places in the file. The flusher only.
 */
#ifndef RBDPROF_PRELOAD_LOCKNAME_H
#define RBDPROF_PRELOAD_LOCKNAME_H

/* The lock has been contended since its name was last said. */
void locknames_want(const void *lock);

/* Says the names of those that were wanted since the last call, as far as they can be inferred. */
void locknames_say(void);

#endif
