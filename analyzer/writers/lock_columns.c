#include "analyzer/writers/lock_columns.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/demangle.h"

static double instances(const struct lock_row *row)
{
	return (double)row->instances;
}

static double acquisitions(const struct lock_row *row)
{
	return row->counted ? (double)row->acquisitions : -1;
}

static double contended(const struct lock_row *row)
{
	return (double)row->contended;
}

static double failed(const struct lock_row *row)
{
	return (double)row->failed;
}

static double waited(const struct lock_row *row)
{
	return (double)row->waited_ns;
}

static double wait_mean(const struct lock_row *row)
{
	return row->wait.count ? histogram_mean(&row->wait) : -1;
}

static double wait_p50(const struct lock_row *row)
{
	return row->wait.count ? (double)histogram_percentile(&row->wait, 0.5) : -1;
}

static double wait_p99(const struct lock_row *row)
{
	return row->wait.count ? (double)histogram_percentile(&row->wait, 0.99) : -1;
}

static double wait_max(const struct lock_row *row)
{
	return row->wait.count ? (double)row->wait.max : -1;
}

static double hold(const struct lock_row *row)
{
	return row->hold_count ? lock_row_hold_mean(row) : -1;
}

static double delayed(const struct lock_row *row)
{
	return (double)row->delay.count;
}

static double delay_p50(const struct lock_row *row)
{
	return row->delay.count ? (double)histogram_percentile(&row->delay, 0.5) : -1;
}

static double delay_p99(const struct lock_row *row)
{
	return row->delay.count ? (double)histogram_percentile(&row->delay, 0.99) : -1;
}

static const struct lock_column columns[] = {
    {"name", "lock", -37, COLUMN_NAME, NULL},
    {"kind", "kind", -6, COLUMN_KIND, NULL},
    {"instances", "n", 5, COLUMN_COUNT, instances},
    {"acquisitions", "acquired", 11, COLUMN_COUNT, acquisitions},
    {"contended", "contended", 10, COLUMN_COUNT, contended},
    {"waited", "waited", 9, COLUMN_NS, waited},
    {"p50", "p50", 9, COLUMN_NS, wait_p50},
    {"p99", "p99", 9, COLUMN_NS, wait_p99},
    {"hold", "hold", 11, COLUMN_HOLD, hold},
    {"requests", "requests", 10, COLUMN_COUNT, delayed},
    {"delay-p50", "by p50", 9, COLUMN_NS, delay_p50},
    {"delay-p99", "by p99", 9, COLUMN_NS, delay_p99},
    {"failed", "failed", 0, COLUMN_COUNT, failed},
    {"mean", "mean", 0, COLUMN_NS, wait_mean},
    {"max", "max", 0, COLUMN_NS, wait_max},
};

#define COLUMN_COUNT_OF (sizeof(columns) / sizeof(columns[0]))

const struct lock_column *lock_column_next(const struct lock_column *previous)
{
	const struct lock_column *next = previous ? previous + 1 : columns;

	return next < columns + COLUMN_COUNT_OF ? next : NULL;
}

const struct lock_column *lock_column_find(const char *key)
{
	for (size_t i = 0; i < COLUMN_COUNT_OF; i++)
		if (strcmp(columns[i].key, key) == 0)
			return &columns[i];
	return NULL;
}

const char *lock_kind_words(uint32_t kind)
{
	static const char *const words[] = {"mutex", "read", "write", "cond"};

	return words[kind];
}

static void put_name(FILE *out, int width, const struct lock_row *row)
{
	static const char taken[] = "lock taken ";
	/* The column is narrow: "at ..." says it, too. */
	char *name = strdup(row->name + (strncmp(row->name, taken, strlen(taken)) == 0 ? strlen(taken) : 0));
	char text[256];

	snprintf(text, sizeof(text), "%s%s", row->inferred ? "~" : "", name ? shorten_type(name) : "?");
	/* The column ends with a blank, also behind a name that is too long. */
	put_cell(out, width + 1, text);
	fputc(' ', out);
	free(name);
}

void lock_column_put(FILE *out, const struct lock_column *column, const struct lock_row *row)
{
	static const char *const bases[] = {"", " b", " s", " a"};
	double value = column->value ? column->value(row) : 0;
	struct cell cell;
	char text[72];

	if (column->unit == COLUMN_NAME) {
		put_name(out, column->width, row);
	} else if (column->unit == COLUMN_KIND) {
		put_cell(out, column->width, lock_kind_words(row->kind));
	} else if (value < 0) {
		put_cell(out, column->width, "-");
	} else if (column->unit == COLUMN_COUNT) {
		snprintf(text, sizeof(text), "%.0f", value);
		put_cell(out, column->width, text);
	} else if (column->unit == COLUMN_HOLD) {
		snprintf(text, sizeof(text), "%s%s", cell_ns(&cell, value), bases[row->basis]);
		put_cell(out, column->width, text);
	} else {
		put_cell(out, column->width, cell_ns(&cell, value));
	}
}

bool report_thread_wanted(const struct report *report, const char *name)
{
	return !report->locks.thread || (name && strncmp(name, report->locks.thread, strlen(report->locks.thread)) == 0);
}

bool report_edge_wanted(const struct report *report, const struct edge_row *edge)
{
	return report_thread_wanted(report, edge->key.waiter) || report_thread_wanted(report, edge->key.holder);
}

/* With --image: locks of programs that use the image, but not those that only another image's requests waited for. */
static bool is_of_image(const struct report *report, const struct lock_row *row)
{
	if (!report->image)
		return true;
	if (row->image)
		return report_image_wanted(report, row->image);
	for (const struct image *image = model_image_next(report->model, NULL); image; image = model_image_next(report->model, image)) {
		if (!report_image_wanted(report, image))
			continue;
		for (const struct client *c = image_client_next(image, NULL); c; c = image_client_next(image, c))
			if (c->process == row->process)
				return true;
	}
	return false;
}

static bool is_wanted(const struct report *report, const struct lock_row *row)
{
	bool edge_wanted = !report->locks.thread;

	for (size_t i = 0; i < row->edge_count && !edge_wanted; i++)
		edge_wanted = report_edge_wanted(report, &row->edges[i]);
	return edge_wanted && row->waited_ns >= report->locks.min_wait_ns && is_of_image(report, row);
}

/* The greatest first, names in the order of the alphabet. */
static int by_column(const void *a, const void *b, void *context)
{
	const struct lock_row *first = *(const struct lock_row *const *)a, *second = *(const struct lock_row *const *)b;
	const struct lock_column *column = context;
	int order;

	if (column->unit == COLUMN_NAME)
		order = strcmp(first->name, second->name);
	else if (column->unit == COLUMN_KIND)
		order = (int)first->kind - (int)second->kind;
	else
		order = (column->value(first) < column->value(second)) - (column->value(first) > column->value(second));
	return order ? order : (waited(first) < waited(second)) - (waited(first) > waited(second));
}

const struct lock_row **report_lock_rows(const struct report *report, bool conditions, size_t *count)
{
	const struct lock_column *column = report->locks.sort ? report->locks.sort : lock_column_find("waited");
	const struct lock_row **rows, *row = NULL;
	size_t all = 0;

	while ((row = lock_rows_next(report->locks.rows, row)))
		all++;
	rows = calloc(all + 1, sizeof(struct lock_row *));
	if (!rows)
		return NULL;
	*count = 0;
	while ((row = lock_rows_next(report->locks.rows, row)))
		if ((row->kind == RBDPROF_COND) == conditions && is_wanted(report, row))
			rows[(*count)++] = row;
	qsort_r(rows, *count, sizeof(struct lock_row *), by_column, (void *)column);
	return rows;
}
