#include "analyzer/core/held.h"

#include <errno.h>
#include <stdlib.h>

/* librbd's own, of its Notifier. */
#define NOTIFY_TIMEOUT_NS UINT64_C(5000000000)

/* An owner answers at once, if only that it will give the lock up: one that has not in this time is silent. */
#define ANSWER_NS UINT64_C(1000000000)

/* Which of the client's times the operation adds to; NULL: none. */
static struct coverage *coverage_of(const struct image *image, const struct operation *operation)
{
	int data = operation->kind == RBDPROF_OPERATION_READ || operation->kind == RBDPROF_OPERATION_WRITE;
	struct client *client;

	if (!data || (operation->object != OBJECT_HEADER && operation->object != OBJECT_MAP))
		return NULL;
	client = image_client(image, operation->client);
	if (!client)
		return NULL;
	if (operation->object == OBJECT_MAP)
		return operation_calls(operation, RBDPROF_METHOD_rbd_object_map_update) ? &client->claims.updating : NULL;
	for (enum rbdprof_method method = RBDPROF_METHOD_rbd_get_size; method <= RBDPROF_METHOD_rbd_snapshot_remove; method++)
		if (operation_calls(operation, method))
			return &client->claims.refreshing;
	return NULL;
}

static int asks(const struct operation *operation)
{
	return operation->kind == RBDPROF_OPERATION_NOTIFY && operation->notifies && operation->what == RBDPROF_REQUEST_LOCK;
}

int held_operation_begun(struct image *image, const struct operation *operation)
{
	struct coverage *coverage = coverage_of(image, operation);

	if (coverage)
		coverage_begin(coverage, operation->begin_ns);
	if (asks(operation))
		coverage_begin(&image->asking, operation->begin_ns);
	return 0;
}

/* A notification that somebody did not answer in time. That the owner is asked for its lock holds nobody up if it is another who is silent.
 */
static int unanswered(struct image *image, const struct operation *operation)
{
	if (operation->result != -ETIMEDOUT && operation->end_ns - operation->begin_ns < NOTIFY_TIMEOUT_NS)
		return 0;
	if (operation->what != RBDPROF_REQUEST_LOCK)
		return coverage_add(&image->notifying, operation->begin_ns, operation->end_ns);
	if (!operation->silent || !image->ownership || ownership_owner(image->ownership) != operation->silent)
		return 0;
	return coverage_add(&image->silent, operation->begin_ns, operation->end_ns);
}

int held_operation_done(struct image *image, const struct operation *operation)
{
	struct coverage *coverage = coverage_of(image, operation);

	int status = 0;

	if (coverage)
		return coverage_end(coverage, operation->end_ns);
	if (asks(operation))
		status = coverage_end(&image->asking, operation->end_ns);
	if (!status && operation->kind == RBDPROF_OPERATION_NOTIFY && operation->notifies)
		status = unanswered(image, operation);
	return status;
}

int held_operation_left(struct image *image, const struct operation *operation)
{
	struct coverage *coverage = asks(operation) ? &image->asking : coverage_of(image, operation);

	return coverage ? coverage_end(coverage, operation->begin_ns) : 0;
}

int held_finish(struct image *image, uint64_t end_ns)
{
	const struct coverage *asking = &image->asking;

	if (!asking->going_on || asking->since_ns + ANSWER_NS > end_ns)
		return 0;
	return coverage_add(&image->silent, asking->since_ns, end_ns);
}

int held_notified(struct client *client, uint32_t what, uint64_t now_ns)
{
	struct claims *claims = &client->claims;

	switch (what) {
	case RBDPROF_SNAP_CREATE:
	case RBDPROF_QUIESCE:
		if (!claims->changes)
			coverage_begin(&claims->changing, now_ns);
		claims->changes = 1;
		return 0;
	case RBDPROF_HEADER_UPDATE:
	case RBDPROF_ASYNC_COMPLETE:
		claims->changes = 0;
		return coverage_end(&claims->changing, now_ns);
	default:
		return 0;
	}
}

void held_sent(struct client *client, struct carried *carried)
{
	if (!client->objects)
		client->objects = calloc(1, sizeof(*client->objects));
	if (client->objects && !carried->closed)
		carried->followed = (uint8_t)objects_sent(client->objects, carried->object, carried->first_sent_ns);
}

static void note(struct request *request, const struct carried *carried)
{
	const struct client *client = request->client;
	const struct ownership *ownership = client->image->ownership;

	request->held = (struct held){
	    .first_sent_ns = carried->first_sent_ns,
	    .resent_ns = carried->resent_ns,
	    .copied = carried->copied,
	    .origin = LOCK_OF_NOBODY,
	    .tenure = carried->tenure,
	};
	if (ownership && moments_know(&request->moments, MOMENT_L))
		request->held.origin = ownership_origin(ownership, client->id, carried->tenure);
}

void held_completed(struct request *request, const struct carried *carried)
{
	const uint64_t *at_ns = request->moments.at_ns;

	note(request, carried);
	if (carried->followed)
		objects_completed(request->client->objects, carried->object, carried->sent_ns, at_ns[MOMENT_C], at_ns[MOMENT_D]);
}

void held_left(struct request *request, const struct carried *carried, int parked)
{
	const struct client *client = request->client;
	uint64_t owner = parked ? ownership_owner(client->image->ownership) : 0;

	note(request, carried);
	if (owner && owner != client->id)
		request->held.origin = LOCK_OF_PEER;
}

void held_dropped(const struct client *client, const struct carried *carried, uint64_t now_ns)
{
	if (carried->followed)
		objects_dropped(client->objects, carried->object, now_ns);
}

/* At most so many clients of one image are looked at for its objects. */
#define CLIENTS_SUMMED 256

static unsigned objects_of(const struct image *image, const struct objects *list[CLIENTS_SUMMED])
{
	unsigned count = 0;

	for (const struct client *client = image->clients; client && count < CLIENTS_SUMMED; client = client->hh.next)
		if (client->objects)
			list[count++] = client->objects;
	return count;
}

void image_objects(const struct image *image, struct objects_sum *sum)
{
	const struct objects *list[CLIENTS_SUMMED];

	objects_sum(list, objects_of(image, list), sum);
}

unsigned image_hottest(const struct image *image, struct object_counts hottest[OBJECTS_HOTTEST])
{
	const struct objects *list[CLIENTS_SUMMED];

	return objects_hottest(list, objects_of(image, list), hottest);
}
