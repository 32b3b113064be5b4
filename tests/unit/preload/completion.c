/* The life of a completion in every order, and the moments that are said of its request. */
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

static void callback(rbd_completion_t completion, void *arg)
{
	calls++;
	called_with = completion;
	called_arg = arg;
	if (in_callback)
		in_callback(completion);
}

static rbd_completion_t create(rbd_callback_t with)
{
	rbd_completion_t completion = NULL;

	assert_int_equal(rbd_aio_create_completion(&application_arg, with, &completion), 0);
	return completion;
}

static rbd_completion_t submit(rbd_callback_t with)
{
	static char data[512];
	rbd_completion_t completion = create(with);

	assert_int_equal(rbd_aio_read(&handle, 4096, sizeof(data), data, completion), 0);
	return completion;
}

/* Each test begins with somebody recording and one image open. */
static int setup(void **state)
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

static int teardown(void **state)
{
	(void)state;
	heard_start(false);
	stub_answer = 0;
	return rbd_close(&handle);
}

/* The record behind a completion has been given back: the next one created gets it, last in, first out. */
static void assert_free(const void *record)
{
	struct record *next = record_create(NULL, NULL);

	assert_ptr_equal(next, record);
	record_cancel(next);
}

static void assert_taken(const void *record)
{
	struct record *next = record_create(NULL, NULL);

	assert_ptr_not_equal(next, record);
	record_cancel(next);
}

static void *record_of(rbd_completion_t completion)
{
	return ((struct stub_completion *)completion)->arg;
}

static void application_sees_what_it_gave(void **state)
{
	rbd_completion_t completion = submit(callback), quiet = submit(NULL);

	(void)state;
	assert_ptr_not_equal(record_of(completion), &application_arg);
	assert_ptr_equal(rbd_aio_get_arg(completion), &application_arg);
	assert_ptr_equal(rbd_aio_get_arg(quiet), &application_arg);
	assert_null(((struct stub_completion *)quiet)->callback); /* one would change the thread that completes it */
	stub_finish(completion, 512);
	assert_int_equal(calls, 1);
	assert_ptr_equal(called_with, completion);
	assert_ptr_equal(called_arg, &application_arg);
	rbd_aio_release(completion);
	rbd_aio_release(quiet);
}

static void callback_then_look_then_release(void **state)
{
	rbd_completion_t completion = submit(callback);
	void *record = record_of(completion);
	uint64_t request = heard.request.request;

	(void)state;
	assert_int_equal(heard.count[HEARD_REQUEST], 1);
	assert_int_equal(heard.request.kind, RBDPROF_READ);
	assert_int_equal(heard.request.flags, 0);
	assert_int_equal(heard.request.offset_bytes, 4096);
	assert_int_equal(heard.request.length_bytes, 512);
	assert_int_equal(request >> RBDPROF_THREAD_SHIFT, recorder_thread_number());
	stub_finish(completion, 512);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.complete.request, request);
	assert_int_equal(heard.complete.result, 512);
	assert_int_equal(heard.complete.looked, 0);
	assert_int_equal(heard.complete.thread, recorder_thread_number());
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_int_equal(rbd_aio_is_complete(completion), 1);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	assert_int_equal(heard.reaped[0], request);
	/* Only the first look counts. */
	rbd_aio_wait_for_complete(completion);
	assert_int_equal(rbd_aio_get_return_value(completion), 512);
	assert_taken(record);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	assert_int_equal(((struct stub_completion *)completion)->released, 1);
	assert_free(record);
}

static void release_is_a_look(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	stub_finish(completion, 512);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	assert_int_equal(heard.reaped[0], heard.request.request);
}

static void release_now(rbd_completion_t completion)
{
	rbd_aio_release(completion);
	assert_taken(record_of(completion)); /* the callback still runs */
}

static void release_inside_the_callback(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	in_callback = release_now;
	stub_finish(completion, 512);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.complete.looked, 1);
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_free(record_of(completion));
}

static void release_before_the_callback(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	rbd_aio_release(completion);
	assert_taken(record_of(completion));
	stub_finish(completion, -5);
	assert_int_equal(calls, 1);
	assert_int_equal(heard.complete.result, -5);
	assert_int_equal(heard.complete.looked, 1);
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_free(record_of(completion));
}

static void *release_elsewhere(void *completion)
{
	rbd_aio_release(completion);
	return NULL;
}

static void release_on_another_thread(rbd_completion_t completion)
{
	pthread_t thread;

	pthread_create(&thread, NULL, release_elsewhere, completion);
	pthread_join(thread, NULL);
	assert_taken(record_of(completion));
}

static void release_by_another_thread_before_the_callback_ends(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	in_callback = release_on_another_thread;
	stub_finish(completion, 512);
	assert_int_equal(heard.complete.looked, 1);
	assert_free(record_of(completion));
}

static void look_now(rbd_completion_t completion)
{
	assert_int_equal(rbd_aio_get_return_value(completion), 512);
}

static void look_inside_the_callback(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	in_callback = look_now;
	stub_finish(completion, 512);
	assert_int_equal(heard.complete.looked, 1);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 0);
}

static void look_in_vain_is_none(void **state)
{
	rbd_completion_t completion = submit(callback), quiet = submit(NULL);

	(void)state;
	assert_int_equal(rbd_aio_is_complete(completion), 0);
	assert_int_equal(rbd_aio_is_complete(quiet), 0);
	assert_int_equal(rbd_aio_get_return_value(quiet), 0); /* there is no result yet */
	assert_int_equal(heard.count[HEARD_COMPLETE], 0);
	stub_finish(completion, 512);
	assert_int_equal(heard.complete.looked, 0);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	rbd_aio_release(quiet);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1); /* released unfinished and unseen: its end is not known */
}

static void sleep_a_little(rbd_completion_t completion)
{
	const struct timespec t = {.tv_nsec = 20000000};

	(void)completion;
	nanosleep(&t, NULL);
}

static void c2d_is_the_callback(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	in_callback = sleep_a_little;
	stub_finish(completion, 512);
	assert_true(heard.complete.c2d_ns >= 20000000 && heard.complete.c2d_ns < UINT64_C(5000000000));
	rbd_aio_release(completion);
}

static void without_callback(int by)
{
	rbd_completion_t completion = submit(NULL);
	void *record = record_of(completion);

	assert_int_equal(heard.request.flags, RBDPROF_NO_CALLBACK);
	stub_finish(completion, 512);
	assert_int_equal(heard.count[HEARD_COMPLETE], 0); /* nobody has told us */
	if (by == 0)
		rbd_aio_wait_for_complete(completion);
	else if (by == 1)
		assert_int_equal(rbd_aio_is_complete(completion), 1);
	else if (by == 2)
		assert_int_equal(rbd_aio_get_return_value(completion), 512);
	else
		rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.complete.request, heard.request.request);
	assert_int_equal(heard.complete.result, 512);
	assert_true(heard.complete.c2d_ns < AT_ONCE_NS);
	assert_int_equal(heard.complete.looked, 1);
	if (by < 3) {
		assert_int_equal(rbd_aio_is_complete(completion), 1);
		rbd_aio_release(completion);
	}
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_free(record);
}

static void without_callback_every_look_is_all(void **state)
{
	for (int by = 0; by < 4; by++) {
		teardown(state);
		setup(state);
		without_callback(by);
	}
}

static void poll_reaps(void **state)
{
	static const struct {
		int count;
		int events; /* of 64 requests at most */
	} cases[] = {{0, 0}, {1, 1}, {64, 1}, {65, 2}, {200, 4}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rbd_completion_t submitted[200], polled[256];
		uint64_t requests[200];
		int count = cases[i].count;

		teardown(state);
		setup(state);
		assert_int_equal(rbd_set_image_notification(&handle, 3, 0), 0);
		for (int j = 0; j < count; j++) {
			submitted[j] = submit(callback);
			requests[j] = heard.request.request;
			stub_finish(submitted[j], 512);
		}
		assert_int_equal(heard.count[HEARD_COMPLETE], count);
		stub_poll(submitted, count);
		errno = EXDEV;
		assert_int_equal(rbd_poll_io_events(&handle, polled, 256), count);
		assert_int_equal(errno, EXDEV);
		assert_memory_equal(polled, submitted, (size_t)count * sizeof(polled[0]));
		assert_int_equal(heard.count[HEARD_REAP], cases[i].events);
		assert_int_equal(heard.reaped_count, count);
		assert_memory_equal(heard.reaped, requests, (size_t)count * sizeof(requests[0]));
		assert_true(heard.largest_reap <= 64);
		for (int j = 0; j < count; j++)
			rbd_aio_release(submitted[j]);
		assert_int_equal(heard.reaped_count, count);
	}
	stub_poll(NULL, -22);
	assert_int_equal(rbd_poll_io_events(&handle, NULL, 10), -22);
}

/* Who polls for what is complete reads the result in its callback, and reaps later. */
static void look_inside_the_callback_of_one_who_polls(void **state)
{
	rbd_completion_t completion, polled[1];

	(void)state;
	rbd_set_image_notification(&handle, 3, 0);
	completion = submit(callback);
	in_callback = look_now;
	stub_finish(completion, 512);
	assert_int_equal(heard.complete.looked, 0);
	stub_poll(&completion, 1);
	rbd_poll_io_events(&handle, polled, 1);
	assert_int_equal(heard.reaped_count, 1);
	assert_int_equal(heard.reaped[0], heard.request.request);
	rbd_aio_release(completion);
}

static void refused_submission_is_closed(void **state)
{
	static char data[512];
	rbd_completion_t completion = create(callback);
	void *record = record_of(completion);

	(void)state;
	stub_answer = -EROFS;
	assert_int_equal(rbd_aio_write(&handle, 0, sizeof(data), data, completion), -EROFS);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.complete.request, heard.request.request);
	assert_int_equal(heard.complete.result, -EROFS);
	assert_int_equal(heard.complete.looked, 1);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_free(record);
}

/* The same completion again, released before its callback: its record must outlive the callback. */
static void refused_then_submitted_again(void **state)
{
	static char data[512];
	rbd_completion_t completion = create(callback);
	uint64_t refused;

	(void)state;
	stub_answer = -EINVAL;
	assert_int_equal(rbd_aio_write(&handle, 0, sizeof(data), data, completion), -EINVAL);
	refused = heard.request.request;
	stub_answer = 0;
	assert_int_equal(rbd_aio_write(&handle, 0, sizeof(data), data, completion), 0);
	assert_int_not_equal(heard.request.request, refused);
	rbd_aio_release(completion);
	assert_taken(record_of(completion));
	stub_finish(completion, 0);
	assert_int_equal(calls, 1);
	assert_int_equal(heard.count[HEARD_COMPLETE], 2);
	assert_int_equal(heard.complete.request, heard.request.request);
	assert_free(record_of(completion));
}

static void refused_then_submitted_again_is_reaped(void **state)
{
	static char data[512];
	rbd_completion_t completion = create(callback);

	(void)state;
	stub_answer = -EINVAL;
	rbd_aio_write(&handle, 0, sizeof(data), data, completion);
	stub_answer = 0;
	rbd_aio_write(&handle, 0, sizeof(data), data, completion);
	stub_finish(completion, 0);
	assert_int_equal(heard.complete.looked, 0);
	assert_int_equal(rbd_aio_is_complete(completion), 1);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	rbd_aio_release(completion);
}

static void creation_refused(void **state)
{
	struct record *before = record_create(NULL, NULL);
	rbd_completion_t completion;

	(void)state;
	record_cancel(before);
	stub_answer = -ENOMEM;
	assert_int_equal(rbd_aio_create_completion(NULL, callback, &completion), -ENOMEM);
	stub_answer = 0;
	assert_free(before);
}

static void never_submitted(void **state)
{
	rbd_completion_t quiet = create(NULL), completion = create(callback);

	(void)state;
	assert_int_equal(rbd_aio_is_complete(completion), 0);
	rbd_aio_release(completion);
	/* A function that is not interposed may have taken it, and its callback may still come. */
	assert_taken(record_of(completion));
	rbd_aio_release(quiet);
	assert_free(record_of(quiet));
	assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE] + heard.count[HEARD_REAP], 0);
	stub_finish(completion, 0); /* let it go, for the pool's sake */
}

static void used_by_a_function_that_is_not_interposed(void **state)
{
	rbd_completion_t completion = create(callback);

	(void)state;
	stub_finish(completion, 7);
	assert_int_equal(calls, 1);
	assert_ptr_equal(called_arg, &application_arg);
	assert_int_equal(rbd_aio_get_return_value(completion), 7);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE] + heard.count[HEARD_REAP], 0);
	assert_free(record_of(completion));
}

/* Known from the completion, never from "recording now". */
static void recording_begins_and_ends_in_between(void **state)
{
	rbd_completion_t completion;

	(void)state;
	heard_start(false);
	completion = submit(callback);
	assert_int_equal(heard.events, 0);
	heard_start(true);
	stub_finish(completion, 512);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 1);

	completion = submit(callback);
	heard_start(false);
	stub_finish(completion, 512);
	assert_ptr_equal(called_arg, &application_arg);
	rbd_aio_release(completion);
	assert_int_equal(heard.events, 0);
	assert_free(record_of(completion));
}

static void unknown_image_passes_through(void **state)
{
	static char other, data[512];
	rbd_completion_t completion = create(callback);
	uint64_t passed = records_passed_through();

	(void)state;
	assert_int_equal(rbd_aio_read(&other, 0, sizeof(data), data, completion), 0);
	assert_int_equal(rbd_read(&other, 0, sizeof(data), data), sizeof(data));
	assert_int_equal(records_passed_through(), passed + 2);
	assert_int_equal(stub_submissions, 2);
	stub_finish(completion, 512);
	assert_int_equal(calls, 1);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE] + heard.count[HEARD_REAP], 0);
}

static void synchronous_call(void **state)
{
	static char data[512];

	(void)state;
	assert_int_equal(rbd_read(&handle, 8192, sizeof(data), data), 512);
	assert_int_equal(heard.request.flags, RBDPROF_SYNCHRONOUS);
	assert_int_equal(heard.request.offset_bytes, 8192);
	assert_int_equal(heard.complete.request, heard.request.request);
	assert_int_equal(heard.complete.result, 512);
	assert_true(heard.complete.c2d_ns < AT_ONCE_NS);
	assert_int_equal(heard.complete.looked, 1);
	assert_int_equal(heard.count[HEARD_REQUEST], 1);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
}

static void numbers_are_never_reused(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		rbd_completion_t completion = submit(callback);

		assert_true(heard.request.request > last);
		last = heard.request.request;
		stub_finish(completion, 512);
		rbd_aio_release(completion);
	}
}

/* The last test: it uses the whole pool. */
static void empty_pool_passes_through(void **state)
{
	static rbd_completion_t created[POOL_SIZE + 100];
	static char data[512];
	uint64_t passed = records_passed_through();
	int wrapped = 0;
	rbd_completion_t last;

	(void)state;
	for (int i = 0; i < POOL_SIZE + 100; i++) {
		created[i] = create(callback);
		wrapped += record_of(created[i]) != &application_arg;
	}
	assert_true(wrapped <= POOL_SIZE && wrapped > POOL_SIZE - 100);
	last = created[POOL_SIZE + 99];
	assert_ptr_equal(record_of(last), &application_arg);
	assert_ptr_equal(rbd_aio_get_arg(last), &application_arg);
	assert_int_equal(records_passed_through(), passed); /* nothing was asked of them yet */
	assert_int_equal(rbd_aio_read(&handle, 0, sizeof(data), data, last), 0);
	assert_int_equal(records_passed_through(), passed + 1);
	assert_int_equal(rbd_read(&handle, 0, sizeof(data), data), sizeof(data));
	assert_int_equal(records_passed_through(), passed + 2);
	assert_int_equal(stub_submissions, 2);
	stub_finish(last, 512);
	assert_int_equal(calls, 1);
	assert_ptr_equal(called_arg, &application_arg);
	assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE], 0);
	for (int i = 0; i < POOL_SIZE + 100; i++) {
		stub_finish(created[i], 0);
		rbd_aio_release(created[i]);
	}
	/* And they are all there again. */
	submit(callback);
	assert_int_equal(heard.count[HEARD_REQUEST], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(application_sees_what_it_gave),
	    TEST(callback_then_look_then_release),
	    TEST(release_is_a_look),
	    TEST(release_inside_the_callback),
	    TEST(release_before_the_callback),
	    TEST(release_by_another_thread_before_the_callback_ends),
	    TEST(look_inside_the_callback),
	    TEST(look_in_vain_is_none),
	    TEST(c2d_is_the_callback),
	    TEST(without_callback_every_look_is_all),
	    TEST(poll_reaps),
	    TEST(look_inside_the_callback_of_one_who_polls),
	    TEST(refused_submission_is_closed),
	    TEST(refused_then_submitted_again),
	    TEST(refused_then_submitted_again_is_reaped),
	    TEST(creation_refused),
	    TEST(never_submitted),
	    TEST(used_by_a_function_that_is_not_interposed),
	    TEST(recording_begins_and_ends_in_between),
	    TEST(unknown_image_passes_through),
	    TEST(synchronous_call),
	    TEST(numbers_are_never_reused),
	    TEST(empty_pool_passes_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
