/*
 * `rbdprof attach`: records processes that run already, with the library in them, and lets go of them again. It knows when such a
 * recording begins and ends; what a recording is, capture.h knows, and what can be attached to, candidates.h.
 */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "analyzer/candidates.h"
#include "analyzer/capture.h"
#include "analyzer/card.h"
#include "analyzer/deadline.h"
#include "analyzer/proc.h"
#include "analyzer/say.h"
#include "analyzer/signals.h"

#define FAILED 125

#define MOST_PROCESSES      64
#define REACH_PATIENCE_MS   15000 /* lttng-ust looks for a daemon every five seconds where it cannot sleep on a file */
#define REACH_LOOK_MS       20
#define REACH_SAY_MS        1000
#define WIND_UP_PATIENCE_MS 1000
#define WIND_UP_LOOK_MS     5

#define MOST_BYTES   (UINT64_C(1) << 30) /* of a trace for which no time is set, */
#define MOST_OF_DISK 20                  /* or this part of the disk's room */

static const char help[] =
    "usage: rbdprof attach [-o DIR] [-p PID]… [--for SECS] [--locks contended|holds|all|off] [--buffers SIZE]\n"
    "\n"
    "Records processes that run already, from outside, and lets go of them again. They must have been started with the library\n"
    "preloaded (LD_PRELOAD=…/librbdprof.so), in which it sleeps until somebody attaches. Without -p: lists the processes of this\n"
    "machine that use librbd, and whether they can be attached to.\n"
    "\n"
    "  -p, --pid PID       a process to record; may be given several times, or as a list with commas\n"
    "      --for SECS      ends after that time; else Ctrl-C or SIGTERM ends it, or the end of the processes, or a trace of 1 GiB\n"
    "                      or of 5 per cent of the disk's room\n"
    CAPTURE_HELP
    "  -h, --help\n"
    "\n"
    "Exit status: 0 when something was recorded or listed, 125 for failures, wrong usage included.\n";

struct process {
	struct target target;
	char name[48]; /* "fio (123)" */
	int pidfd;
	bool reached; /* the recording has it */
	bool ended;
};

struct attach {
	struct capture_options options;
	uint64_t for_ms; /* 0: until told to end */

	struct process *processes[MOST_PROCESSES];
	size_t count;
	char *names[MOST_PROCESSES + 1]; /* of the processes, for the note; ends with NULL */
	struct capture capture;
	struct signals signals;
	bool told_to_end;
};

/* Static, as an abandoned call may still look at things after the end. */
static struct attach attach;

static int usage_error(const char *what, const char *value)
{
	say("%s%s%s", what, value ? ": " : "", value ? value : "");
	say("usage: rbdprof attach [-o DIR] [-p PID]… [--for SECS] [--locks contended|holds|all|off] [--buffers SIZE]   (--help tells more)");
	return FAILED;
}

static bool is_listed(const struct attach *a, pid_t pid)
{
	for (size_t p = 0; p < a->count; p++)
		if (a->processes[p]->target.pid == pid)
			return true;
	return false;
}

/* Reads "12,13" and adds what is not in the list yet. Returns 0, -EINVAL, -E2BIG or -ENOMEM. */
static int add_pids(struct attach *a, const char *text)
{
	for (;; text++) {
		char *end;
		long pid = strtol(text, &end, 10);

		if (end == text || (*end && *end != ',') || pid <= 0 || pid > INT32_MAX)
			return -EINVAL;
		if (!is_listed(a, (pid_t)pid)) {
			struct process *process = a->count < MOST_PROCESSES ? calloc(1, sizeof(*process)) : NULL;

			if (!process)
				return a->count < MOST_PROCESSES ? -ENOMEM : -E2BIG;
			process->target.pid = (pid_t)pid;
			process->pidfd = -1;
			a->processes[a->count++] = process;
		}
		text = end;
		if (!*end)
			return 0;
	}
}

static int parse_seconds(const char *text, uint64_t *ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.001 && seconds <= 1e9))
		return -EINVAL;
	*ms = (uint64_t)(seconds * 1000);
	return 0;
}

/* Returns 0, FAILED after it said why, or -1 after it helped. */
static int parse(struct attach *a, int argc, char **argv)
{
	enum { FOR = 256 };
	static const struct option options[] = {
	    CAPTURE_OPTIONS,
	    {"pid", required_argument, NULL, 'p'},
	    {"for", required_argument, NULL, FOR},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	const char *wrong;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:p:h", options, NULL)) >= 0) {
		switch (option) {
		case CAPTURE_OUTPUT:
		case CAPTURE_LOCKS:
		case CAPTURE_BUFFERS:
			wrong = capture_option(&a->options, option, optarg);
			if (wrong)
				return usage_error(wrong, optarg);
			break;
		case 'p':
			if (add_pids(a, optarg))
				return usage_error("-p takes process ids, at most 64 of them, not", optarg);
			break;
		case FOR:
			if (parse_seconds(optarg, &a->for_ms))
				return usage_error("--for takes seconds, not", optarg);
			break;
		case 'h':
			fputs(help, stdout);
			return -1;
		case ':':
			return usage_error("a value is missing after", argv[optind - 1]);
		default:
			return usage_error("unknown option", argv[optind - 1]);
		}
	}
	return optind == argc ? 0 : usage_error("a process is named with -p, not", argv[optind]);
}

/* Looks at all processes before anything is begun. */
static int look_at_all(struct attach *a)
{
	char why[CANDIDATES_WHY_BYTES];

	for (size_t p = 0; p < a->count; p++) {
		struct target *target = &a->processes[p]->target;
		int looked = target_look(target, target->pid);

		if (looked == -ESRCH) {
			say("there is no process %d", (int)target->pid);
			return FAILED;
		}
		a->names[p] = (char *)target_name(target, a->processes[p]->name);
		if (candidates_obstacle(target, looked, why)) {
			say("%s %s", a->names[p], why);
			return FAILED;
		}
		if (geteuid() && !*target->home) {
			say("%s has no home in which to look for a session daemon of its user's: attach as root", a->names[p]);
			return FAILED;
		}
		if (geteuid() && strcmp(target->home, a->processes[0]->target.home)) {
			say("%s and %s look for a session daemon in different homes, \"%s\" and \"%s\": record them apart, or as root",
			    a->names[0], a->names[p], a->processes[0]->target.home, target->home);
			return FAILED;
		}
	}
	return 0;
}

/* From here on its number is its own: should it end, its pidfd tells. */
static int hold(struct process *process)
{
	process->pidfd = pidfd_open(process->target.pid, 0);
	if (process->pidfd >= 0 && proc_is(process->target.pid, process->target.start))
		return 0;
	say("%s has ended", process->name);
	return FAILED;
}

static int hold_all(struct attach *a)
{
	int result = 0;

	for (size_t p = 0; p < a->count && !result; p++)
		result = hold(a->processes[p]);
	return result;
}

/* Takes note of signals and of processes that ended, for at most that long. */
static void wait_for_news(struct attach *a, unsigned int ms)
{
	struct pollfd sources[MOST_PROCESSES + 1];

	for (size_t p = 0; p < a->count; p++)
		sources[p] = (struct pollfd){.fd = a->processes[p]->ended ? -1 : a->processes[p]->pidfd, .events = POLLIN};
	sources[a->count] = (struct pollfd){.fd = a->signals.fd, .events = POLLIN};
	if (poll(sources, a->count + 1, (int)ms) <= 0)
		return;
	if (sources[a->count].revents)
		a->told_to_end |= signals_asked_to_end(&a->signals);
	for (size_t p = 0; p < a->count; p++) {
		if (a->processes[p]->ended || !sources[p].revents)
			continue;
		a->processes[p]->ended = true;
		if (a->count > 1)
			say("%s has ended", a->names[p]);
	}
}

static size_t living(const struct attach *a)
{
	size_t count = 0;

	for (size_t p = 0; p < a->count; p++)
		count += !a->processes[p]->ended;
	return count;
}

/* Its folder appears before its events do. Where the shim does not show when those come, the folder is all there is to know. */
static bool is_reached(const struct attach *a, const struct process *process)
{
	return folder_has_trace_of(&a->capture.folder, process->target.vpid) && card_recorded(&process->target) != 0;
}

/* How many of those that have the tracer are yet to be reached by the recording. */
static size_t unreached(struct attach *a)
{
	size_t count = 0;

	for (size_t p = 0; p < a->count; p++) {
		struct process *process = a->processes[p];

		process->reached = process->reached || is_reached(a, process);
		count += !process->reached && !process->ended && target_has(&process->target, TARGET_PROVIDER);
	}
	return count;
}

static void say_unreached(const struct attach *a)
{
	for (size_t p = 0; p < a->count; p++) {
		const struct process *process = a->processes[p];
		const struct target *target = &process->target;

		if (process->reached || process->ended || !target_has(target, TARGET_PROVIDER))
			continue;
		say("%s has not registered with the session daemon within %d s: %s", process->name, REACH_PATIENCE_MS / 1000,
		    target->foreign_mounts
			? "it lives in other mounts, a container perhaps, and must see /run/lttng and /dev/shm of this machine"
			: "is it held up, or kept from its sockets by AppArmor or SELinux? rbdprof doctor tells more");
	}
}

/*
 * Lets the session have the processes and waits until their events are recorded. A program that was started before any session
 * daemon sleeps until one comes, and then registers. Returns how many are recorded.
 */
static size_t reach(struct attach *a)
{
	uint64_t begin_ms = deadline_now_ms(), waited_ms = 0;
	size_t left, count = 0;
	bool said = false;

	for (size_t p = 0; p < a->count; p++) {
		struct target *target = &a->processes[p]->target;

		if (session_track(target->vpid))
			say("%s: %s", a->names[p], session_why());
		else if (!target_has(target, TARGET_PROVIDER))
			say("%s has no image open yet: it is recorded as soon as it opens one", a->names[p]);
	}
	while ((left = unreached(a)) && waited_ms < REACH_PATIENCE_MS && !a->told_to_end) {
		if (!said && waited_ms > REACH_SAY_MS) {
			say("waiting for %zu %s to register with the session daemon", left, left == 1 ? "process" : "processes");
			said = true;
		}
		wait_for_news(a, REACH_LOOK_MS);
		waited_ms = deadline_now_ms() - begin_ms;
	}
	if (!a->told_to_end)
		say_unreached(a);
	for (size_t p = 0; p < a->count; p++)
		count += a->processes[p]->reached || (!a->processes[p]->ended && !target_has(&a->processes[p]->target, TARGET_PROVIDER));
	return count;
}

static void record(struct attach *a)
{
	uint64_t end_ms = a->for_ms ? deadline_now_ms() + a->for_ms : UINT64_MAX, now_ms, next_ms = 0;

	while (!a->told_to_end && living(a) && !*a->capture.watch.stopped_early && (now_ms = deadline_now_ms()) < end_ms) {
		if (now_ms >= next_ms)
			next_ms = now_ms + watch_look(&a->capture.watch);
		wait_for_news(a, (unsigned int)((next_ms < end_ms ? next_ms : end_ms) - now_ms));
	}
}

static bool still_tells(const struct attach *a)
{
	for (size_t p = 0; p < a->count; p++)
		if (!a->processes[p]->ended && card_telling(&a->processes[p]->target) == 1)
			return true;
	return false;
}

/* What processes keep and count they tell within a tenth of a second, unless they are held up. */
static void wind_up(struct attach *a)
{
	uint64_t until_ms = deadline_now_ms() + WIND_UP_PATIENCE_MS;

	if (*a->capture.watch.stopped_early || session_wind_up())
		return;
	while (still_tells(a) && deadline_now_ms() < until_ms)
		wait_for_news(a, WIND_UP_LOOK_MS);
}

/* Why it ended, when that is not what was asked for; then the counts and the next command. */
static void say_end(struct attach *a, bool all_ended)
{
	unsigned int traced = 0;

	for (size_t p = 0; p < a->count; p++) {
		struct process *process = a->processes[p];

		process->reached = process->reached || folder_has_trace_of(&a->capture.folder, process->target.vpid);
		traced += process->reached;
	}
	if (*a->capture.watch.stopped_early)
		say("the recording was %s", a->capture.watch.stopped_early);
	else if (all_ended)
		say("the recording ended with %s", a->count == 1 ? "the process" : "the last of the processes");
	if (!traced)
		say("no image was opened meanwhile");
	a->capture.note.processes_traced = traced;
	capture_write_note(&a->capture);
	capture_say_end(&a->capture, traced);
}

static void limit_size(struct attach *a)
{
	uint64_t part = folder_free(&a->capture.folder) / MOST_OF_DISK;

	if (!a->for_ms)
		a->capture.watch.most_bytes = part < MOST_BYTES ? part : MOST_BYTES;
}

static void say_begin(const struct attach *a)
{
	const char *name = a->names[0];
	char limit[32];

	capture_size_words(limit, a->capture.watch.most_bytes);
	if (a->for_ms)
		say("recording %s%s for %.3g s", name, a->count > 1 ? " and others" : "", (double)a->for_ms / 1000);
	else
		say("recording %s%s until Ctrl-C, or until %s are recorded", name, a->count > 1 ? " and others" : "", limit);
}

static int run(struct attach *a)
{
	bool all_ended;

	if (capture_begin(&a->capture, a->options.locks, geteuid() ? a->processes[0]->target.home : NULL) || !reach(a) || a->told_to_end) {
		if (a->told_to_end)
			say("interrupted before anything was recorded");
		capture_end(&a->capture);
		capture_undo_folder(&a->capture);
		return FAILED;
	}
	say_begin(a);
	capture_note_begin(&a->capture);
	record(a);
	capture_note_end(&a->capture);
	wind_up(a);
	all_ended = !living(a);
	capture_drain(&a->capture);
	capture_end(&a->capture);
	say_end(a, all_ended);
	return 0;
}

static int list(void)
{
	int count = candidates_write(stdout);

	if (count < 0) {
		say("cannot look at the processes: %s", strerror(-count));
		return FAILED;
	}
	if (!count)
		say("no process %suses librbd", geteuid() ? "that this user may look into " : "of this machine ");
	return 0;
}

int verb_attach(int argc, char **argv)
{
	struct attach *a = &attach;
	int result = parse(a, argc, argv);

	if (result)
		return result < 0 ? 0 : result;
	if (!a->count)
		return list();
	say_keep_streams();
	if (look_at_all(a) || signals_take(&a->signals) || hold_all(a) ||
	    capture_plan(&a->capture, a->options.buffers_bytes, (unsigned int)a->count, (unsigned int)a->count) ||
	    capture_make_folder(&a->capture, a->options.output, a->processes[0]->target.comm))
		return FAILED;
	limit_size(a);
	a->capture.note.status = -1;
	a->capture.note.command = a->names;
	a->capture.note.attached = true;
	return run(a);
}
