/* Options of several verbs that say which contended locks are told, and how they are sorted. */
#ifndef RBDPROF_ANALYZER_CLI_VIEW_H
#define RBDPROF_ANALYZER_CLI_VIEW_H

#include <getopt.h>

#include "analyzer/writers/report.h"

enum { VIEW_MIN_WAIT = 0x100, VIEW_THREAD };

/* Within an array of struct option. */
#define VIEW_OPTIONS                                                                                                                       \
	{"min-wait", required_argument, NULL, VIEW_MIN_WAIT},                                                                              \
	{                                                                                                                                  \
		"thread", required_argument, NULL, VIEW_THREAD                                                                             \
	}

#define VIEW_HELP                                                                                                                          \
	"      --min-wait TIME   only locks that were waited for so long, all waits together: 500us, 20ms, 1s\n"                           \
	"      --thread NAME     of locks and threads only those of threads whose names begin so\n"

/* Takes one of these options. Returns 0, or -EINVAL, having said why. The argument is kept. */
int view_option(struct lock_view *view, int option, const char *argument);

/* Takes the name of a column. The same. */
int view_sort(struct lock_view *view, const char *column);

#endif
