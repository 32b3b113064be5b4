#include "analyzer/core/boundary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/held.h"
#include "analyzer/core/sending.h"

/* How long an operation whose reply may have been lost is waited for: longer than librados waits for anybody's answer to a notification. */
#define PATIENCE_NS UINT64_C(60000000000)

/* Requests that waited for the lock are sent within so long once it is usable. */
#define PARKED_NS UINT64_C(5000000)

#define BIT(moment) (1U << MOMENT_##moment)

struct boundary {
	struct images *images;
	struct health *health;
	struct operations *operations;
};

/* --- Operations: to the image's ownership, to its journal, and to the requests whose entries they append. ------------------- */

static int begun_append(struct operation *operation)
{
	struct client *client = image_client(operation->image, operation->client);
	int status = 0;

	for (size_t i = 0; client && client->effects && i < operation->entry_count && !status; i++)
		if (journal_entry_of_request(&operation->entries[i]))
			status = effects_entry_sent(client->effects, &operation->entries[i], operation->begin_ns);
	return status;
}

/* Where the moment itself cannot be seen, that the client tells the others that it owns the lock has to do: it comes right after. */
static int begun_notify(const struct operation *operation)
{
	if (!operation->process->lock_untold || !operation->notifies || operation->what != RBDPROF_ACQUIRED_LOCK)
		return 0;
	return ownership_usable(operation->image->ownership, operation->client, operation->begin_ns);
}

static int begun(void *context, struct operation *operation)
{
	struct boundary *boundary = context;
	struct image *image;
	int status = 0;

	if (operation->object == OBJECT_OTHER)
		return 0;
	image = images_find(boundary->images, operation->process, operation->client, operation->pool_id, operation->image_id);
	operation->image = image;
	if (!image)
		return 0;
	status = held_operation_begun(image, operation);
	if (!status && image->ownership)
		status = ownership_operation_begun(image->ownership, operation);
	if (!status && image->ownership)
		status = begun_notify(operation);
	return status || !operation->entry_count ? status : begun_append(operation);
}

/* What becomes of the entries' requests: they are safe, or refused, or nobody knows. */
static int end_entries(const struct operation *operation, int known)
{
	int status = 0;

	for (size_t i = 0; i < operation->entry_count && !status; i++) {
		const struct entry *entry = &operation->entries[i];
		struct effects *effects = entry->carried ? image_client(operation->image, operation->client)->effects : NULL;

		if (effects && known)
			status = effects_entry_done(effects, entry, operation->result, operation->end_ns);
		else if (effects)
			status = effects_entry_left(effects, entry);
	}
	return status;
}

static int done(void *context, struct operation *operation)
{
	struct image *image = operation->image;
	int status = 0;

	(void)context;
	if (!image)
		return 0;
	status = held_operation_done(image, operation);
	if (!status && image->ownership)
		status = ownership_operation_done(image->ownership, operation);
	if (!status)
		status = journal_operation_done(&image->journal, operation);
	return status ? status : end_entries(operation, 1);
}

static int left(void *context, struct operation *operation)
{
	int status;

	(void)context;
	if (!operation->image)
		return 0;
	status = held_operation_left(operation->image, operation);
	return status ? status : end_entries(operation, 0);
}

struct boundary *boundary_create(struct images *images, struct health *health)
{
	struct boundary *boundary = calloc(1, sizeof(*boundary));
	struct operations_consumer consumer = {.context = boundary, .begun = begun, .done = done, .left = left};

	if (!boundary)
		return NULL;
	boundary->images = images;
	boundary->health = health;
	boundary->operations = operations_create(&consumer);
	if (boundary->operations)
		return boundary;
	free(boundary);
	return NULL;
}

void boundary_destroy(struct boundary *boundary)
{
	if (!boundary)
		return;
	operations_destroy(boundary->operations);
	free(boundary);
}

/* --- The exclusive lock. -------------------------------------------------------------------------------------------------- */

int boundary_opened(struct client *client, uint64_t now_ns)
{
	struct image *image = client->image;

	if (!image->ownership && image_has(image, IMAGE_EXCLUSIVE_LOCK)) {
		image->ownership = ownership_create();
		if (!image->ownership)
			return -ENOMEM;
	}
	return image->ownership ? ownership_opened(image->ownership, client->id, now_ns) : 0;
}

int boundary_closed(struct client *client, uint64_t now_ns)
{
	return client->image->ownership ? ownership_closed(client->image->ownership, client->id, now_ns) : 0;
}

/* The image whose header the object is; NULL if it is none, or is not known. */
static struct image *image_of_header(const struct boundary *boundary, struct process *process, uint64_t client, uint64_t number)
{
	const struct object *object = operations_object(boundary->operations, process->number, number);

	if (!object || object->object != OBJECT_HEADER)
		return NULL;
	return images_find(boundary->images, process, client, object->pool_id, object->image_id);
}

static int feed_notification(struct boundary *boundary, struct process *process, const struct event *event)
{
	uint64_t receiver = event->notification.client;
	struct image *image = image_of_header(boundary, process, receiver, event->notification.object);
	struct client *client = image ? image_client(image, receiver) : NULL;

	if (!image)
		return 0;
	if (client && event->notification.what == RBDPROF_REQUEST_LOCK)
		client->requested[client->requested_next++ % REQUESTS_KEPT] = event->notification.notify_id;
	if (client && held_notified(client, event->notification.what, event->time_ns))
		return -ENOMEM;
	if (!image->ownership)
		return 0;
	return ownership_notified(image->ownership, receiver, event->notification.what, event->notification.about, event->time_ns);
}

/* Owners of the lock answer other notifications as well, as those that ask them for a snapshot. */
static int feed_ack(struct boundary *boundary, struct process *process, const struct event *event)
{
	struct image *image = image_of_header(boundary, process, event->notify_ack.client, event->notify_ack.object);
	struct client *client = image ? image_client(image, event->notify_ack.client) : NULL;

	for (unsigned i = 0; client && image->ownership && event->notify_ack.answered && i < REQUESTS_KEPT; i++)
		if (client->requested[i] == event->notify_ack.notify_id)
			return ownership_answered(image->ownership, client->id, event->notify_ack.result, event->time_ns);
	return 0;
}

static int feed_watch_error(struct boundary *boundary, struct process *process, const struct event *event)
{
	struct image *image = image_of_header(boundary, process, event->watch.client, event->watch.object);

	if (!image || !image->ownership)
		return 0;
	return ownership_watch_lost(image->ownership, event->watch.client, event->watch.error, event->time_ns);
}

static int feed_acquired(struct process *process, const struct event *event)
{
	struct client *client = process_client(process, event->lock_acquired.image);

	return client && client->image->ownership ? ownership_usable(client->image->ownership, client->id, event->time_ns) : 0;
}

/* --- Requests. ------------------------------------------------------------------------------------------------------------ */

static int changes_data(uint8_t kind)
{
	return kind == RBDPROF_WRITE || kind == RBDPROF_DISCARD || kind == RBDPROF_WRITE_ZEROES || kind == RBDPROF_WRITESAME ||
	       kind == RBDPROF_COMPARE_AND_WRITE;
}

/* A journaled image's readers need the lock too: what its journal holds has to be replayed before anybody reads. */
static int needs_lock(const struct image *image, uint8_t kind)
{
	if (!image->ownership)
		return 0;
	return changes_data(kind) || kind == RBDPROF_FLUSH || (kind == RBDPROF_READ && image_has(image, IMAGE_JOURNALING));
}

/* The first effect of a request. It was parked when its client's lock became usable after S. */
static int effect(void *context, struct carried *carried, uint64_t now_ns)
{
	const struct client *client = context;
	struct ownership *ownership = client->image->ownership;
	uint64_t usable_ns;

	carried->throttled = client->process->throttling_count || client->process->throttled_ns >= carried->s_ns;
	if (!needs_lock(client->image, carried->kind))
		return 0;
	usable_ns = ownership_usable_since(ownership, client->id);
	if (usable_ns > carried->s_ns) {
		carried->usable_ns = usable_ns;
		carried->wanted_ns = ownership_wanted_since(ownership, client->id);
	}
	carried->tenure = ownership_effect(ownership, client->id, now_ns);
	/* Acknowledged before it had any. */
	return carried->closed && carried->tenure ? ownership_served(ownership, carried->tenure, carried->c_ns, carried->length_bytes) : 0;
}

static void sent(void *context, struct carried *carried)
{
	held_sent(context, carried);
}

/* Nothing more will become of a request that librbd completed: what the journal says of it. */
static int settled(void *context, const struct carried *carried)
{
	const struct client *client = context;
	struct journal *journal = &client->image->journal;

	if (!carried->journaled || carried->failed || !carried->whole)
		return 0;
	if (carried->kind == RBDPROF_FLUSH)
		return 0;
	/* Of a discard that was trimmed to nothing there is nothing to be held. */
	if (carried->first_ns || carried->kind != RBDPROF_DISCARD) {
		journal->writes++;
		journal->writes_unjoined += (uint64_t)!carried_is_joined(carried);
	}
	if (carried_is_safe(carried) && carried->safe_ns > carried->c_ns)
		return histogram_add(&journal->after_acknowledgement, carried->safe_ns - carried->c_ns);
	return 0;
}

static struct effects *effects_of(struct client *client)
{
	struct effects_consumer consumer = {.context = client, .effect = effect, .sent = sent, .settled = settled};

	if (!client->effects)
		client->effects = effects_create(&consumer);
	return client->effects;
}

int boundary_request_opened(struct request *request, uint64_t offset_bytes, int late)
{
	struct client *client = request->client;
	const struct image *image = client->image;
	struct effects *effects = effects_of(client);
	const struct effects_image where = {
	    .layout = {image->object_size_bytes, image->stripe_unit_bytes, image->stripe_count},
	    .namespace_ = image->namespace_,
	    .prefix = image->prefix,
	};
	const struct effects_request made = {
	    .s_ns = request->moments.at_ns[MOMENT_S],
	    .offset_bytes = offset_bytes,
	    .length_bytes = request->length_bytes,
	    .kind = request->kind,
	    .whole = !late && request->moments.at_ns[MOMENT_S] >= request->process->health.first_ns,
	    .journaled = image_has(image, IMAGE_JOURNALING) && !(request->process->hidden & BIT(J)) &&
			 (request->kind == RBDPROF_FLUSH || (changes_data(request->kind) && request->length_bytes)),
	};

	request->carried = effects ? effects_open(effects, &where, &made) : NULL;
	return request->carried ? 0 : -ENOMEM;
}

/* Whether events of the process were dropped while the request was under way. */
static int is_torn(const struct process_health *health, const struct moments *moments)
{
	for (size_t i = 0; i < health->lost_count; i++)
		if (health->lost[i].begin_ns <= moments->at_ns[MOMENT_C] && moments->at_ns[MOMENT_S] <= health->lost[i].end_ns)
			return 1;
	return 0;
}

/* L. What has no effect, as a flush, was parked as well when its client's lock became usable while it waited. */
static void set_usable(struct request *request)
{
	const struct carried *carried = request->carried;
	const struct image *image = request->client->image;
	struct moments *moments = &request->moments;
	uint64_t c_ns = moments->at_ns[MOMENT_C], usable_ns = carried->usable_ns;

	if ((!carried->first_ns || carried->first_ns > c_ns) && needs_lock(image, request->kind))
		usable_ns = ownership_usable_since(image->ownership, request->client->id);
	if (usable_ns > moments->at_ns[MOMENT_S] && usable_ns <= c_ns)
		moments_set(moments, MOMENT_L, usable_ns);
}

/* The moments that the request may have passed unseen. A flush sends no data operation of its own. */
static unsigned int hidden(const struct request *request)
{
	int sends = request->kind != RBDPROF_FLUSH && request->kind != RBDPROF_INVALIDATE_CACHE;

	return request->process->hidden | (sends && !request->process->sending ? BIT(N) : 0);
}

/*
 * Q. librbd does not tell how long QoS held which request, only when requests began to queue before one of the process's buckets, and at
 * the latest when none did any more: where that was between S and the first effect, all of that time is put down to it. The lock lies
 * behind it: a client asks for it when the first request has come through, and sends those that waited for it as soon as it has it. What
 * is sent later came through later, and did not wait for the lock.
 */
static void set_let_through(struct request *request)
{
	const struct carried *carried = request->carried;
	struct moments *moments = &request->moments;
	uint64_t through_ns = carried->first_ns;

	if (!carried->throttled || carried->first_ns > moments->at_ns[MOMENT_C])
		return;
	if (moments_know(moments, MOMENT_L)) {
		if (carried->first_ns - carried->usable_ns <= PARKED_NS)
			through_ns = carried->wanted_ns > carried->s_ns ? carried->wanted_ns : carried->s_ns;
		else
			moments->known &= (uint8_t)~BIT(L);
	}
	moments_set(moments, MOMENT_Q, through_ns);
}

/* The moments between S and C. What came after C (of a request that was acknowledged early) is in no phase. */
static void set_moments(struct request *request)
{
	const struct carried *carried = request->carried;
	struct moments *moments = &request->moments;
	uint64_t c_ns = moments->at_ns[MOMENT_C];

	set_usable(request);
	set_let_through(request);
	if (carried_is_safe(carried) && carried->safe_ns <= c_ns)
		moments_set(moments, MOMENT_J, carried->safe_ns);
	if (carried->sent_ns && carried->sent_ns <= c_ns)
		moments_set(moments, MOMENT_N, carried->sent_ns);
	if (request->process->crossing && carried->whole && !is_torn(&request->process->health, moments))
		moments->observable = (uint8_t)((BIT(Q) | BIT(L) | BIT(J) | BIT(N)) & ~hidden(request));
}

int boundary_request_completed(struct request *request)
{
	struct carried *carried = request->carried;
	struct image *image = request->client->image;
	struct moments *moments = &request->moments;
	uint64_t c_ns = moments->at_ns[MOMENT_C];
	int status = 0;

	set_moments(request);
	status = held_completed(request, carried);
	if (!status && carried->tenure)
		status = ownership_served(image->ownership, carried->tenure, c_ns, request_bytes(request));
	if (!status && moments_know(moments, MOMENT_N) && carried->group)
		status = histogram_add(&carried->group->n2c, c_ns - carried->sent_ns);
	request->carried = NULL;
	return status ? status : effects_close(request->client->effects, carried, c_ns, request->result < 0);
}

int boundary_request_left(struct request *request)
{
	const struct client *client = request->client;
	const struct carried *carried = request->carried;
	struct moments *moments = &request->moments;
	uint64_t end_ns = request->process->health.last_ns;
	int waits = !carried->first_ns && needs_lock(client->image, request->kind) &&
		    !ownership_usable_since(client->image->ownership, client->id);

	if (end_ns < moments->at_ns[MOMENT_S])
		return 0;
	moments_set(moments, MOMENT_C, end_ns);
	moments_set(moments, MOMENT_D, end_ns);
	moments_set(moments, MOMENT_A, end_ns);
	set_moments(request);
	if (waits) {
		moments_set(moments, MOMENT_L, end_ns);
	} else if (!carried->first_ns && request->process->throttling_count) {
		moments->known &= (uint8_t)~BIT(L);
		moments_set(moments, MOMENT_Q, end_ns);
	} else if (carried->entries && !carried->sent_ns && !carried_is_safe(carried)) {
		moments_set(moments, MOMENT_J, end_ns);
	}
	held_left(request, carried, waits);
	return 1;
}

int boundary_request_dropped(struct request *request, uint64_t now_ns)
{
	struct carried *carried = request->carried;
	int status = held_dropped(request->client, carried, now_ns);

	/* The tenure waits for it; it cannot have been complete earlier. */
	if (!status && carried->tenure)
		status = ownership_served(request->client->image->ownership, carried->tenure, carried->first_ns, 0);
	request->carried = NULL;
	effects_forget(request->client->effects, carried);
	return status;
}

/* --- All together. -------------------------------------------------------------------------------------------------------- */

void boundary_unseen(struct process *process, const char *function)
{
	static const struct {
		const char *function;
		uint8_t hides;
	} moments[] = {
	    {"bucket_get", BIT(Q)},
	    {"operation_exec", BIT(L) | BIT(J)},
	    {"aio_create_completion", BIT(L) | BIT(J)},
	    {"message_encode_trace", BIT(N)},
	};

	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++)
		if (!strcmp(function, moments[i].function))
			process->hidden |= moments[i].hides;
	process->lock_untold |= !strcmp(function, "counters_tset");
}

int boundary_feed(struct boundary *boundary, struct process *process, const struct event *event)
{
	process->crossing = 1;
	switch (event->type) {
	case EVENT_NOTIFICATION:
		if (!event->notification.operation)
			return feed_notification(boundary, process, event);
		return operations_feed(boundary->operations, process, event);
	case EVENT_NOTIFY_ACK:
		return feed_ack(boundary, process, event);
	case EVENT_WATCH_ERROR:
		return feed_watch_error(boundary, process, event);
	case EVENT_LOCK_ACQUIRED:
		return feed_acquired(process, event);
	case EVENT_SENT:
		return sending_feed(process, event);
	case EVENT_THROTTLED:
		return process_throttled(process, event->throttled.bucket, event->throttled.granted < event->throttled.wanted,
					 event->time_ns);
	case EVENT_UNDECODED:
		return health_undecoded(boundary->health, event->undecoded.what);
	default:
		return operations_feed(boundary->operations, process, event);
	}
}

int boundary_round(struct boundary *boundary, const struct process *process, uint64_t now_ns)
{
	if (now_ns < PATIENCE_NS)
		return 0;
	return operations_sweep(boundary->operations, process, now_ns - PATIENCE_NS, process->health.lost_count > 0);
}

static int finish_image(struct image *image, uint64_t begin_ns, uint64_t end_ns)
{
	int status = 0;

	for (struct client *client = image->clients; client && !status; client = client->hh.next)
		if (client->effects)
			status = effects_finish(client->effects);
	placement_groups_finish(&image->placement_groups);
	if (status || !image->ownership)
		return status;
	status = ownership_finish(image->ownership, begin_ns, end_ns);
	image->ownership_is = ownership_result(image->ownership);
	return status;
}

int boundary_finish(struct boundary *boundary, uint64_t begin_ns, uint64_t end_ns)
{
	int status = operations_finish(boundary->operations);

	for (struct image *image = boundary->images->images; image && !status; image = image->hh.next)
		status = finish_image(image, begin_ns, end_ns);
	return status;
}
