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
	uint64_t end_ns;             /* of the wait, or when it was looked at; monotonic clock */
	uint64_t wait_ns;
	uint64_t request;            /* whose call of librbd this thread was in; 0: none */
	uint64_t stack;              /* hash of the waiter's stack, described by `stack`; 0: not taken */
	uint32_t thread;
	uint32_t holder;             /* kernel thread id of who held it when the wait began; 0: not known, or readers */
	int32_t result;              /* what the call returned: 0, ETIMEDOUT, EOWNERDEAD … */
	uint8_t kind;                /* enum rbdprof_lock_kind */
};

/* A hold that is over. */
struct rbdprof_lock_hold {
	uint64_t lock;
	uint64_t caller;             /* return address of the release */
	uint64_t hold_ns;            /* blocking: from the first waiter's arrival; a pair: from the acquisition */
	uint64_t released_ns;        /* monotonic clock */
	uint32_t thread;
	uint8_t kind;                /* enum rbdprof_lock_kind */
};

/* What one thread did with one lock since the recording began to count, or since the thread last gave the lock's place to another. */
struct rbdprof_lock_counts {
	uint64_t lock;
	uint64_t series;             /* sums of one series only grow, and belong to the sums of others of the same lock */
	uint64_t acquisitions;       /* contended ones among them */
	uint64_t contended;
	uint64_t wait_ns;            /* of the contended ones */
	uint64_t holds;              /* that were timed: one in RBDPROF_HOLD_SAMPLING, or all where holds are asked for */
	uint64_t hold_ns;            /* of those */
	uint32_t thread;
	uint8_t kind;                /* enum rbdprof_lock_kind */
};

/* So many are told at once, at most. */
#define RBDPROF_COUNTS_AT_ONCE 32

/* A piece of code in the process: where an address belongs to. */
struct rbdprof_module {
	uint64_t begin;              /* of its mapped addresses */
	uint64_t end;
	uint64_t bias;               /* address = bias + the address in its file */
	char path[256];
	char build_id[41];           /* hexadecimal; "": it has none */
};

/* What the machine and its limits let the process have; sums since the machine's or the group's start. */
struct rbdprof_host {
	int64_t throttled_ns;        /* its control group waited for its quota; -1: not known */
	int64_t steal_ns;            /* of all processors, taken by the hypervisor; -1: not known */
	uint32_t processors;         /* that it may run on */
	uint32_t quota_milli;        /* of its control group, in thousandths of a processor; 0: none */
};

/* A RADOS operation that librbd is about to send through librados. */
struct rbdprof_operation {
	uint64_t operation;          /* thread << RBDPROF_THREAD_SHIFT | count, as a request's number, but of a count of its own */
	uint64_t client;             /* global id */
	int64_t pool_id;
	uint64_t object;             /* hash of its name, described by `object`; 0: none */
	uint64_t methods;            /* enum rbdprof_method, a byte each */
	uint64_t watch;              /* UNWATCH: the watch's handle */
	uint8_t kind;                /* enum rbdprof_operation_kind */
	uint8_t synchronous;
	uint8_t tracked;             /* an operation_done will follow */
};

/* A call of the lock class within an operation. */
struct rbdprof_lock_call {
	uint64_t operation;
	uint64_t watch;              /* the handle in the cookie "auto <handle>"; 0: another cookie */
	uint64_t locker;             /* break_lock: global id of the client whose lock is broken */
	uint8_t method;              /* enum rbdprof_method */
	uint8_t type;                /* lock: 1 exclusive, 2 shared, 3 exclusive and ephemeral */
};

/* Journal entries within one journal.append. */
#define RBDPROF_ENTRIES_AT_ONCE 64
struct rbdprof_journal_append {
	uint64_t operation;
	uint64_t tag;                /* of the first entry */
	uint32_t append_bytes;
	uint32_t count;              /* of entries */
	uint64_t entries[RBDPROF_ENTRIES_AT_ONCE];       /* their numbers within the tag */
	uint64_t offsets_bytes[RBDPROF_ENTRIES_AT_ONCE]; /* what of the image they write or discard */
	uint64_t lengths_bytes[RBDPROF_ENTRIES_AT_ONCE];
	uint8_t kinds[RBDPROF_ENTRIES_AT_ONCE];          /* enum rbdprof_entry */
};

/* A notification about an image's header, sent or received. */
struct rbdprof_notification_is {
	uint64_t operation;          /* of the notify that carries it; 0: received */
	uint64_t client;             /* the receiver's or sender's own global id */
	uint64_t object;
	uint64_t notify_id;          /* received: the same for all receivers and in the answer */
	uint64_t notifier;           /* received: global id of the sender */
	uint64_t about;              /* global id that the payload names; 0: none */
	uint32_t what;               /* enum rbdprof_notification, or Ceph's number */
};

/* A data operation handed to the network. */
struct rbdprof_sent {
	uint64_t client;
	uint64_t transaction;        /* its number among the client's: the same twice was sent again */
	int64_t pool_id;
	uint32_t placement_group;    /* its number within the pool */
	uint32_t object_hash;        /* Ceph's hash of the object's name */
	uint32_t flags;              /* 0x10 read, 0x20 write */
	uint16_t code;               /* of its first extent operation, CEPH_OSD_OP_*; 0: not known */
	uint16_t extents;            /* how many it has; 0: not known */
	uint64_t offset_bytes;       /* within the object: the first extent's */
	uint64_t length_bytes;       /* up to the last extent's end */
};

struct rbdprof_emitter {
	/* The tracer's own words: not 0 while a recording wants the event. The shim reads them before it prepares anything. */
	const int *requests;
	const int *lock_waits;
	const int *cond_waits;
	const int *all_holds;        /* every hold is to be timed */
	const int *lock_pairs;       /* every hold is to be an event */

	/* Said once, and again while a recording lasts. */
	void (*process)(uint32_t schema, const char *version, uint32_t pid, const char *comm);
	void (*thread)(uint32_t thread, uint32_t tid, const char *name);
	void (*image)(const struct rbdprof_image *image);
	void (*config)(uint32_t image, const char *option, const char *value);
	void (*unseen)(const char *function);
	void (*request_open)(const struct rbdprof_request *request, uint64_t age_ns);
	void (*totals)(uint64_t emitted, uint64_t passed_through);

	void (*image_closed)(uint32_t image, uint64_t close_ns, int32_t result);
	void (*request)(const struct rbdprof_request *request, uint64_t start_ns); /* S, by the monotonic clock */
	void (*complete)(uint64_t request, uint32_t thread, int64_t result, uint64_t complete_ns, uint8_t looked); /* C, by the monotonic clock */
	void (*reap)(uint64_t request, uint64_t looked_ns);
	void (*lock_wait)(const struct rbdprof_lock_wait *wait);
	void (*lock_wait_open)(const struct rbdprof_lock_wait *wait); /* not over yet: wait_ns so far, no result */
	void (*lock_hold)(const struct rbdprof_lock_hold *hold); /* others waited for its end */
	void (*lock_pair)(const struct rbdprof_lock_hold *hold); /* any */
	void (*lock_counts)(const struct rbdprof_lock_counts *counts, size_t count, uint8_t all_holds);
	void (*lock_name)(uint64_t lock, uint64_t offset_bytes, const char *type);
	void (*stack)(uint64_t stack, const uint64_t *frames, size_t count);
	void (*module)(const struct rbdprof_module *module);
	void (*usage)(uint32_t tid, uint64_t cpu_ns, uint64_t run_queue_ns, const char *name);
	void (*host)(const struct rbdprof_host *host);

	/* The boundary below librbd. */
	void (*object)(uint64_t object, const char *name);
	void (*operation)(const struct rbdprof_operation *operation);
	void (*operation_done)(uint64_t operation, int32_t result, uint64_t reply_bytes);
	void (*lock_call)(const struct rbdprof_lock_call *call);
	void (*journal_append)(const struct rbdprof_journal_append *append);
	void (*notification)(const struct rbdprof_notification_is *notification);
	void (*notify_ack)(uint64_t client, uint64_t object, uint64_t notify_id, int32_t result, uint8_t answered);
	void (*notify_reply)(uint64_t operation, uint64_t client, int32_t result);
	void (*watching)(uint64_t client, uint64_t object, uint64_t watch);
	void (*watch_error)(uint64_t client, uint64_t object, uint64_t watch, int32_t error);
	void (*lock_acquired)(uint32_t image);
	void (*sent)(const struct rbdprof_sent *sent);
	void (*throttled)(uint64_t bucket, uint64_t wanted, uint64_t granted);
	void (*timer)(uint64_t delay_ns);
	void (*undecoded)(const char *what);

	/* Tells what threads keep to tell it together. keep: they may go on keeping; call again soon, and in the end without. Not an event. */
	void (*batches)(int keep);

	/* The calling thread's return addresses, its own callers' first, at most `most`; returns how many. NULL: it has no unwinder. May wait for the
	 * loader, and allocates at a thread's first call. */
	size_t (*unwind)(uint64_t *frames, size_t most);

	/* Around fork() in a process that has a tracer: before it; after it, in the parent (0) and in the child (1). */
	void (*fork_before)(void);
	void (*fork_after)(int in_child);
};

/*
 * A word of each thread for the provider, NULL in a new one. It is the shim's, which is there from the start: a library that is loaded later may
 * find no room among the thread-local variables that cost nothing to reach.
 */
extern __thread void *rbdprof_thread_place __attribute__((tls_model("initial-exec"), visibility("default")));

/* The provider's only symbol, found by name once its object is loaded. */
#define RBDPROF_EMITTER_SYMBOL "rbdprof_lttng_emitter"

#endif
