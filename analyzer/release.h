/* Which release of Ceph a libceph-common file belongs to. It knows what such a number looks like, and asks no process. */
#ifndef RBDPROF_ANALYZER_RELEASE_H
#define RBDPROF_ANALYZER_RELEASE_H

#include <stddef.h>

/* Writes "16.2.15" or the like; "" when it cannot be told. */
void release_read(const char *path, char *release, size_t size);

#endif
