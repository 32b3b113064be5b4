/*
 * Reading Ceph's buffers: with librados' own exported iterator, so that no layout is assumed, clamped to what the buffer holds, and
 * never changed. A reader that was asked for more than there is has failed and answers 0 from then on: look at `failed` once, at the end.
 */
#ifndef RBDPROF_PRELOAD_BUFFERLIST_H
#define RBDPROF_PRELOAD_BUFFERLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which namespace a buffer's functions live in: of Ceph 15 to 20, or of 14. */
enum bufferlist_age { BUFFERLIST_15, BUFFERLIST_14, BUFFERLIST_AGES };

struct bufferlist {
	const void *list; /* the ceph::bufferlist */
	enum bufferlist_age age;
	uint32_t length;  /* bytes in all */
	uint32_t at;      /* the next one to read */
	bool failed;
	uint32_t window_at;     /* what was read ahead, since making an iterator costs more than copying a few bytes */
	uint32_t window_length;
	uint8_t window[64];
};

/* The age of the librados that is loaded; BUFFERLIST_15 when neither's functions are there. */
enum bufferlist_age bufferlist_native(void);

/* Begins to read at the first byte. Fails at once when librados exports no iterator of that age. */
struct bufferlist bufferlist_read(const void *list, enum bufferlist_age age);

/* Bytes in all; 0 when that cannot be known. */
uint32_t bufferlist_length(const void *list, enum bufferlist_age age);

/* Little-endian numbers, bytes as they are (nothing when there are fewer), and bytes passed over. */
uint8_t bufferlist_u8(struct bufferlist *reader);
uint32_t bufferlist_u32(struct bufferlist *reader);
uint64_t bufferlist_u64(struct bufferlist *reader);
void bufferlist_bytes(struct bufferlist *reader, void *to, uint32_t bytes);
void bufferlist_skip(struct bufferlist *reader, uint64_t bytes);

/* A string of at most `size - 1` bytes (longer ones are cut), closed with a NUL. */
void bufferlist_string(struct bufferlist *reader, char *to, size_t size);

/* The head of a versioned structure; returns its version. */
uint8_t bufferlist_begin(struct bufferlist *reader);

#endif
