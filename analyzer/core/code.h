/*
 * Where the addresses of a process belong: the files that its code was mapped from, and the stacks that events refer to by number. It
 * knows ranges and paths as the process said them; it opens no file and knows no symbol.
 *
 * A file that is mapped where another was takes its place: what was said of addresses before that is then told by the new one.
 */
#ifndef RBDPROF_ANALYZER_CORE_CODE_H
#define RBDPROF_ANALYZER_CORE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/event.h"

struct module {
	uint64_t begin; /* of its mapped addresses */
	uint64_t end;
	uint64_t bias;    /* address = bias + the address in the file */
	char *path;       /* owned */
	char *build_id;   /* owned; hexadecimal, "": none */
	const char *name; /* the path's last part */
	uint8_t ceph;     /* one of librbd's, librados' or what they share */
	uint8_t shim;     /* the preloaded library itself: its frames are none of the program's */
};

struct stack {
	uint64_t number;
	uint64_t *frames; /* owned; return addresses, the innermost first */
	size_t count;
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct code {
	struct module *modules; /* owned; ascending, none overlap */
	size_t module_count;
	struct stack *stacks; /* owned */
};

void code_fini(struct code *code);

/* Takes a MODULE; one that was said before changes nothing. Returns 0 or -ENOMEM. */
int code_feed_module(struct code *code, const struct event *event);

/* Takes a STACK. A number's first frames stay. Returns 0 or -ENOMEM. */
int code_feed_stack(struct code *code, const struct event *event);

/* The module that the address lies in; NULL when none was said. Valid until the next code_feed_module(). */
const struct module *code_module(const struct code *code, uint64_t address);

/* Whether the address lies in the preloaded library. */
int code_is_shim(const struct code *code, uint64_t address);

/* The stack of that number; NULL when it was not said. */
const struct stack *code_stack(const struct code *code, uint64_t number);

#endif
