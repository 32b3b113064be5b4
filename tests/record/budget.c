/* Budget: expected numbers are worked out in each row. */
#include "analyzer/budget.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define K(n) ((uint64_t)(n) << 10)
#define M(n) ((uint64_t)(n) << 20)

/* memory of one process = (4 + 1) sub-buffers × size × processors */
static void splits(void **state)
{
	static const struct {
		uint64_t bytes;
		unsigned int processors;
		int result;
		unsigned int shares;
		uint64_t size, share;
	} rows[] = {
	    {M(64), 2, 0, 4, M(1), M(10)},              /* 64/4/2/5 = 1.6 MiB */
	    {M(64), 8, 0, 4, K(256), M(10)},            /* 64/4/8/5 = 409.6 KiB */
	    {M(64), 51, 0, 4, K(64), K(64) * 5 * 51},   /* 64/4/51/5 = 64.25 KiB: the last that is good for four */
	    {M(64), 52, 0, 3, K(64), K(64) * 5 * 52},   /* 63.01 KiB for four, 84.0 for three */
	    {M(64), 128, 0, 1, K(64), K(64) * 5 * 128}, /* 51.2 KiB for two, 102.4 for one */
	    {M(64), 256, 0, 1, K(32), K(32) * 5 * 256}, /* 51.2 KiB for one: small, but for one process it will do */
	    {M(16), 2, 0, 4, K(256), K(2560)},          /* 16/4/2/5 = 409.6 KiB */
	    {K(640), 2, 0, 1, K(64), K(640)},           /* exactly one process with good sub-buffers */
	    {K(40), 2, 0, 1, K(4), K(40)},              /* exactly one process with the least */
	    {K(40) - 1, 2, -ENOSPC, 0, 0, 0},
	    {0, 2, -ENOSPC, 0, 0, 0},
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct budget budget = {0};

		assert_int_equal(budget_split(&budget, rows[r].bytes, BUDGET_SHARES, 1, rows[r].processors), rows[r].result);
		assert_int_equal(budget.shares, rows[r].shares);
		assert_int_equal(budget.subbuffer_bytes, rows[r].size);
		assert_int_equal(budget.share_bytes, rows[r].share);
		assert_true(budget.shares * budget.share_bytes <= rows[r].bytes);
	}
	assert_int_equal(budget_least(2), K(40));
}

/* Where so many processes are to be recorded and no fewer. */
static void splits_among_all(void **state)
{
	struct budget budget = {0};

	(void)state;
	assert_int_equal(budget_split(&budget, M(64), 1, 1, 2), 0);
	assert_int_equal(budget.subbuffer_bytes, M(4)); /* 64/2/5 = 6.4 MiB */
	assert_int_equal(budget_split(&budget, M(64), 7, 7, 128), 0);
	assert_int_equal(budget.shares, 7);
	assert_int_equal(budget.subbuffer_bytes, K(8)); /* 64/7/128/5 = 14.6 KiB: small, but all seven are in */
	assert_int_equal(budget_split(&budget, K(80) - 1, 2, 2, 2), -ENOSPC);
	assert_int_equal(budget_split(&budget, K(80), 2, 2, 2), 0);
}

static void parses(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t bytes;
	} rows[] = {
	    {"64M", 0, M(64)},
	    {"64m", 0, M(64)},
	    {"1G", 0, M(1024)},
	    {"100", 0, 100},
	    {"256K", 0, K(256)},
	    {"16777215T", 0, UINT64_C(16777215) << 40},
	    {"16777216T", -EINVAL, 0}, /* 2^64 */
	    {"18446744073709551616", -EINVAL, 0},
	    {"0", -EINVAL, 0},
	    {"", -EINVAL, 0},
	    {"-1", -EINVAL, 0},
	    {"M", -EINVAL, 0},
	    {"1MB", -EINVAL, 0},
	    {"1 M", -EINVAL, 0},
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		uint64_t bytes = 0;

		assert_int_equal(budget_parse(rows[r].text, &bytes), rows[r].result);
		assert_int_equal(bytes, rows[r].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(splits), cmocka_unit_test(splits_among_all), cmocka_unit_test(parses)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
