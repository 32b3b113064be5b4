/*
 * The life of the LTTng session daemon: whom to use, when to start one, when to end it. As root there is one daemon per machine
 * and every recording shares it: a lock file serialises "start and create a session" against "destroy a session and end", and names
 * the daemon that rbdprof started, so that the last recording ends it, whichever started it, and never one of somebody else's.
 * An ordinary user has a private daemon per recording, with a short LTTNG_HOME of its own; or, for programs that run already, one in
 * the home that these look for a daemon in, shared as root's is; unless the tracing group opens the machine's. What is said to the daemon
 * is session.h's business.
 *
 * SIGUSR1 and SIGCHLD must be blocked in the calling process. All functions belong to one thread.
 */
#ifndef RBDPROF_ANALYZER_DAEMON_H
#define RBDPROF_ANALYZER_DAEMON_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/shm.h"

struct daemon {
	int lock; /* of the lock file, -1 when there is none */
	char lock_path[PATH_MAX];
	bool locked;
	pid_t pid;               /* of the daemon that rbdprof started, this process or another; 0: somebody else's */
	uint64_t start;          /* when it started, for proc_is() */
	int log;                 /* what it wrote, when this process started it; else -1 */
	char home[32];           /* the private LTTNG_HOME, or "" */
	bool in_users_home;      /* the lock file is in a folder of lttng's there, and nothing is to be left in it */
	struct shm_files before; /* the wait files from before this recording, and before those whose files are still in use */
	bool keep_before;        /* the lock file carries them on to the next recording */
};

/*
 * Makes sure that a daemon answers, clears away what dead recordings left in it, and holds the lock. users_home: an ordinary user's
 * programs that run already look for a daemon there; NULL for programs that are yet to be started. LTTNG_HOME is set in this process's
 * environment, for the command too, when the daemon is not the machine's. Returns 0, or a negative errno after it said why.
 */
int daemon_open(struct daemon *daemon, const char *users_home);

/* Lets other recordings go on / holds them up again. */
void daemon_unlock(struct daemon *daemon);
void daemon_lock(struct daemon *daemon);

/*
 * Ends the daemon when rbdprof started it and it has no session left, or does not answer any more; unlocks; removes what was
 * made. The caller has destroyed its session, with the lock held. Fine after a failed daemon_open().
 */
void daemon_close(struct daemon *daemon);

/* Kills the daemon if rbdprof started it, because it does not answer. Returns whether it did. */
bool daemon_kill(struct daemon *daemon);

/* The last error that the daemon told, when this process started it; an empty string else. The daemon's text is the module's own. */
const char *daemon_words(const struct daemon *daemon);

#endif
