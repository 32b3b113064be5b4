/*
 * Which requests of a client still expect journal entries, and which of them an entry belongs to: the oldest that it can belong to by its
 * kind and that lacks all of its bytes. It knows ranges of the image and the order in which requests were made, not what becomes of them.
 *
 * Memory is that of the requests' ranges.
 */
#ifndef RBDPROF_ANALYZER_CORE_ENTRIES_H
#define RBDPROF_ANALYZER_CORE_ENTRIES_H

#include <stdint.h>

struct carried;
struct entry;

/* Part of a request that no journal entry holds. */
struct range {
	struct range *next;
	uint64_t begin_bytes, end_bytes;
};

/* Zeroed memory is an empty one. */
struct entries {
	struct carried *first, *last; /* those that expect entries, in the order of making */
	struct range *spare;
};

/* Frees what requests gave back; their own ranges are freed with range_free(). */
void entries_fini(struct entries *entries);
void range_free(struct range *range);

/*
 * The request expects entries for [begin, end); for a flush, which has no bytes, and for a request that lacks nothing else, the two are the
 * same. It stays among those that do until all of it is held. Returns 0 or -ENOMEM.
 */
int entries_expect(struct entries *entries, struct carried *request, uint64_t begin_bytes, uint64_t end_bytes);

/* The request expects no more of them, though it may lack some. */
void entries_expect_none(struct entries *entries, struct carried *request);

/* The same, and it forgets what it lacks. */
void entries_clear(struct entries *entries, struct carried *request);

/* Puts the request that the entry belongs to in entry->carried, NULL when there is none. Returns 0 or -ENOMEM. */
int entries_join(struct entries *entries, struct entry *entry);

#endif
