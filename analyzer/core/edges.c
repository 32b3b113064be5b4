#include "analyzer/core/edges.h"

#include <errno.h>
#include <stdlib.h>

/* The holder reads its clock before it lets go, and the waiter before it begins; both may be late by an interrupt. */
#define SLACK_NS 10000

void edges_fini(struct edges *edges)
{
	struct edge *edge, *next;

	HASH_ITER(hh, edges->edges, edge, next)
	{
		HASH_DEL(edges->edges, edge);
		free(edge);
	}
}

static struct edge *edge_get(struct edges *edges, const struct edge_key *key)
{
	struct edge *edge;

	HASH_FIND(hh, edges->edges, key, sizeof(*key), edge);
	if (edge)
		return edge;
	edge = calloc(1, sizeof(*edge));
	if (!edge)
		return NULL;
	edge->key = *key;
	HASH_ADD(hh, edges->edges, key, sizeof(edge->key), edge);
	if (hash_failed(edge)) {
		free(edge);
		return NULL;
	}
	return edge;
}

/* Of more inner locks than there is room for, those met first are told. */
static void add_nested(struct edge *edge, const struct nested *added)
{
	for (unsigned i = 0; i < NESTED_MAX; i++) {
		struct nested *nested = &edge->nested[i];

		if (nested->lock && nested->lock != added->lock)
			continue;
		nested->lock = added->lock;
		nested->count += added->count;
		nested->wait_ns += added->wait_ns;
		return;
	}
}

/* What is known of the wait by now becomes part of an edge. */
static int settle(struct edges *edges, const struct waited *waited, const struct released *by)
{
	const struct task *holder = waited->holder ? waited->holder : by->holder;
	struct edge_key key = {
	    .waiter_site = waited->site,
	    .holder_site = by->holder ? by->site : 0,
	    .waiter = waited->waiter,
	    .holder = holder ? holder->name : NULL,
	    .nameless = holder && !*holder->name ? holder : NULL,
	};
	struct edge *edge = edge_get(edges, &key);

	if (!edge)
		return -ENOMEM;
	edge->count++;
	edge->wait_ns += waited->end_ns - waited->begin_ns;
	for (unsigned i = 0; i < NESTED_MAX && waited->nested[i].lock; i++)
		add_nested(edge, &waited->nested[i]);
	return 0;
}

/* Takes the release for the wait's end if it is one of the holder's within the wait, and later than the best so far. */
static void consider(const struct waited *waited, struct released *by, const struct released *released)
{
	if (!released->holder || (waited->holder && waited->holder != released->holder))
		return;
	if (released->at_ns + SLACK_NS < waited->begin_ns || released->at_ns > waited->end_ns + SLACK_NS)
		return;
	if (!by->holder || released->at_ns > by->at_ns)
		*by = *released;
}

int edges_wait(struct edges *edges, const struct waited *waited)
{
	unsigned place = edges->wait_count % EDGES_RECENT;
	int status = 0;

	if (edges->wait_count >= EDGES_RECENT)
		status = settle(edges, &edges->waits[place].waited, &edges->waits[place].by);
	edges->wait_count++;
	edges->waits[place].waited = *waited;
	edges->waits[place].by = (struct released){0};
	for (unsigned i = 0; i < EDGES_RECENT; i++)
		consider(waited, &edges->waits[place].by, &edges->releases[i]);
	return status;
}

void edges_release(struct edges *edges, const struct released *released)
{
	unsigned pending = edges->wait_count < EDGES_RECENT ? edges->wait_count : EDGES_RECENT;

	edges->releases[edges->release_count++ % EDGES_RECENT] = *released;
	for (unsigned i = 0; i < pending; i++)
		consider(&edges->waits[i].waited, &edges->waits[i].by, released);
}

static int by_wait(const struct edge *a, const struct edge *b)
{
	return a->wait_ns < b->wait_ns ? 1 : a->wait_ns > b->wait_ns ? -1 : 0;
}

int edges_finish(struct edges *edges)
{
	unsigned pending = edges->wait_count < EDGES_RECENT ? edges->wait_count : EDGES_RECENT;
	int status = 0;

	for (unsigned i = 0; i < pending && !status; i++)
		status = settle(edges, &edges->waits[i].waited, &edges->waits[i].by);
	edges->wait_count = 0;
	HASH_SORT(edges->edges, by_wait);
	return status;
}

const struct edge *edges_next(const struct edges *edges, const struct edge *previous)
{
	return previous ? previous->hh.next : edges->edges;
}
