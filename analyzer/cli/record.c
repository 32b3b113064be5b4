/*
 * `rbdprof record`: runs a command and records it and what it starts. The order is what matters here: all that can fail is done
 * before the command starts.
 */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/capture.h"
#include "analyzer/child.h"
#include "analyzer/control.h"
#include "analyzer/deadline.h"
#include "analyzer/preload.h"
#include "analyzer/say.h"
#include "analyzer/shm.h"
#include "analyzer/signals.h"

#define FAILED     125 /* rbdprof's own failure before the command runs; 126 and 127 are child.h's */
#define WIND_UP_MS 200 /* those that still run tell ten times a second what they keep */

static const char help[] =
    "usage: rbdprof record [-o DIR] [--locks contended|holds|all|off] [--stacks-over MICROSECONDS] [--buffers SIZE] -- CMD…\n"
    "\n"
    "Runs CMD and records the RBD requests and contended locks of CMD and of every process below it that opens an image.\n"
    "\n"
    CAPTURE_HELP
    "      --stacks-over MICROSECONDS  the stack of a wait is taken where waits have been as long; default 20\n"
    "  -h, --help\n"
    "\n"
    "CMD keeps its standard streams; Ctrl-C reaches it, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to it.\n"
    "Exit status: CMD's (128+n after signal n); before CMD runs: 125 for rbdprof's own failures, wrong usage included,\n"
    "126 when CMD cannot be executed, 127 when it cannot be found.\n";

struct record {
	struct capture_options options;
	char **command;

	char shim[PATH_MAX];
	struct capture capture;
	struct control control;
	struct signals signals;
	struct child child;
};

/* Static, as the door's callbacks know no argument and an abandoned call may still look at things after the end. */
static struct record record;

static int usage_error(const char *what, const char *value)
{
	say("%s%s%s", what, value ? ": " : "", value ? value : "");
	say("usage: rbdprof record [-o DIR] [--locks contended|holds|all|off] [--stacks-over MICROSECONDS] [--buffers SIZE] -- CMD…   "
	    "(--help tells more)");
	return FAILED;
}

/* The shim reads it from the command's environment. */
static int pass_stacks_over(const char *word)
{
	if (!*word || strlen(word) > 9 || strspn(word, "0123456789") != strlen(word))
		return -EINVAL;
	return setenv("RBDPROF_STACKS_OVER", word, 1) ? -errno : 0;
}

/* Returns 0, FAILED after it said why, or -1 after it helped. */
static int parse(struct record *r, int argc, char **argv)
{
	enum { STACKS_OVER = 256 };
	static const struct option options[] = {
	    CAPTURE_OPTIONS,
	    {"stacks-over", required_argument, NULL, STACKS_OVER},
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	const char *wrong;
	int option;

	optind = 0;
	opterr = 0;
	/* "+": the first word that is no option begins the command. */
	while ((option = getopt_long(argc, argv, "+:o:h", options, NULL)) >= 0) {
		switch (option) {
		case CAPTURE_OUTPUT:
		case CAPTURE_LOCKS:
		case CAPTURE_BUFFERS:
			wrong = capture_option(&r->options, option, optarg);
			if (wrong)
				return usage_error(wrong, optarg);
			break;
		case STACKS_OVER:
			if (pass_stacks_over(optarg))
				return usage_error("--stacks-over takes a number of microseconds, not", optarg);
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

static bool admit(pid_t vpid)
{
	uint64_t size_bytes, free_bytes;

	if (*record.capture.watch.stopped_early)
		return false;
	/* LTTng would take a process without buffers and tell nobody. */
	if (!shm_room(&size_bytes, &free_bytes) && free_bytes < record.capture.budget.share_bytes)
		return false;
	return !session_track(vpid);
}

static void release(pid_t vpid)
{
	session_untrack(vpid);
}

/* Answers processes, passes signals on and looks at the disk until the command has ended. */
static void serve(struct record *r)
{
	struct pollfd sources[] = {
	    {.fd = r->signals.fd, .events = POLLIN},
	    {.fd = r->control.epoll, .events = POLLIN},
	};
	uint64_t next_ms = 0;

	while (r->child.status < 0) {
		uint64_t now_ms = deadline_now_ms();

		if (now_ms >= next_ms) {
			control_tick(&r->control);
			next_ms = now_ms + watch_look(&r->capture.watch);
		}
		now_ms = deadline_now_ms();
		if (poll(sources, 2, now_ms < next_ms ? (int)(next_ms - now_ms) : 0) <= 0)
			continue;
		if (sources[1].revents)
			control_serve(&r->control);
		if (sources[0].revents)
			child_serve(&r->child);
	}
}

static void say_end(const struct record *r, unsigned int living)
{
	if (*r->capture.watch.stopped_early)
		say("the recording was %s; the command ran on", r->capture.watch.stopped_early);
	if (r->control.refused)
		say("%u more processes wanted to be traced and were not: there are buffers for %u at a time", r->control.refused,
		    r->capture.budget.shares);
	if (living)
		say("%u traced %s still running: what happens from here on is not recorded", living,
		    living == 1 ? "process is" : "processes are");
	if (!r->control.traced)
		say("no process opened an RBD image: is librbd used on this machine, and loaded by the program itself (not linked "
		    "statically, not set-user-id, not in another container)?");
	capture_say_end(&r->capture, r->control.traced);
}

/* Says why the command did not start, and returns the exit status for that. */
static int not_started(const struct record *r, int result)
{
	int error = result < 0 ? -result : errno;

	if (error == EINTR)
		say("interrupted before the command ran");
	else
		say("cannot run %s: %s", r->command[0], strerror(error));
	return result < 0 ? FAILED : result;
}

static int run(struct record *r)
{
	struct capture *capture = &r->capture;
	unsigned int living;
	int result = signals_asked_to_end(&r->signals) ? -EINTR : child_start(&r->child, r->command);

	if (result) {
		result = not_started(r, result);
		control_fini(&r->control);
		capture_end(capture);
		return result;
	}
	capture_note_begin(capture);
	serve(r);
	capture_note_end(capture);

	control_serve(&r->control);
	living = control_living(&r->control);
	control_fini(&r->control);
	if (living && !*capture->watch.stopped_early && !session_wind_up())
		deadline_sleep_ms(WIND_UP_MS);
	capture_drain(capture);
	capture_end(capture);
	capture->note.command = r->command;
	capture->note.status = r->child.status;
	capture->note.processes_traced = r->control.traced;
	capture->note.processes_refused = r->control.refused;
	capture_write_note(capture);
	say_end(r, living);
	return r->child.status;
}

/* From a folder to a status; the folder is undone by the caller when the command never ran. */
static int record_into(struct record *r)
{
	int result = capture_begin(&r->capture, r->options.locks, NULL);

	if (!result && (result = control_init(&r->control, r->capture.budget.shares, admit, release)))
		say("cannot open a socket for the processes to be traced: %s", strerror(-result));
	if (!result && preload_set(r->shim, r->control.name)) {
		say("out of memory");
		control_fini(&r->control);
		result = -ENOMEM;
	}
	if (result) {
		capture_end(&r->capture);
		return FAILED;
	}
	return run(r);
}

int verb_record(int argc, char **argv)
{
	struct record *r = &record;
	int result = parse(r, argc, argv);

	if (result)
		return result < 0 ? 0 : result;
	say_keep_streams();
	if (signals_take(&r->signals))
		return FAILED;
	child_init(&r->child, &r->signals);
	result = child_find(r->command[0]);
	if (result) {
		say("cannot run %s: %s", r->command[0], strerror(errno));
		return result;
	}
	if (preload_find(r->shim) || capture_plan(&r->capture, r->options.buffers_bytes, BUDGET_SHARES, 1) ||
	    capture_make_folder(&r->capture, r->options.output, r->command[0]))
		return FAILED;
	result = record_into(r);
	if (!r->child.pid)
		capture_undo_folder(&r->capture);
	return result;
}
