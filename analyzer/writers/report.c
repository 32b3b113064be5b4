#include "analyzer/writers/report.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/demangle.h"

const char *report_image_path(char path[IMAGE_PATH_BYTES], const struct image *image)
{
	snprintf(path, IMAGE_PATH_BYTES, "%s/%s%s%s", image->pool, image->namespace_, *image->namespace_ ? "/" : "", image->name);
	return path;
}

bool report_image_wanted(const struct report *report, const struct image *image)
{
	char path[IMAGE_PATH_BYTES];

	return !report->image || strcmp(report->image, image->name) == 0 || strcmp(report->image, report_image_path(path, image)) == 0;
}

uint64_t report_anomalies(const struct report *report)
{
	uint64_t count = report->problem_count + report->missing_fields;

	for (int i = 0; i < ANOMALY_COUNT; i++)
		count += model_trace(report->model)->anomalies[i];
	return count;
}

const char *feature_next(uint64_t *features)
{
	static const char *const names[] = {"layering",   "striping",  "exclusive-lock", "object-map", "fast-diff",   "deep-flatten",
					    "journaling", "data-pool", "operations",     "migrating",  "non-primary", "dirty-cache"};
	static char unnamed[24];
	int bit = *features ? __builtin_ctzll(*features) : -1;

	if (bit < 0)
		return NULL;
	*features &= *features - 1;
	if ((size_t)bit < sizeof(names) / sizeof(names[0]))
		return names[bit];
	snprintf(unnamed, sizeof(unnamed), "feature-bit-%d", bit);
	return unnamed;
}

static const struct {
	const char *words, *meaning;
} steps[STEP_COUNT] = {
    [STEP_DRAIN] = {"draining", "old owner: its last operations come home"},
    [STEP_JOURNAL_CLOSE] = {"closing the journal", "old owner: writes commit position, unwatches"},
    [STEP_OBJECT_MAP_CLOSE] = {"unlocking the object map", "old owner: unlocks the object map"},
    [STEP_UNLOCK] = {"lock.unlock", "old owner: lock.unlock"},
    [STEP_NOTICE] = {"the notice of release", "the notice of release reaches the new owner"},
    [STEP_WAKE] = {"waiting to ask again", "new owner: until it asks again"},
    [STEP_GET_INFO] = {"lock.get_info", "new owner: lock.get_info, who has it?"},
    [STEP_LOCK] = {"lock.lock", "new owner: lock.lock"},
    [STEP_REFRESH] = {"rereading the header", "new owner: rereads the image's header"},
    [STEP_OBJECT_MAP] = {"loading the object map", "new owner: locks and loads the object map"},
    [STEP_JOURNAL_OPEN] = {"opening the journal", "new owner: reads the journal's header"},
    [STEP_REPLAY] = {"replay", "new owner: reads journal objects back"},
    [STEP_TAG] = {"allocating the journal tag", "new owner: allocates a tag in the journal"},
    [STEP_LIBRBD] = {"librbd's own work", "librbd itself: no operation explains it"},
    [STEP_FIRST_OPERATION] = {"starting the first request", "new owner: until it sends a first operation"},
    [STEP_FIRST_COMPLETION] = {"serving the first request", "until the first request is complete"},
    [STEP_OWNER_NOT_SEEN] = {"an owner that was not traced", "under an owner that was not traced"},
};

const char *report_step_words(enum handover_step step)
{
	return steps[step].words;
}

const char *report_step_meaning(enum handover_step step)
{
	return steps[step].meaning;
}

/* The row of the lock at that address in a process that uses the image; the one waited for longest if there are several. */
static const struct lock_row *find_row(const struct lock_rows *rows, const struct image *image, uint64_t address)
{
	for (const struct lock_row *row = lock_rows_next(rows, NULL); row; row = lock_rows_next(rows, row))
		for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client))
			for (uint64_t i = 0; client->process == row->process && i < row->instances; i++)
				if (row->locks[i]->key.address == address)
					return row;
	return NULL;
}

void report_name_locks(struct verdicts *verdicts, const struct lock_rows *rows)
{
	for (size_t i = 0; i < verdicts->count; i++) {
		for (unsigned f = 0; f < verdicts->list[i].fact_count; f++) {
			struct noted_fact *fact = &verdicts->list[i].facts[f];
			const struct lock_row *row =
			    fact_unit(fact->fact) == FACT_ADDRESS ? find_row(rows, verdicts->list[i].image, fact->number) : NULL;
			char *name = row ? strdup(row->name) : NULL;

			if (name)
				snprintf(fact->text, sizeof(fact->text), "%s", shorten_type(name));
			free(name);
		}
	}
}
