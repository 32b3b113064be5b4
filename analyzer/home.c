/* /tmp/rbdprof-XXXXXX, with a file "owner" in it: the pid and start time of the recording. */
#include "analyzer/home.h"

#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/proc.h"
#include "analyzer/say.h"

#define TEMPLATE "/tmp/rbdprof-XXXXXX"
#define PATTERN  "/tmp/rbdprof-??????"

static char *former;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Only a folder of this user whose owner is known and dead: others may make folders of such a name in /tmp. */
static void remove_if_orphan(const char *path)
{
	char owner[64];
	struct stat status;
	uint64_t start, space;
	FILE *file;
	int pid, read;

	if (lstat(path, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
		return;
	snprintf(owner, sizeof(owner), "%s/owner", path);
	file = fopen(owner, "re");
	if (!file)
		return;
	read = fscanf(file, "%d %" SCNu64 " %" SCNu64, &pid, &start, &space);
	fclose(file);
	if (read == 3 && space == proc_namespace() && !proc_is((pid_t)pid, start))
		remove_tree(path);
}

int home_make(char *path, size_t size)
{
	char made[] = TEMPLATE, owner[64];
	const char *now = getenv("LTTNG_HOME");
	glob_t left;
	FILE *file;
	int result;

	if (!glob(PATTERN, GLOB_NOSORT, NULL, &left)) {
		for (size_t p = 0; p < left.gl_pathc; p++)
			remove_if_orphan(left.gl_pathv[p]);
		globfree(&left);
	}
	if (!mkdtemp(made)) {
		result = -errno;
		say("cannot make a folder for the session daemon's sockets, " TEMPLATE ": %s", strerror(errno));
		return result;
	}
	snprintf(path, size, "%s", made);
	former = now ? strdup(now) : NULL;
	setenv("LTTNG_HOME", made, 1);
	snprintf(owner, sizeof(owner), "%s/owner", made);
	file = fopen(owner, "we");
	if (file) {
		fprintf(file, "%d %" PRIu64 " %" PRIu64 "\n", (int)getpid(), proc_start(getpid()), proc_namespace());
		fclose(file);
	}
	return 0;
}

void home_remove(char *path)
{
	if (!*path)
		return;
	remove_tree(path);
	*path = 0;
	if (former)
		setenv("LTTNG_HOME", former, 1);
	else
		unsetenv("LTTNG_HOME");
	free(former);
	former = NULL;
}
