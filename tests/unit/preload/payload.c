/* What stands in payloads: the lock class's calls and notifications, whole, cut off anywhere, and with wrong bytes; in one segment and in
 * many. */
#include "test.h"

#include "below.h"
#include "buffers.h"
#include "preload/payload.h"

#define OPERATION 77u

/* Bytes in a segment: all in one, one each, an odd number, and the size that the reader reads ahead. */
static const size_t segments[] = {0, 1, 7, 64};
#define EACH_SEGMENT(i) (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)

static int setup(void **state)
{
	(void)state;
	below_start(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	below_start(false);
	return 0;
}

/* As cls_lock_lock_op and its like are encoded. */
static struct bytes lock_input(enum rbdprof_method method, const char *cookie)
{
	struct bytes in = {0};
	size_t begin = put_begin(&in, 1);

	put_string(&in, "rbd_lock");
	switch (method) {
	case RBDPROF_METHOD_lock_lock:
		put(&in, 1, 1); /* exclusive */
		put_string(&in, cookie);
		put_string(&in, "internal");
		put_string(&in, ""); /* description */
		put(&in, 0, 8);      /* duration */
		put(&in, 0, 1);      /* flags */
		break;
	case RBDPROF_METHOD_lock_unlock:
		put_string(&in, cookie);
		break;
	case RBDPROF_METHOD_lock_break_lock:
		put(&in, 8, 1); /* a client */
		put(&in, 4242, 8);
		put_string(&in, cookie);
		break;
	default: /* set_cookie */
		put(&in, 1, 1);
		put_string(&in, "auto 1");
		put_string(&in, "internal");
		put_string(&in, cookie);
		break;
	}
	put_end(&in, begin);
	return in;
}

static const enum rbdprof_method lock_methods[] = {RBDPROF_METHOD_lock_lock, RBDPROF_METHOD_lock_unlock, RBDPROF_METHOD_lock_break_lock,
						   RBDPROF_METHOD_lock_set_cookie};
#define EACH_METHOD(i) (size_t i = 0; i < sizeof(lock_methods) / sizeof(lock_methods[0]); i++)

static struct rbdprof_lock_call expected_call(enum rbdprof_method method, uint64_t watch)
{
	bool has_type = method == RBDPROF_METHOD_lock_lock || method == RBDPROF_METHOD_lock_set_cookie;

	return (struct rbdprof_lock_call){.operation = OPERATION,
					  .watch = watch,
					  .locker = method == RBDPROF_METHOD_lock_break_lock ? 4242 : 0,
					  .method = (uint8_t)method,
					  .type = has_type ? 1 : 0};
}

static void assert_call(const struct rbdprof_lock_call *is, const struct rbdprof_lock_call *expected)
{
	assert_int_equal(is->operation, expected->operation);
	assert_int_equal(is->watch, expected->watch);
	assert_int_equal(is->locker, expected->locker);
	assert_int_equal(is->method, expected->method);
	assert_int_equal(is->type, expected->type);
}

static void calls_of_the_lock_class(void **state)
{
	(void)state;
	for
		EACH_METHOD(i)
		{
			const struct rbdprof_lock_call expected = expected_call(lock_methods[i], 94186441226192);
			struct bytes in = lock_input(lock_methods[i], "auto 94186441226192");

		for
			EACH_SEGMENT(j)
			{
				below_forget();
				errno = EXDEV;
				payload_call(OPERATION, lock_methods[i], buffer_of(in.at, in.length, segments[j]), BUFFERLIST_15);
				assert_int_equal(errno, EXDEV);
				assert_int_equal(below.events, 1);
				assert_call(&below_nth(BELOW_LOCK_CALL, 0)->is.lock_call, &expected);
			}
		}
}

/* Another's cookie names no watch; one that is longer than is looked at is read past, not into. */
static void other_cookies(void **state)
{
	const struct rbdprof_lock_call expected = expected_call(RBDPROF_METHOD_lock_lock, 0);
	static const char *const cookies[] = {
	    "",          "auto",
	    "automatic", "1234",
	    "my cookie", "a cookie that is far longer than what the shim keeps of one, since nobody but librbd's own names a watch",
	    "auto ",     "auto 18446744073709551616"};

	(void)state;
	for (size_t i = 0; i < sizeof(cookies) / sizeof(cookies[0]); i++) {
		struct bytes in = lock_input(RBDPROF_METHOD_lock_lock, cookies[i]);

		below_forget();
		errno = EXDEV;
		payload_call(OPERATION, RBDPROF_METHOD_lock_lock, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
		assert_int_equal(errno, EXDEV);
		assert_int_equal(below.events, 1);
		assert_call(&below_nth(BELOW_LOCK_CALL, 0)->is.lock_call, &expected);
	}
}

/* Said whole or said to be undecoded: what is not there is never made up. */
static void calls_cut_off_anywhere(void **state)
{
	(void)state;
	for
		EACH_METHOD(i)
		{
			const struct rbdprof_lock_call expected = expected_call(lock_methods[i], 94186441226192);
			struct bytes in = lock_input(lock_methods[i], "auto 94186441226192");

			for (size_t cut = 0; cut < in.length; cut++) {
				below_forget();
				payload_call(OPERATION, lock_methods[i], buffer_of(in.at, cut, cut % 5), BUFFERLIST_15);
				assert_int_equal(below.events, 1);
				if (below.count[BELOW_LOCK_CALL])
					assert_call(&below_nth(BELOW_LOCK_CALL, 0)->is.lock_call, &expected);
				else
					assert_string_equal(below_nth(BELOW_UNDECODED, 0)->is.undecoded, "lock call");
				/* The cookie is the last thing of these that is read. */
				if (lock_methods[i] != RBDPROF_METHOD_lock_lock)
					assert_int_equal(below.count[BELOW_UNDECODED], 1);
			}
		}
}

static void calls_with_wrong_bytes(void **state)
{
	(void)state;
	for
		EACH_METHOD(i)
		{
			struct bytes in = lock_input(lock_methods[i], "auto 94186441226192");

			for (size_t bit = 0; bit < 8 * in.length; bit++) {
				in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
				below_forget();
				payload_call(OPERATION, lock_methods[i], buffer_of(in.at, in.length, bit % 9), BUFFERLIST_15);
				assert_int_equal(below.events, 1);
				in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
			/* A version that no Ceph has is another format. */
			in.at[0] = 200;
			below_forget();
			payload_call(OPERATION, lock_methods[i], buffer_of(in.at, in.length, 0), BUFFERLIST_15);
			assert_int_equal(below.count[BELOW_UNDECODED], 1);
		}
}

static void nothing_is_said_of_other_methods(void **state)
{
	struct bytes in = lock_input(RBDPROF_METHOD_lock_lock, "auto 1");

	(void)state;
	payload_call(OPERATION, RBDPROF_METHOD_lock_get_info, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	payload_call(OPERATION, RBDPROF_METHOD_OTHER, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	assert_int_equal(below.events, 0);
}

/* A librados of another age than the buffer's, or no buffer at all. */
static void buffers_that_cannot_be_read(void **state)
{
	struct bytes in = lock_input(RBDPROF_METHOD_lock_lock, "auto 1");
	void *list = buffer_of(in.at, in.length, 0);

	(void)state;
	payload_call(OPERATION, RBDPROF_METHOD_lock_lock, list, BUFFERLIST_14);
	payload_call(OPERATION, RBDPROF_METHOD_lock_lock, NULL, BUFFERLIST_15);
	assert_int_equal(below.count[BELOW_UNDECODED], 2);
	assert_int_equal(below.events, 2);
	assert_int_equal(bufferlist_length(list, BUFFERLIST_14), 0);
	assert_int_equal(bufferlist_length(NULL, BUFFERLIST_15), 0);
	assert_int_equal(bufferlist_length(list, BUFFERLIST_15), in.length);
	assert_int_equal(bufferlist_native(), BUFFERLIST_15);
}

/* Whoever asks for more than there is gets 0, now and from then on. */
static void reader_stays_failed(void **state)
{
	const uint8_t at[] = {1, 2, 3, 4, 5};
	struct bufferlist in = bufferlist_read(buffer_of(at, sizeof(at), 2), BUFFERLIST_15);
	char text[4] = "xxx";

	(void)state;
	assert_int_equal(bufferlist_u32(&in), 0x04030201);
	assert_int_equal(bufferlist_u32(&in), 0);
	assert_true(in.failed);
	assert_int_equal(bufferlist_u8(&in), 0); /* although one byte is left */
	bufferlist_string(&in, text, sizeof(text));
	assert_string_equal(text, "");
	in = bufferlist_read(buffer_of(at, sizeof(at), 1), BUFFERLIST_15);
	bufferlist_skip(&in, 5);
	assert_false(in.failed);
	bufferlist_skip(&in, UINT64_C(0xffffffffffffffff));
	assert_true(in.failed);
}

/* A string that claims to be longer than all there is. */
static void string_longer_than_its_buffer(void **state)
{
	struct bytes in = {0};
	struct bufferlist reader;
	char text[8];

	(void)state;
	put(&in, UINT32_MAX, 4);
	put_bytes(&in, "abcdefgh", 8);
	reader = bufferlist_read(buffer_of(in.at, in.length, 3), BUFFERLIST_15);
	bufferlist_string(&reader, text, sizeof(text));
	assert_true(reader.failed);
}

/* As librbd's NotifyMessage is encoded: what, and about the lock, the client and its handle. */
static struct bytes notification(uint32_t what)
{
	struct bytes in = {0};
	size_t begin = put_begin(&in, 7);

	put(&in, what, 4);
	if (what <= RBDPROF_REQUEST_LOCK) {
		put(&in, 4107, 8);
		put(&in, 94186441226192, 8);
	}
	if (what == RBDPROF_REQUEST_LOCK)
		put(&in, 1, 1); /* forced */
	put_end(&in, begin);
	return in;
}

static void notifications(void **state)
{
	(void)state;
	for (uint32_t what = 0; what <= RBDPROF_HEADER_UPDATE; what++) {
		struct bytes in = notification(what);

		for
			EACH_SEGMENT(j)
			{
				struct rbdprof_notification_is is = {.client = 1, .notify_id = 2};

				assert_true(payload_notification(&is, buffer_of(in.at, in.length, segments[j]), BUFFERLIST_15));
				assert_int_equal(is.what, what);
				assert_int_equal(is.about, what == RBDPROF_HEADER_UPDATE ? 0 : 4107);
				assert_int_equal(is.client, 1);
				assert_int_equal(is.notify_id, 2);
			}
		for (size_t cut = 0; cut < in.length; cut++) {
			struct rbdprof_notification_is is = {0};

			below_forget();
			/* What is needed is the head, what, and the client: 6 + 4 + 8 bytes. */
			if (payload_notification(&is, buffer_of(in.at, cut, 0), BUFFERLIST_15)) {
				assert_true(cut >= (what == RBDPROF_HEADER_UPDATE ? 10 : 18));
				assert_int_equal(is.what, what);
				assert_int_equal(is.about, what == RBDPROF_HEADER_UPDATE ? 0 : 4107);
				assert_int_equal(below.events, 0);
			} else {
				assert_string_equal(below_nth(BELOW_UNDECODED, 0)->is.undecoded, "notification");
			}
		}
		for (size_t bit = 0; bit < 8 * in.length; bit++) {
			struct rbdprof_notification_is is = {0};
			bool decoded;

			in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
			below_forget();
			decoded = payload_notification(&is, buffer_of(in.at, in.length, 1), BUFFERLIST_15);
			assert_int_equal(below.count[BELOW_UNDECODED], decoded ? 0 : 1);
			in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(calls_of_the_lock_class),
	    TEST(other_cookies),
	    TEST(calls_cut_off_anywhere),
	    TEST(calls_with_wrong_bytes),
	    TEST(nothing_is_said_of_other_methods),
	    TEST(buffers_that_cannot_be_read),
	    TEST(reader_stays_failed),
	    TEST(string_longer_than_its_buffer),
	    TEST(notifications),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
