/*
 * One recording, whatever is recorded: its folder, its share of memory and disk, the session daemon and the session in it, the end and
 * the note. The order is what matters here: what was begun is undone in reverse, whichever way it ends. It does not know
 * who is recorded, nor when to end; that is the verb's business.
 *
 * One thread calls, in the order of this file. Functions that return int say why they fail and return 0 or a negative errno.
 */
#ifndef RBDPROF_ANALYZER_CAPTURE_H
#define RBDPROF_ANALYZER_CAPTURE_H

#include <getopt.h>
#include <stdint.h>

#include "analyzer/budget.h"
#include "analyzer/daemon.h"
#include "analyzer/folder.h"
#include "analyzer/note.h"
#include "analyzer/session.h"
#include "analyzer/watch.h"

struct capture {
	struct folder folder;
	struct budget budget;
	struct daemon daemon;
	struct watch watch;
	struct note note;  /* begin_ns, end_ns and stopped_early are filled in here, the rest by the verb */
	const char *words; /* the daemon's last complaint, or "" */
};

/* What a recording can be told on the command line, whichever verb makes it. Zeroed memory is what is not told otherwise. */
struct capture_options {
	const char *output; /* NULL: a name of our own */
	enum session_locks locks;
	uint64_t buffers_bytes; /* 0: the default */
};

/* Rows of getopt_long()'s table, and their lines of help. */
enum { CAPTURE_OUTPUT = 'o', CAPTURE_LOCKS = 512, CAPTURE_BUFFERS };
#define CAPTURE_OPTIONS                                                                                                                    \
	{"output", required_argument, NULL, CAPTURE_OUTPUT}, {"locks", required_argument, NULL, CAPTURE_LOCKS},                            \
	{                                                                                                                                  \
		"buffers", required_argument, NULL, CAPTURE_BUFFERS                                                                        \
	}
#define CAPTURE_HELP                                                                                                                       \
	"  -o, --output DIR    where the recording goes; default rbdprof-PROGRAM-DATE-TIME in the current folder\n"                        \
	"      --locks WHICH   contended: acquisitions that had to wait, holds that made others wait, counts of the rest (default);\n"     \
	"                      holds: every hold is timed too; all: every hold and wait is an event; off\n"                                \
	"      --buffers SIZE  shared memory in all, with K, M or G; default 64M, never more than a quarter of /dev/shm\n"

/* Takes one of these options. NULL, or what is wrong with its argument: "--buffers takes a size like 64M, not". */
const char *capture_option(struct capture_options *options, int option, const char *argument);

/*
 * Divides what may be taken of shared memory, which LTTng would overdraw without a word. bytes: as wanted, 0 for the default. most,
 * least: processes, as budget_split() has it.
 */
int capture_plan(struct capture *capture, uint64_t bytes, unsigned int most, unsigned int least);

/*
 * Makes the folder, and checks that its disk has room. output: as wanted, NULL for a name made of `program` and the time. When it fails
 * nothing is left.
 */
int capture_make_folder(struct capture *capture, const char *output, const char *program);

/*
 * Makes sure of a session daemon and starts a session in it; nobody is recorded until session_track(). home: as daemon_open() has it.
 * When it fails, capture_end() and capture_undo_folder() are due all the same.
 */
int capture_begin(struct capture *capture, enum session_locks locks, const char *home);

/* The recording proper begins / ends now, for the note. */
void capture_note_begin(struct capture *capture);
void capture_note_end(struct capture *capture);

/* Stops recording and waits until the data is on disk. */
void capture_drain(struct capture *capture);

/* Removes the session and, if it is time, the daemon. A daemon that does not answer is killed if rbdprof started it. */
void capture_end(struct capture *capture);

/* Removes the folder of a recording in which nothing was recorded. */
void capture_undo_folder(struct capture *capture);

/* Writes the note. */
int capture_write_note(struct capture *capture);

/*
 * The last lines: what left no trace, how many were recorded where, and the next command. traced: processes that should have
 * left a trace.
 */
void capture_say_end(const struct capture *capture, unsigned int traced);

/* "12 MiB", "640 KiB". */
void capture_size_words(char words[32], uint64_t bytes);

#endif
