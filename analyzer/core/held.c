#include "analyzer/core/held.h"

#include <errno.h>
#include <stdlib.h>

/* librbd's own, of its Notifier. */
#define NOTIFY_TIMEOUT_NS UINT64_C(5000000000)

/* An owner answers at once, if only that it will give the lock up: one that has not in this time is silent. */
#define ANSWER_NS UINT64_C(1000000000)

static struct claims *claims_of_client(const struct image *image, uint64_t id)
{
	struct client *client = image_client(image, id);

	return client ? &client->claims : NULL;
}

/* The claims of the operation's client; NULL: it reads and writes no metadata, or the client is not known. */
static struct claims *claims_of(const struct image *image, const struct operation *operation)
{
	int data = operation->kind == RBDPROF_OPERATION_READ || operation->kind == RBDPROF_OPERATION_WRITE;

	if (!data || (operation->object != OBJECT_HEADER && operation->object != OBJECT_MAP))
		return NULL;
	return claims_of_client(image, operation->client);
}

static int updates_map(const struct operation *operation)
{
	return operation->object == OBJECT_MAP && operation_calls(operation, RBDPROF_METHOD_rbd_object_map_update);
}

static int refreshes(const struct operation *operation)
{
	if (operation->object != OBJECT_HEADER)
		return 0;
	for (enum rbdprof_method method = RBDPROF_METHOD_rbd_get_size; method <= RBDPROF_METHOD_rbd_snapshot_remove; method++)
		if (operation_calls(operation, method))
			return 1;
	return 0;
}

/*
 * A step of a refresh begins. It reads the pool's settings between the image's and its group: from an object that is no image's, and is not
 * told as such.
 */
static int begin_step(struct claims *claims, const struct operation *operation)
{
	uint64_t metadata_ns = claims->metadata_ns;

	claims->metadata_ns = 0;
	coverage_begin(&claims->refreshing, operation->begin_ns);
	if (!metadata_ns || !operation_calls(operation, RBDPROF_METHOD_rbd_image_group_get))
		return 0;
	return coverage_add(&claims->refreshing, metadata_ns, operation->begin_ns);
}

/* It ends; or it was a snapshot made by the client itself, which it knows of at once. */
static int end_step(struct claims *claims, const struct operation *operation)
{
	claims->metadata_ns = operation_calls(operation, RBDPROF_METHOD_rbd_metadata_list) ? operation->end_ns : 0;
	if (operation_calls(operation, RBDPROF_METHOD_rbd_snapshot_add) && operation->result >= 0)
		copying_snapshot(&claims->copying);
	return coverage_end(&claims->refreshing, operation->end_ns);
}

static int asks(const struct operation *operation)
{
	return operation->kind == RBDPROF_OPERATION_NOTIFY && operation->notifies && operation->what == RBDPROF_REQUEST_LOCK;
}

/* An owner has answered that it will give the lock up. */
static void promise(const struct image *image, const struct operation *operation)
{
	struct claims *claims = claims_of_client(image, operation->client);

	if (claims && operation->result >= 0)
		claims->promised_ns = operation->end_ns;
}

/* A client that was promised the lock and has heard nothing since asks again, or tries to take it: the owner was silent meanwhile. */
static int take_unreleased(struct image *image, const struct operation *operation)
{
	struct claims *claims = claims_of_client(image, operation->client);
	uint64_t promised_ns = claims ? claims->promised_ns : 0;

	if (!promised_ns)
		return 0;
	claims->promised_ns = 0;
	return promised_ns + ANSWER_NS > operation->begin_ns ? 0 : coverage_add(&image->silent, promised_ns, operation->begin_ns);
}

int held_operation_begun(struct image *image, const struct operation *operation)
{
	struct claims *claims = claims_of(image, operation);

	if (asks(operation) || operation_calls(operation, RBDPROF_METHOD_lock_lock)) {
		int status = take_unreleased(image, operation);

		if (status)
			return status;
	}
	if (claims && refreshes(operation))
		return begin_step(claims, operation);
	if (claims && updates_map(operation))
		coverage_begin(&claims->updating, operation->begin_ns);
	if (asks(operation))
		coverage_begin(&image->asking, operation->begin_ns);
	return 0;
}

/*
 * A notification that somebody did not answer in time. A client that has asked for the lock takes it only when all have answered that: if
 * it is another than the owner who is silent, it waits for that one, though the owner may long have given the lock up.
 */
static int unanswered(struct image *image, const struct operation *operation)
{
	int asked = operation->what == RBDPROF_REQUEST_LOCK;

	if (operation->result != -ETIMEDOUT && operation->end_ns - operation->begin_ns < NOTIFY_TIMEOUT_NS)
		return 0;
	if (asked && (!operation->silent || !image->ownership))
		return 0;
	return coverage_add(asked && ownership_owner(image->ownership) == operation->silent ? &image->silent : &image->notifying,
			    operation->begin_ns, operation->end_ns);
}

int held_operation_done(struct image *image, const struct operation *operation)
{
	struct claims *claims = claims_of(image, operation);
	int status = 0;

	if (claims && refreshes(operation))
		return end_step(claims, operation);
	if (claims && updates_map(operation))
		return coverage_end(&claims->updating, operation->end_ns);
	if (asks(operation)) {
		promise(image, operation);
		status = coverage_end(&image->asking, operation->end_ns);
	}
	if (!status && operation->kind == RBDPROF_OPERATION_NOTIFY && operation->notifies)
		status = unanswered(image, operation);
	return status;
}

int held_operation_left(struct image *image, const struct operation *operation)
{
	struct claims *claims = claims_of(image, operation);

	if (claims && refreshes(operation))
		return coverage_end(&claims->refreshing, operation->begin_ns);
	if (claims && updates_map(operation))
		return coverage_end(&claims->updating, operation->begin_ns);
	return asks(operation) ? coverage_end(&image->asking, operation->begin_ns) : 0;
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
		if (claims->changes)
			copying_snapshot(&claims->copying);
		claims->changes = 0;
		return coverage_end(&claims->changing, now_ns);
	case RBDPROF_RELEASED_LOCK:
		claims->promised_ns = 0;
		return 0;
	default:
		return 0;
	}
}

void held_sent(struct client *client, struct carried *carried)
{
	if (!client->objects)
		client->objects = calloc(1, sizeof(*client->objects));
	if (carried->closed)
		return;
	if (client->objects)
		carried->followed = (uint8_t)objects_sent(client->objects, carried->object, carried->first_sent_ns);
	if (carried->kind != RBDPROF_READ)
		carried->copies = (uint8_t)copying_begin(&client->claims.copying, carried->object, carried->first_sent_ns);
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

int held_completed(struct request *request, const struct carried *carried)
{
	const uint64_t *at_ns = request->moments.at_ns;
	uint64_t c_ns = at_ns[MOMENT_C];

	note(request, carried);
	if (carried->followed)
		objects_completed(request->client->objects, carried->object, carried->sent_ns, c_ns, at_ns[MOMENT_D]);
	if (!carried->copies)
		return 0;
	/* A cache can have acknowledged it before it was sent. */
	return copying_end(&request->client->claims.copying, c_ns > carried->first_sent_ns ? c_ns : carried->first_sent_ns);
}

void held_left(struct request *request, const struct carried *carried, int parked)
{
	const struct client *client = request->client;
	uint64_t owner = parked ? ownership_owner(client->image->ownership) : 0;

	note(request, carried);
	if (owner && owner != client->id)
		request->held.origin = LOCK_OF_PEER;
}

int held_dropped(struct client *client, const struct carried *carried, uint64_t now_ns)
{
	if (carried->followed)
		objects_dropped(client->objects, carried->object, now_ns);
	return carried->copies ? copying_end(&client->claims.copying, now_ns) : 0;
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
