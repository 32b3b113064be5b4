/* /proc/self/exe, a few candidates, and setenv(). */
#include "analyzer/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/say.h"

#define SHIM       "librbdprof.so"
#define BUILD_TREE "../preload"

/* The folder of this program. */
static int own_folder(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (length < 0)
		return -errno;
	path[length] = 0;
	*strrchr(path, '/') = 0;
	return 0;
}

static int try(char path[PATH_MAX], const char *base, const char *folder)
{
	char candidate[PATH_MAX];

	if (snprintf(candidate, sizeof(candidate), "%s%s%s/" SHIM, base, *base ? "/" : "", folder) >= (int)sizeof(candidate))
		return -ENAMETOOLONG;
	if (!realpath(candidate, path))
		return -errno;
	return access(path, R_OK) ? -errno : 0;
}

int preload_look(char path[PATH_MAX])
{
	const char *chosen = getenv("RBDPROF_PRELOAD_DIR");
	char own[PATH_MAX];
	int result;

	if (chosen)
		return try(path, "", chosen);
	result = own_folder(own);
	if (!result && RBDPROF_PRELOAD_DIR[0] == '/')
		result = try(path, "", RBDPROF_PRELOAD_DIR);
	else if (!result)
		result = try(path, own, "../" RBDPROF_PRELOAD_DIR);
	return result && !try(path, own, BUILD_TREE) ? 0 : result;
}

int preload_find(char path[PATH_MAX])
{
	const char *chosen = getenv("RBDPROF_PRELOAD_DIR");
	char own[PATH_MAX] = "";
	int result = preload_look(path);

	if (result && chosen) {
		say("cannot use " SHIM " in %s, as RBDPROF_PRELOAD_DIR says: %s", chosen, strerror(-result));
	} else if (result) {
		own_folder(own);
		say("cannot find " SHIM " (looked in " RBDPROF_PRELOAD_DIR " beside %s): %s; RBDPROF_PRELOAD_DIR can name its folder", own,
		    strerror(-result));
	}
	/* The loader takes both as separators and knows no quoting. */
	if (!result && strpbrk(path, ": ")) {
		say("the path of " SHIM " must hold neither blanks nor colons to be preloaded: %s", path);
		result = -EINVAL;
	}
	return result;
}

int preload_set(const char *shim, const char *socket_name)
{
	const char *others = getenv("LD_PRELOAD");
	char *all;
	int result;

	if (asprintf(&all, "%s%s%s", shim, others && *others ? ":" : "", others ? others : "") < 0)
		return -ENOMEM;
	result = setenv("LD_PRELOAD", all, 1) || setenv("RBDPROF_SOCKET", socket_name, 1) ? -errno : 0;
	free(all);
	return result;
}
