/*
 * What the shim can say, and the table through which it says it. The shim links no tracer: it writes to the emitter
 * that is installed, which is a silent one until the provider (librbdprof-lttng.so) has been loaded, and a recording stub in
 * the unit tests. This header knows the shape of every event; when each is emitted, and why, is the shim's business and
 * told in docs/events.md.
 *
 * Every function may be called by any thread. None keeps a pointer, none fails. Strings are never NULL.
 */
#ifndef RBDPROF_TRACEPOINTS_EMIT_H
#define RBDPROF_TRACEPOINTS_EMIT_H

#include <stddef.h>
#include <stdint.h>

#include "tracepoints/schema.h"

/* An image as it was when it was opened. Numbers are the process's own; strings are cut, never left open. */
struct rbdprof_image {
	uint32_t image;              /* number within the process, from 1 */
	uint64_t open_ns;            /* how long opening took; 0 when unknown */
	uint64_t client;             /* global id of the librados client */
	char cluster[40];            /* the cluster's fsid */
	char release[64];            /* Ceph's version as libceph-common gives it */
	int64_t pool_id;
	char pool[128];
	char namespace_[128];
	char name[256];
	char id[64];
	char snapshot[128];          /* "" for the image itself */
	uint64_t size_bytes;
	uint64_t features;           /* RBD_FEATURE_* bits */
	uint64_t object_size_bytes;
	uint64_t stripe_unit_bytes;
	uint64_t stripe_count;
	char prefix[128];            /* of its data objects' names */
	uint8_t read_only;
};

/* A request at S, the entry of the call. */
struct rbdprof_request {
	uint64_t request;            /* thread << RBDPROF_THREAD_SHIFT | count, unique in the process */
	uint32_t image;
	uint8_t kind;                /* enum rbdprof_kind */
	uint8_t flags;               /* RBDPROF_SYNCHRONOUS, RBDPROF_NO_CALLBACK */
	uint64_t offset_bytes;
	uint64_t length_bytes;
};

/* A contended acquisition, or a wait on a condition variable, when it was over. */
struct rbdprof_lock_wait {
	uint64_t lock;               /* address of the lock */
	uint64_t mutex;              /* COND: address of the mutex that goes with it; else 0 */
	uint64_t caller;             /* return address of the call */
	uint64_t wait_ns;
	uint32_t thread;
	int32_t result;              /* what the call returned: 0, ETIMEDOUT, EOWNERDEAD … */
	uint8_t kind;                /* enum rbdprof_lock_kind */
};

struct rbdprof_emitter {
	/* The tracer's own words: not 0 while a recording wants the event. The shim reads them before it prepares anything. */
	const int *requests;
	const int *lock_waits;
	const int *cond_waits;

	/* Said once, and again while a recording lasts. */
	void (*process)(uint32_t schema, const char *version, uint32_t pid, const char *comm);
	void (*thread)(uint32_t thread, uint32_t tid, const char *name);
	void (*image)(const struct rbdprof_image *image);
	void (*config)(uint32_t image, const char *option, const char *value);
	void (*unseen)(const char *function);
	void (*request_open)(const struct rbdprof_request *request, uint64_t age_ns);
	void (*totals)(uint64_t emitted, uint64_t passed_through);

	void (*image_closed)(uint32_t image, uint64_t close_ns, int32_t result);
	void (*request)(const struct rbdprof_request *request);
	void (*complete)(uint64_t request, uint32_t thread, int64_t result, uint64_t c2d_ns, uint8_t looked);
	void (*reap)(const uint64_t *requests, size_t count);
	void (*lock_wait)(const struct rbdprof_lock_wait *wait);

	/* Around fork() in a process that has a tracer: before it; after it, in the parent (0) and in the child (1). */
	void (*fork_before)(void);
	void (*fork_after)(int in_child);
};

/* The provider's only symbol, found by name once its object is loaded. */
#define RBDPROF_EMITTER_SYMBOL "rbdprof_lttng_emitter"

#endif
