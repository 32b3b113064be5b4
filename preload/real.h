/*
 * The originals of the functions that the shim interposes, and the functions that it only asks things of. It knows where to
 * look for them and nothing of what they do.
 *
 * A wrapper is written  WRAPS(name) type name(arguments) { … REAL(name)(arguments) … }.  The table tracepoints/functions.def and
 * the bodies are held together by the tools: a row without a body does not link, a body without a row does not compile.
 */
#ifndef RBDPROF_PRELOAD_REAL_H
#define RBDPROF_PRELOAD_REAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <rbd/librbd.h>

#include "preload/cxx.h"

/* Of releases newer than the headers that we are built with. */
ssize_t rbd_aio_compare_and_writev(rbd_image_t image, uint64_t off, const struct iovec *cmp_iov, int cmp_iovcnt, const struct iovec *iov,
			       int iovcnt, rbd_completion_t c, uint64_t *mismatch_off, int op_flags);
int rbd_aio_write_with_crc32c(rbd_image_t image, uint64_t off, size_t len, const char *buf, uint32_t precomputed_crc32c,
			      rbd_completion_t c, int op_flags);

struct real {
#define FN(family, need, name) __typeof__(&name) name;
#include "tracepoints/functions.def"
#undef FN
};

enum real_index {
#define FN(family, need, name) REAL_##name,
#include "tracepoints/functions.def"
#undef FN
	REAL_COUNT
};

extern struct real real;

/* The original of one row, looked up now. While the loader is looking one up for this very thread, a stand-in that answers 0: an
 * allocator may take its mutex below dlsym, before there is a second thread. For a function that no loaded library has, one that
 * answers ENOSYS in the family's way. */
void *real_find(enum real_index index);

/* After real_find_rbd(): the names of the rows of the boundary below librbd that this release does not have, at most `most` of them.
 * Returns how many. What they would show is not in the trace. The names are static. */
size_t real_missing(const char **names, size_t most);

/*
 * Looks up librbd's rows and those of the boundary below it: RTLD_NEXT first, then in a librbd that is loaded with a scope of its own, as QEMU's module loads it.
 * Returns false when a required one is missing, which is also said on standard error, once: then the shim must stay out of the way.
 */
bool real_find_rbd(void);

/* A function that is not interposed, of an already loaded library; NULL when it is not there. library: soname. */
void *real_symbol(const char *library, const char *name);

/* Looks up all rows of the C library, early: later a program may hold locks that another thread's loader waits for. */
void real_find_pthread(void);

/* Whether an already loaded library has this soname. */
bool real_loaded(const char *library);

/* Whether functions.def has a row of this name. */
bool real_has_row(const char *name);

#define REAL(name) (__builtin_expect(real.name != NULL, 1) ? real.name : (__typeof__(real.name))real_find(REAL_##name))

/* The shim's own questions to a completion. librbd's C functions pass them on to its C++ ones, through the wrappers of those. */
#define ASK(name, completion) (real.cxx_##name ? real.cxx_##name(completion) : REAL(rbd_##name)(completion))

#define WRAPS(name)                                                                                                                        \
	_Static_assert(offsetof(struct real, name) < sizeof(struct real), "functions.def has this row");                                   \
	extern const char rbdprof_wraps_##name;                                                                                            \
	const char rbdprof_wraps_##name = 1;                                                                                               \
	__attribute__((visibility("default")))

#endif
