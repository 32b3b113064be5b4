/*
 * Watches and notifications. The application's contexts are objects of a class with virtual functions in the order of librados' own, and
 * librados is a test that calls whatever context it was given through that class: what the shim puts in its place must be one for C++.
 */
#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstring>

extern "C" {
#include <cmocka.h>

#include "boundary.h"
#include "buffers.h"
#include "preload/real.h"
#include "preload/recorder.h"
}

namespace
{

/* As librados declares it. */
class WatchCtx2
{
      public:
	virtual ~WatchCtx2()
	{
	}
	virtual void handle_notify(uint64_t notify_id, uint64_t cookie, uint64_t notifier_id, void *&payload) = 0;
	virtual void handle_error(uint64_t cookie, int error) = 0;
};

struct application : WatchCtx2 {
	int notified = 0, failed = 0;
	uint64_t notify_id = 0, cookie = 0, notifier = 0;
	void **payload = nullptr;
	int error = 0;
	int said_before = 0; /* notifications, by the time it was notified */

	void handle_notify(uint64_t id, uint64_t watch, uint64_t from, void *&with) override
	{
		notified++;
		notify_id = id;
		cookie = watch;
		notifier = from;
		payload = &with;
		said_before = below.count[BELOW_NOTIFICATION];
	}

	void handle_error(uint64_t watch, int with) override
	{
		failed++;
		cookie = watch;
		error = with;
	}
};

WatchCtx2 *given; /* the context that librados got */
uint64_t handle;

constexpr int MOST_STAND_INS = 4096; /* contexts that can be stood in for */

int keep(void *context)
{
	given = static_cast<WatchCtx2 *>(context);
	return boundary_called();
}

int setup(void **)
{
	boundary_start(true);
	real.aio_watch = [](cxx_ioctx *, const cxx_string *, void *, uint64_t *, void *context) { return keep(context); };
	real.watch2 = [](cxx_ioctx *, const cxx_string *, uint64_t *, void *context) { return keep(context); };
	real.aio_unwatch = [](cxx_ioctx *, uint64_t, void *) { return boundary_called(); };
	real.unwatch2 = [](cxx_ioctx *, uint64_t) { return boundary_called(); };
	real.aio_notify = [](cxx_ioctx *, const cxx_string *, void *, void *, uint64_t, void *) { return boundary_called(); };
	real.notify2 = [](cxx_ioctx *, const cxx_string *, void *, uint64_t, void *) { return boundary_called(); };
	real.notify_ack = [](cxx_ioctx *, const cxx_string *, uint64_t, uint64_t, void *) { boundary_called(); };
	real.aio_watch_flush = [](void *, void *) { return boundary_called(); };
	real.blocklist_add = [](void *, const cxx_string *, uint32_t) { return boundary_called(); };
	handle = 94186441226192;
	given = nullptr;
	return 0;
}

int teardown(void **)
{
	below_start(false);
	return 0;
}

const rbdprof_operation &said(int n)
{
	return below_nth(BELOW_OPERATION, n)->is.operation;
}

void *notification(uint32_t what)
{
	struct bytes in = {};
	size_t begin = put_begin(&in, 7);

	put(&in, what, 4);
	put(&in, 4999, 8); /* the client that it is about, and its watch */
	put(&in, 1, 8);
	put_end(&in, begin);
	return buffer_of(in.at, in.length, 5);
}

void virtual_calls_reach_the_application(void **)
{
	application context;
	void *payload = notification(RBDPROF_REQUEST_LOCK);
	void *completion = boundary_create();

	assert_int_equal(aio_watch(&boundary_ioctx, &boundary_header, completion, &handle, static_cast<WatchCtx2 *>(&context)), 0);
	assert_non_null(given);
	assert_ptr_not_equal(given, &context);
	assert_int_equal(said(0).kind, RBDPROF_OPERATION_WATCH);
	assert_int_equal(said(0).tracked, 1);
	boundary_finish(completion, 0);
	assert_int_equal(below_nth(BELOW_WATCHING, 0)->is.watch.client, CLIENT);
	assert_int_equal(below_nth(BELOW_WATCHING, 0)->is.watch.object, said(0).object);
	assert_int_equal(below_nth(BELOW_WATCHING, 0)->is.watch.watch, handle);

	below_forget();
	/* A reference in C++ is a pointer to the ABI: the payload's own address. */
	given->handle_notify(11, handle, 4998, *reinterpret_cast<void **>(payload));
	assert_int_equal(context.notified, 1);
	assert_int_equal(context.notify_id, 11);
	assert_int_equal(context.cookie, handle);
	assert_int_equal(context.notifier, 4998);
	assert_ptr_equal(context.payload, payload);
	assert_int_equal(context.said_before, 1); /* librbd is told after it */
	{
		const rbdprof_notification_is &is = below_nth(BELOW_NOTIFICATION, 0)->is.notification;

		assert_int_equal(is.operation, 0);
		assert_int_equal(is.client, CLIENT);
		assert_int_equal(is.notify_id, 11);
		assert_int_equal(is.notifier, 4998);
		assert_int_equal(is.about, 4999);
		assert_int_equal(is.what, RBDPROF_REQUEST_LOCK);
	}
	given->handle_error(handle, -ENOTCONN);
	assert_int_equal(context.failed, 1);
	assert_int_equal(context.error, -ENOTCONN);
	assert_int_equal(below_nth(BELOW_WATCH_ERROR, 0)->is.watch.client, CLIENT);
	assert_int_equal(below_nth(BELOW_WATCH_ERROR, 0)->is.watch.watch, handle);
	assert_int_equal(below_nth(BELOW_WATCH_ERROR, 0)->is.watch.error, -ENOTCONN);
	/* Nobody records: all the same, and nothing said. */
	below_start(false);
	given->handle_notify(12, handle, 4998, *reinterpret_cast<void **>(payload));
	given->handle_error(handle, -ETIMEDOUT);
	assert_int_equal(context.notified + context.failed, 4);
	assert_int_equal(below.events, 0);
}

void same_context_has_the_same_stand_in(void **)
{
	application one, other;
	WatchCtx2 *first;

	watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&one));
	first = given;
	watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&other));
	assert_ptr_not_equal(given, first);
	watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&one));
	assert_ptr_equal(given, first);
	given->handle_error(1, -EIO);
	assert_int_equal(one.failed, 1);
	assert_int_equal(other.failed, 0);
	assert_int_equal(below.count[BELOW_WATCHING], 3);
	/* A watch may be made before anybody records. */
	below_start(false);
	application early;
	watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&early));
	assert_ptr_not_equal(given, &early);
	below_start(true);
	given->handle_error(1, -EIO);
	assert_int_equal(early.failed, 1);
	assert_int_equal(below.count[BELOW_WATCH_ERROR], 1);
}

void context_that_gets_none(void **)
{
	application context;
	char name[65];
	cxx_string too_long = {name, 64};

	memset(name, 'x', sizeof(name));
	watch2(&boundary_ioctx, &too_long, &handle, static_cast<WatchCtx2 *>(&context));
	assert_ptr_equal(given, &context);
	watch2(&boundary_ioctx, &boundary_header, &handle, nullptr);
	assert_null(given);
}

/* Their places are never free again: the last test, after which every watch is one too many. What is not seen of it is said. */
void more_contexts_than_can_be_stood_in_for(void **)
{
	static application contexts[MOST_STAND_INS + 1];
	int unseen = 0;

	for (application &context : contexts) {
		below_forget();
		watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&context));
		assert_int_equal(below.count[BELOW_UNDECODED], given == &context);
		if (given == &context)
			assert_string_equal(below_nth(BELOW_UNDECODED, 0)->is.undecoded, "watch, too many at once");
		unseen += given == &context;
	}
	/* Those of the tests before have theirs, wherever on the stack they were. */
	assert_in_range(unseen, 1, 9);
	below_start(false);
	watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&contexts[MOST_STAND_INS]));
	assert_int_equal(below.events, 0);
}

/* Another object's notifications are passed on and not read: journals and mirrors have formats of their own. */
void other_objects_are_not_read(void **)
{
	const cxx_string journal = {"journal.1234abcd", 16};
	application context;
	void *payload = notification(RBDPROF_ACQUIRED_LOCK);
	void *reply = buffer_of("", 0, 0);

	watch2(&boundary_ioctx, &journal, &handle, static_cast<WatchCtx2 *>(&context));
	given->handle_notify(1, handle, 2, *reinterpret_cast<void **>(payload));
	assert_int_equal(context.notified, 1);
	notify2(&boundary_ioctx, &journal, payload, 5000, reply);
	notify_ack(&boundary_ioctx, &journal, 1, handle, reply);
	assert_int_equal(below.count[BELOW_NOTIFICATION] + below.count[BELOW_NOTIFY_ACK] + below.count[BELOW_UNDECODED], 0);
	assert_int_equal(said(1).kind, RBDPROF_OPERATION_NOTIFY);
}

void watch_that_fails_watches_nothing(void **)
{
	application context;
	void *completion = boundary_create();

	aio_watch(&boundary_ioctx, &boundary_header, completion, &handle, static_cast<WatchCtx2 *>(&context));
	boundary_finish(completion, -ENOENT);
	boundary_answer = -ESHUTDOWN;
	assert_int_equal(watch2(&boundary_ioctx, &boundary_header, &handle, static_cast<WatchCtx2 *>(&context)), -ESHUTDOWN);
	assert_int_equal(below.count[BELOW_WATCHING], 0);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 2);
	assert_int_equal(below_nth(BELOW_OPERATION_DONE, 0)->is.done.result, -ENOENT);
	assert_int_equal(below_nth(BELOW_OPERATION_DONE, 1)->is.done.result, -ESHUTDOWN);
}

void ends_of_watches_and_what_is_the_cluster_s(void **)
{
	const cxx_string address = {"192.0.2.7:0/1234", 16};
	void *completion = boundary_create();
	char rados;

	aio_unwatch(&boundary_ioctx, handle, completion);
	boundary_finish(completion, 0);
	unwatch2(&boundary_ioctx, handle + 1);
	completion = boundary_create();
	aio_watch_flush(&rados, completion);
	boundary_finish(completion, 0);
	blocklist_add(&rados, &address, 3600);
	assert_int_equal(said(0).kind, RBDPROF_OPERATION_UNWATCH);
	assert_int_equal(said(0).watch, handle);
	assert_int_equal(said(0).synchronous, 0);
	assert_int_equal(said(1).kind, RBDPROF_OPERATION_UNWATCH);
	assert_int_equal(said(1).watch, handle + 1);
	assert_int_equal(said(1).synchronous, 1);
	assert_int_equal(said(1).object, 0);
	assert_int_equal(said(2).kind, RBDPROF_OPERATION_WATCH_FLUSH);
	assert_int_equal(said(2).client, 0);
	assert_int_equal(said(2).pool_id, -1);
	assert_int_equal(said(3).kind, RBDPROF_OPERATION_BLOCKLIST);
	assert_int_equal(said(3).synchronous, 1);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 4);
}

/* One that refuses, and one that did not answer. */
void *replies()
{
	struct bytes in = {};

	put(&in, 1, 4);
	put(&in, 4101, 8), put(&in, 1, 8), put(&in, 10, 4);
	put(&in, 1, 1), put(&in, 1, 1), put(&in, 4, 4), put(&in, static_cast<uint32_t>(-EROFS), 4);
	put(&in, 1, 4);
	put(&in, 4102, 8), put(&in, 2, 8);
	return buffer_of(in.at, in.length, 9); /* 4 + 20 + 10 + 4 + 16 bytes */
}

void notification_is_sent_and_answered(void **)
{
	void *completion = boundary_create();
	uint64_t number;

	assert_int_equal(aio_notify(&boundary_ioctx, &boundary_header, completion, notification(RBDPROF_REQUEST_LOCK), 5000, replies()), 0);
	number = said(0).operation;
	assert_int_equal(said(0).kind, RBDPROF_OPERATION_NOTIFY);
	assert_int_equal(boundary_said.count[BELOW_NOTIFICATION], 1); /* before the real call */
	assert_int_equal(boundary_said.count[BELOW_NOTIFY_REPLY], 0);
	{
		const rbdprof_notification_is &is = below_nth(BELOW_NOTIFICATION, 0)->is.notification;

		assert_int_equal(is.operation, number);
		assert_int_equal(is.client, CLIENT);
		assert_int_equal(is.object, said(0).object);
		assert_int_equal(is.about, 4999);
		assert_int_equal(is.what, RBDPROF_REQUEST_LOCK);
		assert_int_equal(is.notify_id + is.notifier, 0);
	}
	boundary_finish(completion, -ETIMEDOUT);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.operation, number);
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.client, 4101 + i);
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.result, i ? -ETIMEDOUT : -EROFS);
	}
	assert_true(below_place(BELOW_NOTIFY_REPLY, 1) < below_place(BELOW_OPERATION_DONE, 0));
	assert_int_equal(below_nth(BELOW_OPERATION_DONE, 0)->is.done.result, -ETIMEDOUT);
	assert_int_equal(below_nth(BELOW_OPERATION_DONE, 0)->is.done.reply_bytes, 54);

	notify2(&boundary_ioctx, &boundary_header, notification(RBDPROF_RELEASED_LOCK), 5000, replies());
	assert_int_equal(said(1).synchronous, 1);
	assert_int_equal(below.count[BELOW_NOTIFICATION], 2);
	assert_int_equal(below.count[BELOW_NOTIFY_REPLY], 4);
	assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, 3)->is.reply.operation, said(1).operation);
	/* Nobody wants the replies. */
	notify2(&boundary_ioctx, &boundary_header, notification(RBDPROF_RELEASED_LOCK), 5000, nullptr);
	assert_int_equal(below.count[BELOW_NOTIFY_REPLY], 4);
	assert_int_equal(below.count[BELOW_UNDECODED], 0);
}

void answers(void **)
{
	const uint8_t refused[] = {1, 1, 4, 0, 0, 0, 0xe2, 0xff, 0xff, 0xff}; /* -30 */

	notify_ack(&boundary_ioctx, &boundary_header, 21, handle, buffer_of(refused, sizeof(refused), 3));
	notify_ack(&boundary_ioctx, &boundary_header, 22, handle, buffer_of("", 0, 0));
	assert_int_equal(boundary_calls, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(below_nth(BELOW_NOTIFY_ACK, i)->is.ack.client, CLIENT);
		assert_int_equal(below_nth(BELOW_NOTIFY_ACK, i)->is.ack.notify_id, 21 + i);
		assert_int_equal(below_nth(BELOW_NOTIFY_ACK, i)->is.ack.answered, i ? 0 : 1);
		assert_int_equal(below_nth(BELOW_NOTIFY_ACK, i)->is.ack.result, i ? 0 : -EROFS);
	}
}

/* A payload that is none leaves the operation as it is. */
void notification_that_does_not_decode(void **)
{
	notify2(&boundary_ioctx, &boundary_header, buffer_of("x", 1, 0), 5000, nullptr);
	assert_int_equal(below.count[BELOW_UNDECODED], 1);
	assert_int_equal(below.count[BELOW_NOTIFICATION], 0);
	assert_int_equal(below.count[BELOW_OPERATION], 1);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 1);
}

} // namespace

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main()
{
	const struct CMUnitTest tests[] = {
	    TEST(virtual_calls_reach_the_application),
	    TEST(same_context_has_the_same_stand_in),
	    TEST(context_that_gets_none),
	    TEST(other_objects_are_not_read),
	    TEST(watch_that_fails_watches_nothing),
	    TEST(ends_of_watches_and_what_is_the_cluster_s),
	    TEST(notification_is_sent_and_answered),
	    TEST(answers),
	    TEST(notification_that_does_not_decode),
	    TEST(more_contexts_than_can_be_stood_in_for),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
