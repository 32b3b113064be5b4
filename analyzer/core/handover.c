#include "analyzer/core/handover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *handover_step_name(enum handover_step step)
{
	static const char *const names[] = {
#define STEP(upper, lower) #lower,
	    HANDOVER_STEPS(STEP)
#undef STEP
	};

	return names[step];
}

void segments_fini(struct segments *segments)
{
	free(segments->list);
	*segments = (struct segments){0};
}

/* Forgets those that nobody can ask for any more. */
static void segments_trim(struct segments *segments)
{
	size_t from = segments->kept, to = from;

	while (to + 1 < segments->count && segments->list[to + 1].begin_ns <= segments->floor_ns)
		to++;
	memmove(segments->list + from, segments->list + to, (segments->count - to) * sizeof(*segments->list));
	segments->count -= to - from;
}

static int segments_reserve(struct segments *segments)
{
	struct segment *list;
	size_t room;

	if (segments->count < segments->room)
		return 0;
	if (segments->count)
		segments_trim(segments);
	/* Trimming must pay: with less than half of the room free it would be back too soon. */
	if (segments->count < segments->room / 2)
		return 0;
	room = segments->room ? segments->room * 2 : 16;
	list = realloc(segments->list, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	segments->list = list;
	segments->room = room;
	return 0;
}

int segments_add(struct segments *segments, uint64_t now_ns, enum handover_step step)
{
	struct segment *last = segments->count ? &segments->list[segments->count - 1] : NULL;
	int status;

	if (last && last->step == step)
		return 0;
	if (last && last->begin_ns >= now_ns && segments->count > segments->kept) {
		last->step = step;
		return 0;
	}
	if (last && now_ns < last->begin_ns)
		now_ns = last->begin_ns;
	status = segments_reserve(segments);
	if (status)
		return status;
	segments->list[segments->count++] = (struct segment){.begin_ns = now_ns, .step = step};
	return 0;
}

void handover_begin(struct handover *handover, uint64_t last_ns)
{
	*handover = (struct handover){.begin_ns = last_ns, .now_ns = last_ns};
}

/* Goes on to a moment, if it lies ahead and not beyond until_ns. */
static void walk(struct handover *handover, uint64_t to_ns, uint64_t until_ns, enum handover_step step)
{
	if (to_ns > until_ns)
		to_ns = until_ns;
	if (to_ns <= handover->now_ns)
		return;
	handover->steps[step] += to_ns - handover->now_ns;
	handover->now_ns = to_ns;
}

/* The same, each instant by the segment that it lies in. */
static void walk_segments(struct handover *handover, uint64_t to_ns, uint64_t until_ns, const struct segments *segments)
{
	if (to_ns > until_ns)
		to_ns = until_ns;
	if (segments->count)
		walk(handover, segments->list[0].begin_ns, to_ns, STEP_LIBRBD);
	for (size_t i = 0; i < segments->count; i++)
		walk(handover, i + 1 < segments->count ? segments->list[i + 1].begin_ns : to_ns, to_ns, segments->list[i].step);
	walk(handover, to_ns, to_ns, STEP_LIBRBD);
}

void handover_release(struct handover *handover, const struct tenure_moments *moments, const struct segments *segments,
		      const struct tenure_moments *next, int same, uint64_t until_ns)
{
	uint64_t asked_ns = next->get_info_ns ? next->get_info_ns : next->lock_ns;
	uint64_t noticed_ns = same ? moments->answered_ns : next->noticed_ns;

	walk_segments(handover, moments->unlock_ns, until_ns, segments);
	walk(handover, moments->unlocked_ns, until_ns, STEP_UNLOCK);
	/* What comes after the new owner asked did not make it ask. */
	if (moments->released_ns <= asked_ns)
		walk(handover, moments->released_ns, until_ns, STEP_LIBRBD);
	if (noticed_ns <= asked_ns)
		walk(handover, noticed_ns, until_ns, STEP_NOTICE);
}

void handover_unseen(struct handover *handover, uint64_t until_ns)
{
	memset(handover->steps, 0, sizeof(handover->steps));
	handover->steps[STEP_OWNER_NOT_SEEN] = handover->now_ns - handover->begin_ns;
	walk(handover, until_ns, until_ns, STEP_OWNER_NOT_SEEN);
}

void handover_acquire(struct handover *handover, const struct tenure_moments *moments, const struct segments *segments, uint64_t until_ns)
{
	walk(handover, moments->get_info_ns ? moments->get_info_ns : moments->lock_ns, until_ns, STEP_WAKE);
	walk(handover, moments->got_info_ns, until_ns, STEP_GET_INFO);
	walk(handover, moments->break_ns, until_ns, STEP_LIBRBD);
	walk(handover, moments->broke_ns, until_ns, STEP_UNLOCK);
	walk(handover, moments->lock_ns, until_ns, STEP_LIBRBD);
	walk(handover, moments->locked_ns, until_ns, STEP_LOCK);
	walk_segments(handover, moments->acquired_ns, until_ns, segments);
}

void handover_end(struct handover *handover, const struct tenure_moments *moments, uint64_t first_ns)
{
	walk(handover, moments->effect_ns, first_ns, STEP_FIRST_OPERATION);
	walk(handover, first_ns, first_ns, STEP_FIRST_COMPLETION);
}
