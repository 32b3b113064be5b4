/*
 * A running process as it looks from outside: who it is, which of the libraries that matter it has mapped, and what it was started
 * with. Reads /proc and the process's memory, changes nothing in it, and concludes nothing: whether it can be recorded is
 * said by attach and doctor.
 */
#ifndef RBDPROF_ANALYZER_TARGET_H
#define RBDPROF_ANALYZER_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The libraries that matter, by the beginning of their files' names:  LIBRARY(name, file) */
#define TARGET_LIBRARIES(LIBRARY)                                                                                                          \
	LIBRARY(SHIM, "librbdprof.so")                                                                                                     \
	LIBRARY(PROVIDER, "librbdprof-lttng.so")                                                                                           \
	LIBRARY(LIBRBD, "librbd.so.1")                                                                                                     \
	LIBRARY(LIBRADOS, "librados.so.2")                                                                                                 \
	LIBRARY(CEPH_COMMON, "libceph-common.so.2")                                                                                        \
	LIBRARY(LTTNG, "liblttng-ust.so.1")                                                                                                \
	LIBRARY(LTTNG_0, "liblttng-ust.so.0")                                                                                              \
	LIBRARY(JEMALLOC, "libjemalloc.so.")                                                                                               \
	LIBRARY(TCMALLOC, "libtcmalloc")                                                                                                   \
	LIBRARY(MIMALLOC, "libmimalloc")

enum target_library {
#define LIBRARY(name, file) TARGET_##name,
	TARGET_LIBRARIES(LIBRARY)
#undef LIBRARY
	    TARGET_LIBRARY_COUNT
};

struct target_mapping {
	uint64_t begin, end;     /* addresses of the file's mappings, the first and the last; 0: it is not mapped */
	char path[PATH_MAX];     /* as the process sees it; "" */
	char readable[PATH_MAX]; /* the same file for this process, even from another mount namespace or when it was replaced */
};

struct target {
	pid_t pid;      /* for this process's namespace */
	pid_t vpid;     /* as it calls itself */
	uint64_t start; /* for proc_is() */
	uid_t uid;      /* effective */
	char comm[32];
	bool stopped;           /* by a signal or a debugger: nothing in it can answer */
	bool secure;            /* the loader ignores LD_PRELOAD: set-user-id, set-group-id or capabilities of the file */
	bool filtered;          /* by seccomp */
	bool foreign_mounts;    /* it sees other mounts than this process */
	char home[PATH_MAX];    /* where it looks for an ordinary user's session daemon: LTTNG_HOME, else HOME; "" for none */
	char preload[PATH_MAX]; /* LD_PRELOAD that it was started with, cut to this; "" */
	bool disabled;          /* RBDPROF_DISABLE */
	bool of_a_recording;    /* RBDPROF_SOCKET: started by rbdprof record */
	struct target_mapping mappings[TARGET_LIBRARY_COUNT];
};

/*
 * Looks at a process. Returns 0, -ESRCH when there is none (or it is dead), or -EACCES when this user may not look into it: pid, vpid,
 * start, uid, comm and stopped are known then all the same.
 */
int target_look(struct target *target, pid_t pid);

/*
 * Calls back with every file that is mapped as a program or a library: where its first page lies, its path as the process sees it, and as
 * this process can read it. Returns 0, or -ESRCH or -EACCES.
 */
int target_files(const struct target *target, void (*take)(void *data, uint64_t begin, const char *path, const char *readable), void *data);

bool target_has(const struct target *target, enum target_library library);

/* "fio (123)"; the text is the target's own. */
const char *target_name(const struct target *target, char name[48]);

/* Copies from its memory. Returns 0, or -EIO when not all of it could be read. */
int target_read(const struct target *target, uint64_t address, void *to, size_t bytes);

#endif
