#include "analyzer/core/outstanding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void outstanding_fini(struct outstanding *outstanding)
{
	free(outstanding->list);
	*outstanding = (struct outstanding){0};
}

static int calls_for_tag(const struct operation *operation)
{
	return operation_calls(operation, RBDPROF_METHOD_journal_get_next_tag_tid) ||
	       operation_calls(operation, RBDPROF_METHOD_journal_tag_create) || operation_calls(operation, RBDPROF_METHOD_journal_get_tag);
}

/* Reading what the header says of the image, not who holds the lock. */
static int rereads(const struct operation *operation)
{
	return operation->object == OBJECT_HEADER && operation->kind == RBDPROF_OPERATION_READ &&
	       !operation_calls(operation, RBDPROF_METHOD_lock_get_info) && !operation_calls(operation, RBDPROF_METHOD_osd_list_watchers);
}

/* How far the take-over has come with this operation. */
static enum takeover reaches(enum takeover now, const struct operation *operation)
{
	if (now == TAKEOVER_NONE)
		return now;
	if (operation->object == OBJECT_JOURNAL && calls_for_tag(operation))
		return TAKEOVER_TAG;
	if (now == TAKEOVER_OPEN && operation->object == OBJECT_JOURNAL_DATA)
		return TAKEOVER_REPLAY;
	return now;
}

static enum handover_step step_taking_over(enum takeover now, const struct operation *operation)
{
	if (now == TAKEOVER_NONE)
		return STEP_LIBRBD;
	switch (operation->object) {
	case OBJECT_HEADER:
		return rereads(operation) ? STEP_REFRESH : STEP_LIBRBD;
	case OBJECT_MAP:
		return STEP_OBJECT_MAP;
	case OBJECT_JOURNAL_DATA:
		return now == TAKEOVER_REPLAY ? STEP_REPLAY : STEP_LIBRBD;
	case OBJECT_JOURNAL:
		if (now == TAKEOVER_OPEN)
			return STEP_JOURNAL_OPEN;
		if (now == TAKEOVER_REPLAY)
			return STEP_REPLAY;
		/* Its own notification makes the client reread the journal's header, for which nobody waits. */
		return calls_for_tag(operation) || operation->kind == RBDPROF_OPERATION_NOTIFY ? STEP_TAG : STEP_LIBRBD;
	case OBJECT_OTHER:
		break;
	}
	return STEP_LIBRBD;
}

static enum handover_step step_giving_up(const struct operation *operation)
{
	switch (operation->object) {
	case OBJECT_HEADER:
		if (operation->kind == RBDPROF_OPERATION_NOTIFY)
			return STEP_DRAIN;
		return rereads(operation) ? STEP_REFRESH : STEP_LIBRBD;
	case OBJECT_MAP:
		return operation_calls(operation, RBDPROF_METHOD_lock_unlock) ? STEP_OBJECT_MAP_CLOSE : STEP_DRAIN;
	case OBJECT_JOURNAL_DATA:
		return operation->kind == RBDPROF_OPERATION_READ ? STEP_LIBRBD : STEP_DRAIN;
	case OBJECT_JOURNAL:
		return STEP_JOURNAL_CLOSE;
	case OBJECT_OTHER:
		/* An unwatch names no object. The header's comes after the lock was given up, so it is the journal's. */
		if (operation->kind == RBDPROF_OPERATION_UNWATCH || operation->kind == RBDPROF_OPERATION_WATCH_FLUSH)
			return STEP_JOURNAL_CLOSE;
		break;
	}
	return STEP_LIBRBD;
}

int outstanding_begun(struct outstanding *outstanding, const struct operation *operation)
{
	if (outstanding->count == outstanding->room) {
		size_t room = outstanding->room ? outstanding->room * 2 : 16;
		struct outstanding_operation *list = realloc(outstanding->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		outstanding->list = list;
		outstanding->room = room;
	}
	outstanding->takeover = reaches(outstanding->takeover, operation);
	outstanding->list[outstanding->count++] = (struct outstanding_operation){
	    .number = operation->key.number,
	    .process = operation->key.process,
	    .taking_over = step_taking_over(outstanding->takeover, operation),
	    .giving_up = step_giving_up(operation),
	};
	return 0;
}

void outstanding_done(struct outstanding *outstanding, const struct operation *operation)
{
	for (size_t i = 0; i < outstanding->count; i++) {
		struct outstanding_operation *it = &outstanding->list[i];

		if (it->number != operation->key.number || it->process != operation->key.process)
			continue;
		outstanding->count--;
		memmove(it, it + 1, (outstanding->count - i) * sizeof(*it));
		return;
	}
}

enum handover_step outstanding_step(const struct outstanding *outstanding)
{
	for (size_t i = 0; i < outstanding->count; i++) {
		const struct outstanding_operation *it = &outstanding->list[i];
		enum handover_step step = outstanding->takeover == TAKEOVER_NONE ? it->giving_up : it->taking_over;

		if (step != STEP_LIBRBD)
			return step;
	}
	return outstanding->takeover == TAKEOVER_REPLAY ? STEP_REPLAY : STEP_LIBRBD;
}
