/* mkdir, and a look at what is there. */
#include "analyzer/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analyzer/say.h"

#define UST         "ust"     /* LTTng makes DIR/ust with the session, */
#define UST_PROCESS "ust/pid" /* and DIR/ust/pid/NAME for each process */

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
	while (mkdir(numbered, 0777)) {
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

	folder->made = !mkdir(name, 0777);
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

unsigned int folder_traces(const struct folder *folder)
{
	char path[PATH_MAX + sizeof(UST_PROCESS) + 1];
	int count;

	snprintf(path, sizeof(path), "%s/" UST_PROCESS, folder->path);
	count = count_entries(path);
	return count < 0 ? 0 : (unsigned int)count;
}
