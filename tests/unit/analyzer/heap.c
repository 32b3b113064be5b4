/* What is the earliest, whatever was put in and moved in between. */
#include "tests/unit/core/test.h"

#include "analyzer/heap.h"

#define COUNT 1000

/* Numbers below 64: many times are the same. */
static int64_t next_time(uint32_t *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16 & 63;
}

static void test_order(void **unused)
{
	struct heap heap = {0};
	struct heap_entry last = {-1, 0, NULL};
	uint32_t state = 7;

	(void)unused;
	for (uint64_t i = 0; i < COUNT; i++)
		assert_int_equal(heap_push(&heap, next_time(&state), i, NULL), 0);
	for (int i = 0; i < COUNT; i++) {
		const struct heap_entry first = heap.entries[0];

		assert_true(first.time_ns > last.time_ns || (first.time_ns == last.time_ns && first.order > last.order));
		last = first;
		heap_pop(&heap);
	}
	assert_int_equal(heap.count, 0);
	heap_fini(&heap);
}

static void test_settle(void **unused)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct heap heap = {0};

	(void)unused;
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(heap_push(&heap, 10 * ((int64_t)i + 1), i, (void *)names[i]), 0);
	assert_string_equal(heap.entries[0].what, "a");
	heap.entries[0].time_ns = 35;
	heap_settle(&heap);
	assert_string_equal(heap.entries[0].what, "b");
	heap_pop(&heap);
	assert_string_equal(heap.entries[0].what, "c");
	heap_pop(&heap);
	assert_string_equal(heap.entries[0].what, "a");
	heap_pop(&heap);
	assert_string_equal(heap.entries[0].what, "d");
	heap_fini(&heap);
	assert_int_equal(heap.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_settle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
