#include "tests/unit/core/test.h"

#include "tests/unit/analyzer/rows.h"

static struct lock_rows rows;
static struct names *names;

void rows_make(struct report *report)
{
	struct lock_namer namer = {.name = names_lock};

	rows_done();
	names = names_create();
	assert_non_null(names);
	assert_int_equal(names_learn(names, report->model), 0);
	namer.context = names;
	assert_int_equal(lock_rows_build(&rows, report->model, &namer), 0);
	report->locks.rows = &rows;
	report->locks.names = names;
}

void rows_done(void)
{
	lock_rows_fini(&rows);
	names_destroy(names);
	names = NULL;
}
