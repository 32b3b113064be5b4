/*
 * Time waited for locks as folded stacks, a line each, as flame graph programs read them: thread;frames, the outermost first;lock, and the
 * time in µs. Waits without a stack have the place that waited as their only frame, so that all of them add up to all time waited.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/demangle.h"
#include "analyzer/writers/lock_columns.h"
#include "analyzer/writers/report.h"

/* The signs that take a line apart stand for something else in names. */
static void put_frame(FILE *out, const char *name)
{
	for (; name && *name; name++)
		fputc(*name == ';' ? ':' : *name == '\n' ? ' ' : *name, out);
}

static void put_stack(FILE *out, const struct report *report, const struct lock_row *row, const struct stack_wait *wait, const char *lock)
{
	const struct stack *stack = code_stack(&row->process->code, wait->key.stack);
	uint64_t us = (wait->wait_ns + 500) / 1000;

	if (us == 0)
		return;
	put_frame(out, *wait->key.thread ? wait->key.thread : "a thread");
	for (size_t i = stack ? stack->count : 0; i > 0; i--) {
		if (code_is_shim(&row->process->code, stack->frames[i - 1]))
			continue;
		fputc(';', out);
		put_frame(out, names_function(report->locks.names, row->process, stack->frames[i - 1]));
	}
	if (!stack && wait->key.site) {
		fputc(';', out);
		put_frame(out, names_function(report->locks.names, row->process, wait->key.site));
	}
	fputc(';', out);
	put_frame(out, lock);
	fprintf(out, " %llu\n", (unsigned long long)us);
}

int folded_write(FILE *out, const struct report *report)
{
	size_t count;
	const struct lock_row **rows = report_lock_rows(report, false, &count);

	for (size_t i = 0; rows && i < count; i++) {
		char *name = strdup(rows[i]->name);

		for (size_t s = 0; name && s < rows[i]->stack_count; s++)
			if (report_thread_wanted(report, rows[i]->stacks[s].key.thread))
				put_stack(out, report, rows[i], &rows[i]->stacks[s], shorten_type(name));
		free(name);
	}
	free(rows);
	if (!rows)
		return -ENOMEM;
	return ferror(out) ? -EIO : 0;
}
