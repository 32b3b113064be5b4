/* /proc/PID/{status,maps,environ,auxv,ns/mnt}, and process_vm_readv(). */
#include "analyzer/target.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "analyzer/proc.h"

static const char *const library_files[] = {
#define LIBRARY(name, file) [TARGET_##name] = file,
    TARGET_LIBRARIES(LIBRARY)
#undef LIBRARY
};

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* What follows `key` on its line of /proc/PID/status: "Uid:\t0\t0…". Returns whether it is that line. */
static const char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	return !strncmp(line, key, length) && line[length] == ':' ? line + length + 1 + strspn(line + length + 1, "\t ") : NULL;
}

static int read_status(struct target *t)
{
	FILE *file = open_proc(t->pid, "status");
	const char *value;
	char line[512];

	if (!file)
		return -ESRCH;
	t->vpid = t->pid;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if ((value = value_of(line, "Name")))
			snprintf(t->comm, sizeof(t->comm), "%.31s", value);
		else if ((value = value_of(line, "State")))
			t->stopped = *value == 'T' || *value == 't';
		else if ((value = value_of(line, "Seccomp")))
			t->filtered = *value == '2';
		else if ((value = value_of(line, "Uid")))
			sscanf(value, "%*u %u", &t->uid);
		else if ((value = value_of(line, "NSpid")) && (value = strrchr(value, '\t')))
			t->vpid = (pid_t)atol(value + 1); /* the innermost namespace's is the last */
	}
	fclose(file);
	return 0;
}

/* Which library of the list a file is, or -1. */
static int library_of(const char *path)
{
	const char *name = strrchr(path, '/');

	for (int l = 0; name && l < TARGET_LIBRARY_COUNT; l++)
		if (!strncmp(name + 1, library_files[l], strlen(library_files[l])))
			return l;
	return -1;
}

/* How this process can read a file that another one has mapped there. */
static void make_readable(char readable[PATH_MAX], pid_t pid, uint64_t begin, uint64_t end, const char *path)
{
	static const char replaced[] = " (deleted)"; /* as the kernel says behind the name */
	size_t length = strlen(path), suffix = sizeof(replaced) - 1;

	if (length > suffix && !strcmp(path + length - suffix, replaced))
		snprintf(readable, PATH_MAX, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, begin, end);
	else
		snprintf(readable, PATH_MAX, "/proc/%d/root%.4000s", (int)pid, path);
}

/* Calls back with every mapping of a file. */
static int read_maps(pid_t pid, void (*take)(void *data, uint64_t begin, uint64_t end, uint64_t offset, const char *path), void *data)
{
	FILE *file = open_proc(pid, "maps");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return errno == ENOENT ? -ESRCH : -EACCES;
	while (getline(&line, &room, file) > 0) {
		uint64_t begin, end, offset;
		int at = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &begin, &end, &offset, &at) == 3 && at &&
		    line[at] == '/')
			take(data, begin, end, offset, line + at);
	}
	free(line);
	fclose(file);
	return 0;
}

static void note_mapping(void *data, uint64_t begin, uint64_t end, uint64_t offset, const char *path)
{
	int library = library_of(path);
	struct target *t = data;
	struct target_mapping *mapping = library < 0 ? NULL : &t->mappings[library];

	(void)offset;
	if (!mapping)
		return;
	mapping->end = end;
	if (mapping->begin)
		return;
	mapping->begin = begin;
	snprintf(mapping->path, sizeof(mapping->path), "%s", path);
	make_readable(mapping->readable, t->pid, begin, end, path);
}

static void note_variable(struct target *t, const char *variable, bool *chosen_home)
{
	const char *value = strchr(variable, '=');

	if (!value++)
		return;
	if (!strncmp(variable, "LD_PRELOAD=", 11)) {
		snprintf(t->preload, sizeof(t->preload), "%s", value);
	} else if (!strncmp(variable, "RBDPROF_DISABLE=", 16)) {
		t->disabled = *value && strcmp(value, "0");
	} else if (!strncmp(variable, "RBDPROF_SOCKET=", 15)) {
		t->of_a_recording = true;
	} else if (!strncmp(variable, "LTTNG_HOME=", 11) || (!strncmp(variable, "HOME=", 5) && !*chosen_home)) {
		*chosen_home |= *variable == 'L';
		snprintf(t->home, sizeof(t->home), "%s", value);
	}
}

static void read_environment(struct target *t)
{
	FILE *file = open_proc(t->pid, "environ");
	bool chosen_home = false;
	char *variable = NULL;
	size_t room = 0;

	while (file && getdelim(&variable, &room, 0, file) > 0)
		note_variable(t, variable, &chosen_home);
	free(variable);
	if (file)
		fclose(file);
}

static void read_auxiliary(struct target *t)
{
	FILE *file = open_proc(t->pid, "auxv");
	uint64_t pair[2];

	while (file && fread(pair, sizeof(pair), 1, file) == 1)
		if (pair[0] == AT_SECURE)
			t->secure = pair[1];
	if (file)
		fclose(file);
}

static void compare_mounts(struct target *t)
{
	struct stat theirs, ours;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)t->pid);
	t->foreign_mounts = !stat(path, &theirs) && !stat("/proc/self/ns/mnt", &ours) && theirs.st_ino != ours.st_ino;
}

int target_look(struct target *t, pid_t pid)
{
	int result;

	memset(t, 0, sizeof(*t));
	t->pid = pid;
	t->start = proc_start(pid);
	if (!t->start)
		return -ESRCH;
	result = read_status(t);
	if (!result)
		result = read_maps(pid, note_mapping, t);
	if (result)
		return result;
	read_environment(t);
	read_auxiliary(t);
	compare_mounts(t);
	return 0;
}

struct files {
	pid_t pid;
	void (*take)(void *data, uint64_t begin, const char *path, const char *readable);
	void *data;
};

/* The first page of a program or library is that of its file; data files that are mapped are told by nothing but their content. */
static void pass_file(void *data, uint64_t begin, uint64_t end, uint64_t offset, const char *path)
{
	const struct files *files = data;
	char readable[PATH_MAX];

	if (offset)
		return;
	make_readable(readable, files->pid, begin, end, path);
	files->take(files->data, begin, path, readable);
}

int target_files(const struct target *t, void (*take)(void *data, uint64_t begin, const char *path, const char *readable), void *data)
{
	struct files all = {t->pid, take, data};

	return read_maps(t->pid, pass_file, &all);
}

bool target_has(const struct target *t, enum target_library library)
{
	return t->mappings[library].begin != 0;
}

const char *target_name(const struct target *t, char name[48])
{
	snprintf(name, 48, "%.31s (%d)", t->comm, (int)t->pid);
	return name;
}

int target_read(const struct target *t, uint64_t address, void *to, size_t bytes)
{
	const struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};

	return process_vm_readv(t->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes ? 0 : -EIO;
}
