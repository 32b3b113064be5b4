/* An unnamed file that gets its name when it is complete, so that nobody maps half of it. Modes and size are lttng-ust's own. */
#include "preload/waitfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/proc.h"

#define FOLDER    "/dev/shm"
#define NAME      FOLDER "/lttng-ust-wait-8" /* the number is that of the protocol between LTTng 2.9 and now */
#define MACHINES  0666
#define USERS     0640
#define SECCOMP   "\nSeccomp:\t"

static bool is_there(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool make(const char *path, mode_t mode)
{
	char unnamed[32];
	int fd;

	if (is_there(path))
		return true;
	fd = open(FOLDER, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", fd);
	if (!ftruncate(fd, sysconf(_SC_PAGESIZE)) && !fchmod(fd, mode))
		linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
	close(fd);
	return is_there(path);
}

/* lttng-ust looks for a user's daemon only where there is a home, and not for one that is not the user's own. */
static bool needs_users(void)
{
	return (getenv("LTTNG_HOME") || getenv("HOME")) && getuid() == geteuid();
}

/* Whether system calls are filtered, or that cannot be told. */
static bool is_filtered(void)
{
	char status[4096], *found;

	if (proc_read("/proc/self/status", status, sizeof(status)) < 0)
		return true;
	found = strstr(status, SECCOMP);
	return !found || found[sizeof(SECCOMP) - 1] != '0';
}

bool waitfile_make(void)
{
	char users[64];
	bool all = make(NAME, MACHINES);

	snprintf(users, sizeof(users), NAME "-%u", (unsigned int)getuid());
	if (needs_users())
		all = make(users, USERS) && all;
	return all || !is_filtered();
}
