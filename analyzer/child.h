/*
 * The life of the command that is recorded: found, started with the shim preloaded, signalled, and its end turned into an exit
 * status. It knows processes, nothing of tracing. The command gets the signal mask and dispositions, the folder and the
 * standard streams that rbdprof was given.
 */
#ifndef RBDPROF_ANALYZER_CHILD_H
#define RBDPROF_ANALYZER_CHILD_H

#include <limits.h>
#include <sys/types.h>

#include "analyzer/signals.h"

#define CHILD_NOT_EXECUTABLE 126
#define CHILD_NOT_FOUND      127

struct child {
	const struct signals *signals;
	pid_t pid;  /* 0: not started */
	int status; /* exit status, 128 + n after signal n; -1 while it runs */
};

/* A child that is not started yet. The signals must outlive it. */
void child_init(struct child *child, const struct signals *signals);

/*
 * Looks for a program as execvp() does. Returns 0, CHILD_NOT_FOUND or CHILD_NOT_EXECUTABLE (the errno's sentence is then in
 * errno).
 */
int child_find(const char *program);

/* The same, and writes where it is. */
int child_where(const char *program, char path[PATH_MAX]);

/*
 * Starts the command. Returns 0 once the program runs; CHILD_NOT_FOUND or CHILD_NOT_EXECUTABLE with errno when it could not
 * be executed; a negative errno when there could be no process.
 */
int child_start(struct child *child, char *const argv[]);

/*
 * Takes the signals that have come: passes SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 to the command; drops SIGINT and SIGQUIT,
 * which the terminal sends to the command as well; after SIGCHLD looks whether it is the command that ended (child->status).
 */
void child_serve(struct child *child);

#endif
