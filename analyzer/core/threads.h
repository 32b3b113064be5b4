/*
 * What the threads of a process had of the processors, and what kept processors from the process: from samples that the shim takes
 * about once a second while it is recorded. It knows kernel thread ids and sums of time; it does not know what a thread does, nor
 * locks and requests.
 *
 * A share is of the wall-clock time between two samples, so a thread that was sampled only once has none. Threads that live shorter than
 * the samples are apart are not seen at all.
 */
#ifndef RBDPROF_ANALYZER_CORE_THREADS_H
#define RBDPROF_ANALYZER_CORE_THREADS_H

#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/event.h"

/* A second of a thread's life, or what lies between two samples that are further apart. */
struct load {
	uint64_t begin_ns;
	uint64_t span_ns; /* 0: none was seen */
	uint64_t cpu_ns;
	uint64_t run_queue_ns;
};

/* Waits of a thread for locks that are remembered, the locks' affair. */
#define TASK_WAITS 8

struct lock;

struct task_wait {
	const struct lock *lock; /* NULL: none yet */
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* A thread of the process by the kernel's id; struct thread in images.h is one by the shim's number. */
struct task {
	uint32_t tid;     /* kernel's */
	const char *name; /* the last that was said, "" before that; equal names of a process are one pointer, which stays */
	uint64_t samples;
	struct load all;       /* from its first sample to its last */
	struct load busiest;   /* the second with the greatest share of a processor */
	struct load hungriest; /* the second with the greatest share of waiting for one */
	struct load second;    /* the one that is being filled */
	uint64_t cpu_ns;       /* as last said */
	uint64_t run_queue_ns;
	struct task_wait waits[TASK_WAITS]; /* the last ones */
	unsigned wait_count;                /* ever; the place of the next is the rest of the division */
	UT_hash_handle hh;
	struct task *next; /* of the same process, in the order in which they were seen */
};

/* What a process is let have: its control group's quota and the hypervisor. Times between the first sample and the last. */
struct host_load {
	uint64_t samples;
	uint64_t first_ns;
	uint64_t last_ns;
	int64_t throttled_ns; /* waited for the quota, summed over processors; -1: not known */
	int64_t steal_ns;     /* taken by the hypervisor, of all processors; -1: not known */
	int64_t first_throttled_ns;
	int64_t first_steal_ns;
	uint32_t processors;  /* that it may run on; 0: not known */
	uint32_t quota_milli; /* in thousandths of a processor; 0: none */
};

struct thread_name {
	char *text; /* owned */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct threads {
	struct task *by_tid; /* those that have their id now */
	struct task *first;  /* owned; all there ever were */
	struct task *last;
	struct thread_name *names; /* owned; each once */
	struct host_load host;
};

void threads_fini(struct threads *threads);

/* The thread that has this id now, made if need be; NULL when memory ran out. */
struct task *threads_get(struct threads *threads, uint32_t tid);

/* The same, but NULL when there is none. */
struct task *threads_find(const struct threads *threads, uint32_t tid);

/* Takes a thread's name. Returns the thread, or NULL when memory ran out. */
struct task *threads_name(struct threads *threads, uint32_t tid, const char *name);

/*
 * Takes a USAGE. Sums that went back belong to another thread, to which the kernel gave the same id: the old one's end here. Returns 0 or
 * -ENOMEM.
 */
int threads_feed_usage(struct threads *threads, const struct event *event);

/* Takes a HOST. */
void threads_feed_host(struct threads *threads, const struct event *event);

/* The thread after `previous` (NULL: the first) in the order in which they were seen; NULL after the last. */
const struct task *threads_next(const struct threads *threads, const struct task *previous);

/* Part of the span on a processor, and waiting for one though it could have run; 0 to 1, below 0 when there is no span. */
double load_cpu_share(const struct load *load);
double load_run_queue_share(const struct load *load);

/*
 * The processor time of all threads of that name as a part of the time from the first one's first sample to the last one's last: workers
 * that take turns are one worker. It exceeds 1 where they run side by side; below 0 when none has a share.
 */
double threads_cpu_share(const struct threads *threads, const char *name);

/*
 * Whether a thread is the limit, and why. It ran, or could have run, for at least 85 per cent of its time, so that it could do hardly more:
 * SATURATED. STARVED: for at least a fifth of its time it waited for a processor meanwhile.
 */
enum pressure { PRESSURE_NONE, PRESSURE_SATURATED, PRESSURE_STARVED };

enum pressure load_pressure(const struct load *load);

/* Part of the time of all its processors in which the group waited for its quota, or that the hypervisor took; below 0 when not known. */
double host_throttled_share(const struct host_load *host);
double host_steal_share(const struct host_load *host);

#endif
