#include "analyzer/core/owners.h"

#include <errno.h>
#include <stdlib.h>

struct lock_client *owners_client(struct ownership *ownership, uint64_t id)
{
	struct lock_client *client;

	HASH_FIND(hh, ownership->clients, &id, sizeof(id), client);
	if (client)
		return client;
	client = calloc(1, sizeof(*client));
	if (!client)
		return NULL;
	client->id = id;
	HASH_ADD(hh, ownership->clients, id, sizeof(id), client);
	if (hash_failed(client)) {
		free(client);
		return NULL;
	}
	return client;
}

int owners_is(const struct ownership *ownership, const struct lock_client *client)
{
	return ownership->current && ownership->current->client == client->id;
}

/* Counts a stretch of time for whoever owned the lock in it. */
static void credit(struct ownership *ownership, uint64_t owner, uint64_t ns)
{
	struct lock_client *client;

	if (owner == TIMELINE_NOBODY) {
		ownership->result.unowned_ns += ns;
		return;
	}
	if (owner == TIMELINE_UNKNOWN) {
		ownership->result.unknown_ns += ns;
		return;
	}
	HASH_FIND(hh, ownership->clients, &owner, sizeof(owner), client);
	if (client)
		client->owned_ns += ns;
}

static int change(struct ownership *ownership, uint64_t owner, uint64_t now_ns)
{
	int status = 0;

	if (now_ns < ownership->since_ns)
		now_ns = ownership->since_ns;
	if (!ownership->first_ns) {
		ownership->first_ns = now_ns;
		ownership->first_owner = ownership->owner;
	} else {
		status = timeline_add(&ownership->timeline, ownership->since_ns, now_ns, ownership->owner);
		credit(ownership, ownership->owner, now_ns - ownership->since_ns);
	}
	ownership->owner = owner;
	ownership->since_ns = now_ns;
	return status;
}

/* Counts the tenure that begins, and whether its client had the one before too. */
static void count_tenure(struct ownership *ownership, struct lock_client *client, const struct tenure *tenure)
{
	struct ownership_result *result = &ownership->result;

	client->tenures++;
	result->tenures++;
	if (result->tenures == 1)
		return;
	result->handovers++;
	if (ownership->last_owner == client->id && !tenure->after_unknown)
		result->reacquired++;
}

int owners_begin(struct ownership *ownership, struct lock_client *client, uint64_t begin_ns, int seen)
{
	struct tenure *tenure;
	int status = 0;

	if (ownership->current)
		status = owners_end(ownership, TENURE_GIVEN_UP, begin_ns);
	if (status)
		return status;
	if (begin_ns < ownership->since_ns)
		begin_ns = ownership->since_ns;
	/* A lock that is free for the first that asks had no owner before. */
	if (seen && !ownership->evidence)
		ownership->owner = TIMELINE_NOBODY;
	tenure = tenures_begin(&ownership->tenures, client->id, begin_ns);
	if (!tenure)
		return -ENOMEM;
	tenure->after_unknown = ownership->owner == TIMELINE_UNKNOWN && begin_ns > ownership->since_ns;
	tenure->begin_seen = seen != 0;
	tenure->traced = client->traced != 0;
	tenure->from_peer = tenure->after_unknown || (ownership->last_owner && (ownership->last_owner != client->id || ownership->last_asked));
	if (seen)
		tenure->moments = client->coming;
	count_tenure(ownership, client, tenure);
	client->coming = (struct tenure_moments){0};
	tenure->wanted_ns = client->wanted_ns;
	client->wanted_ns = 0;
	client->heard_ns = 0;
	client->refused_ns = 0;
	client->outstanding.takeover = seen ? TAKEOVER_OPEN : TAKEOVER_NONE;
	ownership->current = tenure;
	ownership->evident_ns = 0;
	ownership->evidence = 1;
	ownership->in_use = 1;
	status = change(ownership, client->id, begin_ns);
	return status ? status : owners_note(ownership, client, begin_ns);
}

int owners_prove(struct ownership *ownership, struct lock_client *client, uint64_t now_ns)
{
	if (ownership->owner != TIMELINE_UNKNOWN)
		return 0;
	return owners_begin(ownership, client, ownership->evident_ns ? ownership->evident_ns : now_ns, 0);
}

int owners_end(struct ownership *ownership, enum tenure_end end, uint64_t now_ns)
{
	struct tenure *tenure = ownership->current;
	struct lock_client *client = owners_client(ownership, tenure->client);
	int status;

	if (ownership->lost_ns) {
		end = TENURE_TAKEN;
		now_ns = ownership->lost_ns;
	}
	tenure_end(tenure, end, now_ns);
	if (client)
		client->outstanding.takeover = TAKEOVER_NONE;
	ownership->last_owner = tenure->client;
	ownership->last_asked = tenure->asked_ns != 0;
	ownership->current = NULL;
	ownership->lost_ns = 0;
	status = change(ownership, TIMELINE_NOBODY, tenure->end_ns);
	return status ? status : tenures_settle(&ownership->tenures, 0);
}

int owners_unknown(struct ownership *ownership, uint64_t now_ns)
{
	ownership->evidence = 1;
	if (!ownership->evident_ns)
		ownership->evident_ns = now_ns;
	return ownership->owner == TIMELINE_NOBODY ? change(ownership, TIMELINE_UNKNOWN, now_ns) : 0;
}

int owners_nobody(struct ownership *ownership, uint64_t now_ns)
{
	ownership->evidence = 1;
	ownership->evident_ns = 0;
	return change(ownership, TIMELINE_NOBODY, now_ns);
}

int owners_note(struct ownership *ownership, struct lock_client *client, uint64_t now_ns)
{
	if (!owners_is(ownership, client))
		return 0;
	return segments_add(&ownership->current->segments, now_ns, outstanding_step(&client->outstanding));
}

int owners_taken_over(struct ownership *ownership, struct lock_client *client, uint64_t now_ns)
{
	struct segments *segments = &ownership->current->segments;

	if (client->outstanding.takeover == TAKEOVER_NONE)
		return 0;
	segments->kept = segments->count;
	client->outstanding.takeover = TAKEOVER_NONE;
	return owners_note(ownership, client, now_ns);
}

void owners_incident(struct ownership *ownership, struct incident incident)
{
	if (ownership->result.incident_count < OWNERSHIP_INCIDENTS)
		ownership->incidents[ownership->result.incident_count++] = incident;
}

struct ownership *ownership_create(void)
{
	struct ownership *ownership = calloc(1, sizeof(*ownership));

	if (!ownership)
		return NULL;
	ownership->owner = TIMELINE_UNKNOWN;
	ownership->tenures.result = &ownership->result;
	ownership->result.incidents = ownership->incidents;
	return ownership;
}

static void result_fini(struct ownership_result *result)
{
	histogram_fini(&result->tenure);
	histogram_fini(&result->tenure_requests);
	histogram_fini(&result->tenure_bytes);
	histogram_fini(&result->tenure_until_asked);
	histogram_fini(&result->tenure_drain);
	histogram_fini(&result->handover);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		histogram_fini(&result->steps[step]);
	for (unsigned i = 0; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		histogram_fini(&result->replay[i].handover);
		histogram_fini(&result->replay[i].replay);
	}
}

void ownership_destroy(struct ownership *ownership)
{
	struct lock_client *client, *next;

	if (!ownership)
		return;
	HASH_ITER(hh, ownership->clients, client, next)
	{
		HASH_DEL(ownership->clients, client);
		outstanding_fini(&client->outstanding);
		free(client);
	}
	tenures_fini(&ownership->tenures);
	timeline_fini(&ownership->timeline);
	result_fini(&ownership->result);
	free(ownership->owners);
	free(ownership);
}

/* The longest first, and of equal ones the lower id. */
static int compare_owners(const void *a, const void *b)
{
	const struct owner *one = a, *other = b;

	if (one->owned_ns != other->owned_ns)
		return one->owned_ns < other->owned_ns ? 1 : -1;
	return one->client > other->client ? 1 : -1;
}

static int list_owners(struct ownership *ownership)
{
	struct ownership_result *result = &ownership->result;
	struct lock_client *client, *next;

	ownership->owners = calloc(HASH_COUNT(ownership->clients) + 1, sizeof(*ownership->owners));
	if (!ownership->owners)
		return -ENOMEM;
	HASH_ITER(hh, ownership->clients, client, next)
	if (client->tenures)
		ownership->owners[result->owner_count++] =
		    (struct owner){.client = client->id, .owned_ns = client->owned_ns, .tenures = client->tenures};
	qsort(ownership->owners, result->owner_count, sizeof(*ownership->owners), compare_owners);
	result->owners = ownership->owners;
	return 0;
}

static void draw(struct ownership *ownership, uint64_t begin_ns, uint64_t now_ns)
{
	uint64_t *slices = ownership->result.slices;

	timeline_cut(&ownership->timeline, begin_ns, now_ns, slices, OWNERSHIP_SLICES);
	for (unsigned i = 0; i < OWNERSHIP_SLICES; i++)
		if (begin_ns + (uint64_t)((double)(now_ns - begin_ns) * (i + 0.5) / OWNERSHIP_SLICES) < ownership->first_ns)
			slices[i] = ownership->first_owner;
}

int ownership_finish(struct ownership *ownership, uint64_t begin_ns, uint64_t now_ns)
{
	int status = ownership->failed;

	if (!status && ownership->current)
		status = owners_end(ownership, TENURE_CUT, now_ns);
	if (!status)
		status = change(ownership, ownership->owner, now_ns);
	if (!status)
		status = tenures_settle(&ownership->tenures, 1);
	if (status)
		return status;
	if (ownership->first_ns > begin_ns)
		credit(ownership, ownership->first_owner, ownership->first_ns - begin_ns);
	ownership->result.span_ns = now_ns - begin_ns;
	draw(ownership, begin_ns, now_ns);
	return list_owners(ownership);
}

const struct ownership_result *ownership_result(const struct ownership *ownership)
{
	return ownership->in_use ? &ownership->result : NULL;
}

double ownership_handovers_per_s(const struct ownership_result *result)
{
	uint64_t span_ns = result->handover.count ? result->serving_ns + result->handover.sum : result->span_ns;

	return span_ns ? (double)result->handovers * 1e9 / (double)span_ns : 0;
}
