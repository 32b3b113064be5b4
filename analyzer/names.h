/*
 * What a report calls locks and places in code. It knows the order in which sources of a name are trusted; symbols and types come from
 * symbols.h and the core. Nothing is ever called by a bare address.
 *
 * A lock is called by the symbol of the object that it is, or lies in; else, inferred, by the class of the object around it and its place
 * within (librbd::ExclusiveLock<librbd::ImageCtx>+0x20), where type_votes.h believes it; else by the module that it lies in; else by where
 * it was waited for longest. A place is a function and what comes after its begin, with file and line where these are known, else a module
 * and the address within.
 */
#ifndef RBDPROF_ANALYZER_NAMES_H
#define RBDPROF_ANALYZER_NAMES_H

#include <stdint.h>

#include "analyzer/core/model.h"
#include "analyzer/symbols.h"

struct names;

/* Strings that are returned belong to it. NULL when memory ran out. */
struct names *names_create(void);

/* Takes a finished model, so that types can be believed or not. Once, before names_lock(). Returns 0 or -ENOMEM. */
int names_learn(struct names *names, const struct model *model);

/* NULL is fine. */
void names_destroy(struct names *names);

/*
 * The place of the call that returns to this address, e.g. "librbd::ManagedLock::shut_down (ManagedLock.cc:123)", or
 * "librbd.so.1+0x1234". "unknown code" where the process told no module; "" for address 0. NULL when memory ran out.
 */
const char *names_site(struct names *names, const struct process *process, uint64_t return_address);

/* The same, and where the function is known but not the line, without what comes after its begin: frames of one function are one. */
const char *names_function(struct names *names, const struct process *process, uint64_t return_address);

/* A struct lock_namer's function; context is the names. */
int names_lock(void *context, const struct lock *lock, char **name, uint8_t *inferred);

#endif
