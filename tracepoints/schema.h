/*
 * What the shim and the analyzer agree on: the numbers that stand in a trace instead of words. It knows nothing of how
 * events are recorded or read. A change that an older analyzer would misread raises RBDPROF_SCHEMA.
 */
#ifndef RBDPROF_TRACEPOINTS_SCHEMA_H
#define RBDPROF_TRACEPOINTS_SCHEMA_H

#define RBDPROF_SCHEMA 1

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

/* Flags of a request. */
enum {
	RBDPROF_SYNCHRONOUS = 1, /* a blocking call: C, D and A are its return */
	RBDPROF_NO_CALLBACK = 2, /* its completion has no callback: C is not seen before the application looks */
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

/* A request's number: the number of the thread that made it, above RBDPROF_THREAD_SHIFT, and its place among that thread's requests. */
#define RBDPROF_THREAD_SHIFT 40

#endif
