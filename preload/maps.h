/* The process's mappings: what kind of memory an address lies in. Knows the kernel's list as it was when it was read. The flusher only. */
#ifndef RBDPROF_PRELOAD_MAPS_H
#define RBDPROF_PRELOAD_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
	uint64_t begin, end;
	bool writable;
	bool readable;
	bool of_file;
	bool stack; /* the main thread's */
};

/* Reads the list; false when it cannot. */
bool maps_read(void);

/* The mapping of an address; NULL: none. Valid until the next reading. */
const struct mapping *maps_find(uint64_t address);

#endif
