/*
 * RADOS operations that librbd sends through librados: what is called within one before it is submitted, its number, and the completion
 * that ends it. It knows the life of an operation; what stands in its payloads is payload.h's. Nothing here does anything while
 * nobody records, but for forwarding the callbacks of operations that were sent while somebody did.
 */
#ifndef RBDPROF_PRELOAD_OPERATION_H
#define RBDPROF_PRELOAD_OPERATION_H

#include <stdint.h>

#include "preload/bufferlist.h"
#include "preload/cxx.h"
#include "tracepoints/emit.h"

/* The number of a method; RBDPROF_METHOD_OTHER for one that methods.def does not have. */
enum rbdprof_method operation_method(const char *cls, const char *method);

/* A call within an operation under construction, to be made while somebody records. Returns the number that the operation will have; 0 when
 * too many are under construction. `operation` is only a key here. */
uint64_t operation_add(const void *operation, enum rbdprof_method method);

/* What was added to it so far, a byte for each method, the first in the lowest; 0: nothing. number: what it will have. */
uint64_t operation_methods(const void *operation, uint64_t *number);

/* Where the reply to what was last added will be written, when that is not the whole operation's. */
void operation_add_reply(const void *operation, const void *out, enum bufferlist_age age);

/* The operation is new, or gone: what was added is forgotten. */
void operation_forget(const void *operation);

/* A call that sends an operation. */
struct operation_call {
	uint8_t kind;                  /* enum rbdprof_operation_kind */
	struct cxx_ioctx *ioctx;       /* NULL: client says whose it is */
	uint64_t client;
	const struct cxx_string *oid;  /* NULL: none */
	const void *operation;         /* NULL: nothing was added to it */
	void *completion;              /* librados::AioCompletion; NULL: the call blocks */
	const void *out;               /* the buffer that its reply will be in; NULL: none, or not looked at */
	enum bufferlist_age age;       /* of that buffer */
	const uint64_t *watch_out;     /* WATCH: where the watch's handle will be written */
	uint64_t watch;                /* UNWATCH */
	struct flight *flight;         /* operation_begin()'s own */
};

/* Before the real call: says the operation. Returns its number, 0 when nobody records. Fills in `out` when what was added has a buffer of its own. */
uint64_t operation_begin(struct operation_call *call);

/* After a real call that blocks, or that was refused. number: as operation_begin() returned it. */
void operation_end(const struct operation_call *call, uint64_t number, int result);

#endif
