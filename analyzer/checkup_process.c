/* A running process: from its maps, its environment, and where its calls of librbd really lead. */
#include "analyzer/checkup.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/binary.h"
#include "analyzer/candidates.h"
#include "analyzer/card.h"
#include "analyzer/functions.h"
#include "analyzer/release.h"

#define LTTNG_SOCKETS "/run/lttng"
#define SHARED_MEMORY "/dev/shm"

/* Where a process's calls of librbd lead, over all of its files that make any. */
struct calls {
	const struct target *target;
	unsigned int seen;     /* through the shim */
	unsigned int past;     /* straight to librbd */
	unsigned int unbound;  /* to be looked up at the first call */
	unsigned int cxx;      /* of the C++ interface, data only */
	unsigned int cxx_seen; /* of these, in the table */
	bool unreadable;
	char past_file[PATH_MAX]; /* the first one with such calls */
	char cxx_file[PATH_MAX];

	const char *path; /* of the file that is being looked at, */
	uint64_t shift;   /* and what its addresses are shifted by */
};

static bool lies_in(const struct target_mapping *mapping, uint64_t address)
{
	return address >= mapping->begin && address < mapping->end;
}

static void note_file(char file[PATH_MAX], const char *path)
{
	if (!*file)
		snprintf(file, PATH_MAX, "%s", path);
}

static void count_slot(void *data, const char *name, uint64_t slot)
{
	struct calls *calls = data;
	bool cxx = functions_moves_data_cxx(name);
	uint64_t leads_to;

	if (cxx) {
		calls->cxx++;
		note_file(calls->cxx_file, calls->path);
	}
	if (!functions_has_row(name) || !(cxx || functions_moves_data(name)))
		return;
	calls->cxx_seen += cxx;
	if (target_read(calls->target, slot + calls->shift, &leads_to, sizeof(leads_to))) {
		calls->unreadable = true;
	} else if (lies_in(&calls->target->mappings[TARGET_SHIM], leads_to)) {
		calls->seen++;
	} else if (lies_in(&calls->target->mappings[TARGET_LIBRBD], leads_to)) {
		calls->past++;
		note_file(calls->past_file, calls->path);
	} else {
		calls->unbound++;
	}
}

static void count_file(void *data, uint64_t begin, const char *path, const char *readable)
{
	struct calls *calls = data;
	struct binary *binary;

	/* The shim asks for the originals, and librbd for its own. */
	if (begin == calls->target->mappings[TARGET_SHIM].begin || begin == calls->target->mappings[TARGET_LIBRBD].begin ||
	    binary_open(&binary, readable))
		return;
	calls->path = path;
	calls->shift = begin - binary_first_page(binary);
	binary_slots(binary, count_slot, calls);
	binary_close(binary);
}

static void say_calls(struct checkup *c, const struct calls *calls)
{
	if (calls->unreadable)
		checkup_say(c, CHECKUP_NOTE, "calls", "its memory cannot be read, so that it is not known where its calls of librbd lead");
	else if (calls->past)
		checkup_say(c, CHECKUP_BLIND, "calls",
			    "%u of %u functions that %s calls lead straight to librbd: loaded with RTLD_DEEPBIND, or before "
			    "the library",
			    calls->past, calls->past + calls->seen + calls->unbound, calls->past_file);
	else if (calls->seen + calls->unbound)
		checkup_say(c, CHECKUP_OK, "calls", "%u functions of librbd lead through the library%s", calls->seen + calls->unbound,
			    calls->unbound ? ", some when they are first called" : "");
	if (calls->cxx > calls->cxx_seen)
		checkup_say(c, calls->cxx_seen + calls->seen + calls->unbound ? CHECKUP_NOTE : CHECKUP_BLIND, "C++ interface",
			    "%s calls %u functions of librbd's C++ interface, %u of which are not seen", calls->cxx_file, calls->cxx,
			    calls->cxx - calls->cxx_seen);
	else if (calls->cxx)
		checkup_say(c, CHECKUP_OK, "C++ interface", "%u functions that %s calls are seen", calls->cxx, calls->cxx_file);
}

/* Calls of librbd that look-ups at run time found (Python's, for one) stand in no file, and are not counted. */
static void check_calls(struct checkup *c, const struct target *t)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return;
	calls->target = t;
	if (!target_files(t, count_file, calls))
		say_calls(c, calls);
	free(calls);
}

struct reach {
	const struct target *target;
	char needed[64][64]; /* names of libraries that the program needs, and those that these need */
	unsigned int count;
};

static void note_needed(struct reach *reach, const struct binary *binary)
{
	const char *name;

	for (size_t n = 0; (name = binary_needed(binary, n)); n++) {
		unsigned int known = 0;

		while (known < reach->count && strncmp(reach->needed[known], name, sizeof(reach->needed[0]) - 1))
			known++;
		if (known == reach->count && known < 64)
			snprintf(reach->needed[reach->count++], sizeof(reach->needed[0]), "%s", name);
	}
}

static void follow(void *data, uint64_t begin, const char *path, const char *readable)
{
	const char *name = strrchr(path, '/') + 1;
	struct reach *reach = data;
	struct binary *binary;

	(void)begin;
	for (unsigned int n = 0; n < reach->count; n++) {
		if (strncmp(name, reach->needed[n], strlen(reach->needed[n])))
			continue;
		if (binary_open(&binary, readable))
			return;
		note_needed(reach, binary);
		binary_close(binary);
		return;
	}
}

/* Whether the program itself was linked with librbd, perhaps through a library; else it loaded it later. */
static bool links_librbd(const struct target *t, const struct binary *program)
{
	struct reach *reach = calloc(1, sizeof(*reach));
	unsigned int before;
	bool links = false;

	if (!reach)
		return false;
	note_needed(reach, program);
	do {
		before = reach->count;
		target_files(t, follow, reach);
	} while (reach->count > before);
	for (unsigned int n = 0; n < reach->count; n++)
		links |= !strcmp(reach->needed[n], "librbd.so.1");
	free(reach);
	return links;
}

static void check_librbd(struct checkup *c, const struct target *t, const struct binary *program)
{
	const struct target_mapping *librbd = &t->mappings[TARGET_LIBRBD];
	char release[32];

	if (!target_has(t, TARGET_LIBRBD)) {
		checkup_say(c, CHECKUP_NOTE, "librbd", "not in it: there is nothing to see until it loads it");
		return;
	}
	release_read(t->mappings[TARGET_CEPH_COMMON].readable, release, sizeof(release));
	checkup_say(c, CHECKUP_OK, "librbd", "%s, Ceph %s%s", librbd->path, *release ? release : "of an unknown release",
		    program && !links_librbd(t, program) ? "; loaded at run time, which is fine" : "");
	checkup_librbd(c, librbd->path, librbd->readable);
}

/* A file of the kernel's client that the process has open. */
static void check_kernel_client(struct checkup *c, const struct target *t)
{
	char path[64], link[PATH_MAX + 64], file[256];
	struct dirent *entry;
	ssize_t length;
	DIR *open;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)t->pid);
	open = opendir(path);
	while (open && (entry = readdir(open))) {
		snprintf(link, sizeof(link), "%s/%s", path, entry->d_name);
		length = readlink(link, file, sizeof(file) - 1);
		file[length > 0 ? length : 0] = 0;
		if (strncmp(file, "/dev/rbd", 8))
			continue;
		checkup_say(c, target_has(t, TARGET_LIBRBD) ? CHECKUP_NOTE : CHECKUP_BLIND, "kernel client",
			    "it uses %s, which is the kernel's: that is not seen", file);
		break;
	}
	if (open)
		closedir(open);
}

static void check_allocator(struct checkup *c, const struct target *t)
{
	static const enum target_library allocators[] = {TARGET_JEMALLOC, TARGET_TCMALLOC, TARGET_MIMALLOC};

	for (size_t a = 0; a < sizeof(allocators) / sizeof(allocators[0]); a++)
		if (target_has(t, allocators[a])) {
			checkup_say(c, CHECKUP_OK, "allocator", "%s: fine, and the locks in it are seen where they are pthread's",
				    t->mappings[allocators[a]].path);
			return;
		}
	checkup_say(c, CHECKUP_OK, "allocator", "the C library's");
}

/* Whether a folder of ours and of a process in other mounts is the same. */
static bool shares(const struct target *t, const char *folder)
{
	char path[64];
	struct stat ours, theirs;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)t->pid, folder);
	return stat(folder, &ours) || (!stat(path, &theirs) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino);
}

static void check_mounts(struct checkup *c, const struct target *t)
{
	if (!t->foreign_mounts)
		return;
	if (shares(t, LTTNG_SOCKETS) && shares(t, SHARED_MEMORY))
		checkup_say(c, CHECKUP_OK, "mounts", "its own, but it sees " LTTNG_SOCKETS " and " SHARED_MEMORY " of this machine");
	else
		checkup_say(c, CHECKUP_BLIND, "mounts",
			    "its own, a container perhaps: it does not see this machine's " LTTNG_SOCKETS " and " SHARED_MEMORY
			    ", and so no session daemon; record it from inside, or mount both there");
}

static void check_seccomp(struct checkup *c, const struct target *t)
{
	if (t->filtered)
		checkup_say(c, CHECKUP_NOTE, "seccomp",
			    "it runs under a filter of system calls: the library forks nothing and needs none that QEMU's "
			    "sandbox denies; another filter must allow sockets and shared memory");
}

static void check_state(struct checkup *c, const struct target *t)
{
	char why[CANDIDATES_WHY_BYTES];
	struct card card;

	if (candidates_obstacle(t, 0, why)) {
		checkup_say(c, CHECKUP_BLIND, "attach", "the process %s", why);
		return;
	}
	if (!card_read(&card, t) && card.images)
		checkup_say(c, CHECKUP_OK, "attach", "ready, by rbdprof %s: %s%s", card.version, card.names[0],
			    card.images > 1 ? " and others" : "");
	else if (target_has(t, TARGET_PROVIDER))
		checkup_say(c, CHECKUP_OK, "attach", "ready");
	else
		checkup_say(c, CHECKUP_OK, "attach", "the library is in it and waits for its first image");
}

void checkup_process(struct checkup *c, const struct target *t, int looked)
{
	char why[CANDIDATES_WHY_BYTES], path[64];
	struct binary *program = NULL;

	if (looked) {
		candidates_obstacle(t, looked, why);
		checkup_say(c, CHECKUP_BLIND, "process", "%s %s", t->comm, why);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->pid);
	if (!binary_open(&program, path) && binary_is_static(program)) {
		checkup_say(c, CHECKUP_BLIND, "process", "%s is linked statically: nothing can be preloaded, and no call of it is seen",
			    t->comm);
		check_kernel_client(c, t);
		binary_close(program);
		return;
	}
	check_state(c, t);
	check_librbd(c, t, program);
	if (target_has(t, TARGET_LIBRBD))
		check_calls(c, t);
	check_kernel_client(c, t);
	check_allocator(c, t);
	check_mounts(c, t);
	check_seccomp(c, t);
	binary_close(program);
}
