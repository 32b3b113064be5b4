/* Control groups of both versions, /proc/stat and the affinity. */
#include "preload/host.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/proc.h"
#include "preload/recorder.h"

#define GROUPS "/sys/fs/cgroup"

static char text[16384];

/* The number behind a word at the beginning of a line; -1: not there. */
static int64_t number(const char *in, const char *word)
{
	size_t length = strlen(word);

	for (const char *line = in; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, word, length) && line[length] == ' ')
			return strtoll(line + length, NULL, 10);
	}
	return -1;
}

static bool read_in(const char *folder, const char *file)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	return proc_read(path, text, sizeof(text)) > 0;
}

/* Version 2: "QUOTA PERIOD" in µs, or "max PERIOD". */
static uint32_t quota_2(const char *folder)
{
	uint64_t quota, period;

	if (!read_in(folder, "cpu.max") || sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) != 2 || !period)
		return 0;
	return (uint32_t)(quota * 1000 / period);
}

static uint32_t quota_1(const char *folder)
{
	int64_t quota, period;

	if (!read_in(folder, "cpu.cfs_quota_us"))
		return 0;
	quota = strtoll(text, NULL, 10);
	if (quota <= 0 || !read_in(folder, "cpu.cfs_period_us"))
		return 0;
	period = strtoll(text, NULL, 10);
	return period > 0 ? (uint32_t)(quota * 1000 / period) : 0;
}

static int64_t throttled(const char *folder, bool version_2)
{
	int64_t us;

	if (!read_in(folder, "cpu.stat"))
		return -1;
	if (!version_2)
		return number(text, "throttled_time");
	us = number(text, "throttled_usec");
	return us < 0 ? -1 : us * 1000;
}

/* The group and those above it each have a quota of their own: the tightest counts, and the longest throttling. */
static void ask_groups(struct rbdprof_host *host, char *folder, size_t root, bool version_2)
{
	for (;;) {
		uint32_t quota = version_2 ? quota_2(folder) : quota_1(folder);
		int64_t ns = throttled(folder, version_2);
		char *slash = strrchr(folder, '/');

		if (quota && (!host->quota_milli || quota < host->quota_milli))
			host->quota_milli = quota;
		if (ns > host->throttled_ns)
			host->throttled_ns = ns;
		if (!slash || (size_t)(slash - folder) < root)
			return;
		*slash = '\0';
	}
}

/* A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no controllers. */
static void find_groups(struct rbdprof_host *host)
{
	static char lines[8192];
	char folder[PATH_MAX];

	if (proc_read("/proc/self/cgroup", lines, sizeof(lines)) < 0)
		return;
	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) && *line;) {
		char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		if (!strcmp(path, "/"))
			*path = '\0';
		if (!*controllers) {
			snprintf(folder, sizeof(folder), GROUPS "%s", path);
			ask_groups(host, folder, strlen(GROUPS), true);
		} else if (!strcmp(controllers, "cpu") || !strncmp(controllers, "cpu,", 4) || strstr(controllers, ",cpu,") ||
			   (strlen(controllers) > 4 && !strcmp(controllers + strlen(controllers) - 4, ",cpu"))) {
			snprintf(folder, sizeof(folder), GROUPS "/%s%s", controllers, path);
			ask_groups(host, folder, strlen(GROUPS "/") + strlen(controllers), false);
		}
	}
}

/* The eighth number of the first line, in clock ticks. */
static int64_t stolen(void)
{
	int64_t ticks;

	if (proc_read("/proc/stat", text, sizeof(text)) < 0 || sscanf(text, "cpu %*s %*s %*s %*s %*s %*s %*s %" SCNd64, &ticks) != 1)
		return -1;
	return ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

void host_say(void)
{
	struct rbdprof_host host = {.throttled_ns = -1, .steal_ns = stolen()};
	cpu_set_t may;

	find_groups(&host);
	if (!sched_getaffinity(getpid(), sizeof(may), &may))
		host.processors = (uint32_t)CPU_COUNT(&may);
	EMIT_ALONE(host(&host));
}
