/* Who owned an image's exclusive lock, what its journal did, and its placement groups, as JSON. */
#include "analyzer/writers/json_values.h"
#include "analyzer/writers/report.h"
#include "analyzer/writers/summary.h"

static struct json_object *share(uint64_t part, uint64_t whole)
{
	return whole ? number((double)part / (double)whole) : NULL;
}

/* Times of an image's lock are those of its clients' clock, which is one for all of a host. */
static int64_t clock_offset_ns(const struct image *image)
{
	const struct client *client = image_client_next(image, NULL);

	return client ? client->process->clock_offset_ns : 0;
}

static struct json_object *wall(const struct image *image, uint64_t at_ns)
{
	return json_object_new_int64((int64_t)at_ns + clock_offset_ns(image));
}

/* All of the closed list, in their order. A step that no handover had holds nothing: its share is 0 and it has no distribution. */
static struct json_object *steps(const struct ownership_result *ownership)
{
	struct json_object *list = json_object_new_array();

	for (int step = 0; step < STEP_COUNT; step++) {
		const struct histogram *histogram = &ownership->steps[step];
		struct json_object *object = json_object_new_object();

		put_text(object, "name", handover_step_name(step));
		put(object, "share", share(histogram->sum, ownership->handover.sum));
		put(object, "dist", histogram->sum ? dist(histogram) : NULL);
		put_count(object, "seen_in", histogram->count - histogram_zeros(histogram));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *owners(const struct ownership_result *ownership)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < ownership->owner_count; i++) {
		struct json_object *object = json_object_new_object();

		put_count(object, "client", ownership->owners[i].client);
		put(object, "share", share(ownership->owners[i].owned_ns, ownership->span_ns));
		put_count(object, "owned_ns", ownership->owners[i].owned_ns);
		put_count(object, "tenures", ownership->owners[i].tenures);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *incidents(const struct image *image)
{
	static const char *const kinds[] = {
	    [INCIDENT_BREAK] = "break_lock",
	    [INCIDENT_WATCH_LOST] = "watch_lost",
	    [INCIDENT_REFUSED] = "refused",
	    [INCIDENT_REQUEST_TIMEOUT] = "request_timeout",
	    [INCIDENT_NOTIFY_TIMEOUT] = "notify_timeout",
	};
	const struct ownership_result *ownership = image->ownership_is;
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < ownership->incident_count; i++) {
		const struct incident *incident = &ownership->incidents[i];
		struct json_object *object = json_object_new_object();

		put_text(object, "kind", kinds[incident->kind]);
		put(object, "at_ns", wall(image, incident->at_ns));
		put_known(object, "client", incident->client);
		put_known(object, "other", incident->other);
		put_known(object, "waited_ns", incident->waited_ns);
		put(object, "error", incident->error ? json_object_new_int(incident->error) : NULL);
		json_object_array_add(list, object);
	}
	return list;
}

/* The first tenures, one by one. */
static struct json_object *sequence(const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < ownership->sequence_count; i++) {
		const struct tenure_brief *tenure = &ownership->sequence[i];
		struct json_object *object = json_object_new_object();

		put_count(object, "client", tenure->client);
		put(object, "begin_ns", tenure->begin_ns ? wall(image, tenure->begin_ns) : NULL);
		put(object, "end_ns", tenure->end_ns ? wall(image, tenure->end_ns) : NULL);
		put(object, "requests", tenure->traced ? json_object_new_uint64(tenure->requests) : NULL);
		put(object, "replay_bytes", tenure->traced ? json_object_new_uint64(tenure->replay_bytes) : NULL);
		json_object_array_add(list, object);
	}
	return list;
}

/* Slices of the trace, each with the client that owned most of it: 0 is nobody, null is not known. */
static struct json_object *slices(const struct ownership_result *ownership)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < OWNERSHIP_SLICES; i++)
		json_object_array_add(list, ownership->slices[i] == UINT64_MAX ? NULL : json_object_new_uint64(ownership->slices[i]));
	return list;
}

struct json_object *json_ownership(const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;
	struct json_object *object;

	if (!ownership)
		return NULL;
	object = json_object_new_object();
	put_count(object, "tenures", ownership->tenures);
	put_count(object, "handovers", ownership->handovers);
	put_count(object, "reacquired", ownership->reacquired);
	put(object, "handovers_per_s", number(ownership_handovers_per_s(ownership)));
	put_count(object, "failed_attempts", ownership->failed_attempts);
	put_count(object, "breaks", ownership->breaks);
	put_count(object, "watches_lost", ownership->watches_lost);
	put_count(object, "refusals", ownership->refusals);
	put_count(object, "request_timeouts", ownership->request_timeouts);
	put_count(object, "notify_timeouts", ownership->notify_timeouts);
	put(object, "unowned_share", share(ownership->unowned_ns, ownership->span_ns));
	put(object, "unknown_share", share(ownership->unknown_ns, ownership->span_ns));
	put_count(object, "serving_ns", ownership->serving_ns);
	put_count(object, "handover_ns", ownership->handover.sum);
	put(object, "tenure", dist(&ownership->tenure));
	put(object, "tenure_requests", dist_of_counts(&ownership->tenure_requests));
	put(object, "tenure_bytes", dist_of_counts(&ownership->tenure_bytes));
	put(object, "until_asked", dist(&ownership->tenure_until_asked));
	put(object, "drain", dist(&ownership->tenure_drain));
	put(object, "handover", dist(&ownership->handover));
	put(object, "steps", steps(ownership));
	put(object, "owners", owners(ownership));
	put(object, "incidents", incidents(image));
	put(object, "sequence", sequence(image));
	put(object, "slices", slices(ownership));
	return object;
}

/* Handovers by the bytes of the journal that were read back in them; classes without any are left out. */
static struct json_object *replays(const struct ownership_result *ownership)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		const struct replay_class *class = &ownership->replay[i];
		struct json_object *object;

		if (class->handovers == 0)
			continue;
		object = json_object_new_object();
		put(object, "above_bytes", i > 0 ? json_object_new_uint64(summary_replay_bytes(i - 1)) : NULL);
		put(object, "up_to_bytes", i + 1 < OWNERSHIP_REPLAY_CLASSES ? json_object_new_uint64(summary_replay_bytes(i)) : NULL);
		put_count(object, "handovers", class->handovers);
		put(object, "handover", dist(&class->handover));
		put(object, "replay", dist(&class->replay));
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *json_journal(const struct image *image)
{
	const struct journal *journal = &image->journal;
	double per_s = summary_appends_per_s(journal);
	struct json_object *object;

	if (!summary_has_journal(image))
		return NULL;
	object = json_object_new_object();
	put_count(object, "appends", journal->appends);
	put(object, "appends_per_s", per_s > 0 ? number(per_s) : NULL);
	put_count(object, "append_bytes", journal->append_bytes);
	put(object, "append", dist(&journal->append));
	put_count(object, "refused", journal->refused);
	put_count(object, "entries", journal->entries);
	put_count(object, "entries_joined", journal->entries_joined);
	put_count(object, "writes", journal->writes);
	put_count(object, "writes_unjoined", journal->writes_unjoined);
	put_count(object, "commits", journal->commits);
	put_count(object, "tags", journal->tags);
	put_count(object, "replay_reads", journal->replay_reads);
	put_count(object, "replay_bytes", journal->replay_bytes);
	put(object, "replays", image->ownership_is ? replays(image->ownership_is) : NULL);
	put(object, "after_acknowledgement", dist(&journal->after_acknowledgement));
	return object;
}

static struct json_object *osds_of(const struct osdmap *map, const char *group)
{
	size_t count;
	const int32_t *osds = osdmap_acting(map, group, &count);
	struct json_object *list = count ? json_object_new_array() : NULL;

	for (size_t i = 0; i < count; i++)
		json_object_array_add(list, json_object_new_int(osds[i]));
	return list;
}

struct json_object *json_placement_groups(const struct report *report, const struct image *image)
{
	struct json_object *list = json_object_new_array();
	const struct placement_group *group = NULL;

	while ((group = placement_groups_next(&image->placement_groups, group))) {
		struct json_object *object = json_object_new_object();
		char text[PLACEMENT_GROUP_TEXT];

		put_text(object, "pg", placement_group_text(group, text));
		put(object, "osds", osds_of(report->osds, text));
		put_count(object, "operations", group->operations);
		put(object, "n2c", dist(&group->n2c));
		json_object_array_add(list, object);
	}
	return list;
}
