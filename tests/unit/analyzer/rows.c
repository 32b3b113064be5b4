#include "tests/unit/core/test.h"

#include "tests/unit/analyzer/rows.h"

char *rows_write(struct report *report, int (*write)(FILE *out, const struct report *report))
{
	struct lock_rows rows;
	struct names *names = names_create();
	struct lock_namer namer = {.context = names, .name = names_lock};
	struct verdicts verdicts;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(names);
	assert_non_null(out);
	assert_int_equal(names_learn(names, report->model), 0);
	assert_int_equal(lock_rows_build(&rows, report->model, &namer), 0);
	assert_int_equal(verdicts_build(&verdicts, report->model, NULL), 0);
	report->locks.rows = &rows;
	report->locks.names = names;
	report->verdicts = &verdicts;
	assert_int_equal(write(out, report), 0);
	fclose(out);
	verdicts_fini(&verdicts);
	lock_rows_fini(&rows);
	names_destroy(names);
	return text;
}
