/* An image's placement groups as text: those that are slower than the others. They tell of a slow OSD or disk, since each lives on one. */
#include <stdlib.h>

#include "analyzer/writers/text.h"

#define GROUPS_MAX 5

/* A median of so many values, and a p99 of so many, says something. */
#define ENOUGH_FOR_P50 20
#define ENOUGH_FOR_P99 200

/* A group stands out when it is so many times the median group. */
#define SLOW_P50 1.5
#define SLOW_P99 3.0

struct group {
	const struct placement_group *is;
	uint64_t p50_ns;
	uint64_t p99_ns;
};

static int slowest_first(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	return (one->p50_ns < other->p50_ns) - (one->p50_ns > other->p50_ns);
}

static int slowest_tail_first(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	return (one->p99_ns < other->p99_ns) - (one->p99_ns > other->p99_ns);
}

static bool stands_out(const struct group *group, uint64_t p50_ns, uint64_t p99_ns)
{
	return (double)group->p50_ns > SLOW_P50 * (double)p50_ns ||
	       (group->is->n2c.count >= ENOUGH_FOR_P99 && (double)group->p99_ns > SLOW_P99 * (double)p99_ns);
}

/* osds: NULL when they are not known. */
static void put_group(FILE *out, const char *label, uint64_t count, uint64_t p50_ns, uint64_t p99_ns, const char *osds)
{
	struct cell cell;

	fprintf(out, "    ");
	put_cell(out, -16, label);
	if (count)
		fprintf(out, "%9llu", (unsigned long long)count);
	else
		fprintf(out, "%9s", "");
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)p50_ns));
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)p99_ns));
	fprintf(out, "%s%s\n", osds ? "  " : "", osds ? osds : "");
}

/* The OSDs of the group, its primary first, as "3, 0, 2". Returns `text`, NULL when they are not known. */
static const char *osds_text(const struct osdmap *map, const char *group, char text[64])
{
	size_t count, length = 0;
	const int32_t *osds = osdmap_acting(map, group, &count);

	for (size_t i = 0; i < count && length < 64; i++)
		length += (size_t)snprintf(text + length, 64 - length, "%s%d", i ? ", " : "", osds[i]);
	return count ? text : NULL;
}

static int by_id(const void *a, const void *b)
{
	int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;

	return (one > other) - (one < other);
}

/* Of several groups that stand out, the OSD that most of them have. groups: those. */
static void put_common_osd(FILE *out, const struct osdmap *map, const struct group *groups, size_t count)
{
	size_t all = 0, osd_count, run = 0, most = 0;
	int32_t *osds = NULL, common = 0;

	for (size_t i = 0; i < count; i++) {
		char text[PLACEMENT_GROUP_TEXT];
		const int32_t *acting = osdmap_acting(map, placement_group_text(groups[i].is, text), &osd_count);
		int32_t *grown = realloc(osds, (all + osd_count + 1) * sizeof(*osds));

		if (!grown)
			break;
		osds = grown;
		for (size_t at = 0; at < osd_count; at++)
			osds[all++] = acting[at];
	}
	if (all)
		qsort(osds, all, sizeof(*osds), by_id);
	for (size_t i = 0; i < all; i++) {
		run = i && osds[i] == osds[i - 1] ? run + 1 : 1;
		if (run <= most)
			continue;
		most = run;
		common = osds[i];
	}
	free(osds);
	if (most > 1)
		fprintf(out, "    osd.%d serves %zu of the %zu that stand out\n", common, most, count);
}

/* groups: at least two, comparable. */
static void put_comparison(FILE *out, const struct osdmap *map, struct group *groups, size_t count, uint64_t all)
{
	uint64_t p50_ns, p99_ns;
	struct cell low, high;
	size_t outliers = 0;

	qsort(groups, count, sizeof(*groups), slowest_tail_first);
	p99_ns = groups[count / 2].p99_ns;
	qsort(groups, count, sizeof(*groups), slowest_first);
	p50_ns = groups[count / 2].p50_ns;
	for (size_t i = 0; i < count; i++)
		if (stands_out(&groups[i], p50_ns, p99_ns))
			groups[outliers++] = groups[i];
	if (outliers == 0) {
		fprintf(out, "none of %llu stands out, p50 of n2c is %s to %s\n", (unsigned long long)all,
			cell_ns(&low, (double)groups[count - 1].p50_ns), cell_ns(&high, (double)groups[0].p50_ns));
		return;
	}
	fprintf(out, "%zu of %llu stand%s out\n", outliers, (unsigned long long)all, outliers == 1 ? "s" : "");
	fprintf(out, "    %-16s%9s%9s%9s%s\n", "n2c by group", "requests", "p50", "p99", map ? "  OSDs" : "");
	for (size_t i = 0; i < outliers && i < GROUPS_MAX; i++) {
		char text[PLACEMENT_GROUP_TEXT], osds[64];

		placement_group_text(groups[i].is, text);
		put_group(out, text, groups[i].is->n2c.count, groups[i].p50_ns, groups[i].p99_ns, osds_text(map, text, osds));
	}
	put_group(out, "median group", 0, p50_ns, p99_ns, NULL);
	put_common_osd(out, map, groups, outliers);
}

void text_placement(FILE *out, const struct report *report, const struct image *image)
{
	const struct placement_group *group = NULL;
	struct group *groups;
	size_t count = 0;
	uint64_t all = 0;

	while ((group = placement_groups_next(&image->placement_groups, group)))
		all++;
	if (all == 0)
		return;
	fprintf(out, "\n  Placement groups: ");
	groups = calloc(all, sizeof(*groups));
	while (groups && (group = placement_groups_next(&image->placement_groups, group)))
		if (group->n2c.count >= ENOUGH_FOR_P50)
			groups[count++] = (struct group){
			    .is = group,
			    .p50_ns = histogram_percentile(&group->n2c, 0.5),
			    .p99_ns = histogram_percentile(&group->n2c, 0.99),
			};
	if (count < 2)
		fprintf(out, "%llu, with too few requests to compare\n", (unsigned long long)all);
	else
		put_comparison(out, report->osds, groups, count, all);
	free(groups);
}
