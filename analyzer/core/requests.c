#include "analyzer/core/requests.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/images.h"

struct requests {
	struct health *health;
	struct requests_consumer consumer;
	struct request *table;
	struct request *spare; /* chained through hh.next; requests come and go too fast for malloc() */
};

static struct request *find(const struct requests *requests, uint32_t process, uint64_t number)
{
	struct request sought = {.key = {number, process}}, *found;

	HASH_FIND_BYHASHVALUE(hh, requests->table, &sought.key, sizeof(sought.key), hash_numbers(number, process), found);
	return found;
}

static struct request *take_spare(struct requests *requests)
{
	struct request *request = requests->spare;

	if (!request)
		return calloc(1, sizeof(*request));
	requests->spare = request->hh.next;
	*request = (struct request){0};
	return request;
}

static void give_spare(struct requests *requests, struct request *request)
{
	request->hh.next = requests->spare;
	requests->spare = request;
}

static void spoil(struct requests *requests, struct request *request, enum anomaly anomaly)
{
	health_count(requests->health, anomaly);
	request->irregular = 1;
}

struct requests *requests_create(struct health *health, const struct requests_consumer *consumer)
{
	struct requests *requests = calloc(1, sizeof(*requests));

	if (!requests)
		return NULL;
	requests->health = health;
	requests->consumer = *consumer;
	return requests;
}

void requests_destroy(struct requests *requests)
{
	struct request *request, *next;

	if (!requests)
		return;
	HASH_ITER(hh, requests->table, request, next)
	{
		HASH_DEL(requests->table, request);
		free(request);
	}
	while ((request = requests->spare)) {
		requests->spare = request->hh.next;
		free(request);
	}
	free(requests);
}

/* The request is in flight already, and is spoken of again. */
static int open_again(struct requests *requests, struct request *request, struct client *client, const struct event *event)
{
	int adopted = client && !request->client && request->image == event->request.image && request->kind == event->request.kind &&
		      !moments_know(&request->moments, MOMENT_D);

	if (adopted)
		request->client = client;
	if (event->type == EVENT_REQUEST) {
		/* The announcer can be faster than the thread that makes the request: neither is earlier than S, so the earlier is right.
		 */
		if (!request->announced || moments_know(&request->moments, MOMENT_D))
			spoil(requests, request, ANOMALY_DUPLICATE_REQUEST);
		else if (event->time_ns < request->moments.at_ns[MOMENT_S])
			moments_set(&request->moments, MOMENT_S, event->time_ns);
		request->announced = 0;
	}
	return adopted ? -EALREADY : -EEXIST;
}

static int add(struct requests *requests, struct process *process, struct client *client, const struct event *event, struct request **added)
{
	uint64_t age_ns = event->type == EVENT_REQUEST_OPEN ? event->request.age_ns : 0;
	struct request *request = take_spare(requests);

	if (!request)
		return -ENOMEM;
	request->key.number = event->request.request;
	request->key.process = event->process;
	request->process = process;
	request->client = client;
	request->length_bytes = event->request.length_bytes;
	request->image = event->request.image;
	request->kind = event->request.kind;
	request->no_callback = (event->request.flags & (RBDPROF_SYNCHRONOUS | RBDPROF_NO_CALLBACK)) != 0;
	request->announced = event->type == EVENT_REQUEST_OPEN;
	moments_set(&request->moments, MOMENT_S, age_ns < event->time_ns ? event->time_ns - age_ns : 0);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, requests->table, &request->key, sizeof(request->key),
				    hash_numbers(request->key.number, event->process), request);
	if (hash_failed(request)) {
		give_spare(requests, request);
		return -ENOMEM;
	}
	*added = request;
	return 0;
}

int requests_open(struct requests *requests, struct process *process, struct client *client, const struct event *event, uint64_t round,
		  struct request **found)
{
	struct request *request = find(requests, event->process, event->request.request);
	int status = request ? open_again(requests, request, client, event) : add(requests, process, client, event, &request);

	if (status == -ENOMEM)
		return status;
	request->round = round;
	*found = request;
	return status;
}

uint64_t request_bytes(const struct request *request)
{
	if (request->result < 0)
		return 0;
	/* Writes and the like, and rbd_read_iterate2(), return 0; what they were asked for was done. */
	return request->kind == RBDPROF_READ && request->result > 0 ? (uint64_t)request->result : request->length_bytes;
}

const struct request *requests_find(const struct requests *requests, uint32_t process, uint64_t number)
{
	return find(requests, process, number);
}

uint64_t requests_oldest_ns(const struct requests *requests)
{
	/* The table keeps the order in which they came. */
	return requests->table ? requests->table->moments.at_ns[MOMENT_S] : UINT64_MAX;
}

/* Takes the request out of the table and tells the consumer what became of it. */
static int remove_request(struct requests *requests, struct request *request, int (*consume)(void *, struct request *))
{
	int status;

	HASH_DEL(requests->table, request);
	status = consume(requests->consumer.context, request);
	give_spare(requests, request);
	return status;
}

static int drop(struct requests *requests, struct request *request, uint64_t now_ns)
{
	int status;

	HASH_DEL(requests->table, request);
	status = requests->consumer.dropped(requests->consumer.context, request, now_ns);
	give_spare(requests, request);
	return status;
}

int requests_complete(struct requests *requests, const struct event *event)
{
	struct request *request = find(requests, event->process, event->complete.request);
	uint64_t end_ns = event->time_ns, c_ns, d_ns;
	struct moments *moments;
	int status;

	if (!request)
		return -ENOENT;
	moments = &request->moments;
	if (moments_know(moments, MOMENT_D)) {
		spoil(requests, request, ANOMALY_DUPLICATE_COMPLETE);
		return 0;
	}
	c_ns = event->complete.c2d_ns < end_ns ? end_ns - event->complete.c2d_ns : 0;
	d_ns = request->no_callback ? c_ns : end_ns;
	if (c_ns < moments->at_ns[MOMENT_S])
		spoil(requests, request, ANOMALY_NEGATIVE_PHASE);
	request->result = event->complete.result;
	moments_set(moments, MOMENT_C, c_ns);
	moments_set(moments, MOMENT_D, d_ns);
	/* Between D and its event another thread can look and say so first. */
	if (event->complete.looked || (moments_know(moments, MOMENT_A) && moments->at_ns[MOMENT_A] < end_ns))
		moments_set(moments, MOMENT_A, end_ns);

	status = requests->consumer.completed(requests->consumer.context, request);
	if (!status && moments_know(moments, MOMENT_A))
		status = remove_request(requests, request, requests->consumer.closed);
	return status;
}

int requests_reap(struct requests *requests, uint32_t process, uint64_t number, uint64_t time_ns)
{
	struct request *request = find(requests, process, number);

	if (!request)
		return -ENOENT;
	if (moments_know(&request->moments, MOMENT_A)) {
		spoil(requests, request, ANOMALY_REAP_OF_UNKNOWN_REQUEST);
		return 0;
	}
	moments_set(&request->moments, MOMENT_A, time_ns);
	if (!moments_know(&request->moments, MOMENT_D))
		return 0;
	return remove_request(requests, request, requests->consumer.closed);
}

int requests_sweep(struct requests *requests, const struct process *process, uint64_t round, uint64_t now_ns)
{
	int lossy = process->health.lost_count > 0;
	struct request *request, *next;

	HASH_ITER(hh, requests->table, request, next)
	{
		int completed = moments_know(&request->moments, MOMENT_D);
		int status = 0;

		if (request->process != process || request->round >= round)
			continue;
		if (!completed && (lossy || request->announced))
			status = drop(requests, request, now_ns);
		else if (completed && lossy)
			status = remove_request(requests, request, requests->consumer.closed);
		if (status)
			return status;
	}
	return 0;
}

int requests_finish(struct requests *requests)
{
	struct request *request, *next;

	HASH_ITER(hh, requests->table, request, next)
	{
		int completed = moments_know(&request->moments, MOMENT_D);
		int status = remove_request(requests, request, completed ? requests->consumer.closed : requests->consumer.left);

		if (status)
			return status;
	}
	return 0;
}
