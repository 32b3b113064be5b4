/*
 * The life of the command that is recorded: found, started with the shim preloaded, signalled, and its end turned into an exit
 * status. It knows signals and processes, nothing of tracing. The command gets the signal mask and dispositions, the folder
 * and the standard streams that rbdprof was given.
 */
#ifndef RBDPROF_ANALYZER_CHILD_H
#define RBDPROF_ANALYZER_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define CHILD_NOT_EXECUTABLE 126
#define CHILD_NOT_FOUND      127

struct child {
	sigset_t mask; /* as it was before child_prepare() */
	bool was_ignored[NSIG];
	pid_t pid;  /* 0: not started */
	int status; /* exit status, 128 + n after signal n; -1 while it runs */
};

/*
 * To be called first, before any thread: blocks the signals that child_signals() receives, and ignores SIGPIPE, since a closed
 * standard error must not end a recording.
 */
void child_prepare(struct child *child);

/* A signalfd for what the terminal, others, and the kernel (SIGCHLD) send to this process; or a negative errno. */
int child_signals(void);

/*
 * Looks for a program as execvp() does. Returns 0, CHILD_NOT_FOUND or CHILD_NOT_EXECUTABLE (the errno's sentence is then in
 * errno).
 */
int child_find(const char *program);

/* Whether a signal has come that asks this process to end, before there is a command that it could be passed to. */
bool child_interrupted(int signals);

/*
 * Starts the command. Returns 0 once the program runs; CHILD_NOT_FOUND or CHILD_NOT_EXECUTABLE with errno when it could not
 * be executed; a negative errno when there could be no process.
 */
int child_start(struct child *child, char *const argv[]);

/*
 * Takes what has come through the signalfd: passes SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 to the command; drops SIGINT and SIGQUIT,
 * which the terminal sends to the command as well; after SIGCHLD looks whether it is the command that ended (child->status).
 */
void child_serve(struct child *child, int signals);

#endif
