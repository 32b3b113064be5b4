/* The life of a RADOS operation: what is said when it is built, sent, and ended, while a recording comes and goes. */
#include "test.h"

#include "boundary.h"
#include "buffers.h"
#include "preload/operation.h"
#include "preload/real.h"
#include "preload/recorder.h"

#define FLIGHTS 8192 /* as many operations as can be followed at a time */

static char operation; /* its address is all that is looked at */

static int setup(void **state)
{
	(void)state;
	boundary_start(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	operation_destroy(&operation);
	below_start(false);
	return 0;
}

static void *unlock_input(void)
{
	struct bytes in = {0};
	size_t begin = put_begin(&in, 1);

	put_string(&in, "rbd_lock");
	put_string(&in, "auto 4242");
	put_end(&in, begin);
	return buffer_of(in.at, in.length, 0);
}

static const struct rbdprof_operation *said(int n)
{
	return &below_nth(BELOW_OPERATION, n)->is.operation;
}

static void assert_done(int n, uint64_t number, int result, uint64_t reply_bytes)
{
	const struct below_event *event = below_nth(BELOW_OPERATION_DONE, n);

	assert_int_equal(event->is.done.operation, number);
	assert_int_equal(event->is.done.result, result);
	assert_int_equal(event->is.done.reply_bytes, reply_bytes);
}

static void said_before_it_is_sent_and_when_it_ends(void **state)
{
	void *completion = boundary_create();
	uint64_t number;

	(void)state;
	operation_construct(&operation);
	operation_exec(&operation, "rbd", "get_size", buffer_of("", 0, 0));
	operation_exec(&operation, "lock", "unlock", unlock_input());
	operation_exec(&operation, "rbd", "teleport", buffer_of("", 0, 0));
	assert_int_equal(aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation), 0);
	number = said(0)->operation;
	assert_int_equal(number >> RBDPROF_THREAD_SHIFT, recorder_thread_number());
	assert_int_equal(said(0)->client, CLIENT);
	assert_int_equal(said(0)->pool_id, POOL);
	assert_int_equal(said(0)->kind, RBDPROF_OPERATION_WRITE);
	assert_int_equal(said(0)->methods, RBDPROF_METHOD_rbd_get_size | RBDPROF_METHOD_lock_unlock << 8 | RBDPROF_METHOD_OTHER << 16);
	assert_int_equal(said(0)->synchronous, 0);
	assert_int_equal(said(0)->tracked, 1);
	/* Its details came before it, under its number, and it before the real call. */
	assert_int_equal(below_nth(BELOW_LOCK_CALL, 0)->is.lock_call.operation, number);
	assert_int_equal(below_nth(BELOW_LOCK_CALL, 0)->is.lock_call.watch, 4242);
	assert_true(below_place(BELOW_LOCK_CALL, 0) < below_place(BELOW_OPERATION, 0));
	assert_int_equal(boundary_said.count[BELOW_OPERATION], 1);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 0);

	boundary_finish(completion, -ENOENT);
	assert_done(0, number, -ENOENT, 0);
	assert_int_equal(boundary_said_by_callback.count[BELOW_OPERATION_DONE], 1);
	assert_int_equal(boundary_callbacks, 1);
	assert_ptr_equal(boundary_called_with, &boundary_half);
	assert_ptr_equal(boundary_called_arg, &boundary_arg);
}

static void object_is_named_once_a_round(void **state)
{
	const struct cxx_string other = {"rbd_object_map.1234abcd", 23};

	(void)state;
	recorder_describe_again();
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	operate_write(&boundary_ioctx, &other, &operation);
	assert_int_equal(below.count[BELOW_OBJECT], 2);
	assert_string_equal(below_nth(BELOW_OBJECT, 0)->is.object.name, boundary_header.data);
	assert_string_equal(below_nth(BELOW_OBJECT, 1)->is.object.name, other.data);
	assert_int_equal(below_nth(BELOW_OBJECT, 0)->is.object.object, said(0)->object);
	assert_int_equal(said(1)->object, said(0)->object);
	assert_int_equal(below_nth(BELOW_OBJECT, 1)->is.object.object, said(2)->object);
	assert_true(below_place(BELOW_OBJECT, 0) < below_place(BELOW_OPERATION, 0));
	recorder_describe_again();
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(below.count[BELOW_OBJECT], 3);
}

/* What moves data is told where it goes to the network; what asks something of the object's class is told here. */
static void data_is_told_elsewhere(void **state)
{
	const struct cxx_string data = {"rbd_data.1234abcd.0000000000000000", 34};

	(void)state;
	assert_int_equal(operate_write(&boundary_ioctx, &data, &operation), boundary_answer);
	assert_int_equal(boundary_calls, 1);
	assert_int_equal(below.events, 0);
	operation_exec(&operation, "rbd", "copyup", buffer_of("", 0, 0));
	operate_write(&boundary_ioctx, &data, &operation);
	assert_int_equal(below.count[BELOW_OPERATION], 1);
	assert_int_equal(said(0)->methods, RBDPROF_METHOD_rbd_copyup);
}

static void append_original(void *of, const void *in)
{
	(void)of, (void)in;
	boundary_calls++;
}

/* Bytes appended behind a journal object's guard are entries, however many times there are some; other bytes are not. */
static void guarded_appends_are_one_of_the_journal(void **state)
{
	(void)state;
	real.operation_append = append_original;
	operation_append(&operation, buffer_of("", 0, 0));
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(0)->methods, 0);
	operation_exec(&operation, "journal", "guard_append", buffer_of("", 0, 0));
	operation_append(&operation, buffer_of("", 0, 0));
	operation_append(&operation, buffer_of("", 0, 0));
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(1)->methods, RBDPROF_METHOD_journal_guard_append | RBDPROF_METHOD_journal_append << 8);
	assert_int_equal(boundary_calls, 5);
}

static void length_of_the_reply(void **state)
{
	char bytes[48] = "";
	void *completion = boundary_create();

	(void)state;
	aio_operate_read(&boundary_ioctx, &boundary_header, completion, &operation, buffer_of(bytes, 37, 10));
	assert_int_equal(said(0)->kind, RBDPROF_OPERATION_READ);
	boundary_finish(completion, 0);
	assert_done(0, said(0)->operation, 0, 37);
	/* What is read may have a buffer of its own. */
	completion = boundary_create();
	operation_read(&operation, 0, 4096, buffer_of(bytes, 12, 0), NULL);
	aio_operate_read(&boundary_ioctx, &boundary_header, completion, &operation, buffer_of(bytes, 37, 0));
	assert_int_equal(said(1)->methods, RBDPROF_METHOD_osd_read);
	boundary_finish(completion, 0);
	assert_done(1, said(1)->operation, 0, 12);
}

static void blocking_calls(void **state)
{
	char bytes[48] = "";
	void *in = unlock_input();

	(void)state;
	boundary_answer = 7;
	operation_exec(&operation, "rbd", "object_map_update", buffer_of("", 0, 0));
	assert_int_equal(operate_write(&boundary_ioctx, &boundary_header, &operation), 7);
	boundary_answer = 0;
	assert_int_equal(operate_read(&boundary_ioctx, &boundary_header, &operation, buffer_of(bytes, 21, 0)), 0);
	boundary_answer = -EROFS;
	assert_int_equal(ioctx_exec(&boundary_ioctx, &boundary_header, "lock", "unlock", in, buffer_of(bytes, 0, 0)), -EROFS);
	boundary_answer = 0;
	operation_read(&operation, 0, 4096, buffer_of(bytes, 12, 0), NULL);
	operate_read(&boundary_ioctx, &boundary_header, &operation, buffer_of(bytes, 21, 0));

	assert_int_equal(below.count[BELOW_OPERATION], 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(said(i)->synchronous, 1);
		assert_int_equal(said(i)->tracked, 1);
	}
	assert_int_equal(said(0)->methods, RBDPROF_METHOD_rbd_object_map_update);
	assert_int_equal(said(1)->methods, 0);
	assert_int_equal(said(2)->methods, RBDPROF_METHOD_lock_unlock);
	assert_int_equal(below_nth(BELOW_LOCK_CALL, 0)->is.lock_call.operation, said(2)->operation);
	assert_done(0, said(0)->operation, 7, 0);
	assert_done(1, said(1)->operation, 0, 21);
	assert_done(2, said(2)->operation, -EROFS, 0);
	assert_done(3, said(3)->operation, 0, 12);
	assert_int_equal(boundary_said.count[BELOW_OPERATION_DONE], 3); /* each end after its call */
}

static void refused_call_ends_at_once(void **state)
{
	struct boundary_completion *completion = boundary_create();

	(void)state;
	boundary_answer = -ESHUTDOWN;
	assert_int_equal(aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation), -ESHUTDOWN);
	assert_done(0, said(0)->operation, -ESHUTDOWN, 0);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 1);
	assert_int_equal(boundary_callbacks, 0);
	/* The completion is as it was, and may serve for the next try. */
	assert_ptr_equal(completion->callback, boundary_callback);
	assert_ptr_equal(completion->arg, &boundary_arg);
	boundary_answer = 0;
	assert_int_equal(aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation), 0);
	assert_int_equal(said(1)->tracked, 1);
	boundary_finish(completion, 7);
	assert_done(1, said(1)->operation, 7, 0);
	assert_ptr_equal(boundary_called_arg, &boundary_arg);
}

static void refused_calls_hold_nothing(void **state)
{
	(void)state;
	boundary_answer = -ESHUTDOWN;
	for (int i = 0; i < 2 * FLIGHTS; i++) {
		void *completion = boundary_create();

		below_forget();
		aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
		assert_int_equal(said(0)->tracked, 1);
		boundary_drop(completion);
	}
}

static void dormant_changes_nothing(void **state)
{
	struct boundary_completion *completion;

	(void)state;
	below_start(false);
	completion = boundary_create();
	assert_ptr_equal(completion->callback, boundary_callback);
	assert_ptr_equal(completion->arg, &boundary_arg);
	operation_exec(&operation, "rbd", "get_size", buffer_of("", 0, 0));
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	/* A recording begins: this one's end is not seen, and the next is made of what it does itself. */
	below_start(true);
	boundary_finish(completion, 0);
	assert_int_equal(below.events, 0);
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(0)->methods, 0);
}

static void recording_begins_between_completion_and_call(void **state)
{
	void *completion;

	(void)state;
	below_start(false);
	completion = boundary_create();
	below_start(true);
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	assert_int_equal(said(0)->tracked, 0);
	boundary_finish(completion, 0);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 0);
}

static void recording_ends_before_the_operation_does(void **state)
{
	void *completion = boundary_create();

	(void)state;
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	operation_exec(&operation, "rbd", "get_size", buffer_of("", 0, 0));
	below_start(false);
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	boundary_finish(completion, 0);
	assert_int_equal(below.events, 0);
	assert_int_equal(boundary_callbacks, 1);
	assert_ptr_equal(boundary_called_with, &boundary_half);
	assert_ptr_equal(boundary_called_arg, &boundary_arg);
	/* What was added belonged to the one that was sent unseen. */
	below_start(true);
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(0)->methods, 0);
}

/* It is handed to a function that is not interposed: nothing of ours is in it. */
static void completion_of_something_else(void **state)
{
	struct boundary_completion *completion = boundary_create();

	(void)state;
	assert_ptr_equal(completion->callback, boundary_callback);
	assert_ptr_equal(completion->arg, &boundary_arg);
	completion_destroy(completion); /* as librbd does right after the call */
	boundary_finish(completion, 0);
	assert_int_equal(boundary_callbacks, 1);
	assert_int_equal(below.events, 0);
}

/* What is not used holds nothing, however many there were. */
static void completions_never_used(void **state)
{
	void *completion;

	(void)state;
	for (int i = 0; i < 2 * FLIGHTS; i++)
		boundary_drop(boundary_create());
	completion = boundary_create();
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	assert_int_equal(said(0)->tracked, 1);
	boundary_finish(completion, 0);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], 1);
}

static void other_callback(void *completion, void *arg)
{
	boundary_callback(completion, arg);
}

/* The program gives it another callback after it was made: that one is called, and with its own argument. */
static void callback_is_set_later(void **state)
{
	struct boundary_completion *completion = boundary_create();
	char other;

	(void)state;
	completion_set_callback(completion, &other, other_callback);
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	assert_int_equal(said(0)->tracked, 0);
	assert_ptr_equal(completion->callback, other_callback);
	boundary_finish(completion, 0);
	assert_ptr_equal(boundary_called_arg, &other);
}

/* Memory is used again at once: what stands at an address now has nothing to do with what stood there. */
static void completion_at_the_address_of_another(void **state)
{
	struct boundary_completion *completion = boundary_create();

	(void)state;
	completion_destroy(completion);
	completion->callback = other_callback; /* made by a function that is not interposed */
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	assert_int_equal(said(0)->tracked, 0);
	assert_ptr_equal(completion->callback, other_callback);
	boundary_finish(completion, 0);
}

static void operation_made_anew_or_gone_is_forgotten(void **state)
{
	(void)state;
	operation_exec(&operation, "rbd", "get_size", buffer_of("", 0, 0));
	operation_construct(&operation);
	operation_exec(&operation, "rbd", "get_flags", buffer_of("", 0, 0));
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	operation_exec(&operation, "rbd", "get_size", buffer_of("", 0, 0));
	operation_destroy(&operation);
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(0)->methods, RBDPROF_METHOD_rbd_get_flags);
	assert_int_equal(said(1)->methods, 0);
	assert_int_not_equal(said(0)->operation, said(1)->operation);
}

static void first_eight_methods_are_told(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		operation_exec(&operation, "rbd", i < 8 ? "get_size" : "get_flags", buffer_of("", 0, 0));
	operate_write(&boundary_ioctx, &boundary_header, &operation);
	assert_int_equal(said(0)->methods, RBDPROF_METHOD_rbd_get_size * UINT64_C(0x0101010101010101));
}

static void *use(void *completion)
{
	aio_operate_write(&boundary_ioctx, &boundary_header, completion, &operation);
	return NULL;
}

/* It need not have been made right before, nor by the thread that uses it. */
static void completion_made_long_before(void **state)
{
	void *completions[50];
	pthread_t thread;

	(void)state;
	for (int i = 0; i < 50; i++)
		completions[i] = boundary_create();
	for (int i = 0; i < 49; i++)
		use(completions[i]);
	assert_int_equal(pthread_create(&thread, NULL, use, completions[49]), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 50; i++)
		boundary_finish(completions[i], i);
	assert_int_equal(boundary_callbacks, 50);
	for (int i = 0; i < 50; i++) {
		assert_int_equal(said(i)->tracked, 1);
		assert_done(i, said(i)->operation, i, 0);
	}
}

/* What is beyond them is called as it would be without us. */
static void more_operations_than_can_be_followed(void **state)
{
	static struct boundary_completion *completions[FLIGHTS + 10];
	struct boundary_completion *next;

	(void)state;
	for (int i = 0; i < FLIGHTS + 10; i++) {
		completions[i] = boundary_create();
		below_forget();
		use(completions[i]);
		assert_int_equal(said(0)->tracked, i < FLIGHTS);
		completion_destroy(completions[i]);
	}
	for (int i = 0; i < 10; i++) {
		assert_ptr_equal(completions[FLIGHTS + i]->callback, boundary_callback);
		assert_ptr_equal(completions[FLIGHTS + i]->arg, &boundary_arg);
	}
	below_forget();
	for (int i = 0; i < FLIGHTS + 10; i++)
		boundary_finish(completions[i], 0);
	assert_int_equal(boundary_callbacks, FLIGHTS + 10);
	assert_int_equal(below.count[BELOW_OPERATION_DONE], FLIGHTS);
	below_forget();
	next = boundary_create();
	use(next);
	assert_int_equal(said(0)->tracked, 1);
	boundary_finish(next, 0);
}

/* Of what cannot be kept only that is said: its details would belong to no operation. */
static void more_operations_than_can_be_built(void **state)
{
	static char operations[1024][16];
	int described;

	(void)state;
	for (int i = 0; i < 1024; i++)
		operation_exec(operations[i], "lock", "unlock", unlock_input());
	described = below.count[BELOW_LOCK_CALL];
	assert_in_range(described, 1, 256);
	assert_int_equal(below.count[BELOW_UNDECODED], 1024 - described);
	below_forget();
	for (int i = 0; i < 1024; i++) {
		operate_write(&boundary_ioctx, &boundary_header, operations[i]);
		described -= said(0)->methods == RBDPROF_METHOD_lock_unlock;
		below_forget();
	}
	assert_int_equal(described, 0);
	assert_int_equal(boundary_calls, 1024);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(said_before_it_is_sent_and_when_it_ends),
	    TEST(object_is_named_once_a_round),
	    TEST(data_is_told_elsewhere),
	    TEST(guarded_appends_are_one_of_the_journal),
	    TEST(length_of_the_reply),
	    TEST(blocking_calls),
	    TEST(refused_call_ends_at_once),
	    TEST(refused_calls_hold_nothing),
	    TEST(dormant_changes_nothing),
	    TEST(recording_begins_between_completion_and_call),
	    TEST(recording_ends_before_the_operation_does),
	    TEST(completion_of_something_else),
	    TEST(completions_never_used),
	    TEST(callback_is_set_later),
	    TEST(completion_at_the_address_of_another),
	    TEST(operation_made_anew_or_gone_is_forgotten),
	    TEST(first_eight_methods_are_told),
	    TEST(completion_made_long_before),
	    TEST(more_operations_than_can_be_followed),
	    TEST(more_operations_than_can_be_built),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
