/*
 * Data operations as they go to the network: messages put together by hand, with their operations in either of the two ways, whole, cut
 * off, and of no known layout. What is expected of a front is from its encoding's definition, codes are those of Ceph's rados.h.
 */
#include "test.h"

#include <sys/wait.h>

#include "below.h"
#include "buffers.h"
#include "preload/cxx.h"
#include "preload/real.h"

#define CLIENT          4107
#define TRANSACTION     815
#define POOL            5
#define GROUP           3
#define HASH            0x9f0a11c5u
#define FLAGS           0x24
#define MOST_OPERATIONS 64 /* of one message that are looked at */

enum { OPERATION_BYTES = 152, MESSAGE_BYTES = 1000, OPERATIONS_AT = 520 };
enum { READ = 0x1000, WRITE = 0x2000, DATA = 0x200, EXEC = 0x500 };

/* What is in a message's memory at fixed places: ceph_msg_header. */
enum { TRANSACTION_AT = 32, TYPE_AT = 40, VERSION_AT = 44, SOURCE_TYPE_AT = 60, SOURCE_AT = 61 };
enum { OSD_OPERATION = 42, FRONT_VERSION = 8, CLIENT_TYPE = 8, OSD_TYPE = 4 };

struct operation {
	uint16_t code;
	uint64_t offset, length;
};

static bool plain; /* the operations are a plain vector, as before Ceph 16 */
static uint8_t *message;
static uint8_t *block; /* of the operations, where they are not in the message */

static struct {
	int calls;
	const void *message, *payload;
	uint64_t features;
	struct below said;
} given;

static void encode_trace(const void *of, void *payload, uint64_t features)
{
	given.calls++;
	given.message = of;
	given.payload = payload;
	given.features = features;
	given.said = below;
}

static void set(size_t at, uint64_t value, size_t width)
{
	memcpy(message + at, &value, width);
}

static void fill(uint8_t *to, const struct operation *operations, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bytes operation = {0};

		put(&operation, operations[i].code, 2);
		put(&operation, 0, 4); /* flags */
		put(&operation, operations[i].offset, 8);
		put(&operation, operations[i].length, 8);
		memcpy(to + i * OPERATION_BYTES, operation.at, operation.length);
	}
}

static uint8_t *new_block(size_t bytes)
{
	free(block);
	block = calloc(1, bytes);
	assert_non_null(block);
	return block;
}

/* Puts the operations into the message as this layout has them. room: for how many, when they are in a block of their own. */
static void set_operations(const struct operation *operations, size_t count, size_t room)
{
	bool inside = !plain && room <= 2;
	uint8_t *at = inside ? message + OPERATIONS_AT + 24 : new_block(room * OPERATION_BYTES);

	fill(at, operations, count);
	set(OPERATIONS_AT, (uintptr_t)at, 8);
	set(OPERATIONS_AT + 8, plain ? (uintptr_t)(at + count * OPERATION_BYTES) : count, 8);
	set(OPERATIONS_AT + 16, plain ? (uintptr_t)(at + room * OPERATION_BYTES) : room, 8);
}

/* A front up to where its trace section begins, by MOSDOp's encoding: the group with its shard, the hash, the epoch, flags; the rest is not
 * read. */
static struct bytes front(void)
{
	struct bytes in = {0};
	size_t begin = put_begin(&in, 1);

	put(&in, 1, 1); /* the group's version */
	put(&in, POOL, 8);
	put(&in, GROUP, 4);
	put(&in, UINT32_MAX, 4); /* not preferred */
	put(&in, 0xff, 1);       /* no shard */
	put_end(&in, begin);
	put(&in, HASH, 4);
	put(&in, 21, 4); /* the map's epoch */
	put(&in, FLAGS, 4);
	return in;
}

static void pass_front(const struct bytes *in, size_t length, size_t segment)
{
	void *payload = buffer_of(in->at, length, segment);
	int calls = given.calls;

	errno = EXDEV;
	message_encode_trace(message, payload, 77);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(given.calls, calls + 1);
	assert_ptr_equal(given.message, message);
	assert_ptr_equal(given.payload, payload);
	assert_int_equal(given.features, 77);
}

static void pass(void)
{
	struct bytes in = front();

	pass_front(&in, in.length, 0);
}

static void pass_operations(const struct operation *operations, size_t count, size_t room)
{
	below_forget();
	set_operations(operations, count, room);
	pass();
}

static const struct operation one_write = {WRITE | DATA | 1, 8192, 4096};

static int setup(void **state)
{
	(void)state;
	memset(&given, 0, sizeof(given));
	real.message_encode_trace = real.message_encode_trace_14 = encode_trace;
	message = calloc(1, MESSAGE_BYTES);
	assert_non_null(message);
	set(TRANSACTION_AT, TRANSACTION, 8);
	set(TYPE_AT, OSD_OPERATION, 2);
	set(VERSION_AT, FRONT_VERSION, 2);
	set(SOURCE_TYPE_AT, CLIENT_TYPE, 1);
	set(SOURCE_AT, CLIENT, 8);
	set_operations(&one_write, 1, 1 + !plain);
	below_start(true);
	pass(); /* a recording's beginning is said with the first */
	below_forget();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	below_start(false);
	free(message);
	free(block);
	block = NULL;
	return 0;
}

static const struct rbdprof_sent *sent(void)
{
	assert_int_equal(below.events, 1);
	return &below_nth(BELOW_SENT, 0)->is.sent;
}

static void assert_undecoded(void)
{
	assert_int_equal(below.events, 1);
	assert_string_equal(below_nth(BELOW_UNDECODED, 0)->is.undecoded, "OSD operation");
}

/* The first message of a process has a layout that is none of the known ones: its operations are not where any release has them. */
static void layout_that_is_not_known(void **state)
{
	(void)state;
	for (size_t at = OPERATIONS_AT; at < OPERATIONS_AT + 24; at += 8)
		set(at, 0, 8);
	below_forget();
	pass();
	assert_undecoded();
	assert_int_equal(given.said.events, 1);
}

/* Here `message` is what the layout was found in: nothing of it was known before. */
static int setup_unknown(void **state)
{
	(void)state;
	memset(&given, 0, sizeof(given));
	real.message_encode_trace = encode_trace;
	message = calloc(1, MESSAGE_BYTES);
	assert_non_null(message);
	set(TYPE_AT, OSD_OPERATION, 2);
	set(VERSION_AT, FRONT_VERSION, 2);
	set(SOURCE_TYPE_AT, CLIENT_TYPE, 1);
	below_start(true);
	return 0;
}

static void write_as_it_is_sent(void **state)
{
	static const size_t segments[] = {0, 1, 7, 20};
	struct bytes in = front();

	(void)state;
	for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++) {
		below_forget();
		pass_front(&in, in.length, segments[i]);
		assert_int_equal(given.said.count[BELOW_SENT], 1); /* before it is written */
		assert_int_equal(sent()->client, CLIENT);
		assert_int_equal(sent()->transaction, TRANSACTION);
		assert_int_equal(sent()->pool_id, POOL);
		assert_int_equal(sent()->placement_group, GROUP);
		assert_int_equal(sent()->object_hash, HASH);
		assert_int_equal(sent()->flags, FLAGS);
		assert_int_equal(sent()->code, one_write.code);
		assert_int_equal(sent()->extents, 1);
		assert_int_equal(sent()->offset_bytes, 8192);
		assert_int_equal(sent()->length_bytes, 4096);
	}
}

static void what_moves_data(void **state)
{
	static const struct {
		uint16_t code;
		bool moves;
	} codes[] = {
	    {READ | DATA | 1, true},    /* read */
	    {READ | DATA | 2, false},   /* stat */
	    {READ | DATA | 5, true},    /* sparse read */
	    {READ | DATA | 6, false},   /* notify */
	    {READ | DATA | 7, false},   /* its acknowledgement */
	    {READ | DATA | 8, false},   /* assert the version */
	    {READ | DATA | 9, false},   /* list watchers */
	    {READ | DATA | 10, false},  /* list snapshots */
	    {READ | DATA | 32, true},   /* compare extent */
	    {READ | EXEC | 1, false},   /* call */
	    {WRITE | DATA | 1, true},   /* write */
	    {WRITE | DATA | 2, true},   /* write full */
	    {WRITE | DATA | 3, true},   /* truncate */
	    {WRITE | DATA | 4, true},   /* zero */
	    {WRITE | DATA | 5, true},   /* delete */
	    {WRITE | DATA | 13, true},  /* create */
	    {WRITE | DATA | 15, false}, /* watch */
	    {WRITE | DATA | 35, false}, /* allocation hint */
	    {WRITE | DATA | 38, true},  /* write the same */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const struct operation operation = {codes[i].code, 4096, 512};

		pass_operations(&operation, 1, 1 + !plain);
		if (codes[i].moves)
			assert_int_equal(sent()->code, codes[i].code);
		else
			assert_int_equal(below.events, 0);
	}
}

/* librbd puts a guard and a hint before its writes, and several writes into one message. */
static void several_operations(void **state)
{
	static const struct {
		struct operation operations[4];
		size_t count;
		uint16_t code, extents;
		uint64_t offset, length;
	} cases[] = {
	    {{{READ | DATA | 2, 0, 0}, {WRITE | DATA | 1, 512, 1024}}, 2, WRITE | DATA | 1, 1, 512, 1024},
	    {{{WRITE | DATA | 35, 4194304, 4194304}, {WRITE | DATA | 1, 512, 1024}}, 2, WRITE | DATA | 1, 1, 512, 1024},
	    {{{READ | DATA | 32, 4096, 512}, {WRITE | DATA | 1, 4096, 512}}, 2, READ | DATA | 32, 2, 4096, 512},
	    {{{WRITE | DATA | 1, 0, 4096}, {WRITE | DATA | 1, 4096, 4096}}, 2, WRITE | DATA | 1, 2, 0, 8192},
	    {{{WRITE | DATA | 1, 0, 4096}, {WRITE | DATA | 1, 8192, 4096}, {WRITE | DATA | 1, 16384, 512}},
	     3,
	     WRITE | DATA | 1,
	     3,
	     0,
	     16896},
	    /* A copy-up carries the writes that waited for it in the order in which they came. */
	    {{{WRITE | DATA | 1, 8192, 4096}, {WRITE | DATA | 1, 0, 4096}}, 2, WRITE | DATA | 1, 2, 0, 12288},
	    {{{READ | EXEC | 1, 0, 0}, {WRITE | DATA | 35, 0, 0}, {WRITE | DATA | 1, 8192, 512}, {WRITE | DATA | 1, 4096, 512}},
	     4,
	     WRITE | DATA | 1,
	     2,
	     4096,
	     4608},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* Also where there is more room than what is used. */
		for (size_t room = cases[i].count; room <= cases[i].count + 3; room++) {
			pass_operations(cases[i].operations, cases[i].count, plain || room > 2 ? room : 2);
			assert_int_equal(sent()->code, cases[i].code);
			assert_int_equal(sent()->extents, cases[i].extents);
			assert_int_equal(sent()->offset_bytes, cases[i].offset);
			assert_int_equal(sent()->length_bytes, cases[i].length);
		}
	}
}

static void as_many_operations_as_are_looked_at(void **state)
{
	struct operation operations[MOST_OPERATIONS + 1];

	(void)state;
	for (uint64_t i = 0; i <= MOST_OPERATIONS; i++)
		operations[i] = (struct operation){WRITE | DATA | 1, i * 512, 512};
	pass_operations(operations, MOST_OPERATIONS, MOST_OPERATIONS);
	assert_int_equal(sent()->extents, MOST_OPERATIONS);
	assert_int_equal(sent()->length_bytes, MOST_OPERATIONS * 512);
	pass_operations(operations, MOST_OPERATIONS + 1, MOST_OPERATIONS + 1);
	assert_undecoded();
}

/* Where the operations were, there is something else: nothing is read through it. */
static void pointers_that_lead_elsewhere(void **state)
{
	static const uint64_t nowhere[] = {0, 1, 8, 4096, UINT64_C(0x00005555deadbee1), UINT64_C(0xffff888000000000), UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		below_forget();
		set(OPERATIONS_AT, nowhere[i], 8);
		set(OPERATIONS_AT + 8, plain ? nowhere[i] + OPERATION_BYTES : 3, 8);
		set(OPERATIONS_AT + 16, plain ? nowhere[i] + OPERATION_BYTES : 4, 8);
		pass();
		assert_undecoded();
	}
}

/* More than the block holds, or more used than there is room for. */
static void block_that_is_too_small(void **state)
{
	static const struct operation operations[4] = {{WRITE | DATA | 1, 0, 512}};

	(void)state;
	for (size_t claimed = 5; claimed < 8; claimed++) {
		pass_operations(operations, 4, 4);
		below_forget();
		set(OPERATIONS_AT + 16, plain ? (uintptr_t)(block + claimed * OPERATION_BYTES) : claimed, 8);
		pass();
		assert_undecoded();
		below_forget();
		set(OPERATIONS_AT + 16, plain ? (uintptr_t)(block + 3 * OPERATION_BYTES) : 3, 8); /* of four that are used */
		pass();
		assert_undecoded();
	}
}

static void other_messages_say_nothing(void **state)
{
	static const uint16_t types[] = {0, 2, 5, 15, 41, 43, 66, 67, 0x2a2a};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		set(TYPE_AT, types[i], 2);
		pass();
	}
	assert_int_equal(given.calls, 1 + sizeof(types) / sizeof(types[0]));
	assert_int_equal(below.events, 0);
}

static void headers_of_no_client_s_operation(void **state)
{
	static const struct {
		size_t at, width;
		uint64_t foreign, own;
	} cases[] = {
	    {VERSION_AT, 2, 7, FRONT_VERSION},
	    {VERSION_AT, 2, 9, FRONT_VERSION},
	    {SOURCE_TYPE_AT, 1, OSD_TYPE, CLIENT_TYPE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		below_forget();
		set(cases[i].at, cases[i].foreign, cases[i].width);
		pass();
		assert_undecoded();
		set(cases[i].at, cases[i].own, cases[i].width);
	}
}

static void front_cut_off_anywhere(void **state)
{
	struct bytes in = front();

	(void)state;
	for (size_t cut = 0; cut < in.length; cut++) {
		below_forget();
		pass_front(&in, cut, cut % 6);
		assert_undecoded();
	}
}

/* Its two versions are all that marks a front as one: with another of them it is not read. */
static void front_with_wrong_bytes(void **state)
{
	struct bytes in = front();

	(void)state;
	for (size_t bit = 0; bit < 8 * in.length; bit++) {
		bool version = bit / 8 == 0 || bit / 8 == 6;

		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		below_forget();
		pass_front(&in, in.length, bit % 9);
		if (version)
			assert_undecoded();
		else
			assert_int_equal(sent()->transaction, TRANSACTION);
		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* Ceph 14's function has buffers of 14: this librados cannot read those. */
static void buffer_of_another_age(void **state)
{
	struct bytes in = front();

	(void)state;
	errno = EXDEV;
	message_encode_trace_14(message, buffer_of(in.at, in.length, 0), 77);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(given.calls, 2);
	assert_undecoded();
}

static void nothing_while_nobody_records(void **state)
{
	(void)state;
	below_start(false);
	pass();
	message_encode_trace_14(message, NULL, 77);
	assert_int_equal(given.calls, 3);
	assert_int_equal(below.events, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static int run(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(layout_that_is_not_known, setup_unknown, teardown),
	    TEST(write_as_it_is_sent),
	    TEST(what_moves_data),
	    TEST(several_operations),
	    TEST(as_many_operations_as_are_looked_at),
	    TEST(pointers_that_lead_elsewhere),
	    TEST(block_that_is_too_small),
	    TEST(other_messages_say_nothing),
	    TEST(headers_of_no_client_s_operation),
	    TEST(front_cut_off_anywhere),
	    TEST(front_with_wrong_bytes),
	    TEST(buffer_of_another_age),
	    TEST(nothing_while_nobody_records),
	};

	return cmocka_run_group_tests_name(plain ? "plain vector" : "small vector", tests, NULL, NULL);
}

/* A process learns one layout: each has one of its own. */
int main(void)
{
	pid_t child = fork();
	int status = -1;

	plain = !child;
	if (child < 0)
		return 1;
	if (!child)
		return run();
	waitpid(child, &status, 0);
	return run() || status;
}
