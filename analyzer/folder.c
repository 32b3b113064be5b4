/* mkdir, and a look at what is there. */
#include "analyzer/folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analyzer/say.h"

#define UST         "ust"     /* LTTng makes DIR/ust with the session, */
#define UST_PROCESS "ust/pid" /* and DIR/ust/pid/NAME-PID-DATE-TIME for each process */
#define PRIVATE     0700

/* How many entries, or a negative errno. */
static int count_entries(const char *path)
{
	DIR *open = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!open)
		return -errno;
	while ((entry = readdir(open)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(open);
	return count;
}

static int cannot(const char *what, const char *name)
{
	int error = errno;

	say("cannot %s the folder %s: %s", what, name, strerror(error));
	return -error;
}

int folder_init_new(struct folder *folder, const char *name)
{
	char numbered[PATH_MAX];
	int number = 1;

	snprintf(numbered, sizeof(numbered), "%s", name);
	while (mkdir(numbered, PRIVATE)) {
		if (errno != EEXIST)
			return cannot("make", numbered);
		snprintf(numbered, sizeof(numbered), "%s-%d", name, ++number);
	}
	folder->made = true;
	return realpath(numbered, folder->path) ? 0 : cannot("use", numbered);
}

int folder_init(struct folder *folder, const char *name)
{
	int entries;

	folder->made = !mkdir(name, PRIVATE);
	if (!folder->made && errno != EEXIST)
		return cannot("make", name);
	if (!realpath(name, folder->path))
		return cannot("use", name);
	if (folder->made)
		return 0;
	entries = count_entries(name);
	if (entries > 0) {
		say("the folder %s is not empty: choose another with -o, or remove it", name);
		return -ENOTEMPTY;
	}
	if (!entries && access(name, W_OK | X_OK))
		entries = -errno;
	if (entries < 0) {
		errno = -entries;
		return cannot("use", name);
	}
	return 0;
}

void folder_undo(const struct folder *folder)
{
	static const char *const inner[] = {"/" UST_PROCESS, "/" UST};
	char path[PATH_MAX + sizeof(UST_PROCESS) + 1];

	/* rmdir() refuses what is not empty, so that nothing recorded is ever lost here. */
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", folder->path, inner[i]);
		rmdir(path);
	}
	if (folder->made)
		rmdir(folder->path);
}

uint64_t folder_free(const struct folder *folder)
{
	struct statvfs room;

	if (statvfs(folder->path, &room))
		return UINT64_MAX;
	return (uint64_t)room.f_bavail * room.f_frsize;
}

static uint64_t size_bytes;

static int add_size(const char *path, const struct stat *status, int type)
{
	(void)path;
	if (type == FTW_F)
		size_bytes += (uint64_t)status->st_size;
	return 0;
}

uint64_t folder_size(const struct folder *folder)
{
	size_bytes = 0;
	ftw(folder->path, add_size, 8);
	return size_bytes;
}

unsigned int folder_traces(const struct folder *folder)
{
	char path[PATH_MAX + sizeof(UST_PROCESS) + 1];
	int count;

	snprintf(path, sizeof(path), "%s/" UST_PROCESS, folder->path);
	count = count_entries(path);
	return count < 0 ? 0 : (unsigned int)count;
}

/* The name of a program may hold anything, dashes too: the number is looked for from the end. */
static pid_t pid_of(const char *name)
{
	const char *end = name + strlen(name);

	for (int dashes = 0; end > name; end--)
		if (*end == '-' && ++dashes == 3)
			return (pid_t)atol(end + 1);
	return 0;
}

static bool has_metadata(const char *traces, const char *name)
{
	char path[PATH_MAX * 2];

	snprintf(path, sizeof(path), "%s/%s/metadata", traces, name);
	return !access(path, F_OK);
}

bool folder_has_trace_of(const struct folder *folder, pid_t vpid)
{
	char path[PATH_MAX + sizeof(UST_PROCESS) + 1];
	struct dirent *entry;
	bool found = false;
	DIR *open;

	snprintf(path, sizeof(path), "%s/" UST_PROCESS, folder->path);
	open = opendir(path);
	while (open && !found && (entry = readdir(open)))
		found = pid_of(entry->d_name) == vpid && has_metadata(path, entry->d_name);
	if (open)
		closedir(open);
	return found;
}
