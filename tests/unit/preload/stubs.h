/*
 * Originals for tests: a librbd whose every step the test takes itself. Completions complete when the test says so, on the thread that says
 * so; images are any pointers. It knows the contract of completions and nothing of the shim.
 */
#ifndef RBDPROF_TESTS_STUBS_H
#define RBDPROF_TESTS_STUBS_H

#include <stdbool.h>

#include <rbd/librbd.h>

struct stub_completion {
	rbd_callback_t callback; /* as librbd was given them */
	void *arg;
	ssize_t result;
	bool complete; /* from the callback's entry on */
	int released;
};

/* What a submission, an open or a close answers; set back to 0 by stubs_install(). */
extern int stub_answer;

/* How often any submission reached its original since stubs_install(). */
extern int stub_submissions;

/* Puts the stubs in the place of librbd's functions. */
void stubs_install(void);

/* From now on the C interface's functions for completions pass on to the C++ one's, as librbd's do, so that they meet the wrappers of those. */
void stubs_layer(void);

/* librbd completes: the callback runs in the calling thread. */
void stub_finish(rbd_completion_t completion, ssize_t result);

/* What the next rbd_poll_io_events returns. */
void stub_poll(rbd_completion_t *completions, int count);

/* What rbd_open and its like fill in next. */
void stub_next_handle(rbd_image_t handle);

/* Opens an image of this handle through the wrapper, so that the shim knows it. The settings of the fake client are found unknown. */
void stub_open(rbd_image_t handle);

#endif
