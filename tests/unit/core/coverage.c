/* Unions of intervals: overlaps, joining, what is going on, what is forgotten. */
#include "tests/unit/core/test.h"

#include "analyzer/core/coverage.h"

static struct coverage coverage;

static int teardown(void **unused)
{
	(void)unused;
	coverage_fini(&coverage);
	return 0;
}

static void add(uint64_t begin_ns, uint64_t end_ns)
{
	assert_int_equal(coverage_add(&coverage, begin_ns, end_ns), 0);
}

static void test_overlaps(void **unused)
{
	(void)unused;
	assert_int_equal(coverage_overlap(&coverage, 0, 100), 0);
	assert_null(coverage_last(&coverage));
	add(10, 20);
	add(30, 50);
	assert_int_equal(coverage_overlap(&coverage, 0, 100), 10 + 20);
	assert_int_equal(coverage_overlap(&coverage, 15, 35), 5 + 5);
	assert_int_equal(coverage_overlap(&coverage, 20, 30), 0);
	assert_int_equal(coverage_overlap(&coverage, 40, 45), 5);
	assert_int_equal(coverage_overlap(&coverage, 45, 40), 0);
	assert_int_equal(coverage_last(&coverage)->begin_ns, 30);
}

/* One that touches the last continues it; one that holds all swallows them. */
static void test_joins(void **unused)
{
	(void)unused;
	add(10, 20);
	add(30, 50);
	add(50, 60);
	assert_int_equal(coverage.next, 2);
	assert_int_equal(coverage_overlap(&coverage, 0, 100), 10 + 30);
	add(5, 70);
	assert_int_equal(coverage.next, 1);
	assert_int_equal(coverage_overlap(&coverage, 0, 100), 65);
}

/* What began twice ends with its second end; an end without a begin is nothing. */
static void test_going_on(void **unused)
{
	(void)unused;
	assert_int_equal(coverage_end(&coverage, 5), 0);
	coverage_begin(&coverage, 10);
	coverage_begin(&coverage, 12);
	assert_int_equal(coverage_end(&coverage, 15), 0);
	assert_int_equal(coverage.next, 0);
	assert_int_equal(coverage_end(&coverage, 20), 0);
	coverage_begin(&coverage, 30);
	assert_int_equal(coverage_overlap(&coverage, 0, 40), 10 + 10);
	assert_int_equal(coverage_overlap(&coverage, 33, 40), 7);
}

/* Of 300 intervals of 4 the last 256 are known. */
static void test_forgets(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 300; i++)
		add(10 * i, 10 * i + 4);
	assert_int_equal(coverage_overlap(&coverage, 0, 3000), 4 * COVERAGE_KEPT);
	assert_int_equal(coverage_overlap(&coverage, 0, 100), 0);
	assert_int_equal(coverage_overlap(&coverage, 2981, 2995), 3 + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_overlaps, teardown),
	    cmocka_unit_test_teardown(test_joins, teardown),
	    cmocka_unit_test_teardown(test_going_on, teardown),
	    cmocka_unit_test_teardown(test_forgets, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
