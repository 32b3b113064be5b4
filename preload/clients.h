/* Which librados client stands behind a pool handle. Knows handles and global ids only. */
#ifndef RBDPROF_PRELOAD_CLIENTS_H
#define RBDPROF_PRELOAD_CLIENTS_H

#include <stdint.h>

/* Asks anew, since a handle's address may have belonged to another client: called when an image is about to be opened. */
void clients_note(void *ioctx);

/* The client's global id; 0 when it cannot be known. Asks librados only the first time. */
uint64_t clients_id(void *ioctx);

/* The id of the pool behind a handle; -1 when it cannot be known. */
int64_t clients_pool(void *ioctx);

#endif
