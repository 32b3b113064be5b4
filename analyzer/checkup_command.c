/* A command that is yet to be run: from its file and from what the loader would make of it. */
#include "analyzer/checkup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analyzer/binary.h"
#include "analyzer/child.h"
#include "analyzer/functions.h"
#include "analyzer/loader.h"
#include "analyzer/preload.h"
#include "analyzer/release.h"

/* Whether the loader will run with its environment ignored. */
static bool is_secure(struct checkup *c, const char *path)
{
	struct stat file;

	if (stat(path, &file))
		return false;
	if (file.st_mode & S_ISUID && file.st_uid != geteuid()) {
		checkup_say(c, CHECKUP_BLIND, "program", "%s is set-user-id: the loader preloads nothing there; record it as that user",
			    path);
		return true;
	}
	if (file.st_mode & S_ISGID && file.st_mode & S_IXGRP && file.st_gid != getegid()) {
		checkup_say(c, CHECKUP_BLIND, "program", "%s is set-group-id: the loader preloads nothing there", path);
		return true;
	}
	if (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0) {
		checkup_say(c, CHECKUP_BLIND, "program",
			    "%s has capabilities of its own: the loader preloads nothing there; record it as root", path);
		return true;
	}
	return false;
}

/* What the loader would make of a program. */
struct libraries {
	char librbd[PATH_MAX];
	char common[PATH_MAX];
	char lttng_0[PATH_MAX];
	char allocator[PATH_MAX];
	char missing[128];
	bool shim;
};

static bool note_library(void *data, const char *name, const char *found)
{
	struct libraries *all = data;
	const char *last = strrchr(name, '/');
	struct {
		const char *begins;
		char *path;
	} wanted[] = {
	    {"librbd.so.1", all->librbd},        {"libceph-common.so.2", all->common}, {"liblttng-ust.so.0", all->lttng_0},
	    {"libjemalloc.so.", all->allocator}, {"libtcmalloc", all->allocator},      {"libmimalloc", all->allocator},
	};

	last = last ? last + 1 : name;
	if (!found) {
		snprintf(all->missing, sizeof(all->missing), "%s", name);
		return true;
	}
	all->shim |= !strcmp(last, "librbdprof.so");
	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++)
		if (!strncmp(last, wanted[w].begins, strlen(wanted[w].begins)))
			snprintf(wanted[w].path, PATH_MAX, "%s", found);
	return true;
}

struct imports {
	unsigned int c, cxx, cxx_seen;
};

static bool count_import(void *data, const char *name, bool offered, uint64_t value)
{
	struct imports *imports = data;

	(void)value;
	if (offered)
		return true;
	imports->c += functions_moves_data(name);
	if (functions_moves_data_cxx(name)) {
		imports->cxx++;
		imports->cxx_seen += functions_has_row(name);
	}
	return true;
}

static void check_imports(struct checkup *c, const struct binary *program)
{
	struct imports imports = {0};

	binary_symbols(program, count_import, &imports);
	if (imports.cxx > imports.cxx_seen)
		checkup_say(c, imports.c + imports.cxx_seen ? CHECKUP_NOTE : CHECKUP_BLIND, "C++ interface",
			    "it calls %u functions of librbd's C++ interface, %u of which are not seen", imports.cxx,
			    imports.cxx - imports.cxx_seen);
	else if (imports.cxx)
		checkup_say(c, CHECKUP_OK, "C++ interface", "all %u functions that it calls are seen", imports.cxx);
}

static void check_libraries(struct checkup *c, const char *path, const struct binary *program)
{
	struct libraries *all = calloc(1, sizeof(*all));
	char shim[PATH_MAX], release[32];
	bool have_shim = !preload_look(shim);

	if (!all)
		return;
	loader_list(path, have_shim ? shim : NULL, note_library, all);
	if (*all->missing)
		checkup_say(c, CHECKUP_NOTE, "program", "%s needs %s, which is not there: it will not start", path, all->missing);
	if (have_shim && !all->shim && !*all->missing)
		checkup_say(c, CHECKUP_BLIND, "program", "the loader does not preload %s into %s", shim, path);
	if (*all->lttng_0)
		checkup_say(c, CHECKUP_BLIND, "LTTng", "it brings %s, an older LTTng that cannot share a process with ours", all->lttng_0);
	if (*all->librbd) {
		release_read(all->common, release, sizeof(release));
		checkup_say(c, CHECKUP_OK, "librbd", "%s, Ceph %s", all->librbd, *release ? release : "of an unknown release");
		checkup_librbd(c, all->librbd, all->librbd);
	} else {
		checkup_say(c, CHECKUP_NOTE, "librbd",
			    "not among its libraries; a program may load it later, as QEMU and Python do: doctor PID tells when it runs");
	}
	check_imports(c, program);
	checkup_say(c, CHECKUP_OK, "allocator", "%s", *all->allocator ? all->allocator : "the C library's");
	free(all);
}

static void check_file(struct checkup *c, const char *path)
{
	struct binary *program;
	int result = binary_open(&program, path);
	char begin[2] = "";
	FILE *file;

	if (result == -ENOEXEC && (file = fopen(path, "re"))) {
		if (fread(begin, 1, 2, file) == 2 && !memcmp(begin, "#!", 2))
			checkup_say(c, CHECKUP_OK, "program", "%s is a script: the programs that it starts are recorded", path);
		else
			checkup_say(c, CHECKUP_BLIND, "program", "%s is no program of this machine's kind", path);
		fclose(file);
		return;
	}
	if (result) {
		checkup_say(c, CHECKUP_BLIND, "program", "cannot read %s: %s", path, strerror(-result));
		return;
	}
	if (binary_is_static(program)) {
		checkup_say(c, CHECKUP_BLIND, "program", "%s is linked statically: nothing can be preloaded, and no call of it is seen",
			    path);
	} else if (!is_secure(c, path)) {
		checkup_say(c, CHECKUP_OK, "program", "%s", path);
		check_libraries(c, path, program);
	}
	binary_close(program);
}

void checkup_command(struct checkup *c, char *const *words)
{
	char path[PATH_MAX];

	if (child_where(words[0], path)) {
		checkup_say(c, CHECKUP_BLIND, "program", "cannot run %s: %s", words[0], strerror(errno));
		return;
	}
	check_file(c, path);
	for (char *const *word = words + 1; *word; word++) {
		const char *device = strstr(*word, "/dev/rbd");

		if (device) {
			checkup_say(c, CHECKUP_NOTE, "kernel client", "%s is the kernel's: what goes there is not seen", device);
			break;
		}
	}
}
