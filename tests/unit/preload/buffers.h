/*
 * Payloads for tests: bytes put together by hand in Ceph's encoding, and real ceph::bufferlists that hold them, made by libceph-common.
 * Written from the encoding's definition (little endian; a string or a buffer is its length in 32 bits and its bytes; a versioned structure is
 * version, oldest compatible version, length in 32 bits, contents), never with the code under test.
 */
#ifndef RBDPROF_TESTS_BUFFERS_H
#define RBDPROF_TESTS_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bytes {
	size_t length;
	uint8_t at[32768];
};

static inline void put(struct bytes *to, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		to->at[to->length++] = (uint8_t)(value >> 8 * i);
}

static inline void put_bytes(struct bytes *to, const void *from, size_t length)
{
	memcpy(to->at + to->length, from, length);
	to->length += length;
}

static inline void put_string(struct bytes *to, const char *text)
{
	put(to, strlen(text), 4);
	put_bytes(to, text, strlen(text));
}

/* The head of a versioned structure. Returns where its length stands, for put_end(). */
static inline size_t put_begin(struct bytes *to, uint8_t version)
{
	put(to, version, 1);
	put(to, 1, 1);
	put(to, 0, 4);
	return to->length - 4;
}

static inline void put_end(struct bytes *to, size_t begin)
{
	size_t end = to->length;

	to->length = begin;
	put(to, end - begin - 4, 4);
	to->length = end;
}

/*
 * A ceph::bufferlist of these bytes, in segments of so many bytes each (0: in one). The bytes are copied into blocks of exactly their size, so
 * that a sanitizer sees a read beyond any of them. It is never freed.
 */
void *buffer_of(const void *bytes, size_t length, size_t segment);

#ifdef __cplusplus
}
#endif

#endif
