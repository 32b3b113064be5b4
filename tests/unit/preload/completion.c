/* The life of a completion in every order, and what is said of its request. */
#include "completion.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(application_sees_what_it_gave),
	    TEST(callback_then_look_then_release),
	    TEST(release_inside_the_callback),
	    TEST(release_before_the_callback),
	    TEST(release_by_another_thread_before_the_callback_ends),
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
