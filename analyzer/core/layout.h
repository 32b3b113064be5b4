/*
 * Where an image's bytes lie: which objects a range of it falls on, and the hash by which Ceph knows an object's name. It is
 * arithmetic only; it knows no requests and no operations.
 *
 * Objects of object_size_bytes each form sets of stripe_count. A set is filled round robin in units of stripe_unit_bytes: unit 0 of its
 * objects 0, 1, 2 …, then unit 1 of each, until all are full; then the next set begins. With a stripe count of 1 an object simply
 * follows the one before. (Ceph's documentation: "Data Striping" in the architecture guide, rbd create --stripe-unit, --stripe-count.)
 */
#ifndef RBDPROF_ANALYZER_CORE_LAYOUT_H
#define RBDPROF_ANALYZER_CORE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct layout {
	uint64_t object_size_bytes;
	uint64_t stripe_unit_bytes; /* divides object_size_bytes */
	uint64_t stripe_count;
};

/* Part of a range that lies in one object without a gap. */
struct extent {
	uint64_t object;       /* its number within the image */
	uint64_t offset_bytes; /* within the object */
	uint64_t length_bytes;
};

/* 1 when ranges can be mapped by it: an image that was not described has zeroes. */
int layout_valid(const struct layout *layout);

/*
 * The extent at the beginning of [offset_bytes, + length_bytes) of the image; its length is at least 1 and at most length_bytes, which is
 * not 0. The next one begins that much later. The layout is valid.
 */
struct extent layout_extent(const struct layout *layout, uint64_t offset_bytes, uint64_t length_bytes);

/* Ceph's hash of a name (CEPH_STR_HASH_RJENKINS): Robert Jenkins' "lookup2" of 1996 over its bytes, with 0 to begin with. */
uint32_t layout_hash(const char *name, size_t length);

/*
 * The hash under which an OSD knows a data object: `prefix` is of the image ("rbd_data.<id>"), followed by a dot and the object's
 * number as 16 hexadecimal digits, 12 in the old format ("rb.0.…"). Within a namespace it is of "<namespace> 0x1f <name>".
 */
uint32_t layout_object_hash(const char *namespace_, const char *prefix, uint64_t object);

#endif
