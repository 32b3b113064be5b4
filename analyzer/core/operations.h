/*
 * RADOS operations that librbd sends through librados, from their submission to their reply, with what they carry, and the names of the
 * objects that they are about. It knows what an object's name means (an image's header, its object map, its journal) and joins what the
 * shim tells in several events; it does not know what an operation is good for: whole operations are handed to a consumer twice, when
 * they begin and when they are done.
 *
 * Its memory is that of the operations in flight and of the objects' names.
 */
#ifndef RBDPROF_ANALYZER_CORE_OPERATIONS_H
#define RBDPROF_ANALYZER_CORE_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/event.h"

struct carried;
struct image;
struct process;

enum object_class {
	OBJECT_OTHER,
	OBJECT_HEADER,       /* rbd_header.<id>: the exclusive lock, and what clients notify each other of */
	OBJECT_MAP,          /* rbd_object_map.<id>, with a lock of its own that is no tenure */
	OBJECT_JOURNAL,      /* journal.<id>: its header */
	OBJECT_JOURNAL_DATA, /* journal_data.<pool>.<id>.<n> */
};

/* One journal entry of an append. */
struct entry {
	uint64_t number;       /* within its tag */
	uint64_t offset_bytes; /* what of the image it writes or discards */
	uint64_t length_bytes;
	uint8_t kind;            /* enum rbdprof_entry */
	struct carried *carried; /* the consumer's: the request that it belongs to; NULL at first */
};

struct operation {
	struct {
		uint64_t number;
		uint64_t process;
	} key;
	uint64_t seen_ns;        /* when it was first heard of; with what it carries, before its submission */
	struct process *process; /* the registry's */
	struct image *image;     /* the consumer's, from begun to done; NULL at first */
	uint64_t client;         /* global id */
	int64_t pool_id;
	enum object_class object;
	char image_id[64]; /* of the image that the object belongs to; "" for OBJECT_OTHER */
	uint64_t methods;  /* enum rbdprof_method, a byte each, the first in the lowest */
	uint8_t kind;      /* enum rbdprof_operation_kind */
	uint64_t begin_ns; /* submission */
	uint64_t end_ns;   /* the reply; 0 until then */
	int32_t result;    /* once it is done */
	uint64_t reply_bytes;

	/* What it carries; by methods and kind. */
	uint64_t lock_watch;  /* of the cookie of a lock call; 0: not an image's lock */
	uint64_t lock_locker; /* break_lock: whose lock is broken */
	uint8_t lock_type;
	uint64_t tag; /* journal.append */
	uint64_t append_bytes;
	struct entry *entries; /* owned by the table */
	size_t entry_count;
	size_t entry_room;
	uint8_t notifies; /* NOTIFY about a header: 1, and then */
	uint32_t what;    /* enum rbdprof_notification */
	uint64_t refuser; /* who refused it, once it is done; 0: nobody */
	uint64_t silent;  /* who did not answer in time; 0: nobody. Of several, the last that was told, as with refuser */
	int32_t refusal;  /* negative errno of the refuser */
	uint8_t tracked;  /* its reply will be told */
	uint8_t begun;    /* the consumer knows it */
	void *context;    /* of whoever follows it from begun to done or left; NULL at first */
	UT_hash_handle hh;
};

/* What happens to an operation. It is the table's: gone after `done` and `left`. Each returns 0 or a negative errno. */
struct operations_consumer {
	void *context;
	int (*begun)(void *context, struct operation *operation);
	int (*done)(void *context, struct operation *operation);
	/* After begun: the trace ended, its reply was lost, or will not be told. */
	int (*left)(void *context, struct operation *operation);
};

/* A RADOS object of a process. */
struct object {
	struct {
		uint64_t number; /* hash of its name */
		uint64_t process;
	} key;
	enum object_class object;
	int64_t pool_id;   /* of the image that it belongs to; -1: its name does not tell */
	char image_id[64]; /* "" for OBJECT_OTHER */
	UT_hash_handle hh;
};

struct operations;

/* What the consumer points to is borrowed. NULL when memory ran out. */
struct operations *operations_create(const struct operations_consumer *consumer);

/* Forgets all without a word to the consumer. NULL is fine. */
void operations_destroy(struct operations *operations);

/*
 * Takes one event: OBJECT, LOCK_CALL, JOURNAL_APPEND, OPERATION, OPERATION_DONE, WATCHING, or a NOTIFICATION that was sent; others are left
 * alone. What contradicts itself is passed over: a reply to an operation that was not seen, or one submitted twice. Returns 0, -ENOMEM,
 * or what the consumer returned.
 */
int operations_feed(struct operations *operations, struct process *process, const struct event *event);

/* The process's object of that number; NULL when its name was not told. */
const struct object *operations_object(const struct operations *operations, uint32_t process, uint64_t number);

/*
 * Gives up on operations of the process that were first heard of before `before_ns`: what was never submitted, and where events were lost
 * also what waits for a reply. Returns what the consumer returned.
 */
int operations_sweep(struct operations *operations, const struct process *process, uint64_t before_ns, int lossy);

/* The trace is over: what is in flight is left. Returns what the consumer returned. */
int operations_finish(struct operations *operations);

/* 1 when the operation calls the method. */
int operation_calls(const struct operation *operation, enum rbdprof_method method);

#endif
