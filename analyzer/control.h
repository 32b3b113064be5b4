/*
 * The door of a recording: an abstract socket at which a process that is about to load the tracer asks whether it may. It knows
 * how many processes may be inside at a time and notices when one of them dies; what letting in means is the host's (record's)
 * business. No peer can hold it up: nothing here blocks.
 *
 * The words: the shim connects (AF_UNIX, SOCK_SEQPACKET) to the name in the environment variable RBDPROF_SOCKET, which has no leading
 * zero byte, sends its getpid() as a native uint32_t, and gets one byte: 'y' (load the tracer) or 'n'.
 */
#ifndef RBDPROF_ANALYZER_CONTROL_H
#define RBDPROF_ANALYZER_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CONTROL_PEERS     64   /* that have connected and not yet asked; more than that are hung up on */
#define CONTROL_PROCESSES 64   /* inside, or dead and not yet forgotten */
#define CONTROL_SILENT_MS 5000 /* a peer that has not asked by then is hung up on */
#define CONTROL_FORGET_MS 2000 /* the tracer may still be reading a dead process's buffers */

struct control_process {
	pid_t vpid;       /* as it calls itself; 0: the slot is free */
	pid_t pid;        /* as this process's namespace calls it */
	int pidfd;        /* -1 once it is dead */
	uint64_t dead_ms; /* when that was noticed */
};

struct control_peer {
	int fd; /* -1: the slot is free */
	pid_t pid;
	uint64_t since_ms;
};

struct control {
	char name[48]; /* for RBDPROF_SOCKET */
	int epoll;     /* readable when control_serve() has work */
	int listener;
	unsigned int shares;         /* living processes that may be inside at a time */
	bool (*admit)(pid_t vpid);   /* lets it in; false: it cannot be */
	void (*release)(pid_t vpid); /* no living process of that number is inside any more */
	unsigned int traced;         /* answered 'y', a process counted once */
	unsigned int refused;        /* answered 'n' */
	struct control_process processes[CONTROL_PROCESSES];
	struct control_peer peers[CONTROL_PEERS];
};

/* Opens the door. Returns 0 or a negative errno; control_fini() is due only after 0. */
int control_init(struct control *control, unsigned int shares, bool (*admit)(pid_t vpid), void (*release)(pid_t vpid));

/* Closes the door: whoever asks later is not traced. The counts stay. */
void control_fini(struct control *control);

/* Does what is to be done now. */
void control_serve(struct control *control);

/* To be called about once a second: hangs up on the silent, forgets the dead. */
void control_tick(struct control *control);

/* How many of the traced are alive. */
unsigned int control_living(const struct control *control);

#endif
