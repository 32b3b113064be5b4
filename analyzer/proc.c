/* /proc/PID/stat, whose second field may hold blanks and parentheses: reading starts after the last ')'. */
#include "analyzer/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 and the three fields, or -1 when there is no such process. */
static int read_stat(pid_t pid, char *state, pid_t *parent, uint64_t *start)
{
	char path[64], line[1024], *rest;
	FILE *file;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	length = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[length] = 0;
	rest = strrchr(line, ')');
	if (!rest)
		return -1;
	/* Fields 3 (state), 4 (parent) and 22 (start time). */
	if (sscanf(rest + 1, " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64, state, parent, start) != 3)
		return -1;
	return 0;
}

uint64_t proc_start(pid_t pid)
{
	uint64_t start;
	pid_t parent;
	char state;

	if (pid <= 0 || read_stat(pid, &state, &parent, &start) || state == 'Z' || state == 'X')
		return 0;
	return start ? start : 1;
}

bool proc_is(pid_t pid, uint64_t start)
{
	return start && proc_start(pid) == start;
}

uint64_t proc_namespace(void)
{
	struct stat space;

	return stat("/proc/self/ns/pid", &space) ? 0 : (uint64_t)space.st_ino;
}

/* Adds the living children of one process to the list of `count`; returns its new length. */
static size_t add_children(pid_t parent, pid_t *family, size_t count, size_t room)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;

	if (!all)
		return count;
	while (count < room && (entry = readdir(all))) {
		uint64_t start;
		pid_t pid, its_parent;
		char state;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = (pid_t)atol(entry->d_name);
		if (!read_stat(pid, &state, &its_parent, &start) && its_parent == parent && state != 'Z')
			family[count++] = pid;
	}
	closedir(all);
	return count;
}

size_t proc_family(pid_t eldest, pid_t *family, size_t room)
{
	size_t count = 1;

	family[0] = eldest;
	for (size_t p = 0; p < count; p++)
		count = add_children(family[p], family, count, room);
	return count;
}

unsigned int proc_possible_processors(void)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int last, most = configured > 0 ? (unsigned int)configured : 1;
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	char list[256], *end;

	if (!file)
		return most;
	/* "0", "0-7" or "0-3,8-11": the last number is the highest. */
	if (fgets(list, sizeof(list), file)) {
		end = list + strcspn(list, "\n");
		while (end > list && isdigit((unsigned char)end[-1]))
			end--;
		if (sscanf(end, "%u", &last) == 1 && last + 1 > most)
			most = last + 1;
	}
	fclose(file);
	return most;
}
