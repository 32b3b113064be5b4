#include "analyzer/core/model.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/boundary.h"
#include "analyzer/core/held.h"
#include "analyzer/core/requests.h"

/*
 * The shim speaks of every request in flight once a second. One that it did not mention in so many rounds has ended unseen; without
 * this, each lost event would leave a request in flight for ever.
 */
#define ROUNDS_UNMENTIONED 3

struct model {
	struct images images;
	struct requests *requests;
	struct boundary *boundary;
	struct locks locks;
	struct health health;
	struct trace_summary summary;
};

static uint64_t begin_of(const struct request *request)
{
	return request->process->health.first_ns;
}

static int request_completed(void *context, struct request *request)
{
	struct model *model = context;
	int status;

	if (delays_completed(&request->process->delays, request->key.number, request->moments.at_ns[MOMENT_S],
			     request->moments.at_ns[MOMENT_C]))
		return -ENOMEM;
	if (!request->client)
		return 0;
	model->summary.requests++;
	stats_completed(&request->client->stats, request, begin_of(request));
	status = stalls_completed(&request->client->claims.stalls, request->moments.at_ns[MOMENT_C]);
	if (!status)
		status = boundary_request_completed(request);
	if (!status)
		claims_completed(&request->client->claims, request);
	return status;
}

static int request_closed(void *context, struct request *request)
{
	struct model *model = context;
	struct client *client = request->client;
	int status;

	if (!client)
		return 0;
	status = stats_closed(&client->stats, request);
	if (status == -ERANGE) {
		health_count(&model->health, ANOMALY_NEGATIVE_PHASE);
		return 0;
	}
	if (status || request->irregular || !moments_know(&request->moments, MOMENT_A))
		return status;
	return claims_add(&client->claims, request, &client->image->notifying, &client->image->silent);
}

static int request_dropped(void *context, struct request *request, uint64_t now_ns)
{
	struct model *model = context;

	delays_dropped(&request->process->delays, request->key.number);
	if (!request->client)
		return 0;
	/* Without a loss it was no request: an announcement overtaken by the end of what it announced, which was counted at its own place.
	 */
	model->summary.unmatched += request->process->health.lost_count > 0;
	stats_dropped(&request->client->stats, now_ns);
	stalls_dropped(&request->client->claims.stalls);
	return boundary_request_dropped(request, now_ns);
}

static int request_left(void *context, struct request *request)
{
	struct model *model = context;
	struct client *client = request->client;
	int lossy = process_is_lossy(request->process);

	if (!client)
		return 0;
	if (!moments_know(&request->moments, MOMENT_A)) {
		stats_left_open(&client->stats, request, begin_of(request), !lossy);
		if (lossy || request->irregular || !boundary_request_left(request))
			return 0;
		return claims_add(&client->claims, request, &client->image->notifying, &client->image->silent);
	}
	if (lossy)
		model->summary.unmatched++;
	else
		health_count(&model->health, ANOMALY_REAP_WITHOUT_COMPLETE);
	return 0;
}

struct model *model_create(void)
{
	struct model *model = calloc(1, sizeof(*model));
	struct requests_consumer consumer = {
	    .context = model,
	    .completed = request_completed,
	    .closed = request_closed,
	    .dropped = request_dropped,
	    .left = request_left,
	};

	if (!model)
		return NULL;
	model->requests = requests_create(&model->health, &consumer);
	model->boundary = boundary_create(&model->images, &model->health);
	if (model->requests && model->boundary)
		return model;
	model_destroy(model);
	return NULL;
}

void model_destroy(struct model *model)
{
	if (!model)
		return;
	requests_destroy(model->requests);
	boundary_destroy(model->boundary);
	locks_fini(&model->locks);
	images_fini(&model->images);
	health_fini(&model->health);
	free(model);
}

static int feed_process(struct model *model, struct process *process, const struct event *event)
{
	/* Said every second: counted when first said. */
	if (event->process_is.schema > RBDPROF_SCHEMA && event->process_is.schema != process->schema)
		health_count(&model->health, ANOMALY_NEWER_SCHEMA);
	return images_feed_process(process, event);
}

static int feed_image(struct model *model, struct process *process, const struct event *event)
{
	struct client *opened;
	int status = images_feed_image(&model->images, process, event, &opened);

	return status || !opened ? status : boundary_opened(opened, event->time_ns);
}

static int feed_closed(struct process *process, const struct event *event)
{
	struct client *closed = images_feed_closed(process, event);

	return closed ? boundary_closed(closed, event->time_ns) : 0;
}

static int feed_config(struct model *model, struct process *process, const struct event *event)
{
	struct client *client = process_client(process, event->config.image);
	int status = images_feed_config(process, event);

	if (client)
		client->claims.cached =
		    (uint8_t)(client_is_set(client, "rbd_cache") && client_is_set(client, "rbd_cache_writethrough_until_flush"));
	if (status != -ENOENT)
		return status;
	if (!process_is_lossy(process))
		health_count(&model->health, ANOMALY_UNKNOWN_IMAGE);
	return 0;
}

static uint32_t submitter_of(uint64_t request)
{
	return (uint32_t)(request >> RBDPROF_THREAD_SHIFT);
}

/*
 * Whether the request was made while the recording saw its thread: a thread numbers its requests upwards, so those below the
 * first one whose REQUEST was seen came before. Of a thread that made none in the trace, all did.
 */
static int is_of_recording(const struct process *process, uint64_t request)
{
	const struct thread *thread = process_thread_find(process, submitter_of(request));

	return thread && thread->first_request <= request;
}

static int feed_request(struct model *model, struct process *process, const struct event *event)
{
	int known_kind = event->request.kind < RBDPROF_KIND_COUNT;
	struct client *client = known_kind ? process_client(process, event->request.image) : NULL;
	struct request *request;
	int status, late;

	if (event->type == EVENT_REQUEST) {
		struct thread *thread = process_thread(process, submitter_of(event->request.request));

		if (!thread)
			return -ENOMEM;
		if (event->request.request < thread->first_request)
			thread->first_request = event->request.request;
		if (event->request.request > thread->last_request)
			thread->last_request = event->request.request;
		if (!thread->first_s_ns)
			thread->first_s_ns = event->time_ns;
		thread->last_s_ns = event->time_ns;
	}
	status = requests_open(model->requests, process, client, event, process->health.totals, &request);
	if (status == -EEXIST)
		return 0;
	late = status == -EALREADY;
	if (!late && status)
		return status;
	if (client)
		status = late ? process_undescribed_add(process, event->request.image, -1) : 0;
	else if (known_kind)
		status = process_undescribed_add(process, event->request.image, 1);
	else
		health_count(&model->health, ANOMALY_UNKNOWN_KIND);
	if (status || !client)
		return status;
	stalls_opened(&client->claims.stalls, event->time_ns);
	status = boundary_request_opened(request, event->request.offset_bytes, late);
	return status ? status : stats_opened(&client->stats, request, event->time_ns, begin_of(request));
}

/*
 * An announcement of a request that is not in flight. The announcer may have looked just before the request ended: then its S was seen and
 * it is over, and only where events were lost can it be news. Or the announcer was faster than the request's own event, which comes yet.
 */
static int feed_request_open(struct model *model, struct process *process, const struct event *event)
{
	uint64_t number = event->request.request;
	const struct thread *thread = process_thread_find(process, submitter_of(number));

	if (thread && thread->first_request <= number && number <= thread->last_request && !process->health.lost_count &&
	    !requests_find(model->requests, event->process, number))
		return 0;
	return feed_request(model, process, event);
}

static int feed_complete(struct model *model, struct process *process, const struct event *event)
{
	int status = requests_complete(model->requests, event);

	if (status != -ENOENT)
		return status;
	if (is_of_recording(process, event->complete.request))
		process->health.unmatched_completes++;
	else
		model->summary.before_recording++;
	return 0;
}

static int reap(struct model *model, struct process *process, uint32_t number, uint64_t request, uint64_t time_ns)
{
	int status = requests_reap(model->requests, number, request, time_ns);

	if (status != -ENOENT)
		return status;
	process->health.unmatched_reaps += (uint64_t)is_of_recording(process, request);
	return 0;
}

static int feed_reap(struct model *model, struct process *process, const struct event *event)
{
	if (!event->reap.requests)
		return reap(model, process, event->process, event->reap.one, event->time_ns);
	for (size_t i = 0; i < event->reap.count; i++) {
		uint64_t ago_ns = event->reap.ago_ns[i];
		uint64_t a_ns = ago_ns < event->time_ns ? event->time_ns - ago_ns : 0;
		int status = reap(model, process, event->process, event->reap.requests[i], a_ns);

		if (status)
			return status;
	}
	return 0;
}

static int feed_totals(struct model *model, struct process *process, const struct event *event)
{
	int status = boundary_round(model->boundary, process, event->time_ns);

	process_health_totals(&process->health, event->totals.emitted, event->totals.passed_through);
	if (status || process->health.totals <= ROUNDS_UNMENTIONED)
		return status;
	return requests_sweep(model->requests, process, process->health.totals - ROUNDS_UNMENTIONED, event->time_ns);
}

static int feed_lock(struct model *model, struct process *process, const struct event *event)
{
	int is_wait = event->type == EVENT_LOCK_WAIT || event->type == EVENT_COND_WAIT;
	const struct request *request =
	    is_wait && event->wait.request ? requests_find(model->requests, event->process, event->wait.request) : NULL;
	int status = locks_feed(&model->locks, process, event, request, is_wait ? requests_oldest_ns(model->requests) : 0);

	if (status != -ENOENT)
		return status;
	health_count(&model->health, ANOMALY_UNKNOWN_KIND);
	return 0;
}

int model_feed(struct model *model, const struct event *event)
{
	struct process *process = images_process(&model->images, event->process);

	if (!process)
		return -ENOMEM;
	if (event->type == EVENT_LOST)
		return process_health_lost(&process->health, event->lost.begin_ns, event->time_ns, event->lost.events);
	if (process_health_event(&process->health, event->time_ns))
		health_count(&model->health, ANOMALY_TIME_WENT_BACK);

	switch (event->type) {
	case EVENT_PROCESS:
		return feed_process(model, process, event);
	case EVENT_THREAD:
		return images_feed_thread(process, event);
	case EVENT_IMAGE:
		return feed_image(model, process, event);
	case EVENT_CONFIG:
		return feed_config(model, process, event);
	case EVENT_UNSEEN:
		boundary_unseen(process, event->unseen.function);
		return health_unseen(&model->health, event->unseen.function);
	case EVENT_TOTALS:
		return feed_totals(model, process, event);
	case EVENT_IMAGE_CLOSED:
		return feed_closed(process, event);
	case EVENT_REQUEST:
		return feed_request(model, process, event);
	case EVENT_REQUEST_OPEN:
		return feed_request_open(model, process, event);
	case EVENT_COMPLETE:
		return feed_complete(model, process, event);
	case EVENT_REAP:
		return feed_reap(model, process, event);
	case EVENT_LOCK_WAIT:
	case EVENT_LOCK_WAIT_OPEN:
	case EVENT_COND_WAIT:
	case EVENT_LOCK_HOLD:
	case EVENT_LOCK_PAIR:
	case EVENT_LOCK_COUNTS:
	case EVENT_HOLD_COUNTS:
	case EVENT_LOCK_NAME:
		return feed_lock(model, process, event);
	case EVENT_STACK:
		return code_feed_stack(&process->code, event);
	case EVENT_MODULE:
		return code_feed_module(&process->code, event);
	case EVENT_USAGE:
		return threads_feed_usage(&process->tasks, event);
	case EVENT_HOST:
		threads_feed_host(&process->tasks, event);
		return 0;
	default:
		return boundary_feed(model->boundary, process, event);
	}
}

/* What only the end can tell: whether an event that was missing had been lost. */
static void judge(struct model *model, const struct process *process)
{
	const struct process_health *health = &process->health;
	struct trace_summary *summary = &model->summary;
	uint64_t never, later;

	process_undescribed(process, &never, &later);
	summary->before_recording += later;
	if (process_is_lossy(process)) {
		summary->unmatched += health->unmatched_completes + never;
		return;
	}
	model->health.anomalies[ANOMALY_COMPLETE_WITHOUT_REQUEST] += health->unmatched_completes;
	model->health.anomalies[ANOMALY_REAP_OF_UNKNOWN_REQUEST] += health->unmatched_reaps;
	model->health.anomalies[ANOMALY_UNKNOWN_IMAGE] += never;
}

/* What may still be going on. */
static int finish_held(struct model *model)
{
	int status = 0;

	for (struct image *image = model->images.images; image && !status; image = image->hh.next) {
		for (struct client *client = image->clients; client && !status; client = client->hh.next) {
			status = stalls_finish(&client->claims.stalls, client->process->health.last_ns);
			if (!status)
				status = held_finish(image, client->process->health.last_ns);
		}
	}
	return status;
}

static void finish_paces(struct model *model)
{
	for (struct image *image = model->images.images; image; image = image->hh.next)
		for (struct client *client = image->clients; client; client = client->hh.next)
			pace_finish(&client->claims.pace);
}

/* From the first to the last event of any process. */
static int finish_boundary(struct model *model)
{
	const struct process *process = NULL;
	uint64_t begin_ns = model_begin_ns(model), end_ns = 0;

	while ((process = model_process_next(model, process)))
		if (process->health.last_ns > end_ns)
			end_ns = process->health.last_ns;
	return boundary_finish(model->boundary, begin_ns < end_ns ? begin_ns : end_ns, end_ns);
}

static void summarize(struct trace_summary *summary, const struct process *process)
{
	const struct process_health *health = &process->health;
	int64_t begin_ns = (int64_t)health->first_ns + process->clock_offset_ns;
	int64_t end_ns = (int64_t)health->last_ns + process->clock_offset_ns;

	if (health->events && (!summary->events || begin_ns < summary->begin_wall_ns))
		summary->begin_wall_ns = begin_ns;
	if (health->events && (!summary->events || end_ns > summary->end_wall_ns))
		summary->end_wall_ns = end_ns;
	summary->events += health->events;
	summary->lost_events += process_health_lost_events(health, HASH_COUNT(process->threads));
	summary->unaccounted_events += process_health_unaccounted(health, HASH_COUNT(process->threads));
	summary->passed_through += health->passed_through;
	summary->untracked_operations += health->untracked_operations;
}

int model_finish(struct model *model)
{
	const struct process *process = NULL;
	int status = finish_held(model);

	if (!status)
		status = requests_finish(model->requests);
	finish_paces(model);
	if (!status)
		status = finish_boundary(model);
	if (status)
		return status;
	while ((process = model_process_next(model, process))) {
		judge(model, process);
		summarize(&model->summary, process);
	}
	model->summary.images = HASH_COUNT(model->images.images);
	for (unsigned i = 0; i < ANOMALY_COUNT; i++)
		model->summary.anomalies[i] = model->health.anomalies[i];
	return locks_finish(&model->locks);
}

const struct trace_summary *model_trace(const struct model *model)
{
	return &model->summary;
}

uint64_t model_begin_ns(const struct model *model)
{
	uint64_t begin_ns = UINT64_MAX;

	for (const struct process *process = model_process_next(model, NULL); process; process = model_process_next(model, process))
		if (process->health.events && process->health.first_ns < begin_ns)
			begin_ns = process->health.first_ns;
	return begin_ns == UINT64_MAX ? 0 : begin_ns;
}

const struct process *model_process_next(const struct model *model, const struct process *previous)
{
	for (size_t i = previous ? (size_t)previous->number + 1 : 0; i < model->images.process_count; i++)
		if (model->images.processes[i])
			return model->images.processes[i];
	return NULL;
}

const struct image *model_image_next(const struct model *model, const struct image *previous)
{
	return previous ? previous->hh.next : model->images.images;
}

const struct lock *model_lock_next(const struct model *model, const struct lock *previous)
{
	size_t place = previous ? previous->place + 1 : 0;

	return place < model->locks.count ? model->locks.all[place] : NULL;
}

size_t model_lock_count(const struct model *model)
{
	return model->locks.count;
}

const struct undecoded *model_undecoded_next(const struct model *model, const struct undecoded *previous)
{
	return previous ? previous->hh.next : model->health.undecoded;
}

const struct unseen *model_unseen_next(const struct model *model, const struct unseen *previous)
{
	return previous ? previous->hh.next : model->health.unseen;
}
