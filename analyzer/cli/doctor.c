/* `rbdprof doctor`: says before a recording what would be seen in it, and what not and why. */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/checkup.h"
#include "analyzer/say.h"

#define BLIND       1
#define WRONG_USAGE 2

static const char help[] =
    "usage: rbdprof doctor [PID | -- CMD…]\n"
    "\n"
    "Says what a recording would see, and what not and why, a line each: of this machine, of the process, of the command. Nothing is\n"
    "run, and nothing changed. A line begins with ok, note (not all of it is seen, or not at once) or BLIND.\n"
    "\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0; 1 when a line says BLIND; 2 for wrong usage, or when there is no such process.\n";

static int usage_error(const char *what, const char *value)
{
	say("%s: %s", what, value);
	say("usage: rbdprof doctor [PID | -- CMD…]   (--help tells more)");
	return WRONG_USAGE;
}

static int check_process(struct checkup *checkup, const char *text)
{
	struct target *target = malloc(sizeof(*target));
	char *end;
	long pid = strtol(text, &end, 10);
	int looked;

	if (!target)
		return -ENOMEM;
	if (end == text || *end || pid <= 0 || pid > INT32_MAX) {
		free(target);
		return usage_error("a process is a number, and a command follows --, not", text);
	}
	looked = target_look(target, (pid_t)pid);
	if (looked == -ESRCH) {
		free(target);
		say("there is no process %ld", pid);
		return WRONG_USAGE;
	}
	checkup_machine(checkup);
	checkup_process(checkup, target, looked);
	free(target);
	return 0;
}

int verb_doctor(int argc, char **argv)
{
	static const struct option options[] = {
	    {"help", no_argument, NULL, 'h'},
	    {0},
	};
	struct checkup checkup = {.out = stdout};
	int option, result = 0;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) >= 0) {
		if (option != 'h')
			return usage_error("unknown option", argv[optind - 1]);
		fputs(help, stdout);
		return 0;
	}
	if (optind == argc) {
		checkup_machine(&checkup);
	} else if (!strcmp(argv[optind - 1], "--")) {
		checkup_machine(&checkup);
		checkup_command(&checkup, argv + optind);
	} else if (optind + 1 == argc) {
		result = check_process(&checkup, argv[optind]);
	} else {
		result = usage_error("one process at a time, and a command follows --, not", argv[optind + 1]);
	}
	return result ? result : checkup.blind ? BLIND : 0;
}
