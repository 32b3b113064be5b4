/* Times in which the network and the OSDs were slow, told from the others. */
#include "tests/unit/core/test.h"

#include "analyzer/core/spells.h"

#define MS     UINT64_C(1000000)
#define SLICE  (125 * MS)
#define BEGIN  (1000 * MS)
#define READS  1
#define WRITES 0

static struct spells spells;
static struct spells_slow slow;

static int teardown(void **unused)
{
	(void)unused;
	spells_fini(&spells);
	slow = (struct spells_slow){0};
	return 0;
}

/* So many requests are completed in the slice, each after so long. */
static void fill(int reads, uint64_t slice, unsigned requests, uint64_t network_ms, uint64_t bytes)
{
	for (unsigned i = 0; i < requests; i++)
		assert_int_equal(spells_add(&spells, reads, BEGIN + slice * SLICE + i, network_ms * MS, bytes), 0);
}

/* The usual: 12 slices of 30 requests of 4 KiB that take 2 ms each. */
static void fill_usual(int reads)
{
	for (uint64_t slice = 0; slice < 12; slice++)
		fill(reads, slice, 30, 2, 4096);
}

static void check(uint64_t lost_ms, uint64_t slow_slices, uint64_t begin_slice)
{
	slow = (struct spells_slow){0};
	spells_sum(&spells, &slow);
	assert_int_equal(slow.lost_ns, lost_ms * MS);
	assert_int_equal(slow.slow_ns, slow_slices * SLICE);
	assert_int_equal(slow.begin_ns, slow_slices ? BEGIN + begin_slice * SLICE : 0);
}

/* Two slices of ten that take 6 and 12 ms: 10 × 4 + 10 × 10 lost. One of 5 ms is not slow. */
static void test_slow(void **unused)
{
	(void)unused;
	fill_usual(READS);
	fill(READS, 12, 10, 5, 4096);
	fill(READS, 13, 10, 6, 4096);
	fill(READS, 15, 10, 12, 4096);
	check(40 + 100, 2, 13);
}

/* Of reads and of writes at the same time: it is as slow for both, but not for twice as long. */
static void test_both_kinds(void **unused)
{
	(void)unused;
	fill_usual(READS);
	fill_usual(WRITES);
	fill(READS, 12, 10, 8, 4096);
	fill(WRITES, 12, 10, 7, 4096);
	check(60 + 50, 1, 12);
}

/* With as many requests as usual they wait for each other: the program asks for more at a time. */
static void test_more_at_a_time(void **unused)
{
	(void)unused;
	fill_usual(READS);
	fill(READS, 12, 30, 12, 4096);
	check(0, 0, 0);
}

/* Larger ones take longer, and smaller ones are not comparable either. */
static void test_other_sizes(void **unused)
{
	(void)unused;
	fill_usual(READS);
	fill(READS, 12, 10, 12, 3 * 4096);
	fill(READS, 13, 10, 12, 1024);
	check(0, 0, 0);
}

/* Seven slices do not tell what is usual, and seven requests not what a slice is. */
static void test_too_few(void **unused)
{
	(void)unused;
	for (uint64_t slice = 0; slice < 6; slice++)
		fill(READS, slice, 30, 2, 4096);
	fill(READS, 6, 10, 12, 4096);
	check(0, 0, 0);
	fill(READS, 7, 7, 30, 4096);
	check(0, 0, 0);
	fill(READS, 7, 1, 2, 4096);
	check(100 + 7 * 28, 2, 6);
}

/* Slices become twice as wide when the time does not fit any more. */
static void test_long(void **unused)
{
	(void)unused;
	fill_usual(READS);
	fill(READS, SPELLS_SLICES, 8, 2, 4096);
	fill(READS, SPELLS_SLICES + 2, 8, 2, 4096);
	fill(READS, 14, 10, 12, 4096);
	fill(READS, 16, 10, 2, 4096);
	assert_int_equal(spells.doublings, 1);
	check(100, 2, 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_slow, teardown),           cmocka_unit_test_teardown(test_both_kinds, teardown),
	    cmocka_unit_test_teardown(test_more_at_a_time, teardown), cmocka_unit_test_teardown(test_other_sizes, teardown),
	    cmocka_unit_test_teardown(test_too_few, teardown),        cmocka_unit_test_teardown(test_long, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
