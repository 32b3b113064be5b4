/*
 * The signals that somebody sends to rbdprof while a recording lasts: blocked, and read from a descriptor, so that none of them can
 * end it half done. It knows signals; what is to be done about them is the verb's business.
 */
#ifndef RBDPROF_ANALYZER_SIGNALS_H
#define RBDPROF_ANALYZER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
	int fd;        /* a signalfd, not blocking */
	sigset_t mask; /* as it was before */
	bool was_ignored[NSIG];
};

/*
 * To be called first, before any thread: blocks SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and SIGCHLD for the descriptor, and
 * ignores SIGPIPE, since a closed standard error must not end a recording. Returns 0, or a negative errno after it said why.
 */
int signals_take(struct signals *signals);

/* Gives a child what this process was given: mask and dispositions. For use between fork and exec. */
void signals_give_back(const struct signals *signals);

/* Whether a signal has come since the last call that asks this process to end. Takes the others away too. */
bool signals_asked_to_end(const struct signals *signals);

#endif
