/* One poll() over the command's signals and the door. */
#include "analyzer/watch.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/deadline.h"
#include "analyzer/session.h"

#define TICK_MS  1000
#define HASTE_MS 100 /* between two looks at a disk that is filling up */
#define HASTE    4   /* times the least: filling up */

static void stop(struct watch *w, uint64_t free_bytes)
{
	time_t now = time(NULL);
	struct tm local;
	char at[32];

	strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&now, &local));
	session_stop();
	snprintf(w->stopped_early, sizeof(w->stopped_early), "stopped at %s because only %llu MiB were left on the disk", at,
		 (unsigned long long)(free_bytes >> 20));
}

/* Returns how long until the next look, in milliseconds. */
static unsigned int look(struct watch *w)
{
	uint64_t free_bytes = folder_free(w->folder);

	control_tick(w->control);
	if (*w->stopped_early)
		return TICK_MS;
	if (free_bytes < w->least_bytes)
		stop(w, free_bytes);
	return free_bytes / HASTE < w->least_bytes ? HASTE_MS : TICK_MS;
}

void watch_run(struct watch *w)
{
	struct pollfd sources[] = {
	    {.fd = w->signals, .events = POLLIN},
	    {.fd = w->control->epoll, .events = POLLIN},
	};
	uint64_t next_ms = 0;

	while (w->child->status < 0) {
		uint64_t now_ms = deadline_now_ms();

		if (now_ms >= next_ms)
			next_ms = now_ms + look(w);
		now_ms = deadline_now_ms();
		if (poll(sources, 2, now_ms < next_ms ? (int)(next_ms - now_ms) : 0) <= 0)
			continue;
		if (sources[1].revents)
			control_serve(w->control);
		if (sources[0].revents)
			child_serve(w->child, w->signals);
	}
}
