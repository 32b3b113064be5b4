/* This machine: what record and attach would find. */
#include "analyzer/checkup.h"

#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/budget.h"
#include "analyzer/capture.h"
#include "analyzer/child.h"
#include "analyzer/folder.h"
#include "analyzer/loader.h"
#include "analyzer/preload.h"
#include "analyzer/proc.h"
#include "analyzer/session.h"
#include "analyzer/shm.h"
#include "analyzer/trace.h"
#include "tracepoints/schema.h"

#define DAEMON        "lttng-sessiond"
#define CTF_2_SINCE   16 /* LTTng 2.16 writes the second version of the trace format */
#define GROUP         "tracing"
#define ENOUGH_SHARES 1

/* The second number of LTTng's version, or -1; the whole of it is written to `version`. */
static int lttng_version(char version[32])
{
	FILE *said = popen(DAEMON " --version 2>/dev/null", "re");
	int minor = -1;

	*version = 0;
	if (!said)
		return -1;
	if (fscanf(said, "%31s", version) != 1 || sscanf(version, "2.%d", &minor) != 1)
		minor = -1;
	pclose(said);
	return minor;
}

static void check_versions(struct checkup *c)
{
	char version[32];
	int minor = lttng_version(version);

	if (minor < 0)
		checkup_say(c, CHECKUP_NOTE, "versions", "rbdprof " RBDPROF_VERSION ", schema %d; LTTng's version cannot be told",
			    RBDPROF_SCHEMA);
	else if (minor >= CTF_2_SINCE && !trace_reads_ctf_2())
		checkup_say(c, CHECKUP_NOTE, "versions",
			    "LTTng %s writes traces that this babeltrace2 cannot read: rbdprof report needs libbabeltrace2 2.1", version);
	else
		checkup_say(c, CHECKUP_OK, "versions", "rbdprof " RBDPROF_VERSION ", schema %d, LTTng %s", RBDPROF_SCHEMA, version);
}

static void check_library(struct checkup *c)
{
	char shim[PATH_MAX], provider[PATH_MAX + 32], missing[128];

	if (preload_look(shim)) {
		checkup_say(c, CHECKUP_BLIND, "library",
			    "librbdprof.so is not where it should be: install rbdprof, or set RBDPROF_PRELOAD_DIR");
		return;
	}
	snprintf(provider, sizeof(provider), "%.*s/librbdprof-lttng.so", (int)(strrchr(shim, '/') - shim), shim);
	if (access(provider, R_OK))
		checkup_say(c, CHECKUP_BLIND, "library", "%s: %s", provider, strerror(errno));
	else if (loader_missing(provider, missing, sizeof(missing)))
		checkup_say(c, CHECKUP_BLIND, "library", "%s needs %s, which is not there: install LTTng-UST (liblttng-ust1)", provider,
			    missing);
	else
		checkup_say(c, CHECKUP_OK, "library", "%s", shim);
}

static void check_daemon(struct checkup *c)
{
	if (session_daemon_alive()) {
		if (session_count() < 0)
			checkup_say(c, CHECKUP_BLIND, "session daemon", "one runs and does not answer (%s): end it, or wait for it",
				    session_why());
		else
			checkup_say(c, CHECKUP_OK, "session daemon", "one runs and answers");
	} else if (child_find(DAEMON)) {
		checkup_say(c, CHECKUP_BLIND, "session daemon", DAEMON " is not installed: install lttng-tools");
	} else {
		checkup_say(c, CHECKUP_OK, "session daemon", "none runs; recordings start one and end it again");
	}
}

static bool in_group(gid_t wanted)
{
	gid_t groups[256];
	int count = getgroups(256, groups);

	for (int g = 0; g < count; g++)
		if (groups[g] == wanted)
			return true;
	return getegid() == wanted;
}

static void check_user(struct checkup *c)
{
	const struct group *group;

	if (!geteuid()) {
		checkup_say(c, CHECKUP_OK, "user", "root: may attach to every process");
		return;
	}
	group = getgrnam(GROUP);
	if (group && in_group(group->gr_gid))
		checkup_say(c, CHECKUP_OK, "user",
			    "a member of the group " GROUP ": uses root's session daemon when one runs, else one of its own");
	else
		checkup_say(c, CHECKUP_NOTE, "user",
			    "not a member of the group " GROUP
			    ": records its own programs with a session daemon of its own, and attaches to its own only");
}

static void check_shared_memory(struct checkup *c)
{
	unsigned int processors = proc_possible_processors();
	uint64_t size_bytes, free_bytes, granted = BUDGET_DEFAULT_BYTES;
	char size[32], least[32];
	struct budget budget;
	int result = shm_room(&size_bytes, &free_bytes);

	if (result) {
		checkup_say(c, CHECKUP_BLIND, "shared memory", "cannot look at /dev/shm: %s", strerror(-result));
		return;
	}
	granted = granted < size_bytes / 4 ? granted : size_bytes / 4;
	granted = granted < free_bytes ? granted : free_bytes;
	capture_size_words(size, free_bytes);
	capture_size_words(least, budget_least(processors));
	if (budget_split(&budget, granted, BUDGET_SHARES, ENOUGH_SHARES, processors))
		checkup_say(c, CHECKUP_BLIND, "shared memory", "%s free in /dev/shm: %u processors need %s a process, in a quarter of it",
			    size, processors, least);
	else if (budget.subbuffer_bytes < BUDGET_GOOD_BYTES)
		checkup_say(c, CHECKUP_NOTE, "shared memory", "%s free in /dev/shm: small buffers, which lose events of a busy program",
			    size);
	else
		checkup_say(c, CHECKUP_OK, "shared memory", "%s free in /dev/shm: buffers for %u processes at a time", size, budget.shares);
}

static void check_disk(struct checkup *c)
{
	struct folder here = {.path = "."};
	uint64_t free_bytes = folder_free(&here);
	char room[32];

	capture_size_words(room, free_bytes);
	if (free_bytes < BUDGET_DEFAULT_BYTES + 2 * WATCH_RESERVE_BYTES)
		checkup_say(c, CHECKUP_BLIND, "disk", "%s free in the current folder: too little for a recording, choose another with -o",
			    room);
	else
		checkup_say(c, CHECKUP_OK, "disk", "%s free in the current folder", room);
}

static void check_kernel_client(struct checkup *c)
{
	glob_t devices;

	if (glob("/dev/rbd[0-9]*", 0, NULL, &devices))
		return;
	checkup_say(c, CHECKUP_NOTE, "kernel client", "%s is the kernel's: what uses it does not use librbd, and is not seen",
		    devices.gl_pathv[0]);
	globfree(&devices);
}

void checkup_machine(struct checkup *c)
{
	check_versions(c);
	check_library(c);
	check_daemon(c);
	check_user(c);
	check_shared_memory(c);
	check_disk(c);
	check_kernel_client(c);
}
