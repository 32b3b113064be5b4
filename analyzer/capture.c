/* Memory, disk, daemon, session, and back. */
#include "analyzer/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/deadline.h"
#include "analyzer/proc.h"
#include "analyzer/say.h"
#include "analyzer/shm.h"

#define DRAIN_PATIENCE_MS 30000 /* for the last data to reach a slow disk */
#define DRAIN_SAY_MS      2000

static int parse_locks(const char *word, enum session_locks *locks)
{
	static const char *const words[] = {
	    [SESSION_LOCKS_CONTENDED] = "contended",
	    [SESSION_LOCKS_HOLDS] = "holds",
	    [SESSION_LOCKS_ALL] = "all",
	    [SESSION_LOCKS_OFF] = "off",
	};

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		if (!strcmp(word, words[w])) {
			*locks = (enum session_locks)w;
			return 0;
		}
	}
	return -EINVAL;
}

const char *capture_option(struct capture_options *options, int option, const char *argument)
{
	switch (option) {
	case CAPTURE_OUTPUT:
		options->output = argument;
		return NULL;
	case CAPTURE_LOCKS:
		return parse_locks(argument, &options->locks) ? "--locks takes contended, holds, all or off, not" : NULL;
	default:
		return budget_parse(argument, &options->buffers_bytes) ? "--buffers takes a size like 64M, not" : NULL;
	}
}

void capture_size_words(char words[32], uint64_t bytes)
{
	if (bytes >= UINT64_C(10) << 20)
		snprintf(words, 32, "%llu MiB", (unsigned long long)(bytes >> 20));
	else
		snprintf(words, 32, "%llu KiB", (unsigned long long)(bytes >> 10));
}

int capture_plan(struct capture *c, uint64_t bytes, unsigned int most, unsigned int least)
{
	uint64_t wanted = bytes ? bytes : BUDGET_DEFAULT_BYTES, granted, size_bytes, free_bytes;
	unsigned int processors = proc_possible_processors();
	char granted_words[32], wanted_words[32], least_words[32];
	int result = shm_room(&size_bytes, &free_bytes);

	if (result) {
		say("cannot look at /dev/shm, where the trace buffers go: %s", strerror(-result));
		return result;
	}
	granted = wanted;
	if (granted > size_bytes / 4)
		granted = size_bytes / 4;
	if (granted > free_bytes)
		granted = free_bytes;
	capture_size_words(granted_words, granted);
	capture_size_words(wanted_words, wanted);
	capture_size_words(least_words, least * budget_least(processors));
	result = budget_split(&c->budget, granted, most, least, processors);
	if (result) {
		say("too little shared memory for trace buffers: %s can be had of %s wanted (a quarter of /dev/shm at most), %u %s on %u "
		    "processors %s %s; enlarge /dev/shm, free some of it, or raise --buffers",
		    granted_words, wanted_words, least, least == 1 ? "process" : "processes", processors, least == 1 ? "needs" : "need",
		    least_words);
		return result;
	}
	if (bytes && granted < wanted)
		say("buffers of %s instead of %s: a quarter of /dev/shm is the most, and it must be free", granted_words, wanted_words);
	return 0;
}

/* Room for the buffers, which may all be full when the disk is, for what others write, and for a recording worth the name. */
static int check_disk(struct capture *c)
{
	uint64_t least = c->budget.shares * c->budget.share_bytes + WATCH_RESERVE_BYTES, free_bytes = folder_free(&c->folder);
	char free_words[32], needed_words[32];

	c->watch.folder = &c->folder;
	c->watch.least_bytes = least;
	if (free_bytes >= least + WATCH_RESERVE_BYTES)
		return 0;
	capture_size_words(free_words, free_bytes);
	capture_size_words(needed_words, least + WATCH_RESERVE_BYTES);
	say("too little room on the disk of %s: %s free, %s needed; choose another folder with -o, or smaller buffers with --buffers",
	    c->folder.path, free_words, needed_words);
	return -ENOSPC;
}

int capture_make_folder(struct capture *c, const char *output, const char *program)
{
	const char *last = strrchr(program, '/');
	char name[256], stamp[32];
	time_t now = time(NULL);
	struct tm local;
	int result;

	if (output) {
		result = folder_init(&c->folder, output);
	} else {
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
		snprintf(name, sizeof(name), "rbdprof-%.200s-%s", last ? last + 1 : program, stamp);
		result = folder_init_new(&c->folder, name);
	}
	if (result)
		return result;
	result = check_disk(c);
	if (result)
		folder_undo(&c->folder);
	return result;
}

/* The daemon, and the session in it, under one hold of the lock. */
int capture_begin(struct capture *c, enum session_locks locks, const char *home)
{
	int result = daemon_open(&c->daemon, home);

	if (result)
		return result;
	result = session_create(c->folder.path, locks, &c->budget);
	if (result) {
		say("%s", result == -ENAMETOOLONG ? "the folder's path is too long" : session_why());
		if (*daemon_words(&c->daemon))
			say("the session daemon says: %s", daemon_words(&c->daemon));
		return result;
	}
	daemon_unlock(&c->daemon);
	return 0;
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void capture_note_begin(struct capture *c)
{
	c->note.begin_ns = wall_ns();
}

void capture_note_end(struct capture *c)
{
	c->note.end_ns = wall_ns();
}

void capture_drain(struct capture *c)
{
	uint64_t begin_ms = deadline_now_ms(), waited_ms = 0;
	bool said = false;
	int result = 0;

	if (!*c->watch.stopped_early)
		result = session_stop();
	while (!result && (result = session_pending()) == 1 && waited_ms < DRAIN_PATIENCE_MS) {
		result = 0;
		deadline_sleep_ms(10);
		waited_ms = deadline_now_ms() - begin_ms;
		if (!said && waited_ms > DRAIN_SAY_MS) {
			say("waiting for the last data to reach the disk");
			said = true;
		}
	}
	if (result > 0)
		say("the recording may lack its end: the disk has not taken it within %d s", DRAIN_PATIENCE_MS / 1000);
	else if (result < 0 && !session_daemon_alive() && !*c->watch.stopped_early)
		snprintf(c->watch.stopped_early, sizeof(c->watch.stopped_early), "stopped because the session daemon ended");
}

void capture_end(struct capture *c)
{
	c->words = daemon_words(&c->daemon);
	daemon_lock(&c->daemon);
	if (session_destroy()) {
		say("the recording may lack its end: %s", session_why());
		if (daemon_kill(&c->daemon))
			say("the session daemon was ended by force");
	}
	daemon_close(&c->daemon);
}

void capture_undo_folder(struct capture *c)
{
	folder_undo(&c->folder);
}

int capture_write_note(struct capture *c)
{
	int result;

	c->note.stopped_early = *c->watch.stopped_early ? c->watch.stopped_early : NULL;
	result = note_write(&c->note, c->folder.path);
	if (result)
		say("cannot write the recording's note in %s: %s", c->folder.path, strerror(-result));
	return result;
}

void capture_say_end(const struct capture *c, unsigned int traced)
{
	unsigned int found = folder_traces(&c->folder);

	if (found < traced)
		say("%u of %u traced processes left no trace%s%s", traced - found, traced, *c->words ? "; the session daemon says: " : "",
		    c->words);
	say("%u %s traced, recorded in %s", traced, traced == 1 ? "process" : "processes", c->folder.path);
	say("next: rbdprof report %s", c->folder.path);
}
