#include "analyzer/core/ownership.h"

#include <errno.h>

#include "analyzer/core/owners.h"

#define NOTIFY_TIMEOUT_NS UINT64_C(5000000000) /* librbd's own, of its Notifier */

/* The client, which does something itself. */
static struct lock_client *traced_client(struct ownership *ownership, uint64_t id)
{
	struct lock_client *client = owners_client(ownership, id);

	if (client)
		client->traced = 1;
	return client;
}

int ownership_opened(struct ownership *ownership, uint64_t id, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);

	(void)now_ns;
	if (!client)
		return -ENOMEM;
	client->opens++;
	return 0;
}

int ownership_closed(struct ownership *ownership, uint64_t id, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);

	if (!client)
		return -ENOMEM;
	if (client->opens && --client->opens)
		return 0;
	return owners_is(ownership, client) ? owners_end(ownership, TENURE_GIVEN_UP, now_ns) : 0;
}

/* --- Operations ------------------------------------------------------------------------------------------------------- */

/* A call of the lock class about the image's lock, not about an object map's or one that an application made for itself. */
static int calls_lock(const struct operation *operation, enum rbdprof_method method)
{
	return operation->object == OBJECT_HEADER && operation->lock_watch && operation_calls(operation, method);
}

static int asks(const struct operation *operation)
{
	return operation->object == OBJECT_HEADER && operation_calls(operation, RBDPROF_METHOD_lock_get_info);
}

static void wanted(struct lock_client *client, uint64_t now_ns)
{
	if (!client->wanted_ns)
		client->wanted_ns = now_ns;
}

static void get_info_begun(struct lock_client *client, uint64_t now_ns)
{
	wanted(client, now_ns);
	client->coming = (struct tenure_moments){.noticed_ns = client->heard_ns, .get_info_ns = now_ns};
}

static void lock_begun(struct ownership *ownership, struct lock_client *client, uint64_t now_ns)
{
	ownership->in_use = 1;
	wanted(client, now_ns);
	if (!client->coming.get_info_ns)
		client->coming.noticed_ns = client->heard_ns;
	client->coming.lock_ns = now_ns;
	if (client->trying)
		return;
	client->trying = 1;
	ownership->trying++;
}

static void lock_over(struct ownership *ownership, struct lock_client *client)
{
	if (!client->trying)
		return;
	client->trying = 0;
	ownership->trying--;
}

static int unlock_begun(struct ownership *ownership, struct lock_client *client, uint64_t now_ns)
{
	int status = owners_prove(ownership, client, now_ns);

	ownership->in_use = 1;
	/* A lock that was broken is no longer its own. */
	if (status || !owners_is(ownership, client))
		return status;
	ownership->current->moments.unlock_ns = now_ns;
	ownership->unlocked_ns = UINT64_MAX;
	client->given_up = ownership->current->number;
	return owners_end(ownership, TENURE_GIVEN_UP, now_ns);
}

/* ACQUIRED or RELEASED is sent: the moment counts, not when the analyzer learns what is in it. */
static int announcement(struct ownership *ownership, struct lock_client *client, const struct operation *operation)
{
	struct tenure *tenure;

	if (!operation->notifies || operation->object != OBJECT_HEADER)
		return 0;
	if (operation->what == RBDPROF_RELEASED_LOCK) {
		tenure = tenures_find(&ownership->tenures, client->given_up);
		if (tenure && !tenure->moments.released_ns && operation->begin_ns >= tenure->end_ns)
			tenure->moments.released_ns = operation->begin_ns;
		return 0;
	}
	if (operation->what != RBDPROF_ACQUIRED_LOCK || !owners_is(ownership, client))
		return 0;
	tenure = ownership->current;
	if (operation->begin_ns < tenure->begin_ns || client->outstanding.takeover == TAKEOVER_NONE)
		return 0;
	tenure->moments.acquired_ns = operation->begin_ns;
	return owners_taken_over(ownership, client, operation->begin_ns);
}

int ownership_operation_begun(struct ownership *ownership, const struct operation *operation)
{
	struct lock_client *client = traced_client(ownership, operation->client);
	int status;

	if (!client || ownership->failed)
		return -ENOMEM;
	status = outstanding_begun(&client->outstanding, operation);
	if (asks(operation))
		get_info_begun(client, operation->begin_ns);
	if (calls_lock(operation, RBDPROF_METHOD_lock_lock))
		lock_begun(ownership, client, operation->begin_ns);
	if (!status && calls_lock(operation, RBDPROF_METHOD_lock_unlock))
		status = unlock_begun(ownership, client, operation->begin_ns);
	if (!status)
		status = announcement(ownership, client, operation);
	return status ? status : owners_note(ownership, client, operation->begin_ns);
}

/*
 * Somebody owns the lock. That is nobody in the trace if none of its clients owns it, none may have got it (its reply is on its way) and
 * none had given it up when the lock was asked for.
 */
static int refused_by_somebody(struct ownership *ownership, const struct operation *operation)
{
	if (ownership->current || ownership->trying || ownership->unlocked_ns > operation->begin_ns)
		return 0;
	return owners_unknown(ownership, operation->end_ns);
}

static int lock_done(struct ownership *ownership, struct lock_client *client, const struct operation *operation)
{
	lock_over(ownership, client);
	if (!operation->result) {
		client->coming.lock_ns = operation->begin_ns;
		client->coming.locked_ns = operation->end_ns;
		return owners_begin(ownership, client, operation->end_ns, 1);
	}
	if (operation->result == -EEXIST)
		return ownership->current ? 0 : owners_begin(ownership, client, operation->end_ns, 0);
	if (operation->result > 0)
		return 0;
	ownership->result.failed_attempts++;
	if (!client->refused_ns)
		client->refused_ns = operation->end_ns;
	return operation->result == -EBUSY ? refused_by_somebody(ownership, operation) : 0;
}

static uint64_t waited(const struct lock_client *client, uint64_t now_ns)
{
	return client && client->refused_ns ? now_ns - client->refused_ns : 0;
}

static int break_done(struct ownership *ownership, struct lock_client *client, const struct operation *operation)
{
	struct lock_client *broken = owners_client(ownership, operation->lock_locker);
	int status = 0;

	if (!broken)
		return -ENOMEM;
	if (operation->result)
		return 0;
	ownership->in_use = 1;
	ownership->result.breaks++;
	owners_incident(ownership, (struct incident){.kind = INCIDENT_BREAK,
						     .at_ns = operation->end_ns,
						     .client = client->id,
						     .other = operation->lock_locker,
						     .waited_ns = waited(client, operation->end_ns)});
	client->coming.break_ns = operation->begin_ns;
	client->coming.broke_ns = operation->end_ns;
	if (operation->lock_locker)
		status = owners_prove(ownership, broken, operation->begin_ns);
	if (status)
		return status;
	if (owners_is(ownership, broken) || (ownership->current && !operation->lock_locker && !owners_is(ownership, client)))
		return owners_end(ownership, TENURE_TAKEN, operation->begin_ns);
	return ownership->owner == TIMELINE_UNKNOWN ? owners_nobody(ownership, operation->end_ns) : 0;
}

static int unlock_done(struct ownership *ownership, const struct lock_client *client, const struct operation *operation)
{
	struct tenure *tenure = tenures_find(&ownership->tenures, client->given_up);

	if (tenure && tenure->moments.unlock_ns == operation->begin_ns)
		tenure->moments.unlocked_ns = operation->end_ns;
	if (ownership->unlocked_ns == UINT64_MAX)
		ownership->unlocked_ns = operation->end_ns;
	return 0;
}

/* After a lost watch: the lock is the client's still, under the new watch. */
static int cookie_set(struct ownership *ownership, struct lock_client *client, const struct operation *operation)
{
	if (operation->result)
		return 0;
	if (owners_is(ownership, client))
		ownership->lost_ns = 0;
	return owners_prove(ownership, client, operation->end_ns);
}

/* A refusal as the asker heard of it. A refuser that is traced tells of it itself. */
static void refused(struct ownership *ownership, const struct lock_client *asker, const struct operation *operation)
{
	const struct lock_client *refuser;

	HASH_FIND(hh, ownership->clients, &operation->refuser, sizeof(operation->refuser), refuser);
	if (refuser && refuser->traced)
		return;
	ownership->in_use = 1;
	ownership->result.refusals++;
	owners_incident(ownership, (struct incident){.kind = INCIDENT_REFUSED,
						     .at_ns = operation->end_ns,
						     .client = asker->id,
						     .other = operation->refuser,
						     .waited_ns = waited(asker, operation->end_ns),
						     .error = operation->refusal});
}

static void notify_done(struct ownership *ownership, const struct lock_client *client, const struct operation *operation)
{
	uint64_t took_ns = operation->end_ns - operation->begin_ns;
	struct tenure *tenure = tenures_find(&ownership->tenures, client->given_up);
	struct incident incident = {.kind = INCIDENT_NOTIFY_TIMEOUT,
				    .at_ns = operation->end_ns,
				    .client = client->id,
				    .waited_ns = took_ns,
				    .error = operation->result};

	if (tenure && tenure->moments.released_ns == operation->begin_ns)
		tenure->moments.answered_ns = operation->end_ns;
	if (operation->refuser && operation->what == RBDPROF_REQUEST_LOCK)
		refused(ownership, client, operation);
	incident.other = operation->silent;
	if (operation->result != -ETIMEDOUT && took_ns < NOTIFY_TIMEOUT_NS)
		return;
	if (operation->notifies && operation->what == RBDPROF_REQUEST_LOCK) {
		incident.kind = INCIDENT_REQUEST_TIMEOUT;
		if (!incident.other && ownership->current && !owners_is(ownership, client))
			incident.other = ownership->current->client;
		ownership->result.request_timeouts++;
	} else {
		ownership->result.notify_timeouts++;
	}
	owners_incident(ownership, incident);
}

static int lock_call_done(struct ownership *ownership, struct lock_client *client, const struct operation *operation)
{
	if (calls_lock(operation, RBDPROF_METHOD_lock_lock))
		return lock_done(ownership, client, operation);
	if (calls_lock(operation, RBDPROF_METHOD_lock_unlock))
		return unlock_done(ownership, client, operation);
	if (calls_lock(operation, RBDPROF_METHOD_lock_break_lock))
		return break_done(ownership, client, operation);
	if (calls_lock(operation, RBDPROF_METHOD_lock_set_cookie))
		return cookie_set(ownership, client, operation);
	return 0;
}

int ownership_operation_done(struct ownership *ownership, const struct operation *operation)
{
	struct lock_client *client = traced_client(ownership, operation->client);
	int status;

	if (!client || ownership->failed)
		return -ENOMEM;
	outstanding_done(&client->outstanding, operation);
	if (asks(operation) && client->coming.get_info_ns == operation->begin_ns)
		client->coming.got_info_ns = operation->end_ns;
	if (operation->object == OBJECT_JOURNAL_DATA && operation->kind == RBDPROF_OPERATION_READ && owners_is(ownership, client) &&
	    client->outstanding.takeover == TAKEOVER_REPLAY)
		ownership->current->replay_bytes += operation->reply_bytes;
	status = announcement(ownership, client, operation);
	if (operation->kind == RBDPROF_OPERATION_NOTIFY)
		notify_done(ownership, client, operation);
	if (!status)
		status = lock_call_done(ownership, client, operation);
	return status ? status : owners_note(ownership, client, operation->end_ns);
}

int ownership_operation_left(struct ownership *ownership, const struct operation *operation)
{
	struct lock_client *client = traced_client(ownership, operation->client);

	if (!client)
		return -ENOMEM;
	outstanding_done(&client->outstanding, operation);
	if (calls_lock(operation, RBDPROF_METHOD_lock_lock))
		lock_over(ownership, client);
	if (calls_lock(operation, RBDPROF_METHOD_lock_unlock) && ownership->unlocked_ns == UINT64_MAX)
		ownership->unlocked_ns = operation->begin_ns;
	return 0;
}

/* --- Notifications, watches ------------------------------------------------------------------------------------------- */

/* A client that is not traced has the lock since now at the latest. */
static int heard_acquired(struct ownership *ownership, struct lock_client *peer, uint64_t now_ns)
{
	const struct lock_client *owner;

	if (owners_is(ownership, peer))
		return 0;
	if (ownership->owner == TIMELINE_UNKNOWN)
		return owners_prove(ownership, peer, now_ns);
	/* What a traced client does tells more: this came late. */
	owner = ownership->current ? owners_client(ownership, ownership->current->client) : NULL;
	if (ownership->current && (!owner || owner->traced))
		return owner ? 0 : -ENOMEM;
	return owners_begin(ownership, peer, now_ns, 0);
}

static int heard_released(struct ownership *ownership, struct lock_client *peer, uint64_t now_ns)
{
	int status = owners_prove(ownership, peer, now_ns);

	return status || !owners_is(ownership, peer) ? status : owners_end(ownership, TENURE_GIVEN_UP, now_ns);
}

int ownership_notified(struct ownership *ownership, uint64_t id, uint32_t what, uint64_t about, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);
	struct lock_client *peer;

	if (!client)
		return -ENOMEM;
	if (what > RBDPROF_REQUEST_LOCK || !about || about == id)
		return 0;
	ownership->in_use = 1;
	if (what == RBDPROF_REQUEST_LOCK) {
		client->asker = about;
		if (owners_is(ownership, client) && !ownership->current->asked_ns)
			ownership->current->asked_ns = now_ns;
		return 0;
	}
	peer = owners_client(ownership, about);
	if (!peer)
		return -ENOMEM;
	if (what == RBDPROF_RELEASED_LOCK)
		client->heard_ns = now_ns;
	if (peer->traced)
		return 0;
	return what == RBDPROF_RELEASED_LOCK ? heard_released(ownership, peer, now_ns) : heard_acquired(ownership, peer, now_ns);
}

int ownership_answered(struct ownership *ownership, uint64_t id, int32_t result, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);
	const struct lock_client *asker;

	if (!client)
		return -ENOMEM;
	ownership->in_use = 1;
	if (result < 0) {
		HASH_FIND(hh, ownership->clients, &client->asker, sizeof(client->asker), asker);
		ownership->result.refusals++;
		owners_incident(ownership, (struct incident){.kind = INCIDENT_REFUSED,
							     .at_ns = now_ns,
							     .client = client->asker,
							     .other = id,
							     .waited_ns = waited(asker, now_ns),
							     .error = result});
	}
	return owners_prove(ownership, client, now_ns);
}

int ownership_usable(struct ownership *ownership, uint64_t id, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);
	int status;

	if (!client)
		return -ENOMEM;
	ownership->in_use = 1;
	status = owners_prove(ownership, client, now_ns);
	if (status || !owners_is(ownership, client))
		return status;
	if (!ownership->current->usable_ns)
		ownership->current->usable_ns = now_ns;
	if (!ownership->current->moments.acquired_ns)
		ownership->current->moments.acquired_ns = now_ns;
	return 0;
}

int ownership_watch_lost(struct ownership *ownership, uint64_t id, int32_t error, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);

	if (!client)
		return -ENOMEM;
	ownership->result.watches_lost++;
	owners_incident(ownership, (struct incident){.kind = INCIDENT_WATCH_LOST, .at_ns = now_ns, .client = id, .error = error});
	if (owners_is(ownership, client) && !ownership->lost_ns)
		ownership->lost_ns = now_ns;
	return 0;
}

/* --- Requests --------------------------------------------------------------------------------------------------------- */

uint64_t ownership_effect(struct ownership *ownership, uint64_t id, uint64_t now_ns)
{
	struct lock_client *client = traced_client(ownership, id);
	struct tenure_moments *moments;

	ownership->in_use = 1;
	if (!client || owners_prove(ownership, client, now_ns)) {
		ownership->failed = -ENOMEM;
		return 0;
	}
	if (!owners_is(ownership, client))
		return 0;
	moments = &ownership->current->moments;
	ownership->current->pending++;
	if (!moments->effect_ns) {
		moments->effect_ns = now_ns;
		/* librbd was ready, though it did not say so. */
		if (client->outstanding.takeover != TAKEOVER_NONE && !moments->acquired_ns)
			moments->acquired_ns = now_ns;
		if (owners_taken_over(ownership, client, now_ns))
			ownership->failed = -ENOMEM;
	}
	return ownership->current->number;
}

int ownership_served(struct ownership *ownership, uint64_t number, uint64_t c_ns, uint64_t bytes)
{
	struct tenure *tenure = tenures_find(&ownership->tenures, number);

	if (ownership->failed)
		return -ENOMEM;
	if (!tenure || tenure == ownership->tenures.settled)
		return 0;
	tenure_served(tenure, c_ns, bytes);
	return tenures_settle(&ownership->tenures, 0);
}

uint64_t ownership_usable_since(const struct ownership *ownership, uint64_t id)
{
	return ownership->current && ownership->current->client == id ? ownership->current->usable_ns : 0;
}

uint64_t ownership_wanted_since(const struct ownership *ownership, uint64_t id)
{
	return ownership->current && ownership->current->client == id ? ownership->current->wanted_ns : 0;
}

uint64_t ownership_owner(const struct ownership *ownership)
{
	return ownership->current ? ownership->current->client : 0;
}

enum lock_origin ownership_origin(const struct ownership *ownership, uint64_t id, uint64_t number)
{
	const struct tenure *tenure = ownership->current;

	if (number)
		tenure = tenures_find(&ownership->tenures, number);
	if (!tenure || tenure->client != id)
		return LOCK_OF_NOBODY;
	if (tenure->moments.break_ns)
		return LOCK_BROKEN;
	return tenure->from_peer ? LOCK_OF_PEER : LOCK_OF_NOBODY;
}
