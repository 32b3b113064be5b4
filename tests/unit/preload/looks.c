/* The moments C, D and A of a request: when the application looks, and how it learns that there is something to see. */
#include "completion.h"

#include "preload/said.h"

static void release_is_a_look(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	stub_finish(completion, 512);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_REAP], 1);
	assert_int_equal(heard.reaped[0], heard.request.request);
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
	static const int counts[] = {0, 1, 17, 200};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		rbd_completion_t submitted[200], polled[256];
		uint64_t requests[200];
		int count = counts[i];

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
		assert_int_equal(heard.count[HEARD_REAP], count);
		assert_int_equal(heard.reaped_count, count);
		assert_memory_equal(heard.reaped, requests, (size_t)count * sizeof(requests[0]));
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

static void looks_are_told_with_their_moment(void **state)
{
	rbd_completion_t completion = submit(callback);
	uint64_t before_ns, after_ns;

	(void)state;
	stub_finish(completion, 512);
	before_ns = recorder_now_ns();
	rbd_aio_release(completion);
	after_ns = recorder_now_ns();
	assert_int_equal(heard.reaped_count, 1);
	assert_true(heard.looked_ns[0] >= before_ns && heard.looked_ns[0] <= after_ns);
}

/* A recording hears nothing of looks at what another one saw. */
static void looks_are_not_kept_for_the_next_recording(void **state)
{
	rbd_completion_t completion = submit(callback);

	(void)state;
	stub_finish(completion, 512);
	heard_requests = 0;
	rbd_aio_release(completion);
	heard_requests = 1;
	said_totals();
	assert_int_equal(heard.reaped_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(release_is_a_look),
	    TEST(look_inside_the_callback),
	    TEST(look_in_vain_is_none),
	    TEST(c2d_is_the_callback),
	    TEST(without_callback_every_look_is_all),
	    TEST(poll_reaps),
	    TEST(look_inside_the_callback_of_one_who_polls),
	    TEST(looks_are_told_with_their_moment),
	    TEST(looks_are_not_kept_for_the_next_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
