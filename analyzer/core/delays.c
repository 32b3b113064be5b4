#include "analyzer/core/delays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Time in which somebody waited, and all of it before. */
struct delayed_by {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t waited_ns; /* within; less than its length where neighbours were put together */
	uint64_t before_ns; /* waited before it, since the sum began */
};

/* What a request in flight waited for in its own call. */
struct own_waits {
	uint64_t request;
	size_t count;
	struct own_wait {
		struct delay *delay;
		uint64_t wait_ns;
	} * waits; /* owned */
	UT_hash_handle hh;
};

static void own_destroy(struct delays *delays, struct own_waits *own)
{
	HASH_DEL(delays->requests, own);
	free(own->waits);
	free(own);
}

void delays_fini(struct delays *delays)
{
	struct own_waits *own, *next;

	HASH_ITER(hh, delays->requests, own, next)
	{
		own_destroy(delays, own);
	}
	*delays = (struct delays){0};
}

void delay_fini(struct delay *delay)
{
	histogram_fini(&delay->delay);
	free(delay->waits);
	*delay = (struct delay){0};
}

static struct own_waits *own_find(const struct delays *delays, uint64_t request)
{
	struct own_waits *own;

	HASH_FIND_BYHASHVALUE(hh, delays->requests, &request, sizeof(request), hash_numbers(request, 0), own);
	return own;
}

static struct own_waits *own_get(struct delays *delays, uint64_t request)
{
	struct own_waits *own = own_find(delays, request);

	if (own)
		return own;
	own = calloc(1, sizeof(*own));
	if (!own)
		return NULL;
	own->request = request;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, delays->requests, &own->request, sizeof(own->request), hash_numbers(request, 0), own);
	if (hash_failed(own)) {
		free(own);
		return NULL;
	}
	return own;
}

int delays_exact(struct delays *delays, struct delay *delay, uint64_t request, uint64_t wait_ns)
{
	struct own_waits *own = own_get(delays, request);
	struct own_wait *grown;

	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < own->count; i++) {
		if (own->waits[i].delay == delay) {
			own->waits[i].wait_ns += wait_ns;
			return 0;
		}
	}
	grown = realloc(own->waits, (own->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	own->waits = grown;
	grown[own->count++] = (struct own_wait){delay, wait_ns};
	return 0;
}

static void move_to_front(struct delays *delays, struct delay *delay)
{
	if (delays->recent == delay)
		return;
	if (delay->previous)
		delay->previous->next = delay->next;
	if (delay->next)
		delay->next->previous = delay->previous;
	delay->previous = NULL;
	delay->next = delays->recent;
	if (delays->recent)
		delays->recent->previous = delay;
	delays->recent = delay;
}

/* Makes one of each two neighbours. */
static void put_together(struct delay *delay)
{
	size_t kept = 0;

	for (size_t i = 0; i < delay->count; i += 2, kept++) {
		struct delayed_by pair = delay->waits[i];

		if (i + 1 < delay->count) {
			pair.end_ns = delay->waits[i + 1].end_ns;
			pair.waited_ns += delay->waits[i + 1].waited_ns;
		}
		delay->waits[kept] = pair;
	}
	delay->count = kept;
}

/* Room for one more, after forgetting what no request in flight can have met. */
static int make_room(struct delay *delay, uint64_t oldest_ns)
{
	struct delayed_by *grown;
	size_t past = 0;

	if (delay->count < delay->room)
		return 0;
	while (past < delay->count && delay->waits[past].end_ns <= oldest_ns)
		past++;
	if (past)
		memmove(delay->waits, delay->waits + past, (delay->count - past) * sizeof(*delay->waits));
	delay->count -= past;
	if (delay->count < delay->room / 2)
		return 0;
	if (delay->room == DELAYS_WAITS_MAX) {
		if (delay->count == delay->room)
			put_together(delay);
		return 0;
	}
	grown = realloc(delay->waits, (delay->room ? delay->room * 2 : 16) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	delay->waits = grown;
	delay->room = delay->room ? delay->room * 2 : 16;
	return 0;
}

int delays_overlap(struct delays *delays, struct delay *delay, uint64_t begin_ns, uint64_t end_ns, uint64_t oldest_ns)
{
	struct delayed_by added = {.begin_ns = begin_ns};
	uint64_t known_ns = 0, gained_ns;

	if (make_room(delay, oldest_ns))
		return -ENOMEM;
	if (end_ns < delay->last_ns)
		end_ns = delay->last_ns;
	/* It takes in those that it touches; what is new is what lies between them and behind them. */
	gained_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	while (delay->count && delay->waits[delay->count - 1].end_ns >= begin_ns) {
		const struct delayed_by *last = &delay->waits[--delay->count];
		uint64_t from_ns = last->begin_ns > begin_ns ? last->begin_ns : begin_ns;

		gained_ns -= last->end_ns - from_ns;
		known_ns += last->waited_ns;
		if (last->begin_ns < added.begin_ns)
			added.begin_ns = last->begin_ns;
	}
	added.end_ns = end_ns;
	added.waited_ns = known_ns + gained_ns;
	if (delay->count) {
		const struct delayed_by *last = &delay->waits[delay->count - 1];

		added.before_ns = last->before_ns + last->waited_ns;
	}
	delay->waits[delay->count++] = added;
	delay->last_ns = end_ns;
	move_to_front(delays, delay);
	return 0;
}

/* How much had been waited by then. */
static uint64_t sum_at(const struct delay *delay, uint64_t at_ns)
{
	size_t low = 0, high = delay->count;
	const struct delayed_by *in;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (delay->waits[middle].begin_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return delay->count ? delay->waits[0].before_ns : 0;
	in = &delay->waits[low - 1];
	if (at_ns >= in->end_ns)
		return in->before_ns + in->waited_ns;
	/* Two neighbours that were put together are taken to be waited through evenly. */
	return in->before_ns + (uint64_t)((double)in->waited_ns * (double)(at_ns - in->begin_ns) / (double)(in->end_ns - in->begin_ns));
}

static int add(struct delay *delay, uint64_t delay_ns, uint64_t most_ns)
{
	return histogram_add(&delay->delay, delay_ns < most_ns ? delay_ns : most_ns);
}

/* Takes what the request waited for this lock in its own call; 0 when it did not. */
static uint64_t take_own(struct own_waits *own, const struct delay *delay)
{
	for (size_t i = 0; own && i < own->count; i++) {
		if (own->waits[i].delay == delay) {
			uint64_t wait_ns = own->waits[i].wait_ns;

			own->waits[i] = own->waits[--own->count];
			return wait_ns;
		}
	}
	return 0;
}

int delays_completed(struct delays *delays, uint64_t request, uint64_t s_ns, uint64_t c_ns)
{
	struct own_waits *own = delays->requests ? own_find(delays, request) : NULL;
	uint64_t most_ns = c_ns > s_ns ? c_ns - s_ns : 0;
	int status = 0;

	for (struct delay *delay = delays->recent; delay && delay->last_ns > s_ns && !status; delay = delay->next) {
		uint64_t overlap_ns = c_ns > s_ns ? sum_at(delay, c_ns) - sum_at(delay, s_ns) : 0, own_ns;

		if (!overlap_ns)
			continue;
		own_ns = take_own(own, delay);
		delay->overlapping++;
		delay->exact += own_ns > 0;
		status = add(delay, overlap_ns + own_ns, most_ns);
	}
	for (size_t i = 0; own && i < own->count && !status; i++) {
		own->waits[i].delay->exact++;
		status = add(own->waits[i].delay, own->waits[i].wait_ns, most_ns);
	}
	if (own)
		own_destroy(delays, own);
	return status;
}

void delays_dropped(struct delays *delays, uint64_t request)
{
	struct own_waits *own = delays->requests ? own_find(delays, request) : NULL;

	if (own)
		own_destroy(delays, own);
}
