/*
 * `rbdprof record`: one recording from the folder to the last line. The order is what matters here: all that can fail is done
 * before the command starts, and whatever was begun is undone in reverse, whichever way it ends.
 */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/budget.h"
#include "analyzer/child.h"
#include "analyzer/control.h"
#include "analyzer/daemon.h"
#include "analyzer/deadline.h"
#include "analyzer/folder.h"
#include "analyzer/note.h"
#include "analyzer/preload.h"
#include "analyzer/proc.h"
#include "analyzer/say.h"
#include "analyzer/session.h"
#include "analyzer/shm.h"
#include "analyzer/watch.h"

#define FAILED 125 /* rbdprof's own failure before the command runs; 126 and 127 are child.h's */

#define DRAIN_PATIENCE_MS 30000 /* for the last data to reach a slow disk */
#define DRAIN_SAY_MS      2000

static const char help[] =
    "usage: rbdprof record [-o DIR] [--locks contended|all|off] [--buffers SIZE] -- CMD…\n"
    "\n"
    "Runs CMD and records the RBD requests and contended locks of CMD and of every process below it that opens an image.\n"
    "\n"
    "  -o, --output DIR    where the recording goes; default rbdprof-PROGRAM-DATE-TIME in the current folder\n"
    "      --locks WHICH   contended: acquisitions that had to wait (default); all: waits on condition variables too; off\n"
    "      --buffers SIZE  shared memory in all, with K, M or G; default 64M, never more than a quarter of /dev/shm\n"
    "  -h, --help\n"
    "\n"
    "CMD keeps its standard streams; Ctrl-C reaches it, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to it.\n"
    "Exit status: CMD's (128+n after signal n); before CMD runs: 125 for rbdprof's own failures, wrong usage included,\n"
    "126 when CMD cannot be executed, 127 when it cannot be found.\n";

struct record {
	const char *output; /* NULL: a name of our own */
	enum session_locks locks;
	uint64_t buffers_bytes; /* 0: the default */
	char **command;

	char shim[PATH_MAX];
	struct folder folder;
	struct budget budget;
	struct daemon daemon;
	struct control control;
	struct child child;
	struct watch watch;
	struct note note;
	int signals;
};

/* Static, as the door's callbacks know no argument and an abandoned call may still look at things after the end. */
static struct record record;

static int usage_error(const char *what, const char *value)
{
	say("%s%s%s", what, value ? ": " : "", value ? value : "");
	say("usage: rbdprof record [-o DIR] [--locks contended|all|off] [--buffers SIZE] -- CMD…   (--help tells more)");
	return FAILED;
}

static int parse_locks(const char *word, enum session_locks *locks)
{
	static const char *const words[] = {
	    [SESSION_LOCKS_CONTENDED] = "contended",
	    [SESSION_LOCKS_ALL] = "all",
	    [SESSION_LOCKS_OFF] = "off",
	};

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		if (!strcmp(word, words[w])) {
			*locks = (enum session_locks)w;
			return 0;
		}
	}
	return -EINVAL;
}

/* Returns 0, FAILED after it said why, or -1 after it helped. */
static int parse(struct record *r, int argc, char **argv)
{
	enum { LOCKS = 256, BUFFERS };
	static const struct option options[] = {
	    {"output", required_argument, NULL, 'o'},
	    {"locks", required_argument, NULL, LOCKS},
	    {"buffers", required_argument, NULL, BUFFERS},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	int option;

	optind = 0;
	opterr = 0;
	/* "+": the first word that is no option begins the command. */
	while ((option = getopt_long(argc, argv, "+:o:h", options, NULL)) >= 0) {
		switch (option) {
		case 'o':
			r->output = optarg;
			break;
		case LOCKS:
			if (parse_locks(optarg, &r->locks))
				return usage_error("--locks takes contended, all or off, not", optarg);
			break;
		case BUFFERS:
			if (budget_parse(optarg, &r->buffers_bytes))
				return usage_error("--buffers takes a size like 64M, not", optarg);
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
	r->command = argv + optind;
	return *r->command ? 0 : usage_error("no command to record", NULL);
}

/* A descriptor of ours in the place of a closed standard stream would be written to by mistake; the command finds it closed again. */
static void fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDWR | O_CLOEXEC);
	}
}

static void size_words(char words[32], uint64_t bytes)
{
	if (bytes >= UINT64_C(10) << 20)
		snprintf(words, 32, "%llu MiB", (unsigned long long)(bytes >> 20));
	else
		snprintf(words, 32, "%llu KiB", (unsigned long long)(bytes >> 10));
}

/* Divides what may be taken of shared memory, which LTTng would overdraw without a word. */
static int plan_buffers(struct record *r)
{
	uint64_t wanted = r->buffers_bytes ? r->buffers_bytes : BUDGET_DEFAULT_BYTES, granted, size_bytes, free_bytes;
	unsigned int processors = proc_possible_processors();
	char granted_words[32], wanted_words[32], least_words[32];
	int result = shm_room(&size_bytes, &free_bytes);

	if (result) {
		say("cannot look at /dev/shm, where the trace buffers go: %s", strerror(-result));
		return FAILED;
	}
	granted = wanted;
	if (granted > size_bytes / 4)
		granted = size_bytes / 4;
	if (granted > free_bytes)
		granted = free_bytes;
	size_words(granted_words, granted);
	size_words(wanted_words, wanted);
	size_words(least_words, budget_least(processors));
	if (budget_split(&r->budget, granted, processors)) {
		say("too little shared memory for trace buffers: %s can be had of %s wanted (a quarter of /dev/shm at most), %u processors "
		    "need %s; enlarge /dev/shm, free some of it, or raise --buffers",
		    granted_words, wanted_words, processors, least_words);
		return FAILED;
	}
	if (r->buffers_bytes && granted < wanted)
		say("buffers of %s instead of %s: a quarter of /dev/shm is the most, and it must be free", granted_words, wanted_words);
	return 0;
}

static int make_folder(struct record *r)
{
	const char *program = strrchr(r->command[0], '/');
	char name[256], stamp[32];
	time_t now = time(NULL);
	struct tm local;

	if (r->output)
		return folder_init(&r->folder, r->output) ? FAILED : 0;
	program = program ? program + 1 : r->command[0];
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	snprintf(name, sizeof(name), "rbdprof-%.200s-%s", program, stamp);
	return folder_init_new(&r->folder, name) ? FAILED : 0;
}

/* Room for the buffers, which may all be full when the disk is, for what others write, and for a recording worth the name. */
static int check_disk(struct record *r)
{
	uint64_t least = r->budget.shares * r->budget.share_bytes + WATCH_RESERVE_BYTES, free_bytes = folder_free(&r->folder);
	char free_words[32], needed_words[32];

	r->watch.least_bytes = least;
	if (free_bytes >= least + WATCH_RESERVE_BYTES)
		return 0;
	size_words(free_words, free_bytes);
	size_words(needed_words, least + WATCH_RESERVE_BYTES);
	say("too little room on the disk of %s: %s free, %s needed; choose another folder with -o, or smaller buffers with --buffers",
	    r->folder.path, free_words, needed_words);
	return FAILED;
}

static bool admit(pid_t vpid)
{
	uint64_t size_bytes, free_bytes;

	if (*record.watch.stopped_early)
		return false;
	/* LTTng would take a process without buffers and tell nobody. */
	if (!shm_room(&size_bytes, &free_bytes) && free_bytes < record.budget.share_bytes)
		return false;
	return !session_track(vpid);
}

static void release(pid_t vpid)
{
	session_untrack(vpid);
}

/* The daemon, and the session in it, under one hold of the lock. */
static int begin_session(struct record *r)
{
	int result;

	if (daemon_open(&r->daemon))
		return FAILED;
	result = session_create(r->folder.path, r->locks, &r->budget);
	if (result) {
		say("%s", result == -ENAMETOOLONG ? "the folder's path is too long" : session_why());
		if (*daemon_words(&r->daemon))
			say("the session daemon says: %s", daemon_words(&r->daemon));
		return FAILED;
	}
	daemon_unlock(&r->daemon);
	return 0;
}

/* Removes the session and, if it is time, the daemon. A daemon that does not answer is killed if rbdprof started it. */
static void end_session(struct record *r)
{
	daemon_lock(&r->daemon);
	if (session_destroy()) {
		say("the recording may lack its end: %s", session_why());
		if (daemon_kill(&r->daemon))
			say("the session daemon was ended by force");
	}
	daemon_close(&r->daemon);
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Stops recording and waits until the data is on disk. */
static void drain(struct record *r)
{
	uint64_t begin_ms = deadline_now_ms(), waited_ms = 0;
	bool said = false;
	int result = 0;

	if (!*r->watch.stopped_early)
		result = session_stop();
	while (!result && (result = session_pending()) == 1 && waited_ms < DRAIN_PATIENCE_MS) {
		result = 0;
		deadline_sleep_ms(10);
		waited_ms = deadline_now_ms() - begin_ms;
		if (!said && waited_ms > DRAIN_SAY_MS) {
			say("waiting for the last data to reach the disk");
			said = true;
		}
	}
	if (result > 0)
		say("the recording may lack its end: the disk has not taken it within %d s", DRAIN_PATIENCE_MS / 1000);
	else if (result < 0 && !session_daemon_alive() && !*r->watch.stopped_early)
		snprintf(r->watch.stopped_early, sizeof(r->watch.stopped_early), "stopped because the session daemon ended");
}

/* `words`: the daemon's last complaint, or "". */
static void print_end(const struct record *r, unsigned int living, const char *words)
{
	unsigned int traced = r->control.traced, found = folder_traces(&r->folder);

	if (*r->watch.stopped_early)
		say("the recording was %s; the command ran on", r->watch.stopped_early);
	if (r->control.refused)
		say("%u more processes wanted to be traced and were not: there are buffers for %u at a time", r->control.refused,
		    r->budget.shares);
	if (living)
		say("%u traced %s still running: what happens from here on is not recorded", living,
		    living == 1 ? "process is" : "processes are");
	if (!traced) {
		say("no process opened an RBD image: is librbd used on this machine, and loaded by the program itself (not linked "
		    "statically, not set-user-id, not in another container)?");
	} else if (found < traced) {
		say("%u of %u traced processes left no trace%s%s", traced - found, traced, *words ? "; the session daemon says: " : "",
		    words);
	}
	say("%u %s traced, recorded in %s", traced, traced == 1 ? "process" : "processes", r->folder.path);
	say("next: rbdprof report %s", r->folder.path);
}

static int run(struct record *r)
{
	const char *words;
	unsigned int living;
	int result;

	result = child_interrupted(r->signals) ? -EINTR : child_start(&r->child, r->command);
	if (result) {
		int error = result < 0 ? -result : errno;

		control_fini(&r->control);
		end_session(r);
		if (error == EINTR)
			say("interrupted before the command ran");
		else
			say("cannot run %s: %s", r->command[0], strerror(error));
		return result < 0 ? FAILED : result;
	}
	r->note.begin_ns = wall_ns();
	watch_run(&r->watch);
	r->note.end_ns = wall_ns();

	control_serve(&r->control);
	living = control_living(&r->control);
	control_fini(&r->control);
	drain(r);
	words = daemon_words(&r->daemon);
	end_session(r);
	r->note.command = r->command;
	r->note.status = r->child.status;
	r->note.processes_traced = r->control.traced;
	r->note.processes_refused = r->control.refused;
	r->note.stopped_early = *r->watch.stopped_early ? r->watch.stopped_early : NULL;
	result = note_write(&r->note, r->folder.path);
	if (result)
		say("cannot write the recording's note in %s: %s", r->folder.path, strerror(-result));
	print_end(r, living, words);
	return r->child.status;
}

/* From a folder to a status; the folder is undone by the caller when the command never ran. */
static int record_into(struct record *r)
{
	int result = check_disk(r);

	if (result)
		return result;
	result = begin_session(r);
	if (!result && (result = control_init(&r->control, r->budget.shares, admit, release))) {
		say("cannot open a socket for the processes to be traced: %s", strerror(-result));
		result = FAILED;
	}
	if (!result && preload_set(r->shim, r->control.name)) {
		say("out of memory");
		control_fini(&r->control);
		result = FAILED;
	}
	if (result) {
		end_session(r);
		return result;
	}
	r->watch.child = &r->child;
	r->watch.control = &r->control;
	r->watch.folder = &r->folder;
	r->watch.signals = r->signals;
	return run(r);
}

int verb_record(int argc, char **argv)
{
	struct record *r = &record;
	int result = parse(r, argc, argv);

	if (result)
		return result < 0 ? 0 : result;
	fill_standard_streams();
	child_prepare(&r->child);
	r->signals = child_signals();
	if (r->signals < 0) {
		say("cannot receive signals: %s", strerror(-r->signals));
		return FAILED;
	}
	result = child_find(r->command[0]);
	if (result) {
		say("cannot run %s: %s", r->command[0], strerror(errno));
		return result;
	}
	if (preload_find(r->shim))
		return FAILED;
	result = plan_buffers(r);
	if (!result)
		result = make_folder(r);
	if (result)
		return result;
	result = record_into(r);
	if (!r->child.pid)
		folder_undo(&r->folder);
	return result;
}
