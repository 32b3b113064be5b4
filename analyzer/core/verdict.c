#include "analyzer/core/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/evidence.h"
#include "analyzer/core/forecast.h"

static const struct {
	const char *name, *meaning;
	enum fact_unit unit;
} facts[] = {
#define FACT(upper, lower, unit, meaning) [FACT_OF_##upper] = {#lower, meaning, FACT_##unit},
    FACTS(FACT)
#undef FACT
};

static int (*const judges[])(const struct evidence *evidence, struct verdict *verdict) = {
#define CAUSE(upper, judge, ...) [CAUSE_##upper] = judge_##judge,
#include "analyzer/core/causes.def"
#undef CAUSE
};

const char *fact_name(enum fact fact)
{
	return facts[fact].name;
}

const char *fact_meaning(enum fact fact)
{
	return facts[fact].meaning;
}

enum fact_unit fact_unit(enum fact fact)
{
	return facts[fact].unit;
}

/* The verdict rests on what was made by processes of which events are missing. */
static int is_marked(const struct image *image)
{
	for (const struct client *client = image->clients; client; client = client->hh.next)
		if (process_is_lossy(client->process))
			return 1;
	return 0;
}

static struct verdict *add(struct verdicts *verdicts, const struct verdict *verdict)
{
	struct verdict *grown = realloc(verdicts->list, (verdicts->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	verdicts->list = grown;
	grown[verdicts->count] = *verdict;
	return &grown[verdicts->count++];
}

/* The greatest share first, whatever its whole; the table's order settles the rest. */
static int compare(const void *a, const void *b)
{
	const struct verdict *one = a, *other = b;

	if (one->share_mean != other->share_mean)
		return one->share_mean < other->share_mean ? 1 : -1;
	return one->cause < other->cause ? -1 : 1;
}

static int judge_image(struct verdicts *verdicts, const struct evidence *evidence_of_image)
{
	struct evidence evidence = *evidence_of_image;
	size_t first = verdicts->count;

	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		struct verdict verdict = {.cause = cause, .image = evidence.image};

		if (!judges[cause](&evidence, &verdict) || verdict.share_mean < cause_info(cause)->least)
			continue;
		verdict.marked = is_marked(evidence.image);
		forecast(&evidence, &verdict);
		if (!add(verdicts, &verdict))
			return -ENOMEM;
		evidence.told++;
	}
	if (verdicts->count > first)
		qsort(verdicts->list + first, verdicts->count - first, sizeof(*verdicts->list), compare);
	return 0;
}

void baseline_of(const struct model *model, struct baseline *baseline)
{
	uint64_t count[RBDPROF_KIND_COUNT] = {0};

	*baseline = (struct baseline){0};
	for (const struct image *image = model_image_next(model, NULL); image; image = model_image_next(model, image)) {
		for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client)) {
			for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++) {
				const struct kind_stats *stats = client->stats.kinds[kind];

				if (!stats)
					continue;
				count[kind] += stats->phases[PHASE_N2C].count;
				baseline->n2c_ns[kind] += (double)stats->phases[PHASE_N2C].sum;
			}
		}
	}
	for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT; kind++)
		baseline->n2c_ns[kind] /= count[kind] ? (double)count[kind] : 1;
}

int verdicts_build(struct verdicts *verdicts, const struct model *model, const struct baseline *baseline)
{
	int status = 0;

	*verdicts = (struct verdicts){0};
	for (const struct image *image = model_image_next(model, NULL); image && !status; image = model_image_next(model, image)) {
		struct evidence evidence;

		status = evidence_gather(&evidence, model, image, baseline);
		if (!status && evidence.all.count)
			status = judge_image(verdicts, &evidence);
		evidence_fini(&evidence);
	}
	if (status)
		verdicts_fini(verdicts);
	return status;
}

void verdicts_fini(struct verdicts *verdicts)
{
	free(verdicts->list);
	*verdicts = (struct verdicts){0};
}
