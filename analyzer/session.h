/*
 * An LTTng session for one recording: the only module that names liblttng-ctl. It knows which events are wanted, how they are
 * buffered, and which processes are let in; it does not know who starts or ends the session daemon (daemon.h) or who asks to be
 * traced (control.h).
 *
 * Every call has a deadline. Once one has been missed the daemon is stuck: every later call returns -ETIMEDOUT at once, until
 * session_daemon_replaced(). State is the module's own, since liblttng-ctl's is: a program has one recording, and one thread
 * calls. Functions return 0 or a negative errno, and session_why() then tells the daemon's own words.
 */
#ifndef RBDPROF_ANALYZER_SESSION_H
#define RBDPROF_ANALYZER_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "analyzer/budget.h"

enum session_locks {
	SESSION_LOCKS_CONTENDED, /* contended acquisitions, holds that others waited for, and counts of all others */
	SESSION_LOCKS_HOLDS,     /* and every hold is timed */
	SESSION_LOCKS_ALL,       /* and is an event, as waits on condition variables are */
	SESSION_LOCKS_OFF,
};

/* The last failure in words; never NULL, valid until the next call. */
const char *session_why(void);

/* Whether a session daemon listens that this user may talk to. It may still be stuck. */
bool session_daemon_alive(void);

/* The stuck daemon is gone: calls are possible again. */
void session_daemon_replaced(void);

/* How many sessions the daemon has that this user may see, whoever made them; or a negative errno. */
int session_count(void);

/* Destroys the sessions of recordings whose rbdprof is dead (killed before it could). Returns how many, or a negative errno. */
int session_sweep(void);

/*
 * Creates this process's session and starts it: user space, buffers per process, discarding what does not fit, no contexts,
 * output below the absolute path `directory`. Nobody is traced until session_track().
 */
int session_create(const char *directory, enum session_locks locks, const struct budget *budget);

/* Lets a process in, or out again; `vpid` is its number as it sees itself. Both are quick: a program waits for the answer. */
int session_track(pid_t vpid);
int session_untrack(pid_t vpid);

/* Processes are to begin no more requests and to tell what they keep. What else is recorded goes on. */
int session_wind_up(void);

/* No event is recorded from here on. Does not wait until what has been recorded is on disk. */
int session_stop(void);

/* 1 while recorded data is on its way to the disk, 0 when all of it is there, or a negative errno. */
int session_pending(void);

/* Removes the session from the daemon; what is on disk stays. Fine to call when there is none. */
int session_destroy(void);

#endif
