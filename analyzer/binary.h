/*
 * An ELF file as the loader will see it: what it needs, which names it asks for and which it offers, and where the addresses of those it
 * asks for are kept. It runs nothing and knows no process.
 */
#ifndef RBDPROF_ANALYZER_BINARY_H
#define RBDPROF_ANALYZER_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

/* Returns 0; -ENOEXEC when it is no ELF file for this machine's word size; or another negative errno. binary_close() is due after 0. */
int binary_open(struct binary **binary, const char *path);
void binary_close(struct binary *binary);

/* Whether the loader has nothing to do with it: no interpreter and no dynamic section. */
bool binary_is_static(const struct binary *binary);

/* The n-th library that it names as needed; NULL after the last. Valid until it is closed. */
const char *binary_needed(const struct binary *binary, size_t n);

/*
 * Calls back with every dynamic symbol that has a name: offered (defined here, and a function or an object), or asked for. value: the
 * offered one's address before the file is placed. The callback ends it by returning false.
 */
void binary_symbols(const struct binary *binary, bool (*take)(void *data, const char *name, bool offered, uint64_t value), void *data);

/* The address of an offered symbol before the file is placed; 0 when there is none. */
uint64_t binary_find(const struct binary *binary, const char *name);

/*
 * Calls back with every word of the file's data into which the loader writes the address of a symbol that it looks up by name. slot: the
 * word's address before the file is placed.
 */
void binary_slots(const struct binary *binary, void (*take)(void *data, const char *name, uint64_t slot), void *data);

/* Where its first page lies before it is placed: what is to be subtracted from the others' addresses. */
uint64_t binary_first_page(const struct binary *binary);

/*
 * The text of the first word, between NUL bytes, in its constant data that `fits`; copied to `text`. Returns whether there is one.
 */
bool binary_find_text(const struct binary *binary, bool (*fits)(const char *text), char *text, size_t size);

#endif
