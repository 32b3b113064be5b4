/* The verdict as JSON. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/json_values.h"
#include "analyzer/writers/verdict_words.h"

static void put_words(struct json_object *object, const char *key, const struct verdict *verdict, const char *text)
{
	char *words = verdict_words(verdict, text);

	put_text(object, key, words);
	free(words);
}

static struct json_object *share(double share)
{
	return share < 0 ? NULL : number(share);
}

/* With @SNAPSHOT. */
static struct json_object *image_name(const struct image *image)
{
	char path[IMAGE_PATH_BYTES], *name = NULL;
	struct json_object *text;

	if (asprintf(&name, "%s%s%s", report_image_path(path, image), *image->snapshot ? "@" : "", image->snapshot) < 0)
		return NULL;
	text = json_object_new_string(name);
	free(name);
	return text;
}

static struct json_object *advice(const struct verdict *verdict)
{
	struct json_object *list = json_object_new_array();

	for (const struct advice *advice = cause_info(verdict->cause)->advice; advice->when != ADVISE_NEVER; advice++) {
		char *words = verdict_advises(verdict, advice) ? verdict_words(verdict, advice->text) : NULL;

		if (words)
			json_object_array_add(list, json_object_new_string(words));
		free(words);
	}
	return list;
}

static struct json_object *also_possible(const struct verdict *verdict)
{
	struct json_object *list = json_object_new_array();

	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++)
		if (verdict->also_possible >> cause & 1)
			json_object_array_add(list, json_object_new_string(cause_info(cause)->name));
	return list;
}

static struct json_object *facts(const struct verdict *verdict)
{
	struct json_object *object = json_object_new_object();
	struct cell cell;

	for (unsigned i = 0; i < verdict->fact_count; i++) {
		const struct noted_fact *fact = &verdict->facts[i];
		const char *name = fact_name(fact->fact);

		switch (fact_unit(fact->fact)) {
		case FACT_TEXT:
		case FACT_STEP:
		case FACT_ADDRESS:
			put_text(object, name, fact_words(&cell, fact));
			break;
		case FACT_ID:
			put_count(object, name, fact->number);
			break;
		default:
			put(object, name, number(fact->value));
		}
	}
	return object;
}

static struct json_object *forecasts(const struct verdict *verdict)
{
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < verdict->forecast_count; i++) {
		struct json_object *object = json_object_new_object();

		put_text(object, "what", verdict->forecasts[i].what);
		put(object, "iops_low", number(verdict->forecasts[i].iops_low));
		put(object, "iops_high", number(verdict->forecasts[i].iops_high));
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *verdict_object(const struct verdict *verdict)
{
	const struct cause_info *info = cause_info(verdict->cause);
	struct json_object *object = json_object_new_object();

	put_text(object, "cause", info->name);
	put(object, "also_possible", also_possible(verdict));
	put(object, "image", image_name(verdict->image));
	put(object, "client", verdict->client ? json_object_new_uint64(verdict->client->id) : NULL);
	put_text(object, "share_of", whole_name(verdict->share_of));
	put(object, "share_mean", share(verdict->share_mean));
	put(object, "share_p50", share(verdict->share_p50));
	put(object, "share_p99", share(verdict->share_p99));
	put_words(object, "sentence", verdict, info->sentence);
	put(object, "advice", advice(verdict));
	put(object, "forecasts", forecasts(verdict));
	put(object, "marked", json_object_new_boolean(verdict->marked));
	put(object, "evidence", facts(verdict));
	return object;
}

struct json_object *json_verdict(const struct report *report)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < report->verdicts->count; i++)
		if (report_image_wanted(report, report->verdicts->list[i].image))
			json_object_array_add(list, verdict_object(&report->verdicts->list[i]));
	return list;
}
