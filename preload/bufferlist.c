/* Reading buffers through librados' iterator. */
#include "preload/bufferlist.h"

#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "preload/real.h"

#define ITERATOR(namespace, member) "N4ceph6buffer7" namespace "4list13iterator_implILb1EE" member

/* The iterator is 32 bytes in every release that was looked at; the room is four times that. */
struct iterator {
	_Alignas(16) char room[128];
};

static struct functions {
	void (*begin)(struct iterator *iterator, const void *list, uint32_t at);
	void (*copy)(struct iterator *iterator, uint32_t bytes, char *to);
	uint32_t (*remaining)(const struct iterator *iterator);
} functions[BUFFERLIST_AGES];
static atomic_int found; /* 0: not looked for yet */

static void find(enum bufferlist_age age, const char *begin, const char *copy, const char *remaining)
{
	functions[age].begin = (void (*)(struct iterator *, const void *, uint32_t))real_symbol("librados.so.2", begin);
	functions[age].copy = (void (*)(struct iterator *, uint32_t, char *))real_symbol("librados.so.2", copy);
	functions[age].remaining = (uint32_t(*)(const struct iterator *))real_symbol("librados.so.2", remaining);
}

/* Concurrent first calls store the same values. */
static const struct functions *use(enum bufferlist_age age)
{
	if (!atomic_load_explicit(&found, memory_order_acquire)) {
		find(BUFFERLIST_15, "_Z" ITERATOR("v15_2_0", "C1EPKS2_j"), "_Z" ITERATOR("v15_2_0", "4copyEjPc"),
		     "_ZNK4ceph6buffer7v15_2_04list13iterator_implILb1EE13get_remainingEv");
		find(BUFFERLIST_14, "_Z" ITERATOR("v14_2_0", "C1EPKS2_j"), "_Z" ITERATOR("v14_2_0", "4copyEjPc"),
		     "_ZNK4ceph6buffer7v14_2_04list13iterator_implILb1EE13get_remainingEv");
		atomic_store_explicit(&found, 1, memory_order_release);
	}
	return functions[age].begin && functions[age].copy && functions[age].remaining ? &functions[age] : NULL;
}

enum bufferlist_age bufferlist_native(void)
{
	return !use(BUFFERLIST_15) && use(BUFFERLIST_14) ? BUFFERLIST_14 : BUFFERLIST_15;
}

struct bufferlist bufferlist_read(const void *list, enum bufferlist_age age)
{
	struct bufferlist reader = {.list = list, .age = age, .failed = true};
	const struct functions *f = list ? use(age) : NULL;
	struct iterator iterator;

	if (!f)
		return reader;
	f->begin(&iterator, list, 0);
	reader.length = f->remaining(&iterator);
	reader.failed = false;
	return reader;
}

uint32_t bufferlist_length(const void *list, enum bufferlist_age age)
{
	return bufferlist_read(list, age).length;
}

/* The iterator throws when it is asked for more than there is: it never is. */
static void copy_out(const struct bufferlist *reader, void *to, uint32_t bytes)
{
	const struct functions *f = use(reader->age);
	struct iterator iterator;

	f->begin(&iterator, reader->list, reader->at);
	f->copy(&iterator, bytes, to);
}

void bufferlist_bytes(struct bufferlist *reader, void *to, uint32_t bytes)
{
	uint32_t left = reader->length - reader->at;

	if (reader->failed || bytes > left) {
		reader->failed = true;
		return;
	}
	if (bytes > sizeof(reader->window)) {
		copy_out(reader, to, bytes);
	} else if (bytes) {
		if (reader->at < reader->window_at || reader->at + bytes > reader->window_at + reader->window_length) {
			reader->window_at = reader->at;
			reader->window_length = left < sizeof(reader->window) ? left : (uint32_t)sizeof(reader->window);
			copy_out(reader, reader->window, reader->window_length);
		}
		memcpy(to, reader->window + (reader->at - reader->window_at), bytes);
	}
	reader->at += bytes;
}

uint8_t bufferlist_u8(struct bufferlist *reader)
{
	uint8_t value = 0;

	bufferlist_bytes(reader, &value, sizeof(value));
	return value;
}

uint32_t bufferlist_u32(struct bufferlist *reader)
{
	uint32_t value = 0;

	bufferlist_bytes(reader, &value, sizeof(value));
	return le32toh(value);
}

uint64_t bufferlist_u64(struct bufferlist *reader)
{
	uint64_t value = 0;

	bufferlist_bytes(reader, &value, sizeof(value));
	return le64toh(value);
}

void bufferlist_skip(struct bufferlist *reader, uint64_t bytes)
{
	if (reader->failed || bytes > reader->length - reader->at)
		reader->failed = true;
	else
		reader->at += (uint32_t)bytes;
}

void bufferlist_string(struct bufferlist *reader, char *to, size_t size)
{
	uint32_t length = bufferlist_u32(reader);
	uint32_t kept = length < size ? length : (uint32_t)size - 1;

	to[0] = '\0';
	bufferlist_bytes(reader, to, kept);
	to[reader->failed ? 0 : kept] = '\0';
	bufferlist_skip(reader, length - kept);
}

uint8_t bufferlist_begin(struct bufferlist *reader)
{
	uint8_t version = bufferlist_u8(reader);

	bufferlist_u8(reader);
	bufferlist_u32(reader);
	return version;
}
