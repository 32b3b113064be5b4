/* /proc, process by process. */
#include "analyzer/candidates.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/card.h"
#include "analyzer/preload.h"
#include "analyzer/release.h"
#include "tracepoints/schema.h"

/* Why there is no shim in a process. */
static void explain_absence(const struct target *t, char why[CANDIDATES_WHY_BYTES])
{
	char shim[PATH_MAX];

	if (t->secure)
		snprintf(why, CANDIDATES_WHY_BYTES, "is set-user-id, set-group-id or has capabilities: the loader preloads nothing there");
	else if (strstr(t->preload, "librbdprof.so"))
		snprintf(
		    why, CANDIDATES_WHY_BYTES,
		    "was started with LD_PRELOAD=%.400s, but the loader could not load it (is the file there, for that user and in that "
		    "mount namespace?)",
		    t->preload);
	else
		snprintf(why, CANDIDATES_WHY_BYTES, "was started without the library: restart it with LD_PRELOAD=%.600s",
			 preload_look(shim) ? "…/librbdprof.so" : shim);
}

/* Why a process that has the shim cannot be recorded all the same. */
static bool check_shim(const struct target *t, char why[CANDIDATES_WHY_BYTES])
{
	struct card card;
	int result = card_read(&card, t);

	if (t->disabled)
		snprintf(why, CANDIDATES_WHY_BYTES, "was started with RBDPROF_DISABLE in its environment");
	else if (!result && card.schema > RBDPROF_SCHEMA)
		snprintf(why, CANDIDATES_WHY_BYTES, "has a newer library (rbdprof %s) than this program can read: use that rbdprof",
			 card.version);
	else if (target_has(t, TARGET_LTTNG_0))
		snprintf(why, CANDIDATES_WHY_BYTES, "has an older LTTng in it (%.400s), which cannot share a process with ours",
			 t->mappings[TARGET_LTTNG_0].path);
	else if (!result && card.images && !target_has(t, TARGET_PROVIDER))
		snprintf(why, CANDIDATES_WHY_BYTES, "has opened its image without the tracer: %s",
			 t->of_a_recording ? "the recording that started it had no room for it, or was over"
					   : "librbdprof-lttng.so, or LTTng-UST, is not there beside the library");
	else
		return false;
	return true;
}

bool candidates_obstacle(const struct target *t, int looked, char why[CANDIDATES_WHY_BYTES])
{
	const struct passwd *user;

	if (looked == -EACCES && !geteuid()) {
		snprintf(why, CANDIDATES_WHY_BYTES, "may not be looked into, even by root: it lives in another user namespace, or is protected");
		return true;
	}
	if (looked == -EACCES) {
		user = getpwuid(t->uid);
		snprintf(why, CANDIDATES_WHY_BYTES, "is %s's: only root, or that user, may look into it",
			 user ? user->pw_name : "another user");
		return true;
	}
	if (t->stopped) {
		snprintf(why, CANDIDATES_WHY_BYTES, "is stopped: let it continue first");
		return true;
	}
	if (target_has(t, TARGET_SHIM))
		return check_shim(t, why);
	if (target_has(t, TARGET_LIBRBD) || strstr(t->preload, "librbdprof.so"))
		explain_absence(t, why);
	else
		snprintf(why, CANDIDATES_WHY_BYTES, "has neither librbd nor the library in it: there is nothing to record");
	return true;
}

static void write_images(FILE *out, const struct card *card)
{
	for (unsigned int i = 0; i < card->images && i < CARD_IMAGES; i++)
		fprintf(out, "%s%s", i ? ", " : "", card->names[i]);
	if (card->images > CARD_IMAGES)
		fprintf(out, " and %u more", card->images - CARD_IMAGES);
}

static void write_one(FILE *out, const struct target *t, int looked)
{
	char why[CANDIDATES_WHY_BYTES], release[32];
	struct card card = {0};
	bool obstacle = candidates_obstacle(t, looked, why);
	int result = card_read(&card, t);

	release_read(t->mappings[TARGET_CEPH_COMMON].readable, release, sizeof(release));
	fprintf(out, "%8d  %-16.16s %-9s %-7s ", (int)t->pid, t->comm, *release ? release : "-",
		obstacle                         ? "no"
		: target_has(t, TARGET_PROVIDER) ? "ready"
						 : "idle");
	if (card.images)
		write_images(out, &card);
	else
		fputs(result ? "-" : "none open", out);
	if (obstacle)
		fprintf(out, "\n%10s%s", "", why);
	fputc('\n', out);
}

int candidates_write(FILE *out)
{
	struct target *target = malloc(sizeof(*target));
	DIR *all = opendir("/proc");
	struct dirent *entry;
	int count = 0, looked;

	if (!target || !all) {
		count = target ? -errno : -ENOMEM;
		free(target);
		if (all)
			closedir(all);
		return count;
	}
	while ((entry = readdir(all))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		looked = target_look(target, (pid_t)atol(entry->d_name));
		if (looked || !target_has(target, TARGET_LIBRBD) || target->pid == getpid())
			continue;
		if (!count++)
			fprintf(out, "%8s  %-16s %-9s %-7s %s\n", "PID", "COMMAND", "CEPH", "ATTACH", "IMAGES");
		write_one(out, target, looked);
	}
	closedir(all);
	free(target);
	return count;
}
