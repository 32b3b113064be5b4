/* The report as JSON: docs/report-json.md is the contract. What was not observed is null, never 0. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/json_values.h"
#include "analyzer/writers/report.h"

#define SCHEMA 1

static struct json_object *lost_intervals(const struct model *model)
{
	struct json_object *list = json_object_new_array();

	for (const struct process *process = model_process_next(model, NULL); process; process = model_process_next(model, process)) {
		for (size_t i = 0; i < process->health.lost_count; i++) {
			const struct lost_interval *lost = &process->health.lost[i];
			struct json_object *object = json_object_new_object();

			put(object, "begin_ns", json_object_new_int64((int64_t)lost->begin_ns + process->clock_offset_ns));
			put(object, "end_ns", json_object_new_int64((int64_t)lost->end_ns + process->clock_offset_ns));
			put(object, "events", json_object_new_int64(lost->events));
			put_count(object, "pid", process->pid);
			json_object_array_add(list, object);
		}
	}
	return list;
}

static struct json_object *hosts(const struct model *model)
{
	struct json_object *list = json_object_new_array();

	for (const struct process *process = model_process_next(model, NULL); process; process = model_process_next(model, process)) {
		const struct process *earlier = model_process_next(model, NULL);
		struct json_object *object;

		while (earlier != process && strcmp(earlier->host, process->host) != 0)
			earlier = model_process_next(model, earlier);
		if (earlier != process || !*process->host)
			continue;
		object = json_object_new_object();
		put_text(object, "name", process->host);
		put(object, "clock_offset_ns", json_object_new_int64(process->clock_offset_ns));
		put(object, "clock_uncertainty_ns", NULL);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *trace(const struct report *report)
{
	const struct trace_summary *summary = model_trace(report->model);
	struct json_object *object = json_object_new_object(), *list = json_object_new_object();

	put(object, "begin_ns", summary->events ? json_object_new_int64(summary->begin_wall_ns) : NULL);
	put(object, "end_ns", summary->events ? json_object_new_int64(summary->end_wall_ns) : NULL);
	put_count(object, "events", summary->events);
	put(object, "lost_events", json_object_new_int64(summary->lost_events));
	put(object, "lost_intervals", lost_intervals(report->model));
	put_count(object, "unaccounted_events", summary->unaccounted_events);
	put_count(object, "unrecorded_calls", summary->passed_through);
	put_count(object, "untracked_operations", summary->untracked_operations);
	put_count(object, "unmatched_requests", summary->unmatched);
	put_count(object, "requests_before_recording", summary->before_recording);
	put_count(object, "unknown_events", report->unknown_events);
	for (int i = 0; i < ANOMALY_COUNT; i++)
		put_count(list, anomaly_name(i), summary->anomalies[i]);
	put_count(list, "unreadable", report->problem_count);
	put_count(list, "missing_field", report->missing_fields);
	put(object, "anomalies", list);

	list = json_object_new_array();
	for (size_t i = 0; i < report->problem_count; i++)
		json_object_array_add(list, json_object_new_string(report->problems[i]));
	put(object, "problems", list);
	list = json_object_new_object();
	for (const struct undecoded *undecoded = model_undecoded_next(report->model, NULL); undecoded;
	     undecoded = model_undecoded_next(report->model, undecoded))
		put_count(list, undecoded->what, undecoded->count);
	put(object, "undecoded", list);
	list = json_object_new_array();
	for (const struct unseen *unseen = model_unseen_next(report->model, NULL); unseen;
	     unseen = model_unseen_next(report->model, unseen))
		json_object_array_add(list, json_object_new_string(unseen->function));
	put(object, "unseen_functions", list);
	put(object, "hosts", hosts(report->model));
	return object;
}

static struct json_object *kind(const struct kind_stats *stats)
{
	struct json_object *object = json_object_new_object(), *phases = json_object_new_object();
	double iops = kind_stats_iops(stats);

	put_count(object, "completed", stats->completed);
	put_count(object, "failed", stats->failed);
	put_count(object, "bytes", stats->bytes);
	put(object, "iops", iops > 0 ? number(iops) : NULL);
	put(object, "latency", dist(&stats->latency));
	put(object, "total", dist(&stats->total));
	for (int i = 0; i < PHASE_COUNT; i++) {
		struct json_object *phase = NULL;

		if (stats->phases[i].count > 0) {
			phase = json_object_new_object();
			put(phase, "share", number(kind_stats_share(stats, i)));
			put(phase, "dist", dist(&stats->phases[i]));
		}
		put(phases, phase_name(i), phase);
	}
	put(object, "phases", phases);
	return object;
}

/* NULL, and so null, where librbd does not wait for a flush to use its cache. */
static struct json_object *cache(const struct client *client)
{
	const struct claims *claims = &client->claims;
	struct json_object *object;

	if (!claims->cached)
		return NULL;
	object = json_object_new_object();
	put(object, "flushed", json_object_new_boolean(claims->flushed));
	put(object, "at_ns",
	    claims->flushed_ns ? json_object_new_int64((int64_t)claims->flushed_ns + client->process->clock_offset_ns) : NULL);
	put_count(object, "early_writes", claims->early);
	put_count(object, "late_writes", claims->late);
	return object;
}

static struct json_object *client_object(const struct client *client)
{
	static const char *const names[] = {
#define KIND(upper, lower) #lower,
	    RBDPROF_KINDS(KIND)
#undef KIND
	};
	struct json_object *object = json_object_new_object(), *inner = json_object_new_object();
	uint64_t most = client_stats_in_flight_max(&client->stats);

	put_count(object, "id", client->id);
	put_text(object, "host", *client->process->host ? client->process->host : NULL);
	put_known(object, "pid", client->process->pid);
	put_text(object, "comm", *client->process->comm ? client->process->comm : NULL);
	put_text(object, "release", *client->release ? client->release : NULL);
	put_known(object, "open_ns", client->open_ns);
	put(object, "read_only", json_object_new_boolean(client->read_only));
	put(inner, "mean", most ? number(client_stats_in_flight_mean(&client->stats)) : NULL);
	put(inner, "max", most ? json_object_new_uint64(most) : NULL);
	put(object, "in_flight", inner);
	put_count(object, "open_requests", client->stats.open_requests);
	put(object, "cache", cache(client));
	inner = json_object_new_object();
	for (int i = 0; i < RBDPROF_KIND_COUNT; i++)
		if (client->stats.kinds[i])
			put(inner, names[i], kind(client->stats.kinds[i]));
	put(object, "requests", inner);
	return object;
}

static struct json_object *features(const struct image *image)
{
	struct json_object *list = json_object_new_array();
	uint64_t left = image->features;
	const char *name;

	while ((name = feature_next(&left)))
		json_object_array_add(list, json_object_new_string(name));
	return list;
}

static struct json_object *image_object(const struct report *report, const struct image *image)
{
	struct json_object *object = json_object_new_object(), *clients = json_object_new_array(), *config = json_object_new_object();
	bool seen;

	put_text(object, "cluster", image->cluster);
	put_text(object, "pool", image->pool);
	put_text(object, "namespace", image->namespace_);
	put_text(object, "name", image->name);
	put_text(object, "id", image->id);
	put_text(object, "snapshot", *image->snapshot ? image->snapshot : NULL);
	put_count(object, "size_bytes", image->size_bytes);
	put(object, "features", features(image));
	put_known(object, "object_size_bytes", image->object_size_bytes);
	put_known(object, "stripe_unit_bytes", image->stripe_unit_bytes);
	put_known(object, "stripe_count", image->stripe_count);
	put_text(object, "prefix", *image->prefix ? image->prefix : NULL);
	for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client)) {
		json_object_array_add(clients, client_object(client));
		for (const struct config *c = client_config_next(client, NULL); c; c = client_config_next(client, c))
			put_text(config, c->option, c->value);
	}
	put(object, "config", config);
	/* Where no operation was seen, nothing is known of how they were joined. */
	seen = image->operations + image->resent + image->unmatched_operations > 0;
	put(object, "operations", seen ? json_object_new_uint64(image->operations) : NULL);
	put(object, "unmatched_operations", seen ? json_object_new_uint64(image->unmatched_operations) : NULL);
	put(object, "resent", seen ? json_object_new_uint64(image->resent) : NULL);
	put(object, "ambiguous_joins", seen ? json_object_new_uint64(image->ambiguous_joins) : NULL);
	put(object, "clients", clients);
	put(object, "ownership", json_ownership(image));
	put(object, "journal", json_journal(image));
	put(object, "objects", json_objects(image));
	put(object, "placement_groups", json_placement_groups(report, image));
	return object;
}

int json_write(FILE *out, const struct report *report)
{
	struct json_object *root = json_object_new_object(), *images = json_object_new_array();
	const char *text;
	int err = 0;

	put(root, "schema", json_object_new_int(SCHEMA));
	put_text(root, "version", RBDPROF_VERSION);
	put(root, "trace", trace(report));
	put(root, "verdict", json_verdict(report));
	for (const struct image *image = model_image_next(report->model, NULL); image; image = model_image_next(report->model, image))
		if (report_image_wanted(report, image))
			json_object_array_add(images, image_object(report, image));
	put(root, "images", images);
	put(root, "locks", json_locks(report));
	put(root, "threads", json_threads(report));
	put(root, "processes", json_processes(report));

	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		err = -ENOMEM;
	else if (fprintf(out, "%s\n", text) < 0)
		err = -EIO;
	json_object_put(root);
	return err;
}
