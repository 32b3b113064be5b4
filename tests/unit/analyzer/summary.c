/* Numbers that several forms of the report need. Of the made-up results: owned.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/summary.h"
#include "tests/unit/analyzer/owned.h"

/* The classes of replay as ownership.h has them: none, 1 MiB, 2, 4 … 128, more. */
static void test_replay_bytes(void **unused)
{
	(void)unused;
	assert_int_equal(summary_replay_bytes(0), 0);
	assert_int_equal(summary_replay_bytes(1), 1048576);
	assert_int_equal(summary_replay_bytes(8), 128 * 1048576);
	assert_true(summary_replay_bytes(9) == UINT64_MAX);
}

/* An image without journaling has no journal, though it was in use before; one with it has none before it is used. */
static void test_has_journal(void **unused)
{
	struct image *image = (struct image *)model_image_next(owned_model(NULL), NULL);
	struct journal used = image->journal;

	(void)unused;
	assert_true(summary_has_journal(image));
	image->features = 5;
	assert_false(summary_has_journal(image));
	image->features = 69;
	image->journal = (struct journal){0};
	assert_false(summary_has_journal(image));
	image->journal.replay_reads = 1;
	assert_true(summary_has_journal(image));
	image->journal = used;
	owned_done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_replay_bytes),
	    cmocka_unit_test(test_has_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
