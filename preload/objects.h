/* Names of RADOS objects as numbers: a hash of the name, said in words when it is new to the recording. */
#ifndef RBDPROF_PRELOAD_OBJECTS_H
#define RBDPROF_PRELOAD_OBJECTS_H

#include <stdint.h>

#include "preload/cxx.h"

/* The object's number, never 0. Says its name when that is due; to be called while somebody records. */
uint64_t objects_number(const struct cxx_string *oid);

#endif
