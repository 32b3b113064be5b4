/* What the OSDs copy after a snapshot: which writes are copies, and how much of a request's time they have. */
#include "tests/unit/core/test.h"

#include "analyzer/core/copying.h"

static struct copying copying;

static int teardown(void **unused)
{
	(void)unused;
	copying_fini(&copying);
	return 0;
}

static void test_first_writes(void **unused)
{
	static const uint64_t objects[] = {0, 7, 8, 511, 512, 100000, COPYING_OBJECTS - 1};

	(void)unused;
	assert_int_equal(copying_begin(&copying, 5, 10), 0);
	for (unsigned snapshot = 0; snapshot < 2; snapshot++) {
		copying_snapshot(&copying);
		for (unsigned i = 0; i < sizeof(objects) / sizeof(*objects); i++)
			assert_int_equal(copying_begin(&copying, objects[i], 10), 1);
		for (unsigned i = 0; i < sizeof(objects) / sizeof(*objects); i++)
			assert_int_equal(copying_begin(&copying, objects[i], 10), 0);
	}
	assert_int_equal(copying_begin(&copying, 6, 10), 1);
	assert_int_equal(copying_begin(&copying, COPYING_OBJECTS, 10), 0);
}

/* As often as that tells the usual, which is 10. */
static void usual(void)
{
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(copying_held(&copying, 100, 110, 0), 0);
}

/* Objects 1 and 2 are copied from 1000 to 1100 and from 1050 to 1200. */
static void copy_two(void)
{
	copying_snapshot(&copying);
	assert_int_equal(copying_begin(&copying, 1, 1000), 1);
	assert_int_equal(copying_begin(&copying, 2, 1050), 1);
	assert_int_equal(copying_end(&copying, 1100), 0);
	assert_int_equal(copying_end(&copying, 1200), 0);
}

static void test_held(void **unused)
{
	(void)unused;
	usual();
	copy_two();
	assert_int_equal(copying_held(&copying, 1000, 1200, 0), 200 - 10); /* all but the usual */
	assert_int_equal(copying_held(&copying, 900, 1020, 0), 20);        /* all of the overlap */
	assert_int_equal(copying_held(&copying, 1100, 1108, 0), 0);        /* less than the usual */
	assert_int_equal(copying_held(&copying, 1000, 1100, 70), 100 - 70 - 10);
	assert_int_equal(copying_held(&copying, 1000, 1100, 95), 0);
	/* Neither what copies nor what a snapshot held up is usual. */
	assert_int_equal(copying_held(&copying, 5000, 6000, 900), 0);
	assert_int_equal(copying.usual_count, 100);
	/* Others are on their way still. */
	assert_int_equal(copying_begin(&copying, 3, 2000), 1);
	assert_int_equal(copying_held(&copying, 2010, 2030, 0), 20 - 10);
}

static void test_usual_not_known(void **unused)
{
	(void)unused;
	copy_two();
	assert_int_equal(copying_held(&copying, 1000, 1200, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_first_writes, teardown),
	    cmocka_unit_test_teardown(test_held, teardown),
	    cmocka_unit_test_teardown(test_usual_not_known, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
