/* When memory runs out while the lock goes round, at whichever allocation: -ENOMEM, nothing leaked. The linker sends allocations here. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/ownership_text.h"

static const char text[] = "1 1 opens\n"
			   "10 1 lock until=20\n21 1 acquired until=25\n"
			   "30 1 effect request=1\n50 1 served request=1\n"
			   "60 1 unlock until=64\n65 1 released until=70\n"
			   "66 2 hears_released about=1\n"
			   "71 2 get_info until=74\n75 2 lock until=80\n81 2 acquired until=85\n"
			   "82 2 effect request=2\n90 2 served request=2\n"
			   "91 2 hears_request about=7\n92 2 answers result=-30\n"
			   "100 2 unlock until=104\n"
			   "110 2 hears_acquired about=7\n120 2 hears_released about=7\n"
			   "130 3 lock until=140\n150 2 break until=160 about=3\n";

static long left = -1; /* allocations until one fails; below 0: none will */

static int may(void)
{
	return left < 0 || left-- > 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
	return may() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
	return may() ? __real_realloc(memory, size) : NULL;
}

static int run(void)
{
	struct ownership *ownership = ownership_create();
	int status = ownership ? ownership_text_try(ownership, text, 1, 201) : -ENOMEM;

	left = -1;
	ownership_destroy(ownership);
	return status;
}

static void test_each_fails_in_turn(void **unused)
{
	long failed = 0;

	(void)unused;
	for (;; failed++) {
		int status;

		left = failed;
		status = run();
		if (!status)
			break;
		assert_int_equal(status, -ENOMEM);
	}
	/* At the least one for each of: itself, three clients, four tenures, the timeline, the owners. */
	assert_in_range(failed, 10, 200);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_fails_in_turn),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
