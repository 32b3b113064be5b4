#include "analyzer/core/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void timeline_fini(struct timeline *timeline)
{
	free(timeline->slots);
	*timeline = (struct timeline){0};
}

/* The owner has so much more of the slot; where no room is left, whoever has least of it is forgotten. */
static void slot_add(struct timeline_slot *slot, uint64_t owner, uint64_t ns)
{
	unsigned least = 0;

	for (unsigned i = 0; i < TIMELINE_OWNERS; i++) {
		if (slot->parts[i].ns && slot->parts[i].owner == owner) {
			slot->parts[i].ns += ns;
			return;
		}
		if (slot->parts[i].ns < slot->parts[least].ns)
			least = i;
	}
	if (slot->parts[least].ns >= ns)
		return;
	slot->parts[least].owner = owner;
	slot->parts[least].ns = ns;
}

static void halve(struct timeline *timeline)
{
	for (unsigned i = 0; i < TIMELINE_SLOTS / 2; i++) {
		struct timeline_slot both = timeline->slots[2 * i];
		const struct timeline_slot *second = &timeline->slots[2 * i + 1];

		for (unsigned part = 0; part < TIMELINE_OWNERS; part++)
			if (second->parts[part].ns)
				slot_add(&both, second->parts[part].owner, second->parts[part].ns);
		timeline->slots[i] = both;
	}
	memset(timeline->slots + TIMELINE_SLOTS / 2, 0, TIMELINE_SLOTS / 2 * sizeof(*timeline->slots));
	timeline->width_log2++;
}

int timeline_add(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns, uint64_t owner)
{
	if (!timeline->slots) {
		timeline->slots = calloc(TIMELINE_SLOTS, sizeof(*timeline->slots));
		if (!timeline->slots)
			return -ENOMEM;
		timeline->origin_ns = from_ns;
	}
	if (from_ns < timeline->origin_ns)
		from_ns = timeline->origin_ns;
	if (to_ns <= from_ns)
		return 0;
	if (to_ns > timeline->end_ns)
		timeline->end_ns = to_ns;
	from_ns -= timeline->origin_ns;
	to_ns -= timeline->origin_ns;
	while ((to_ns - 1) >> timeline->width_log2 >= TIMELINE_SLOTS)
		halve(timeline);
	while (from_ns < to_ns) {
		uint64_t slot = from_ns >> timeline->width_log2;
		uint64_t next_ns = (slot + 1) << timeline->width_log2;

		if (next_ns > to_ns)
			next_ns = to_ns;
		slot_add(&timeline->slots[slot], owner, next_ns - from_ns);
		from_ns = next_ns;
	}
	return 0;
}

/* Who had most of [from_ns, to_ns), told from the slots that it touches, each by the part of it that lies inside. */
static uint64_t most_of(const struct timeline *timeline, uint64_t from_ns, uint64_t to_ns)
{
	struct {
		uint64_t owner;
		double ns;
	} tally[16] = {{0}};
	unsigned known = 0, best = 0;
	double width = (double)(UINT64_C(1) << timeline->width_log2);

	for (uint64_t slot = from_ns >> timeline->width_log2; slot < TIMELINE_SLOTS && slot << timeline->width_log2 < to_ns; slot++) {
		uint64_t low = slot << timeline->width_log2, high = (slot + 1) << timeline->width_log2;
		double inside = (double)((high < to_ns ? high : to_ns) - (low > from_ns ? low : from_ns)) / width;

		for (unsigned part = 0; part < TIMELINE_OWNERS; part++) {
			unsigned i = 0;

			if (!timeline->slots[slot].parts[part].ns)
				continue;
			while (i < known && tally[i].owner != timeline->slots[slot].parts[part].owner)
				i++;
			if (i == sizeof(tally) / sizeof(*tally))
				continue;
			if (i == known)
				tally[known++].owner = timeline->slots[slot].parts[part].owner;
			tally[i].ns += (double)timeline->slots[slot].parts[part].ns * inside;
			if (tally[i].ns > tally[best].ns)
				best = i;
		}
	}
	return known ? tally[best].owner : TIMELINE_UNKNOWN;
}

void timeline_cut(const struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns, uint64_t *slices, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t span_ns = end_ns - begin_ns;
		/* As quotient and remainder: span × count may not fit. */
		uint64_t from_ns = begin_ns + span_ns / count * i + span_ns % count * i / count;
		uint64_t to_ns = begin_ns + span_ns / count * (i + 1) + span_ns % count * (i + 1) / count;

		slices[i] = TIMELINE_UNKNOWN;
		if (!timeline->slots || to_ns <= timeline->origin_ns || from_ns >= timeline->end_ns)
			continue;
		if (from_ns < timeline->origin_ns)
			from_ns = timeline->origin_ns;
		slices[i] = most_of(timeline, from_ns - timeline->origin_ns, to_ns - timeline->origin_ns);
	}
}
