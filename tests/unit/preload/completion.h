/* What the tests of completions share: an image, a callback that the test can give something to do, and whether a record is free. */
#ifndef RBDPROF_TESTS_COMPLETION_H
#define RBDPROF_TESTS_COMPLETION_H

#include "test.h"

#include "heard.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "stubs.h"

#define AT_ONCE_NS 100000000 /* nothing tells C apart from D: two readings of the clock, generously */
#define POOL_SIZE  65536     /* records, as documented in docs/interposing.md */

static char handle; /* an image */
static int application_arg;
static int calls; /* of the application's callback */
static rbd_completion_t called_with;
static void *called_arg;
static void (*in_callback)(rbd_completion_t completion);

static inline void callback(rbd_completion_t completion, void *arg)
{
	calls++;
	called_with = completion;
	called_arg = arg;
	if (in_callback)
		in_callback(completion);
}

static inline rbd_completion_t create(rbd_callback_t with)
{
	rbd_completion_t completion = NULL;

	assert_int_equal(rbd_aio_create_completion(&application_arg, with, &completion), 0);
	return completion;
}

static inline rbd_completion_t submit(rbd_callback_t with)
{
	static char data[512];
	rbd_completion_t completion = create(with);

	assert_int_equal(rbd_aio_read(&handle, 4096, sizeof(data), data, completion), 0);
	return completion;
}

/* Each test begins with somebody recording and one image open. */
static inline int setup(void **state)
{
	(void)state;
	heard_start(false);
	stubs_install();
	stub_open(&handle);
	heard_start(true);
	calls = 0;
	in_callback = NULL;
	return 0;
}

/* The same, with C functions that pass on to the C++ ones. */
static inline int setup_layered(void **state)
{
	setup(state);
	stubs_layer();
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	heard_start(false);
	stub_answer = 0;
	return rbd_close(&handle);
}

/* The record behind a completion has been given back: the next one created gets it, last in, first out. */
static inline void assert_free(const void *record)
{
	struct record *next = record_create(NULL, NULL);

	assert_ptr_equal(next, record);
	record_cancel(next);
}

static inline void assert_taken(const void *record)
{
	struct record *next = record_create(NULL, NULL);

	assert_ptr_not_equal(next, record);
	record_cancel(next);
}

static inline void *record_of(rbd_completion_t completion)
{
	return ((struct stub_completion *)completion)->arg;
}

#define TEST(name)                                                                                                                         \
	cmocka_unit_test_setup_teardown(name, setup, teardown),                                                                            \
	{                                                                                                                                  \
		#name " through the C++ interface", name, setup_layered, teardown, NULL                                                    \
	}

#endif
