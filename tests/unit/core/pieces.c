/* Which requests an operation carries. A request is no more than an address here. */
#include "tests/unit/core/test.h"

#include "analyzer/core/effects.h"
#include "analyzer/core/pieces.h"

#define REQUESTS 200

static struct pieces pieces;
static struct carried requests[REQUESTS];
static struct piece *lists[REQUESTS];
static char carried[2048];

static int setup(void **unused)
{
	(void)unused;
	pieces = (struct pieces){0};
	memset(lists, 0, sizeof(lists));
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	pieces_fini(&pieces);
	return 0;
}

static void add_to(unsigned request, uint32_t hash, uint8_t accepts, uint64_t begin, uint64_t end)
{
	struct piece piece = {
	    .of = &requests[request], .object = hash, .begin_bytes = begin, .end_bytes = end, .object_hash = hash, .accepts = accepts};

	assert_int_equal(pieces_add(&pieces, &lists[request], &piece, 2), 0);
}

static void add(unsigned request, uint64_t begin, uint64_t end)
{
	add_to(request, 7, DIRECTION_WRITE, begin, end);
}

static int carries(void *context, struct carried *request)
{
	size_t length = strlen(carried);

	assert_ptr_equal(context, carried);
	snprintf(carried + length, sizeof(carried) - length, "%s%d", length ? " " : "", (int)(request - requests));
	return 0;
}

/* What the operation carries, in the order in which it is said. */
static const char *carry_in(uint32_t hash, uint8_t direction, uint64_t begin, uint64_t end, uint64_t choices)
{
	struct carrier carrier = {
	    .object_hash = hash, .direction = direction, .begin_bytes = begin, .end_bytes = end, .context = carried, .carries = carries};

	carried[0] = '\0';
	assert_int_equal(pieces_carry(&pieces, &carrier), 0);
	assert_int_equal(carrier.choices, choices);
	return carried;
}

static const char *carry(uint64_t begin, uint64_t end, uint64_t choices)
{
	return carry_in(7, DIRECTION_WRITE, begin, end, choices);
}

static void test_nothing_there(void **unused)
{
	(void)unused;
	assert_string_equal(carry(0, 10, 0), "");
	add(0, 0, 10);
	assert_string_equal(carry_in(8, DIRECTION_WRITE, 0, 10, 0), "");
	assert_string_equal(carry_in(7, DIRECTION_READ, 0, 10, 0), "");
	assert_string_equal(carry(10, 20, 0), "");
	assert_false(pieces_covered(lists[0]));
	assert_string_equal(carry(0, 10, 0), "0");
	assert_true(pieces_covered(lists[0]));
}

/* Two for the same bytes: the older first, and that was a choice. The second time there is none. */
static void test_oldest_first(void **unused)
{
	(void)unused;
	add(0, 0, 10);
	add(1, 0, 10);
	assert_string_equal(carry(0, 10, 1), "0");
	assert_string_equal(carry(0, 10, 0), "1");
}

/* The same extent tells more than the order: the read of 5 to 15 was made later and is sent first. */
static void test_exact_before_oldest(void **unused)
{
	(void)unused;
	add(0, 0, 20);
	add(1, 5, 15);
	assert_string_equal(carry(5, 15, 1), "1");
	assert_string_equal(carry(0, 20, 0), "0");
}

static void test_merged(void **unused)
{
	(void)unused;
	add(0, 0, 10);
	add(1, 10, 20);
	add(2, 20, 30);
	add(3, 40, 50);
	assert_string_equal(carry(0, 30, 0), "0 1 2");
	assert_string_equal(carry(40, 50, 0), "3");
}

/* Of two for the same bytes among those that were merged, the older; one join had a choice. */
static void test_merged_with_a_choice(void **unused)
{
	(void)unused;
	add(0, 0, 10);
	add(1, 10, 20);
	add(2, 10, 20);
	assert_string_equal(carry(0, 20, 1), "0 1");
	assert_string_equal(carry(10, 20, 0), "2");
}

/* A request that several operations carry, the middle first. */
static void test_cut(void **unused)
{
	(void)unused;
	add(0, 0, 30);
	assert_string_equal(carry(10, 20, 0), "0");
	assert_false(pieces_covered(lists[0]));
	assert_string_equal(carry(0, 10, 0), "0");
	assert_string_equal(carry(20, 30, 0), "0");
	assert_true(pieces_covered(lists[0]));
	pieces_remove(&pieces, &lists[0]);
	assert_int_equal(pieces.count, 0);
}

/* Copy-up writes once more what found no object; reads that come again belong to nobody. */
static void test_again(void **unused)
{
	(void)unused;
	add(0, 0, 10);
	add_to(1, 7, DIRECTION_READ, 0, 10);
	assert_string_equal(carry(0, 10, 0), "0");
	assert_string_equal(carry(0, 10, 0), "0");
	assert_string_equal(carry_in(7, DIRECTION_READ, 0, 10, 0), "1");
	assert_string_equal(carry_in(7, DIRECTION_READ, 0, 10, 0), "");
}

static void test_held(void **unused)
{
	struct piece piece = {.of = &requests[0], .end_bytes = 10, .object_hash = 7, .accepts = DIRECTION_WRITE, .held = 1};

	(void)unused;
	assert_int_equal(pieces_add(&pieces, &lists[0], &piece, 1), 0);
	add(1, 0, 10);
	assert_string_equal(carry(0, 10, 0), "1");
	assert_string_equal(carry(0, 10, 0), "1"); /* done again, for all that is known */
	pieces_release(lists[0]);
	assert_string_equal(carry(0, 10, 0), "0");
}

static void test_prolonged(void **unused)
{
	(void)unused;
	/* Striped over two objects: units of one object follow each other there. */
	add_to(0, 7, DIRECTION_WRITE, 0, 10);
	add_to(0, 8, DIRECTION_WRITE, 0, 10);
	add_to(0, 7, DIRECTION_WRITE, 10, 20);
	add_to(0, 8, DIRECTION_WRITE, 10, 20);
	assert_int_equal(pieces.count, 2);
	assert_string_equal(carry(0, 20, 0), "0");
	assert_false(pieces_covered(lists[0]));
	assert_string_equal(carry_in(8, DIRECTION_WRITE, 0, 20, 0), "0");
	assert_true(pieces_covered(lists[0]));
}

/* So many that the table grows: none is lost, and those for the same bytes keep their order. */
static void test_many(void **unused)
{
	char want[8];

	(void)unused;
	for (unsigned i = 0; i < REQUESTS; i++)
		add_to(i, i / 2, DIRECTION_WRITE, 0, 10);
	for (unsigned i = 0; i < REQUESTS; i++) {
		snprintf(want, sizeof(want), "%u", i);
		assert_string_equal(carry_in(i / 2, DIRECTION_WRITE, 0, 10, i % 2 == 0), want);
	}
	for (unsigned i = 0; i < REQUESTS; i++)
		pieces_remove(&pieces, &lists[i]);
	assert_int_equal(pieces.count, 0);
	assert_string_equal(carry_in(0, DIRECTION_WRITE, 0, 10, 0), "");
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_oldest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exact_before_oldest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merged_with_a_choice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_held, setup, teardown),
		cmocka_unit_test_setup_teardown(test_prolonged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
