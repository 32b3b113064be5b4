/* statvfs(), and a walk through the folder where the trace's size matters. */
#include "analyzer/watch.h"

#include <stdio.h>
#include <time.h>

#include "analyzer/session.h"

#define TICK_MS  1000
#define HASTE_MS 100 /* between two looks at room that is running out */
#define HASTE    4   /* times the least that must be free, or of the most that may be taken: running out */

static void stop(struct watch *w, uint64_t bytes, const char *why)
{
	time_t now = time(NULL);
	struct tm local;
	char at[32];

	strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&now, &local));
	session_stop();
	snprintf(w->stopped_early, sizeof(w->stopped_early), "stopped at %s because %llu MiB %s", at, (unsigned long long)(bytes >> 20),
		 why);
}

unsigned int watch_look(struct watch *w)
{
	uint64_t free_bytes, taken_bytes;

	if (*w->stopped_early)
		return TICK_MS;
	free_bytes = folder_free(w->folder);
	taken_bytes = w->most_bytes ? folder_size(w->folder) : 0;
	if (free_bytes < w->least_bytes)
		stop(w, free_bytes, "are all that is left on the disk");
	else if (w->most_bytes && taken_bytes >= w->most_bytes)
		stop(w, taken_bytes, "are recorded, and no time was set with --for");
	return free_bytes / HASTE < w->least_bytes || (w->most_bytes && taken_bytes > w->most_bytes / HASTE) ? HASTE_MS : TICK_MS;
}
