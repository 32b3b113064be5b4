/* C++ exceptions and cancellation that pass through wrappers and through the callback that the shim gives to librbd. */
#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstring>

extern "C" {
#include <cmocka.h>
#include <pthread.h>

#include "heard.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "stubs.h"
}

namespace
{

char handle, data[512];

struct thrown {
	int value;
};

int throwing_submission(rbd_image_t, uint64_t, size_t, char *, rbd_completion_t)
{
	throw thrown{1};
}

ssize_t throwing_read(rbd_image_t, uint64_t, size_t, char *)
{
	throw thrown{2};
}

int throwing_each(uint64_t, size_t, const char *, void *)
{
	throw thrown{3};
}

void throwing_callback(rbd_completion_t, void *)
{
	throw thrown{4};
}

template <typename F> int caught(F call)
{
	try {
		call();
	} catch (const thrown &it) {
		return it.value;
	}
	return 0;
}

void throughout(void (*test)())
{
	for (int recording = 0; recording < 2; recording++) {
		stubs_install();
		heard_start(false);
		stub_open(&handle);
		heard_start(recording);
		test();
		assert_int_equal(recorder_thread.inside, 0);
		assert_int_equal(heard.count[HEARD_REQUEST] > 0, recording);
		heard_start(false);
		rbd_close(&handle);
	}
}

void through_a_submission(void **)
{
	throughout([] {
		rbd_completion_t completion = nullptr;

		real.rbd_aio_read = throwing_submission;
		rbd_aio_create_completion(nullptr, nullptr, &completion);
		assert_int_equal(caught([&] { rbd_aio_read(&handle, 0, 512, data, completion); }), 1);
		rbd_aio_release(completion);
	});
}

/* It is over, however it ended: its record comes back, and its end is said. */
void through_a_synchronous_call(void **)
{
	throughout([] {
		struct record *before = record_create(nullptr, nullptr), *after;

		record_cancel(before);
		real.rbd_read = throwing_read;
		assert_int_equal(caught([] { rbd_read(&handle, 0, 512, data); }), 2);
		assert_int_equal(caught([] { rbd_read_iterate2(&handle, 0, 512, throwing_each, nullptr); }), 3);
		assert_int_equal(heard.count[HEARD_COMPLETE], heard.count[HEARD_REQUEST]);
		after = record_create(nullptr, nullptr);
		assert_ptr_equal(before, after);
		record_cancel(after);
	});
}

void through_the_callback(void **)
{
	throughout([] {
		rbd_completion_t completion = nullptr;
		void *record;

		rbd_aio_create_completion(nullptr, throwing_callback, &completion);
		record = static_cast<stub_completion *>(completion)->arg;
		rbd_aio_read(&handle, 0, 512, data, completion);
		assert_int_equal(caught([&] { stub_finish(completion, 512); }), 4);
		assert_int_equal(heard.count[HEARD_COMPLETE], heard.count[HEARD_REQUEST]);
		rbd_aio_release(completion);
		assert_ptr_equal(record_create(nullptr, nullptr), record);
		record_cancel(static_cast<struct record *>(record));
	});
}

int unwound;

struct witness {
	~witness()
	{
		unwound++;
	}
};

void exiting_callback(rbd_completion_t, void *)
{
	witness of_unwinding;

	pthread_exit(nullptr);
}

void *finish_and_exit(void *completion)
{
	witness of_unwinding;

	stub_finish(completion, 512);
	return completion;
}

void thread_ends_in_the_callback(void **)
{
	throughout([] {
		rbd_completion_t completion = nullptr;
		pthread_t thread;
		void *result, *record;

		unwound = 0;
		rbd_aio_create_completion(nullptr, exiting_callback, &completion);
		record = static_cast<stub_completion *>(completion)->arg;
		rbd_aio_read(&handle, 0, 512, data, completion);
		pthread_create(&thread, nullptr, finish_and_exit, completion);
		pthread_join(thread, &result);
		assert_null(result);
		assert_int_equal(unwound, 2);
		assert_int_equal(heard.count[HEARD_COMPLETE], heard.count[HEARD_REQUEST]);
		rbd_aio_release(completion);
		assert_ptr_equal(record_create(nullptr, nullptr), record);
		record_cancel(static_cast<struct record *>(record));
	});
}

} // namespace

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_a_submission),
		cmocka_unit_test(through_a_synchronous_call),
		cmocka_unit_test(through_the_callback),
		cmocka_unit_test(thread_ends_in_the_callback),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
