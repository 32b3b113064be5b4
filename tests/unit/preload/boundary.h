/* What the tests of operations and of watches share: a pool, an object, and a librados whose completions complete when the test says so. */
#ifndef RBDPROF_TESTS_BOUNDARY_H
#define RBDPROF_TESTS_BOUNDARY_H

#include "below.h"
#include "preload/cxx.h"

#define CLIENT 4107u
#define POOL   5

/* A pool of the client, and an object in it. */
extern struct cxx_ioctx boundary_ioctx;
extern const struct cxx_string boundary_header; /* rbd_header.1234abcd */

/* A completion, with the callback that librados would call. */
struct boundary_completion {
	cxx_rados_callback callback;
	void *arg;
};

/* What every original answers, how often one was called since boundary_start(), and what was said by then. */
extern int boundary_answer;
extern int boundary_calls;
extern struct below boundary_said;

/* To be called by an original. */
int boundary_called(void);

/* The callback that the tests give, and what it was given. */
void boundary_callback(void *completion, void *arg);
extern int boundary_callbacks;
extern void *boundary_called_with, *boundary_called_arg;
extern struct below boundary_said_by_callback;

/* A completion through the wrapper, with that callback and the address of boundary_arg. */
void *boundary_create(void);
extern char boundary_arg;

/* librados completes, with its own half of the completion, boundary_half. Its other half has to be gone by then, or never is. */
void boundary_finish(void *completion, int result);

/* The completion is gone without having been used, or after a refusal. */
void boundary_drop(void *completion);
extern char boundary_half;

/* Puts the originals in place, with somebody recording or nobody. */
void boundary_start(bool recording);

#endif
