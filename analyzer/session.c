/*
 * liblttng-ctl, one call at a time, each on a thread of its own so that a daemon that does not answer costs a deadline and not
 * the recording. What a call needs lies in the static `session`, because an abandoned call may still look at it.
 */
#include "analyzer/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "analyzer/deadline.h"
#include "analyzer/proc.h"

#define PREFIX  "rbdprof-"
#define CHANNEL "rbdprof"

#define PATIENCE_MS       10000   /* a busy daemon answers within a second */
#define TRACK_PATIENCE_MS 4000    /* the program that asks waits five seconds */
#define SWITCH_TIMER_US   1000000 /* what is recorded is on disk a second later, even of a stream that is nearly idle */

static struct {
	char name[64];
	char url[4096 + sizeof("file://")];
	enum session_locks locks;
	struct budget budget;
	pid_t vpid;
	struct lttng_process_attr_tracker_handle *tracker;
	bool created;
	bool stuck;
	char why[256];
} session;

static int explain(const char *what, int lttng_error)
{
	snprintf(session.why, sizeof(session.why), "%s: %s", what, lttng_strerror(lttng_error < 0 ? lttng_error : -lttng_error));
	return lttng_error == -LTTNG_ERR_EPERM ? -EPERM : -EIO;
}

static int patiently(int (*call)(void *), unsigned int ms)
{
	int result;

	if (session.stuck)
		return -ETIMEDOUT;
	result = deadline_call(call, NULL, ms);
	if (result == -ETIMEDOUT) {
		session.stuck = true;
		snprintf(session.why, sizeof(session.why), "the session daemon has not answered for %u s", ms / 1000);
	}
	return result;
}

const char *session_why(void)
{
	return session.why;
}

bool session_daemon_alive(void)
{
	return lttng_session_daemon_alive() == 1;
}

void session_daemon_replaced(void)
{
	session.stuck = false;
}

static int count(void *unused)
{
	struct lttng_session *all = NULL;
	int found = lttng_list_sessions(&all);

	(void)unused;
	free(all);
	if (found < 0)
		return explain("cannot list the sessions", found);
	return found;
}

int session_count(void)
{
	return patiently(count, PATIENCE_MS);
}

/*
 * Whether a session's rbdprof is dead: the name carries its pid, its start time and the pid namespace in which they hold. What
 * another namespace made (a container that shares the daemon) cannot be judged and stays.
 */
static bool is_orphan(const char *name)
{
	uint64_t start, space;
	int pid;

	if (sscanf(name, PREFIX "%d-%" SCNu64 "-%" SCNu64, &pid, &start, &space) != 3)
		return false;
	return space == proc_namespace() && !proc_is((pid_t)pid, start);
}

static int sweep(void *unused)
{
	struct lttng_session *all = NULL;
	int found = lttng_list_sessions(&all), swept = 0;

	(void)unused;
	if (found < 0)
		return explain("cannot list the sessions", found);
	for (int s = 0; s < found; s++) {
		if (!is_orphan(all[s].name))
			continue;
		lttng_stop_tracing_no_wait(all[s].name);
		if (!lttng_destroy_session_no_wait(all[s].name))
			swept++;
	}
	free(all);
	return swept;
}

int session_sweep(void)
{
	return patiently(sweep, PATIENCE_MS);
}

static int open_tracker(void)
{
	enum lttng_error_code code;

	code = lttng_session_get_tracker_handle(session.name, LTTNG_DOMAIN_UST, LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID, &session.tracker);
	if (code != LTTNG_OK)
		return explain("cannot choose processes", (int)code);
	if (lttng_process_attr_tracker_handle_set_tracking_policy(session.tracker, LTTNG_TRACKING_POLICY_INCLUDE_SET) !=
	    LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK) {
		snprintf(session.why, sizeof(session.why), "cannot choose processes");
		return -EIO;
	}
	return 0;
}

static int enable_channel(struct lttng_handle *handle, struct lttng_domain *domain)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int result;

	if (!channel)
		return -ENOMEM;
	snprintf(channel->name, sizeof(channel->name), CHANNEL);
	channel->enabled = 1;
	channel->attr.overwrite = 0;
	channel->attr.subbuf_size = session.budget.subbuffer_bytes;
	channel->attr.num_subbuf = session.budget.subbuffers;
	channel->attr.switch_timer_interval = SWITCH_TIMER_US;
	channel->attr.output = LTTNG_EVENT_MMAP;
	result = lttng_enable_channel(handle, channel);
	lttng_channel_destroy(channel);
	return result ? explain("cannot make buffers", result) : 0;
}

#define MOST_UNWANTED 8
#define REQUEST       "rbdprof:request" /* it has a rule of its own: it is the first to go */

/* The events that a choice of locks leaves out. Which of them are on is also what the shim goes by. */
static const char *const unwanted_names[][MOST_UNWANTED] = {
    [SESSION_LOCKS_CONTENDED] = {"cond_wait", "lock_pair", "hold_counts"},
    [SESSION_LOCKS_HOLDS] = {"cond_wait", "lock_pair", "lock_counts"},
    [SESSION_LOCKS_ALL] = {"lock_counts"},
    [SESSION_LOCKS_OFF] = {"lock_wait", "lock_wait_open", "cond_wait", "lock_hold", "lock_pair", "lock_counts", "hold_counts"},
};

static int enable(struct lttng_handle *handle, const char *name, char **unwanted, int unwanted_count)
{
	struct lttng_event *event = lttng_event_create();
	int result;

	if (!event)
		return -ENOMEM;
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	event->loglevel = -1;
	snprintf(event->name, sizeof(event->name), "%s", name);
	result = lttng_enable_event_with_exclusions(handle, event, CHANNEL, NULL, unwanted_count, unwanted);
	lttng_event_destroy(event);
	return result ? explain("cannot enable the events", result) : 0;
}

/* All of the provider's events but those that were not asked for. */
static int enable_events(struct lttng_handle *handle)
{
	char names[MOST_UNWANTED][32] = {REQUEST}, *unwanted[MOST_UNWANTED] = {names[0]};
	const char *const *name = unwanted_names[session.locks];
	int count = 1, result;

	for (; count < MOST_UNWANTED && *name; count++, name++) {
		snprintf(names[count], sizeof(names[0]), "rbdprof:%s", *name);
		unwanted[count] = names[count];
	}
	result = enable(handle, "rbdprof:*", unwanted, count);
	return result ? result : enable(handle, REQUEST, NULL, 0);
}

static int create(void *unused)
{
	struct lttng_domain domain = {.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_PID};
	struct lttng_handle *handle;
	int result;

	(void)unused;
	result = lttng_create_session(session.name, session.url);
	if (result)
		return explain("cannot create a session", result);
	session.created = true;
	handle = lttng_create_handle(session.name, &domain);
	if (!handle)
		return -ENOMEM;
	/* The tracker comes first: a process that registers meanwhile must get no buffers. */
	result = open_tracker();
	if (!result)
		result = enable_channel(handle, &domain);
	if (!result)
		result = enable_events(handle);
	lttng_destroy_handle(handle);
	if (result)
		return result;
	result = lttng_start_tracing(session.name);
	return result ? explain("cannot start the session", result) : 0;
}

int session_create(const char *directory, enum session_locks locks, const struct budget *budget)
{
	if (snprintf(session.url, sizeof(session.url), "file://%s", directory) >= (int)sizeof(session.url))
		return -ENAMETOOLONG;
	snprintf(session.name, sizeof(session.name), PREFIX "%d-%" PRIu64 "-%" PRIu64, (int)getpid(), proc_start(getpid()),
		 proc_namespace());
	session.locks = locks;
	session.budget = *budget;
	return patiently(create, PATIENCE_MS);
}

static int status(enum lttng_process_attr_tracker_handle_status s)
{
	/* Two processes of different namespaces can have one number: already in, or already out, is as good. */
	if (s == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK || s == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_EXISTS ||
	    s == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_MISSING)
		return 0;
	snprintf(session.why, sizeof(session.why), "the session daemon refused process %d (status %d)", (int)session.vpid, (int)s);
	return -EIO;
}

static int track(void *unused)
{
	(void)unused;
	return status(lttng_process_attr_virtual_process_id_tracker_handle_add_pid(session.tracker, session.vpid));
}

int session_track(pid_t vpid)
{
	if (session.stuck)
		return -ETIMEDOUT;
	session.vpid = vpid;
	return patiently(track, TRACK_PATIENCE_MS);
}

static int untrack(void *unused)
{
	(void)unused;
	return status(lttng_process_attr_virtual_process_id_tracker_handle_remove_pid(session.tracker, session.vpid));
}

int session_untrack(pid_t vpid)
{
	if (session.stuck)
		return -ETIMEDOUT;
	session.vpid = vpid;
	return patiently(untrack, TRACK_PATIENCE_MS);
}

static int wind_up(void *unused)
{
	struct lttng_domain domain = {.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_PID};
	struct lttng_handle *handle = lttng_create_handle(session.name, &domain);
	int result;

	(void)unused;
	if (!handle)
		return -ENOMEM;
	result = lttng_disable_event(handle, REQUEST, CHANNEL);
	lttng_destroy_handle(handle);
	return result ? explain("cannot disable an event", result) : 0;
}

int session_wind_up(void)
{
	return patiently(wind_up, PATIENCE_MS);
}

static int stop(void *unused)
{
	int result = lttng_stop_tracing_no_wait(session.name);

	(void)unused;
	return result && result != -LTTNG_ERR_TRACE_ALREADY_STOPPED ? explain("cannot stop the session", result) : 0;
}

int session_stop(void)
{
	return patiently(stop, PATIENCE_MS);
}

static int pending(void *unused)
{
	int result = lttng_data_pending(session.name);

	(void)unused;
	return result < 0 ? explain("cannot ask for pending data", result) : result;
}

int session_pending(void)
{
	return patiently(pending, PATIENCE_MS);
}

static int destroy(void *unused)
{
	struct lttng_destruction_handle *handle = NULL;
	enum lttng_error_code code;
	int result = 0;

	(void)unused;
	code = lttng_destroy_session_ext(session.name, &handle);
	if (code != LTTNG_OK)
		return explain("cannot destroy the session", (int)code);
	if (lttng_destruction_handle_wait_for_completion(handle, PATIENCE_MS - 1000) != LTTNG_DESTRUCTION_HANDLE_STATUS_COMPLETED) {
		snprintf(session.why, sizeof(session.why), "the session daemon has not finished the recording");
		result = -EIO;
	}
	lttng_destruction_handle_destroy(handle);
	return result;
}

int session_destroy(void)
{
	int result;

	if (!session.created)
		return 0;
	result = patiently(destroy, PATIENCE_MS);
	if (result == -ETIMEDOUT)
		return result;
	session.created = false;
	lttng_process_attr_tracker_handle_destroy(session.tracker);
	session.tracker = NULL;
	return result;
}
