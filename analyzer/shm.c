/* A write lease is how the kernel says that nobody else has a file open or mapped: no look at other processes is needed. */
#include "analyzer/shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FOLDER "/dev/shm"
#define PREFIX "lttng-ust-wait-"

int shm_room(uint64_t *size_bytes, uint64_t *free_bytes)
{
	struct statvfs room;

	if (statvfs(FOLDER, &room))
		return -errno;
	*size_bytes = (uint64_t)room.f_blocks * room.f_frsize;
	*free_bytes = (uint64_t)room.f_bavail * room.f_frsize;
	return 0;
}

void shm_list(struct shm_files *files)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	files->count = 0;
	if (!folder)
		return;
	while (files->count < SHM_FILES && (entry = readdir(folder))) {
		if (!strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) && strlen(entry->d_name) < SHM_NAME_BYTES)
			strcpy(files->name[files->count++], entry->d_name);
	}
	closedir(folder);
}

/* A program that opens the file after the lease waits for it, and would then sleep on a removed one: the time between is kept short. */
static bool remove_unused(const char *name)
{
	char path[sizeof(FOLDER) + SHM_NAME_BYTES + 1];
	bool removed;
	int fd;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT;
	removed = !fcntl(fd, F_SETLEASE, F_WRLCK) && !unlink(path);
	close(fd);
	return removed;
}

unsigned int shm_tidy(const struct shm_files *before)
{
	struct shm_files now;
	unsigned int b, left = 0;

	shm_list(&now);
	for (unsigned int n = 0; n < now.count; n++) {
		for (b = 0; b < before->count && strcmp(before->name[b], now.name[n]); b++)
			;
		if (b == before->count)
			left += !remove_unused(now.name[n]);
	}
	return left;
}
