/* How fast requests follow each other while their client has the lock. */
#include "tests/unit/core/test.h"

#include "analyzer/core/pace.h"

#define US UINT64_C(1000)

static void add(struct pace *pace, uint64_t tenure, uint64_t s_us, uint64_t a_us)
{
	pace_add(pace, tenure, s_us * US, a_us * US);
}

/*
 * One tenure: made at 100, 110, 120, 130, each 40 µs; the next: at 500 and 520, 20 µs each. Six that take 200 µs together, four that follow
 * one in 30 + 20. With 4 in flight 4 × 6 / 200 µs = 120 000 a second and 4 / 50 µs = 80 000: between them √(120 000 × 80 000).
 */
static void test_two_tenures(void **unused)
{
	struct pace pace = {0};

	(void)unused;
	for (uint64_t i = 0; i < 4; i++)
		add(&pace, 1, 100 + 10 * i, 140 + 10 * i);
	add(&pace, 2, 500, 520);
	add(&pace, 2, 520, 540);
	pace_finish(&pace);
	assert_int_equal(pace.requests, 6);
	assert_int_equal(pace.total_ns, 200 * US);
	assert_int_equal(pace.followed, 4);
	assert_int_equal(pace.span_ns, 50 * US);
	assert_float_equal(pace_rate(&pace, 4), sqrt(120e3 * 80e3), 1e-3);
}

/* They end in another order than they were made in. */
static void test_order(void **unused)
{
	struct pace pace = {0};

	(void)unused;
	add(&pace, 1, 120, 130);
	add(&pace, 1, 100, 140);
	add(&pace, 1, 110, 150);
	pace_finish(&pace);
	assert_int_equal(pace.followed, 2);
	assert_int_equal(pace.span_ns, 20 * US);
}

/* One in each of many tenures follows none; and four requests are too few. */
static void test_too_few(void **unused)
{
	struct pace pace = {0}, few = {0};

	(void)unused;
	for (uint64_t i = 1; i <= 100; i++)
		add(&pace, i, 1000 * i, 1000 * i + 10);
	pace_finish(&pace);
	assert_int_equal(pace.followed, 0);
	assert_float_equal(pace_rate(&pace, 1), 0, 0);
	for (uint64_t i = 0; i < 4; i++)
		add(&few, 1, 10 * i, 10 * i + 10);
	pace_finish(&few);
	assert_float_equal(pace_rate(&few, 1), 0, 0);
}

/* Sums of clients, each with its own tenures: 5 of 10 µs and 4 in 40, 5 of 30 and 4 in 120. */
static void test_merged(void **unused)
{
	struct pace one = {0}, other = {0}, both = {0};

	(void)unused;
	for (uint64_t i = 0; i < 5; i++) {
		add(&one, 1, 10 * i, 10 * i + 10);
		add(&other, 2, 30 * i, 30 * i + 30);
	}
	pace_finish(&one);
	pace_finish(&other);
	pace_merge(&both, &one);
	pace_merge(&both, &other);
	/* 10 / 200 µs = 50 000, 8 / 160 µs as well. */
	assert_float_equal(pace_rate(&both, 1), 50e3, 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_tenures),
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_too_few),
	    cmocka_unit_test(test_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
