#include "analyzer/cli/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/lock_columns.h"

/* A time with its unit in ns. Returns 0 or -EINVAL. */
static int parse_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; end != text && number >= 0 && number < 1e9 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) == 0) {
			*ns = (uint64_t)(number * units[i].ns);
			return 0;
		}
	}
	return -EINVAL;
}

int view_option(struct lock_view *view, int option, const char *argument)
{
	if (option == VIEW_THREAD) {
		view->thread = argument;
		return 0;
	}
	if (parse_time(argument, &view->min_wait_ns) == 0)
		return 0;
	fprintf(stderr, "rbdprof: '%s' is no time with its unit, such as 500us, 20ms or 1s\n", argument);
	return -EINVAL;
}

int view_sort(struct lock_view *view, const char *column)
{
	view->sort = lock_column_find(column);
	if (view->sort)
		return 0;
	fprintf(stderr, "rbdprof: there is no column '%s'; there are", column);
	for (const struct lock_column *known = lock_column_next(NULL); known; known = lock_column_next(known))
		fprintf(stderr, " %s", known->key);
	fprintf(stderr, "\n");
	return -EINVAL;
}
