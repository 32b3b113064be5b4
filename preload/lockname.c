/*
 * From a lock's address backwards to a pointer to a vtable. Two words before a vtable's functions stand the distance to the object's
 * beginning and its type_info, whose second word is the mangled name (Itanium C++ ABI, 2.5.2 and 2.9). Everything is read through the
 * kernel, for what looks like a pointer may be none, and another thread may be unmapping it.
 */
#include "preload/lockname.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/lockstat.h"
#include "preload/maps.h"
#include "preload/recorder.h"

#define WINDOW_BYTES  4096      /* the largest class of librbd and librados that has a lock is smaller */
#define STACK_BYTES   (8 << 20) /* of a thread, as a rule */
#define LARGEST_CHUNK (64 << 20)
#define MOST_WANTED   1024 /* in one pass; a power of two */
#define MOST_STACKS   1024
#define NAME_BYTES    1024
#define HIGHEST_TID   4194304

static uint64_t wanted[MOST_WANTED];
static size_t wanted_count;
static uint64_t stacks[MOST_STACKS];
static size_t stack_count;
static bool glibc_allocates;

void locknames_want(const void *lock)
{
	uint64_t address = (uintptr_t)lock;
	size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % MOST_WANTED;

	if (wanted_count == MOST_WANTED / 2)
		return;
	while (wanted[at] && wanted[at] != address)
		at = (at + 1) % MOST_WANTED;
	wanted_count += !wanted[at];
	wanted[at] = address;
}

static bool copy(void *to, uint64_t from, size_t size)
{
	struct iovec here = {.iov_base = to, .iov_len = size}, there = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* What belongs to a file and cannot be written: code, constants, vtables once they are relocated. */
static bool is_constant(uint64_t address)
{
	const struct mapping *mapping = maps_find(address);

	return mapping && mapping->of_file && mapping->readable && !mapping->writable;
}

/* A mangled type name begins with its length, or with N for a nested one, S for one of std, I and others for what a lock does not lie in.
 */
static bool is_name(const char *name)
{
	size_t length = strnlen(name, NAME_BYTES);

	if (length < 2 || length == NAME_BYTES || !strchr("123456789NS", name[0]))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.") == length;
}

/* What a pointer to a vtable tells: where the whole object begins, relative to the pointer, and the object's type. */
struct vtable {
	int64_t to_top;
	uint64_t type;
};

static bool read_vtable(struct vtable *vtable, uint64_t pointer)
{
	return pointer % 8 == 0 && is_constant(pointer) && is_constant(pointer - sizeof(*vtable)) &&
	       copy(vtable, pointer - sizeof(*vtable), sizeof(*vtable)) && vtable->to_top <= 0 && vtable->to_top > -WINDOW_BYTES &&
	       is_constant(vtable->type);
}

static bool read_name(char name[NAME_BYTES], uint64_t type)
{
	uint64_t type_info[2];
	const struct mapping *mapping;
	size_t size = NAME_BYTES;

	if (type % 8 || !copy(type_info, type, sizeof(type_info)) || !is_constant(type_info[0]) || !is_constant(type_info[1]))
		return false;
	mapping = maps_find(type_info[1]);
	if (mapping->end - type_info[1] < size)
		size = (size_t)(mapping->end - type_info[1]);
	memset(name, 0, NAME_BYTES);
	if (!copy(name, type_info[1], size))
		return false;
	if (name[0] == '*') /* of internal linkage */
		memmove(name, name + 1, NAME_BYTES - 1);
	return is_name(name);
}

/* What lies before the lock, and the lock. */
struct window {
	uint64_t begin, lock;
	uint64_t words[WINDOW_BYTES / 8];
};

static uint64_t word(const struct window *window, uint64_t address)
{
	return window->words[(address - window->begin) / 8];
}

/* The object whose vtable pointer stands at `at`. False when none does. */
static bool object_at(const struct window *window, uint64_t at, uint64_t *begin, char name[NAME_BYTES])
{
	struct vtable vtable, whole;

	if (!read_vtable(&vtable, word(window, at)))
		return false;
	*begin = at + (uint64_t)vtable.to_top;
	/* In an object of several bases the first one's pointer must tell the same. */
	if (vtable.to_top &&
	    (*begin < window->begin || !read_vtable(&whole, word(window, *begin)) || whole.to_top || whole.type != vtable.type))
		return false;
	return read_name(name, vtable.type);
}

/* glibc's allocator writes a block's size before it, and into the next block that this one is in use. The next block's first word is still
 * this one's, unless it is a mapping of its own. */
static bool is_block(const struct window *window, uint64_t begin)
{
	uint64_t size = word(window, begin - 8), next[2];
	bool mapped = size & 2;

	if (mapped ? begin % 4096 != 16 || (size & ~(uint64_t)7) % 4096 : (size & 8) != 0)
		return false;
	size &= ~(uint64_t)7;
	if (size < 32 || size > LARGEST_CHUNK || begin - (mapped ? 16 : 8) + size < window->lock + sizeof(pthread_mutex_t))
		return false;
	if (mapped)
		return true;
	return copy(next, begin - 16 + size, sizeof(next)) && (next[1] & 1) && !(next[1] & 8) && next[1] >= 16 &&
	       next[1] < LARGEST_CHUNK * 16ull;
}

/* Where the block that the lock lies in begins, if glibc's allocator made it and it can be made out; else 0. */
static uint64_t find_block(const struct window *window)
{
	for (uint64_t at = window->lock & ~(uint64_t)15; at >= window->begin + 16; at -= 16)
		if (is_block(window, at))
			return at;
	return 0;
}

/* A block made by std::make_shared begins with what counts its owners; the object is behind it. */
static bool is_of_std(const char *name)
{
	return !strncmp(name, "St", 2) || !strncmp(name, "NSt", 3);
}

/* The object at the block's beginning, or else the nearest before the lock. Between the two, an object in an object is either's member. */
static bool infer(const struct window *window, uint64_t *begin, char name[NAME_BYTES])
{
	uint64_t block = find_block(window), last = block ? block : window->begin;

	if (!block && glibc_allocates)
		return false; /* it is free again, or no object is so large */
	if (block && object_at(window, block, begin, name) && *begin == block && !is_of_std(name))
		return true;
	for (uint64_t at = window->lock - 8; at >= last; at -= 8)
		if (object_at(window, at, begin, name) && *begin >= last && !is_of_std(name))
			return true;
	return false;
}

static bool is_on_stack(uint64_t lock, const struct mapping *mapping)
{
	for (size_t i = 0; i < stack_count; i++)
		if (stacks[i] >= mapping->begin && stacks[i] < mapping->end && lock + STACK_BYTES > stacks[i] &&
		    lock < stacks[i] + STACK_BYTES)
			return true;
	return mapping->stack;
}

/* The memory may be another object's by now. Neither kind of lock has many ways to look. */
static bool is_mutex(const pthread_mutex_t *mutex)
{
	return mutex->__data.__owner >= 0 && mutex->__data.__owner <= HIGHEST_TID && mutex->__data.__nusers <= HIGHEST_TID &&
	       !(mutex->__data.__kind & ~0x1ff) && mutex->__data.__count < 1u << 16;
}

static bool is_rwlock(const pthread_rwlock_t *lock)
{
	return lock->__data.__cur_writer >= 0 && lock->__data.__cur_writer <= HIGHEST_TID && !(lock->__data.__shared & ~1) &&
	       lock->__data.__flags <= 2 && !lock->__data.__pad3 && !lock->__data.__pad4;
}

static bool is_lock(uint64_t address)
{
	union {
		pthread_mutex_t mutex;
		pthread_rwlock_t rwlock;
	} lock;

	return copy(&lock, address, sizeof(lock)) && (is_mutex(&lock.mutex) || is_rwlock(&lock.rwlock));
}

static void say(uint64_t lock)
{
	static struct window window;
	static char name[NAME_BYTES];
	const struct mapping *mapping = maps_find(lock);
	uint64_t begin;

	if (!mapping || !mapping->writable || mapping->of_file || is_on_stack(lock, mapping) || !is_lock(lock))
		return;
	window.lock = lock & ~(uint64_t)7;
	window.begin = window.lock - mapping->begin < WINDOW_BYTES ? mapping->begin : window.lock - WINDOW_BYTES;
	if (window.begin < window.lock && copy(window.words, window.begin, (size_t)(window.lock - window.begin)) &&
	    infer(&window, &begin, name))
		EMIT_ALONE(lock_name(lock, lock - begin, name));
}

/* Whose malloc the program calls. Another library's writes no sizes that could be read here. */
static void note_allocator(void)
{
	Dl_info of_malloc, of_libc;
	void *called = dlsym(RTLD_DEFAULT, "malloc");

	glibc_allocates = called && dladdr(called, &of_malloc) && dladdr((void *)gnu_get_libc_version, &of_libc) &&
			  of_malloc.dli_fbase == of_libc.dli_fbase;
}

static void note_stacks(void)
{
	struct lockstat_table *table = NULL;

	stack_count = 0;
	while ((table = lockstat_next(table)) && stack_count < MOST_STACKS)
		stacks[stack_count++] = table->stack;
}

void locknames_say(void)
{
	if (!wanted_count)
		return;
	note_allocator();
	note_stacks();
	if (maps_read())
		for (size_t i = 0; i < MOST_WANTED; i++)
			if (wanted[i])
				say(wanted[i]);
	memset(wanted, 0, sizeof(wanted));
	wanted_count = 0;
}
