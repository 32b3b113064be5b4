/* Contended locks as text: the table, who blocked whom, and the stacks of the longest waits. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/demangle.h"
#include "analyzer/writers/lock_columns.h"
#include "analyzer/writers/text.h"

#define LOCKS_MAX  20
#define EDGES_MAX  10
#define STACKS_MAX 5
#define FRAMES_MAX 16

/* Where the words begin under a time and a count. */
#define INDENT 26

/* A stack of a row. */
struct told_stack {
	const struct lock_row *row;
	const struct stack_wait *wait;
};

static void put_head(FILE *out, const struct report *report, bool conditions, size_t count)
{
	const struct lock_column *sort = report->locks.sort ? report->locks.sort : lock_column_find("waited");
	const struct lock_rows *rows = report->locks.rows;

	fprintf(out, "\n%s, by %s (%zu of %zu", conditions ? "Waits on condition variables, mostly for work" : "Contended locks",
		strcmp(sort->key, "waited") == 0 ? "time waited" : sort->key, count < LOCKS_MAX ? count : LOCKS_MAX, count);
	if (!conditions && rows->free_locks)
		fprintf(out, "; %llu more were always free when asked for, %llu times", (unsigned long long)rows->free_locks,
			(unsigned long long)rows->free_acquisitions);
	fprintf(out, ")\n  ");
	for (const struct lock_column *column = lock_column_next(NULL); column; column = lock_column_next(column))
		if (column->width)
			put_cell(out, column->width, column->head);
	fprintf(out, "\n");
}

/* What the marks in the table mean, as far as they occur. */
static void put_legend(FILE *out, const struct lock_row **rows, size_t count)
{
	bool inferred = false, bases[HOLD_ALL + 1] = {false};
	uint64_t exact = 0, overlapping = 0, uncounted = 0, open = 0, open_max_ns = 0;
	struct cell cell;

	for (size_t i = 0; i < count; i++) {
		inferred |= rows[i]->inferred;
		bases[rows[i]->basis] = true;
		exact += rows[i]->exact;
		overlapping += rows[i]->overlapping;
		uncounted += rows[i]->counted ? rows[i]->uncounted : 0;
		open += rows[i]->open;
		open_max_ns = rows[i]->open_max_ns > open_max_ns ? rows[i]->open_max_ns : open_max_ns;
	}
	if (inferred)
		fprintf(out, "  ~ the class around the lock, inferred from memory, and the lock's place in it\n");
	if (bases[HOLD_BLOCKING])
		fprintf(out, "  b mean of the holds that others waited for, from the first waiter's arrival until the release\n");
	if (bases[HOLD_SAMPLED])
		fprintf(out, "  s mean of one hold in %d, whole\n", RBDPROF_HOLD_SAMPLING);
	if (bases[HOLD_ALL])
		fprintf(out, "  a mean of all holds, whole\n");
	if (exact + overlapping)
		fprintf(
		    out,
		    "  requests that a lock delayed, and by how much: in the request's own call %llu, because a thread of librbd waited "
		    "meanwhile %llu\n",
		    (unsigned long long)exact, (unsigned long long)overlapping);
	if (open)
		fprintf(out, "  %llu wait%s not over at the end, the longest for %s until then\n", (unsigned long long)open,
			open == 1 ? " was" : "s were", cell_ns(&cell, (double)open_max_ns));
	if (uncounted)
		fprintf(out,
			"  %llu wait%s the program did not come to count (it was killed, the recording ended, or there are too many locks): more "
			"were acquired\n",
			(unsigned long long)uncounted, plural(uncounted));
}

static void put_table(FILE *out, const struct report *report, bool conditions, const struct lock_row **rows, size_t count)
{
	size_t shown = count < LOCKS_MAX ? count : LOCKS_MAX;

	put_head(out, report, conditions, count);
	for (size_t i = 0; i < shown; i++) {
		fprintf(out, "  ");
		for (const struct lock_column *column = lock_column_next(NULL); column; column = lock_column_next(column))
			if (column->width)
				lock_column_put(out, column, rows[i]);
		fprintf(out, "\n");
	}
	put_legend(out, rows, shown);
}

/* The name as the table has it. The caller frees it. */
static char *short_name(const struct lock_row *row)
{
	char *name = strdup(row->name);

	return name ? shorten_type(name) : NULL;
}

static const char *site(const struct report *report, const struct lock_row *row, uint64_t address)
{
	const char *text = names_site(report->locks.names, row->process, address);

	return text ? text : "?";
}

/* Who held the lock and where it was let go, as the end of a sentence. The caller frees it; NULL: out of memory. */
static char *holder_words(const struct report *report, const struct edge_row *edge)
{
	bool named = edge->key.holder && *edge->key.holder;
	char *words = NULL;
	int length;

	if (named && edge->key.holder_site)
		length = asprintf(&words, ", held by %s until %s", edge->key.holder, site(report, edge->row, edge->key.holder_site));
	else if (named)
		length = asprintf(&words, ", held by %s", edge->key.holder);
	else if (edge->key.holder_tid)
		length = asprintf(&words, ", held by thread %llu", (unsigned long long)edge->key.holder_tid);
	else if (edge->row->kind == RBDPROF_RWLOCK_WRITE)
		length = asprintf(&words, "; readers held it, or it is not known who did");
	else
		length = asprintf(&words, "; who held it is not known");
	return length < 0 ? NULL : words;
}

static void put_times(FILE *out, uint64_t wait_ns, uint64_t count)
{
	struct cell cell;

	fprintf(out, "    ");
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)wait_ns));
	fprintf(out, "%10llu  ", (unsigned long long)count);
}

/* One line of words under a time and a count. */
static void put_words(FILE *out, bool first, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	fprintf(out, "%*s", first ? 0 : INDENT - 1, "");
	put_wrapped(out, INDENT - 1, INDENT + 1, text);
	free(text);
}

static void put_edge(FILE *out, const struct report *report, const struct edge_row *edge)
{
	char *lock = short_name(edge->row), *holder = holder_words(report, edge);
	const char *waiter = *edge->key.waiter ? edge->key.waiter : "a thread", *at = site(report, edge->row, edge->key.waiter_site);
	struct cell cell;

	put_times(out, edge->wait_ns, edge->count);
	put_words(out, true, *at ? "%s at %s" : "%s", waiter, at);
	put_words(out, false, "waits for %s%s", lock ? lock : "?", holder ? holder : "");
	for (unsigned i = 0; i < NESTED_MAX && edge->nested[i].row; i++) {
		char *inner = short_name(edge->nested[i].row);

		put_words(out, false, "who waits for %s meanwhile: %llu time%s, %s", inner ? inner : "?",
			  (unsigned long long)edge->nested[i].count, plural(edge->nested[i].count),
			  cell_ns(&cell, (double)edge->nested[i].wait_ns));
		free(inner);
	}
	free(holder);
	free(lock);
}

/* An edge that names neither a place nor a holder says no more than the table. */
static bool tells(const struct edge_row *edge)
{
	return edge->key.waiter_site || edge->key.holder;
}

static int by_edge_wait(const void *a, const void *b)
{
	uint64_t first = (*(const struct edge_row *const *)a)->wait_ns, second = (*(const struct edge_row *const *)b)->wait_ns;

	return (first < second) - (first > second);
}

static void put_edges(FILE *out, const struct report *report, const struct lock_row **rows, size_t count)
{
	const struct edge_row **edges;
	size_t room = 0, found = 0;

	for (size_t i = 0; i < count; i++)
		room += rows[i]->edge_count;
	edges = calloc(room + 1, sizeof(struct edge_row *));
	if (!edges)
		return;
	for (size_t i = 0; i < count; i++)
		for (size_t e = 0; e < rows[i]->edge_count; e++)
			if (tells(&rows[i]->edges[e]) && report_edge_wanted(report, &rows[i]->edges[e]))
				edges[found++] = &rows[i]->edges[e];
	qsort(edges, found, sizeof(struct edge_row *), by_edge_wait);
	if (found)
		fprintf(out, "\nWho blocked whom, by time waited (%zu of %zu)\n       waited     waits\n",
			found < EDGES_MAX ? found : EDGES_MAX, found);
	for (size_t i = 0; i < found && i < EDGES_MAX; i++)
		put_edge(out, report, edges[i]);
	free(edges);
}

static int by_stack_wait(const void *a, const void *b)
{
	uint64_t first = ((const struct told_stack *)a)->wait->wait_ns, second = ((const struct told_stack *)b)->wait->wait_ns;

	return (first < second) - (first > second);
}

static void put_stack(FILE *out, const struct report *report, const struct told_stack *told)
{
	const struct stack *stack = code_stack(&told->row->process->code, told->wait->key.stack);
	char *lock = short_name(told->row);
	size_t shown = 0;
	struct cell cell;

	put_times(out, told->wait->wait_ns, told->wait->count);
	put_words(out, true, "%s waits for %s, at most %s", *told->wait->key.thread ? told->wait->key.thread : "a thread",
		  lock ? lock : "?", cell_ns(&cell, (double)told->wait->max_ns));
	for (size_t i = 0; stack && i < stack->count && shown < FRAMES_MAX; i++) {
		if (code_is_shim(&told->row->process->code, stack->frames[i]))
			continue;
		put_words(out, false, "  %s", site(report, told->row, stack->frames[i]));
		shown++;
	}
	free(lock);
}

static void put_stacks(FILE *out, const struct report *report, const struct lock_row **rows, size_t count)
{
	struct told_stack *stacks;
	size_t room = 0, found = 0;

	for (size_t i = 0; i < count; i++)
		room += rows[i]->stack_count;
	stacks = calloc(room + 1, sizeof(*stacks));
	if (!stacks)
		return;
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < rows[i]->stack_count; s++)
			if (rows[i]->stacks[s].key.stack && report_thread_wanted(report, rows[i]->stacks[s].key.thread))
				stacks[found++] = (struct told_stack){rows[i], &rows[i]->stacks[s]};
	qsort(stacks, found, sizeof(*stacks), by_stack_wait);
	if (found)
		fprintf(out, "\nStacks of the longest waits, together (%zu of %zu)\n       waited     waits\n",
			found < STACKS_MAX ? found : STACKS_MAX, found);
	for (size_t i = 0; i < found && i < STACKS_MAX; i++)
		put_stack(out, report, &stacks[i]);
	free(stacks);
}

void text_locks(FILE *out, const struct report *report)
{
	size_t count, condition_count;
	const struct lock_row **rows = report_lock_rows(report, false, &count);
	const struct lock_row **conditions = report_lock_rows(report, true, &condition_count);

	if (rows && count) {
		put_table(out, report, false, rows, count);
		put_edges(out, report, rows, count);
		put_stacks(out, report, rows, count);
	} else {
		fprintf(out, "\nContended locks: none\n");
	}
	if (conditions && condition_count)
		put_table(out, report, true, conditions, condition_count);
	free(rows);
	free(conditions);
}
