/* What clients answer each other: an answer as it is given, and all of them as the notifier gets them. */
#include "test.h"

#include "below.h"
#include "buffers.h"
#include "preload/payload.h"

#define OPERATION 78u

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

/* As librbd's ResponseMessage is encoded. */
static void put_answer(struct bytes *to, int32_t result)
{
	size_t begin = put_begin(to, 1);

	put(to, (uint32_t)result, 4);
	put_end(to, begin);
}

static void answers(void **state)
{
	static const int32_t results[] = {0, -EROFS, -ETIMEDOUT};

	(void)state;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct bytes in = {0};
		int32_t result = 99;

		put_answer(&in, results[i]);
		assert_true(payload_answer(&result, buffer_of(in.at, in.length, i), BUFFERLIST_15));
		assert_int_equal(result, results[i]);
		assert_int_equal(below.events, 0);
		for (size_t cut = 1; cut < in.length; cut++) {
			below_forget();
			result = 99;
			assert_false(payload_answer(&result, buffer_of(in.at, cut, 1), BUFFERLIST_15));
			assert_int_equal(result, 0);
			assert_int_equal(below.count[BELOW_UNDECODED], 1);
		}
		below_forget();
	}
}

static void empty_answer_says_nothing(void **state)
{
	int32_t result = 99;

	(void)state;
	assert_false(payload_answer(&result, buffer_of("", 0, 0), BUFFERLIST_15));
	assert_int_equal(result, 0);
	assert_false(payload_answer(&result, NULL, BUFFERLIST_15));
	assert_int_equal(below.events, 0);
}

/* Of five clients one agrees, one says nothing, one refuses; two do not answer in time. */
static struct bytes replies(void)
{
	struct bytes in = {0};

	put(&in, 3, 4);
	put(&in, 4101, 8), put(&in, 94186441226192, 8), put(&in, 10, 4), put_answer(&in, 0);
	put(&in, 4102, 8), put(&in, 94186441226193, 8), put(&in, 0, 4);
	put(&in, 4103, 8), put(&in, 94186441226194, 8), put(&in, 10, 4), put_answer(&in, -EROFS);
	put(&in, 2, 4);
	put(&in, 4104, 8), put(&in, 94186441226195, 8);
	put(&in, 4105, 8), put(&in, 94186441226196, 8);
	return in;
}

static const struct {
	uint64_t client;
	int32_t result;
} expected[] = {{4103, -EROFS}, {4104, -ETIMEDOUT}, {4105, -ETIMEDOUT}};
#define EXPECTED 3

static void assert_replies_are_as_expected(void)
{
	assert_int_equal(below.count[BELOW_NOTIFY_REPLY], EXPECTED);
	for (int i = 0; i < EXPECTED; i++) {
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.operation, OPERATION);
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.client, expected[i].client);
		assert_int_equal(below_nth(BELOW_NOTIFY_REPLY, i)->is.reply.result, expected[i].result);
	}
}

static void refusals_and_missed_clients_are_said(void **state)
{
	struct bytes in = replies();

	(void)state;
	for (size_t segment = 0; segment < 30; segment++) {
		below_forget();
		payload_replies(OPERATION, buffer_of(in.at, in.length, segment), BUFFERLIST_15);
		assert_int_equal(below.events, EXPECTED);
		assert_replies_are_as_expected();
	}
}

static void no_reply_says_nothing(void **state)
{
	struct bytes in = {0};

	(void)state;
	payload_replies(OPERATION, buffer_of("", 0, 0), BUFFERLIST_15); /* the notification failed */
	payload_replies(OPERATION, NULL, BUFFERLIST_15);
	put(&in, 0, 8); /* nobody answered, nobody was missed */
	payload_replies(OPERATION, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	assert_int_equal(below.events, 0);
}

static void replies_cut_off_anywhere(void **state)
{
	struct bytes in = replies();

	(void)state;
	for (size_t cut = 1; cut < in.length; cut++) {
		below_forget();
		payload_replies(OPERATION, buffer_of(in.at, cut, cut % 4), BUFFERLIST_15);
		assert_int_equal(below.count[BELOW_UNDECODED], 1);
		assert_int_equal(below.events, 1); /* some answers are there, but nothing marks them as such */
	}
}

/* An answer too short for a result must not borrow one from its neighbour's bytes: those would read as a refusal. */
static void answer_too_short_for_a_result(void **state)
{
	for (uint32_t length = 1; length < 10; length++) {
		struct bytes in = {0};

		(void)state;
		put(&in, 2, 4);
		put(&in, 4101, 8), put(&in, 1, 8), put(&in, length, 4);
		for (uint32_t i = 0; i < length; i++)
			put(&in, 1, 1);
		put(&in, UINT64_MAX, 8), put(&in, UINT64_MAX, 8), put(&in, 0, 4);
		put(&in, 0, 4);
		below_forget();
		payload_replies(OPERATION, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
		assert_int_equal(below.count[BELOW_NOTIFY_REPLY], 0);
		assert_int_equal(below.count[BELOW_UNDECODED], 1);
	}
}

/* Counts and lengths that are wrong end where the bytes do. */
static void replies_with_wrong_bytes(void **state)
{
	struct bytes in = replies();

	(void)state;
	for (size_t bit = 0; bit < 8 * in.length; bit++) {
		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		below_forget();
		payload_replies(OPERATION, buffer_of(in.at, in.length, bit % 11), BUFFERLIST_15);
		if (below.count[BELOW_UNDECODED])
			assert_int_equal(below.events, 1);
		else
			assert_true(below.events == below.count[BELOW_NOTIFY_REPLY] && below.events <= 5); /* as there are clients */
		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	memset(in.at, 0xff, 4);
	below_forget();
	payload_replies(OPERATION, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	assert_int_equal(below.count[BELOW_UNDECODED], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(answers),
	    TEST(empty_answer_says_nothing),
	    TEST(refusals_and_missed_clients_are_said),
	    TEST(no_reply_says_nothing),
	    TEST(replies_cut_off_anywhere),
	    TEST(answer_too_short_for_a_result),
	    TEST(replies_with_wrong_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
