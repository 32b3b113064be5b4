#include "analyzer/writers/report.h"

#include <string.h>

bool report_image_wanted(const struct report *report, const struct image *image)
{
	char full[512];

	if (!report->image || strcmp(report->image, image->name) == 0)
		return true;
	snprintf(full, sizeof(full), "%s/%s%s%s", image->pool, image->namespace_, *image->namespace_ ? "/" : "", image->name);
	return strcmp(report->image, full) == 0;
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
