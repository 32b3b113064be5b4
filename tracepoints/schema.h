/*
 * What the shim and the analyzer agree on: the numbers that stand in a trace instead of words. It knows nothing of how
 * events are recorded or read. A change that an older analyzer would misread raises RBDPROF_SCHEMA.
 */
#ifndef RBDPROF_TRACEPOINTS_SCHEMA_H
#define RBDPROF_TRACEPOINTS_SCHEMA_H

#define RBDPROF_SCHEMA 6

/* The kinds of a request, in the order of their numbers in a trace. The names are also the keys of the JSON report. */
#define RBDPROF_KINDS(KIND)                                                                                                                \
	KIND(READ, read)                                                                                                                   \
	KIND(WRITE, write)                                                                                                                 \
	KIND(DISCARD, discard)                                                                                                             \
	KIND(WRITE_ZEROES, write_zeroes)                                                                                                   \
	KIND(WRITESAME, writesame)                                                                                                         \
	KIND(COMPARE_AND_WRITE, compare_and_write)                                                                                         \
	KIND(FLUSH, flush)                                                                                                                 \
	KIND(INVALIDATE_CACHE, invalidate_cache)

enum rbdprof_kind {
#define KIND(upper, lower) RBDPROF_##upper,
	RBDPROF_KINDS(KIND)
#undef KIND
	RBDPROF_KIND_COUNT
};

/* How many words the events are told in that there are most of: LTTng writes an event's fields one by one, at some sixty instructions each. */
enum {
	RBDPROF_REQUEST_WORDS = 4,
	RBDPROF_COMPLETE_WORDS = 4,
	RBDPROF_REAP_WORDS = 1,
	RBDPROF_SENT_WORDS = 7,
	RBDPROF_WAIT_WORDS = 8,
	RBDPROF_HOLD_WORDS = 5,
	RBDPROF_COUNTS_WORDS = 8, /* of one lock */
};

/*
 * Those that a thread keeps for a while and tells together, in a `batch`, since an event costs LTTng more than all that is in it. In one,
 * each is a header and its words as above. The header is what it is, in the highest byte, and below the moment at which it would have been an
 * event: the clock that gives events their times, without its highest byte, and never after the time of the batch.
 */
#define RBDPROF_RECORDS(RECORD)                                                                                                            \
	RECORD(REQUEST, request, RBDPROF_REQUEST_WORDS)                                                                                    \
	RECORD(COMPLETE, complete, RBDPROF_COMPLETE_WORDS)                                                                                 \
	RECORD(SENT, sent, RBDPROF_SENT_WORDS)                                                                                             \
	RECORD(LOCK_WAIT, lock_wait, RBDPROF_WAIT_WORDS)                                                                                   \
	RECORD(COND_WAIT, cond_wait, RBDPROF_WAIT_WORDS)                                                                                   \
	RECORD(LOCK_HOLD, lock_hold, RBDPROF_HOLD_WORDS)                                                                                   \
	RECORD(LOCK_PAIR, lock_pair, RBDPROF_HOLD_WORDS)                                                                                   \
	RECORD(REAP, reap, RBDPROF_REAP_WORDS)

enum rbdprof_record {
	RBDPROF_RECORD_NONE,
#define RECORD(upper, lower, words) RBDPROF_RECORD_##upper,
	RBDPROF_RECORDS(RECORD)
#undef RECORD
	RBDPROF_RECORD_COUNT
};

#define RBDPROF_RECORD_SHIFT 56 /* of what it is, in a header */

/* Flags of a request. */
enum {
	RBDPROF_SYNCHRONOUS = 1, /* a blocking call: D is C, and A its return */
	RBDPROF_NO_CALLBACK = 2, /* its completion has no callback: D is C, and A the application's first look */
};

/* The kinds of a contended lock, in the order of their numbers in a trace. */
#define RBDPROF_LOCK_KINDS(KIND)                                                                                                           \
	KIND(MUTEX, mutex)                                                                                                                 \
	KIND(RWLOCK_READ, rwlock_read)                                                                                                     \
	KIND(RWLOCK_WRITE, rwlock_write)                                                                                                   \
	KIND(COND, cond)

enum rbdprof_lock_kind {
#define KIND(upper, lower) RBDPROF_##upper,
	RBDPROF_LOCK_KINDS(KIND)
#undef KIND
	RBDPROF_LOCK_KIND_COUNT
};

/* Where not all holds are asked for, one acquisition of a lock in so many is timed until its release. */
#define RBDPROF_HOLD_SAMPLING 64

/* What a RADOS operation does, in the order of their numbers in a trace. */
#define RBDPROF_OPERATIONS(OPERATION)                                                                                                      \
	OPERATION(READ, read)                                                                                                              \
	OPERATION(WRITE, write)                                                                                                            \
	OPERATION(NOTIFY, notify)                                                                                                          \
	OPERATION(WATCH, watch)                                                                                                            \
	OPERATION(UNWATCH, unwatch)                                                                                                        \
	OPERATION(WATCH_FLUSH, watch_flush)                                                                                                \
	OPERATION(BLOCKLIST, blocklist)

enum rbdprof_operation_kind {
#define OPERATION(upper, lower) RBDPROF_OPERATION_##upper,
	RBDPROF_OPERATIONS(OPERATION)
#undef OPERATION
	RBDPROF_OPERATION_COUNT
};

/* The methods of object classes that an operation calls, and two operations of the OSD's own; numbers from 1, tracepoints/methods.def.
 * An operation's methods stand in one 64-bit number, a byte each, the first in the lowest. */
enum rbdprof_method {
	RBDPROF_METHOD_NONE,
#define METHOD(cls, method) RBDPROF_METHOD_##cls##_##method,
#include "tracepoints/methods.def"
#undef METHOD
	RBDPROF_METHOD_COUNT,
	RBDPROF_METHOD_OTHER = 255 /* one that methods.def does not have */
};

/* What one client tells the others through rbd_header.<id>, as Ceph numbers it; higher ones are not used here. */
enum rbdprof_notification {
	RBDPROF_ACQUIRED_LOCK = 0,
	RBDPROF_RELEASED_LOCK = 1,
	RBDPROF_REQUEST_LOCK = 2,
	RBDPROF_HEADER_UPDATE = 3,
	RBDPROF_ASYNC_COMPLETE = 5,
	RBDPROF_SNAP_CREATE = 8,
	RBDPROF_QUIESCE = 18,
};

/* The kinds of an entry in an image's journal, as Ceph numbers them; others are maintenance. */
enum rbdprof_entry {
	RBDPROF_ENTRY_DISCARD = 0,
	RBDPROF_ENTRY_WRITE = 1,
	RBDPROF_ENTRY_FLUSH = 2,
	RBDPROF_ENTRY_WRITESAME = 18,
	RBDPROF_ENTRY_COMPARE_AND_WRITE = 19,
};

/* A request's number: the number of the thread that made it, above RBDPROF_THREAD_SHIFT, and its place among that thread's requests. */
#define RBDPROF_THREAD_SHIFT 40

#endif
