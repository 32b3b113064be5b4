/* LD_TRACE_LOADED_OBJECTS=1 LOADER FILE, as ldd does it, with the loader that this program was started by. */
#include "analyzer/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

/* The loader's file: the object that lies where the kernel put it. */
static int find_loader(struct dl_phdr_info *info, size_t size, void *data)
{
	const char **loader = data;

	(void)size;
	if (info->dlpi_addr != getauxval(AT_BASE))
		return 0;
	*loader = info->dlpi_name;
	return 1;
}

static FILE *start(const char *loader, const char *path, const char *preload, pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (!*pid) {
		int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(ends[1], STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		else
			unsetenv("LD_PRELOAD");
		setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
		execl(loader, loader, path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (*pid < 0) {
		close(ends[0]);
		return NULL;
	}
	return fdopen(ends[0], "r");
}

/* "\tNAME => PATH (0x…)", "\tNAME => not found", "\tPATH (0x…)"; other lines are about other things. */
static bool pass(char *line, bool (*take)(void *data, const char *name, const char *found), void *data)
{
	char *name = line + strspn(line, "\t "), *arrow = strstr(name, " => "), *path = arrow ? arrow + 4 : name,
	     *end = strstr(path, " (0x");
	bool missing = arrow && !strncmp(path, "not found", 9);

	if (!end && !missing)
		return true;
	if (end)
		*end = 0;
	if (arrow)
		*arrow = 0;
	return take(data, name, missing ? NULL : path);
}

int loader_list(const char *path, const char *preload, bool (*take)(void *data, const char *name, const char *found), void *data)
{
	const char *loader = NULL;
	char *line = NULL;
	size_t room = 0;
	bool more = true;
	FILE *said;
	pid_t pid;

	dl_iterate_phdr(find_loader, &loader);
	if (!loader || !*loader)
		return -ENOSYS;
	said = start(loader, path, preload, &pid);
	if (!said)
		return -errno;
	while (getline(&line, &room, said) > 0)
		more = more && pass(line, take, data);
	free(line);
	fclose(said);
	waitpid(pid, NULL, 0);
	return 0;
}

struct missing {
	char *name;
	size_t size;
	bool found;
};

static bool note_missing(void *data, const char *name, const char *found)
{
	struct missing *missing = data;

	if (found)
		return true;
	snprintf(missing->name, missing->size, "%s", name);
	missing->found = true;
	return false;
}

bool loader_missing(const char *path, char *name, size_t size)
{
	struct missing missing = {name, size, false};

	loader_list(path, NULL, note_missing, &missing);
	return missing.found;
}
