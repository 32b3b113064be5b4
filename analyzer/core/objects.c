#include "analyzer/core/objects.h"

#include <math.h>
#include <stddef.h>

/* An object is looked for in so many places. */
#define PROBES 8

/* So many requests tell how long one takes. */
#define ENOUGH 30

static struct object_queue *find(struct objects *objects, uint64_t object, int make)
{
	struct object_queue *room = NULL;

	for (unsigned i = 0; i < PROBES; i++) {
		struct object_queue *queue = &objects->queues[(object + i) % OBJECTS_FOLLOWED];

		if (queue->object == object + 1)
			return queue;
		if (!queue->object && !room)
			room = queue;
	}
	if (make && room)
		*room = (struct object_queue){.object = object + 1};
	return make ? room : NULL;
}

static void pass(struct objects *objects, uint64_t now_ns)
{
	if (objects->in_flight && now_ns > objects->since_ns) {
		double ns = (double)(now_ns - objects->since_ns);

		objects->in_flight_ns += ns * (double)objects->in_flight;
		objects->requests_ns += ns * (double)objects->requests_in_flight;
		objects->alone_ns += objects->in_flight == 1 ? ns * (double)objects->requests_in_flight : 0;
		objects->busy_ns += now_ns - objects->since_ns;
	}
	objects->since_ns = now_ns;
}

int objects_sent(struct objects *objects, uint64_t object, uint64_t now_ns)
{
	struct object_queue *queue = find(objects, object, 1);

	if (!queue)
		return 0;
	pass(objects, now_ns);
	objects->requests_in_flight++;
	if (!queue->in_flight++ && ++objects->in_flight > objects->most)
		objects->most = objects->in_flight;
	return 1;
}

static void leave(struct objects *objects, struct object_queue *queue, uint64_t now_ns)
{
	pass(objects, now_ns);
	objects->requests_in_flight--;
	if (--queue->in_flight)
		return;
	objects->in_flight--;
	queue->object = 0;
}

/* The counter that the object has, or takes over from one that is seen less often (Misra and Gries' majority, for each counter). */
static struct object_counts *counts_of(struct objects *objects, uint64_t object)
{
	struct object_counts *counts = &objects->counts[object % OBJECTS_COUNTED];

	if (counts->object != object && counts->credit) {
		counts->credit--;
		return NULL;
	}
	if (counts->object != object || !counts->requests)
		*counts = (struct object_counts){.object = object};
	counts->credit++;
	return counts;
}

/* How long the request waited for others on its object. */
static uint64_t queued(struct object_queue *queue, uint64_t sent_ns, uint64_t c_ns)
{
	uint64_t until_ns;

	if (sent_ns != queue->sent_ns) {
		queue->before_ns = queue->last_ns;
		queue->sent_ns = sent_ns;
	}
	if (c_ns > queue->last_ns)
		queue->last_ns = c_ns;
	until_ns = queue->before_ns < c_ns ? queue->before_ns : c_ns;
	return until_ns > sent_ns ? until_ns - sent_ns : 0;
}

void objects_completed(struct objects *objects, uint64_t object, uint64_t sent_ns, uint64_t c_ns, uint64_t now_ns)
{
	struct object_queue *queue = find(objects, object, 0);
	struct object_counts *counts;
	uint64_t queued_ns;

	if (!queue)
		return;
	if (c_ns >= sent_ns) {
		queued_ns = queued(queue, sent_ns, c_ns);
		objects->requests++;
		objects->alone += objects->in_flight == 1;
		objects->sent_to_completed_ns += c_ns - sent_ns;
		objects->queued_ns += queued_ns;
		counts = counts_of(objects, object);
		if (counts) {
			counts->requests++;
			counts->sent_to_completed_ns += c_ns - sent_ns;
			counts->queued_ns += queued_ns;
		}
	}
	leave(objects, queue, now_ns);
}

void objects_dropped(struct objects *objects, uint64_t object, uint64_t now_ns)
{
	struct object_queue *queue = find(objects, object, 0);

	if (queue)
		leave(objects, queue, now_ns);
}

/* By Little's law a request takes the time that all are in flight over how many are completed meanwhile. */
static double faster_on_several(double requests_ns, uint64_t requests, double alone_ns, uint64_t alone)
{
	double on_one_ns, on_several_ns;

	if (alone < ENOUGH || requests - alone < ENOUGH)
		return -1;
	on_one_ns = alone_ns / (double)alone;
	on_several_ns = (requests_ns - alone_ns) / (double)(requests - alone);
	return on_several_ns < on_one_ns ? 1 - on_several_ns / on_one_ns : 0;
}

void objects_sum(const struct objects *const *list, unsigned count, struct objects_sum *sum)
{
	double objects_ns = 0, requests_ns = 0, alone_ns = 0, busy_ns = 0, queued_ns = 0, sent_ns = 0;
	uint64_t alone = 0;

	*sum = (struct objects_sum){0};
	for (unsigned i = 0; i < count; i++) {
		sum->requests += list[i]->requests;
		if (list[i]->most > sum->most)
			sum->most = list[i]->most;
		objects_ns += list[i]->in_flight_ns;
		requests_ns += list[i]->requests_ns;
		alone_ns += list[i]->alone_ns;
		alone += list[i]->alone;
		busy_ns += (double)list[i]->busy_ns;
		queued_ns += (double)list[i]->queued_ns;
		sent_ns += (double)list[i]->sent_to_completed_ns;
	}
	sum->in_flight = busy_ns > 0 ? objects_ns / busy_ns : 0;
	sum->requests_each = objects_ns > 0 ? requests_ns / objects_ns : 0;
	sum->queued_share = sent_ns > 0 ? queued_ns / sent_ns : 0;
	sum->faster = faster_on_several(requests_ns, sum->requests, alone_ns, alone);
}

/*
 * Requests for one object that wait for each other need not be faster on many: an OSD, or a connection to it, can be what is busy. While
 * they come to the next object they are on two, and what they save then tells. Half: each object is served by itself, and all waiting
 * behind others is for nothing. Less: if two objects already take all that the OSD has to give, many save the same; if a part of its work
 * on a request has to be done anyhow, they save twice as much. The power of one and a half lies between these from an eighth on,
 * and below is no more than the former.
 */
double objects_saved(const struct objects_sum *sum)
{
	double of_half = sum->faster < 0 ? 1 : fmin(sum->faster / 0.5, 1);

	return sum->queued_share * pow(of_half, 1.5);
}

/* Puts the object among the hottest, if it belongs there. Returns how many there are then. */
static unsigned place(struct object_counts *hottest, unsigned count, const struct object_counts *add)
{
	unsigned at = count;

	while (at && hottest[at - 1].requests < add->requests)
		at--;
	if (at == OBJECTS_HOTTEST)
		return count;
	if (count < OBJECTS_HOTTEST)
		count++;
	for (unsigned i = count - 1; i > at; i--)
		hottest[i] = hottest[i - 1];
	hottest[at] = *add;
	return count;
}

unsigned objects_hottest(const struct objects *const *list, unsigned count, struct object_counts hottest[OBJECTS_HOTTEST])
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned counter = 0; counter < OBJECTS_COUNTED; counter++)
			if (list[i]->counts[counter].requests)
				found = place(hottest, found, &list[i]->counts[counter]);
	return found;
}
