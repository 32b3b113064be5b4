#include "analyzer/core/lock_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void row_destroy(struct lock_row *row)
{
	histogram_fini(&row->wait);
	histogram_fini(&row->hold);
	histogram_fini(&row->delay);
	free(row->edges);
	free(row->stacks);
	free(row->locks);
	free(row->name);
	free(row->key);
	free(row);
}

void lock_rows_fini(struct lock_rows *rows)
{
	struct lock_row *row, *next;

	HASH_ITER(hh, rows->rows, row, next)
	{
		HASH_DEL(rows->rows, row);
		row_destroy(row);
	}
	free(rows->of);
	*rows = (struct lock_rows){0};
}

/* The row of that name; NULL when memory ran out. The name is taken. */
static struct lock_row *row_get(struct lock_rows *rows, const struct lock *lock, char *name, uint8_t inferred)
{
	struct lock_row *row = NULL;
	char *key;

	if (asprintf(&key, "%" PRIu32 " %" PRIu32 " %s", lock->key.process, lock->key.kind, name) < 0) {
		free(name);
		return NULL;
	}
	HASH_FIND_STR(rows->rows, key, row);
	if (row) {
		free(name);
		free(key);
		return row;
	}
	row = calloc(1, sizeof(*row));
	if (!row) {
		free(name);
		free(key);
		return NULL;
	}
	row->name = name;
	row->key = key;
	row->inferred = inferred;
	row->kind = lock->key.kind;
	row->process = lock->process;
	HASH_ADD_KEYPTR(hh, rows->rows, row->key, strlen(row->key), row);
	if (!hash_failed(row))
		return row;
	row_destroy(row);
	return NULL;
}

static int add_delay(struct lock_row *row, const struct delay *delay)
{
	if (!delay)
		return 0;
	/* Locks of one type have one delay together. */
	for (size_t i = 0; i < row->instances; i++)
		if (row->locks[i]->contention && row->locks[i]->contention->delay == delay)
			return 0;
	row->exact += delay->exact;
	row->overlapping += delay->overlapping;
	return histogram_merge(&row->delay, &delay->delay);
}

static int add_contention(struct lock_row *row, const struct contention *contention)
{
	int status = histogram_merge(&row->wait, &contention->wait);

	row->failed += contention->failed.count;
	row->open += contention->open.count;
	row->open_max_ns = contention->open.max > row->open_max_ns ? contention->open.max : row->open_max_ns;
	if (!status)
		status = add_delay(row, contention->untyped_delay);
	return status ? status : add_delay(row, contention->delay);
}

static int keep_lock(struct lock_row *row, const struct lock *lock)
{
	const struct lock **grown = realloc(row->locks, (row->instances + 1) * sizeof(struct lock *));

	if (!grown)
		return -ENOMEM;
	row->locks = grown;
	grown[row->instances++] = lock;
	return 0;
}

static int add_lock(struct lock_row *row, const struct lock *lock)
{
	uint64_t contended = lock_contended(lock);
	int known = lock_acquisitions_known(lock);

	/* Of a lock that was never counted among others that were, the contended acquisitions are all that is known. */
	row->counted |= (uint8_t)known;
	row->acquisitions += known ? lock_acquisitions(lock) : contended;
	row->uncounted += known ? lock_uncounted(lock) : contended;
	row->contended += contended;
	row->waited_ns += lock_waited_ns(lock);
	row->submitters_ns += lock_submitters_ns(lock);
	counts_add(&row->timed, &lock->counts);
	if (lock->contention && add_contention(row, lock->contention))
		return -ENOMEM;
	return keep_lock(row, lock);
}

/* Whether somebody had to wait for it, in vain or not, or still does. */
static int is_contended(const struct lock *lock)
{
	return lock_contended(lock) || (lock->contention && (lock->contention->failed.count || lock->contention->open.count));
}

/* Of what is known of the holds, the best: all of them, or else those that others waited for. */
static int choose_holds(struct lock_row *row)
{
	int every = 1, timed = 1, status = 0;

	for (size_t i = 0; i < row->instances; i++) {
		every &= row->locks[i]->pairs != NULL;
		timed &= row->locks[i]->counted && row->locks[i]->all_timed;
	}
	row->basis = every || timed ? HOLD_ALL : HOLD_BLOCKING;
	for (size_t i = 0; i < row->instances && !status; i++) {
		const struct lock *lock = row->locks[i];

		if (every)
			status = histogram_merge(&row->hold, lock->pairs);
		else if (!timed && lock->contention)
			status = histogram_merge(&row->hold, &lock->contention->blocking);
	}
	row->hold_count = row->hold.count ? row->hold.count : row->timed.holds;
	row->hold_ns = row->hold.count ? row->hold.sum : row->timed.hold_ns;
	if (!row->hold_count)
		row->basis = HOLD_UNKNOWN;
	else if (!row->hold.count && row->basis == HOLD_BLOCKING)
		row->basis = HOLD_SAMPLED;
	return status;
}

static int less(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

static int by_edge_key(const void *a, const void *b)
{
	return memcmp(&((const struct edge_row *)a)->key, &((const struct edge_row *)b)->key, sizeof(struct edge_row_key));
}

static int by_edge_wait(const void *a, const void *b)
{
	return less(((const struct edge_row *)b)->wait_ns, ((const struct edge_row *)a)->wait_ns);
}

static void add_nested(struct edge_row *edge, const struct lock_row *inner, uint64_t count, uint64_t wait_ns)
{
	for (unsigned i = 0; i < NESTED_MAX; i++) {
		struct nested_row *nested = &edge->nested[i];

		if (nested->row && nested->row != inner)
			continue;
		nested->row = inner;
		nested->count += count;
		nested->wait_ns += wait_ns;
		return;
	}
}

static void add_edge(const struct lock_rows *rows, struct edge_row *to, const struct lock_row *row, const struct edge *edge)
{
	const struct task *nameless = edge->key.nameless;

	to->row = row;
	to->key.waiter_site = edge->key.waiter_site;
	to->key.holder_site = edge->key.holder_site;
	to->key.waiter = edge->key.waiter;
	to->key.holder = nameless ? nameless->name : edge->key.holder;
	to->key.holder_tid = nameless && !*nameless->name ? nameless->tid : 0;
	to->count = edge->count;
	to->wait_ns = edge->wait_ns;
	for (unsigned i = 0; i < NESTED_MAX && edge->nested[i].lock; i++)
		add_nested(to, lock_rows_of(rows, edge->nested[i].lock), edge->nested[i].count, edge->nested[i].wait_ns);
}

static int make_edges(const struct lock_rows *rows, struct lock_row *row)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < row->instances; i++)
		if (row->locks[i]->contention)
			count += HASH_COUNT(row->locks[i]->contention->edges.edges);
	row->edges = calloc(count ? count : 1, sizeof(*row->edges));
	if (!row->edges)
		return -ENOMEM;
	for (size_t i = 0; i < row->instances; i++) {
		const struct edge *edge = NULL;

		while (row->locks[i]->contention && (edge = edges_next(&row->locks[i]->contention->edges, edge)))
			add_edge(rows, &row->edges[row->edge_count++], row, edge);
	}
	qsort(row->edges, count, sizeof(*row->edges), by_edge_key);
	for (size_t i = 1; i < count; i++) {
		struct edge_row *edge = &row->edges[kept], *same = &row->edges[i];

		if (by_edge_key(edge, same)) {
			row->edges[++kept] = *same;
			continue;
		}
		edge->count += same->count;
		edge->wait_ns += same->wait_ns;
		for (unsigned n = 0; n < NESTED_MAX && same->nested[n].row; n++)
			add_nested(edge, same->nested[n].row, same->nested[n].count, same->nested[n].wait_ns);
	}
	row->edge_count = count ? kept + 1 : 0;
	qsort(row->edges, row->edge_count, sizeof(*row->edges), by_edge_wait);
	return 0;
}

static int by_stack_key(const void *a, const void *b)
{
	return memcmp(&((const struct stack_wait *)a)->key, &((const struct stack_wait *)b)->key, sizeof(struct stack_wait_key));
}

static int by_stack_wait(const void *a, const void *b)
{
	return less(((const struct stack_wait *)b)->wait_ns, ((const struct stack_wait *)a)->wait_ns);
}

static int make_stacks(struct lock_row *row)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < row->instances; i++)
		if (row->locks[i]->contention)
			count += HASH_COUNT(row->locks[i]->contention->stacks);
	row->stacks = calloc(count ? count : 1, sizeof(*row->stacks));
	if (!row->stacks)
		return -ENOMEM;
	for (size_t i = 0; i < row->instances; i++) {
		const struct stack_wait *stack = NULL;

		while (row->locks[i]->contention && (stack = stack_wait_next(row->locks[i]->contention, stack)))
			row->stacks[row->stack_count++] = *stack;
	}
	qsort(row->stacks, count, sizeof(*row->stacks), by_stack_key);
	for (size_t i = 1; i < count; i++) {
		struct stack_wait *stack = &row->stacks[kept], *same = &row->stacks[i];

		if (by_stack_key(stack, same)) {
			row->stacks[++kept] = *same;
			continue;
		}
		stack->count += same->count;
		stack->wait_ns += same->wait_ns;
		stack->max_ns = same->max_ns > stack->max_ns ? same->max_ns : stack->max_ns;
	}
	row->stack_count = count ? kept + 1 : 0;
	qsort(row->stacks, row->stack_count, sizeof(*row->stacks), by_stack_wait);
	return 0;
}

/* The image whose requests waited for the row's locks in their own calls, if it is one. */
static const struct image *image_of(const struct lock_row *row)
{
	const struct image *image = NULL;

	for (size_t i = 0; i < row->instances; i++) {
		const struct contention *contention = row->locks[i]->contention;

		if (!contention || (!contention->image && !contention->of_images))
			continue;
		if (contention->of_images || (image && image != contention->image))
			return NULL;
		image = contention->image;
	}
	return image;
}

static int by_wait(const struct lock_row *a, const struct lock_row *b)
{
	return less(b->waited_ns, a->waited_ns);
}

/* Every lock into its row; the rest needs all rows. */
static int sort_in(struct lock_rows *rows, const struct model *model, const struct lock_namer *namer)
{
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock)) {
		struct lock_row *row;
		uint8_t inferred = 0;
		char *name;

		if (!is_contended(lock)) {
			rows->free_locks += lock->counted;
			rows->free_acquisitions += lock_acquisitions(lock);
			continue;
		}
		if (namer->name(namer->context, lock, &name, &inferred))
			return -ENOMEM;
		row = row_get(rows, lock, name, inferred);
		if (!row || add_lock(row, lock))
			return -ENOMEM;
		rows->of[lock->place] = row;
	}
	return 0;
}

int lock_rows_build(struct lock_rows *rows, const struct model *model, const struct lock_namer *namer)
{
	int status;

	*rows = (struct lock_rows){.count = model_lock_count(model)};
	rows->of = calloc(rows->count ? rows->count : 1, sizeof(struct lock_row *));
	status = rows->of ? sort_in(rows, model, namer) : -ENOMEM;
	for (struct lock_row *row = rows->rows; row && !status; row = row->hh.next) {
		row->image = image_of(row);
		status = choose_holds(row);
		if (!status)
			status = make_edges(rows, row);
		if (!status)
			status = make_stacks(row);
	}
	HASH_SORT(rows->rows, by_wait);
	return status;
}

const struct lock_row *lock_rows_next(const struct lock_rows *rows, const struct lock_row *previous)
{
	return previous ? previous->hh.next : rows->rows;
}

const struct lock_row *lock_rows_of(const struct lock_rows *rows, const struct lock *lock)
{
	return lock->place < rows->count ? rows->of[lock->place] : NULL;
}

double lock_row_hold_mean(const struct lock_row *row)
{
	return row->hold_count ? (double)row->hold_ns / (double)row->hold_count : 0;
}
