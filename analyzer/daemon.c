/* Starting, sharing and ending lttng-sessiond. */
#include "analyzer/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/deadline.h"
#include "analyzer/home.h"
#include "analyzer/proc.h"
#include "analyzer/say.h"
#include "analyzer/session.h"

#define LOCK_FILE "/run/rbdprof.lock"
#define PROGRAM   "lttng-sessiond"

#define HOME_LOCK      ".lttng/rbdprof.lock" /* lttng-sessiond makes the folder too */
#define HOME_LONGEST   76                    /* the daemon aborts where its sockets' paths become too long */
#define HOME_OF_NOBODY "/nonexistent/rbdprof"

#define LOCK_PATIENCE_MS  60000 /* another recording may be ending a daemon that is stuck */
#define START_PATIENCE_MS 15000
#define END_PATIENCE_MS   5000
#define FAMILY            16 /* the daemon, its consumer, a run-as helper of each, and room */

/*
 * The lock file: "PID START" of the daemon that rbdprof started, 0 0 when there is none, then the wait files from before it, a name
 * a line. Empty when neither matters.
 */
static void lock_write(const struct daemon *daemon)
{
	char text[SHM_FILES * (SHM_NAME_BYTES + 1) + 64];
	int length = 0;

	if (daemon->lock < 0)
		return;
	if (daemon->pid || daemon->keep_before) {
		length = snprintf(text, sizeof(text), "%d %" PRIu64 "\n", (int)daemon->pid, daemon->start);
		for (unsigned int f = 0; f < daemon->before.count; f++)
			length += snprintf(text + length, sizeof(text) - (size_t)length, "%s\n", daemon->before.name[f]);
	}
	/* Should it fail, the next recording takes the daemon for somebody else's and leaves it running. */
	if (ftruncate(daemon->lock, 0) || pwrite(daemon->lock, text, (size_t)length, 0) != length)
		say("cannot write %s: %s", daemon->lock_path, strerror(errno));
}

/* Takes over the daemon that an earlier recording started, if it still lives, and what was there before it. */
static void lock_read(struct daemon *daemon)
{
	char text[SHM_FILES * (SHM_NAME_BYTES + 1) + 64], *line, *next;
	ssize_t length = pread(daemon->lock, text, sizeof(text) - 1, 0);
	uint64_t start;
	int pid;

	if (length <= 0)
		return;
	text[length] = 0;
	if (sscanf(text, "%d %" SCNu64, &pid, &start) != 2)
		return;
	if (proc_is((pid_t)pid, start)) {
		daemon->pid = (pid_t)pid;
		daemon->start = start;
	}
	daemon->before.count = 0;
	line = strchr(text, '\n');
	for (line = line ? line + 1 : text + length; *line && daemon->before.count < SHM_FILES; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		if (strlen(line) < SHM_NAME_BYTES)
			strcpy(daemon->before.name[daemon->before.count++], line);
	}
}

static int lock_take(struct daemon *daemon)
{
	uint64_t end = deadline_now_ms() + LOCK_PATIENCE_MS;

	while (flock(daemon->lock, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (deadline_now_ms() > end)
			return -ETIMEDOUT;
		deadline_sleep_ms(20);
	}
	daemon->locked = true;
	return 0;
}

void daemon_lock(struct daemon *daemon)
{
	if (daemon->lock >= 0 && !daemon->locked)
		lock_take(daemon);
}

void daemon_unlock(struct daemon *daemon)
{
	if (daemon->locked)
		flock(daemon->lock, LOCK_UN);
	daemon->locked = false;
}

/*
 * Ends the daemon and all below it, and waits until all are gone: politely first, when there is hope. A pidfd tells when the last
 * thread of a process has gone, and with it what it had mapped; /proc calls it dead when the first has. A child of ours is
 * reaped, so that not even a zombie is left.
 */
static void end(struct daemon *daemon, bool politely)
{
	struct pollfd family[FAMILY];
	pid_t pids[FAMILY];
	size_t count = proc_is(daemon->pid, daemon->start) ? proc_family(daemon->pid, pids, FAMILY) : 0, living;
	uint64_t now = deadline_now_ms(), patience = now + (politely ? END_PATIENCE_MS : 0), end = patience + END_PATIENCE_MS;

	for (size_t p = 0; p < count; p++)
		family[p] = (struct pollfd){.fd = pidfd_open(pids[p], 0), .events = POLLIN};
	if (politely && count)
		pidfd_send_signal(family[0].fd, SIGTERM, NULL, 0);
	do {
		poll(family, count, now < patience ? (int)(patience - now) : 10);
		now = deadline_now_ms();
		living = 0;
		for (size_t p = 0; p < count; p++) {
			if (family[p].fd >= 0 && family[p].revents) {
				close(family[p].fd);
				family[p].fd = -1;
			}
			living += family[p].fd >= 0;
			if (family[p].fd >= 0 && now >= patience)
				pidfd_send_signal(family[p].fd, SIGKILL, NULL, 0);
		}
	} while (living && now < end);
	for (size_t p = 0; p < count; p++) {
		if (family[p].fd >= 0)
			close(family[p].fd);
	}
	waitpid(daemon->pid, NULL, WNOHANG);
	daemon->pid = 0;
	daemon->start = 0;
	lock_write(daemon);
}

/* What the daemon inherits: nothing but a place to write to. */
static void become_daemon(const struct daemon *daemon, int failure, pid_t parent)
{
	sigset_t none;
	int error, nothing = open("/dev/null", O_RDWR);

	setsid();
	if (daemon->home[0]) {
		/* A private daemon serves nobody once its recording is dead. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
	}
	dup2(nothing, STDIN_FILENO);
	dup2(daemon->log, STDOUT_FILENO);
	dup2(daemon->log, STDERR_FILENO);
	dup2(failure, 3);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	close_range(4, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* What is preloaded is meant for the command; this process has one thread, so that it is safe here. */
	unsetenv("LD_PRELOAD");
	if (!chdir("/"))
		execlp(PROGRAM, PROGRAM, "--no-kernel", "--sig-parent", (char *)NULL);
	error = errno;
	if (write(3, &error, sizeof(error)) < 0)
		_exit(2);
	_exit(1);
}

/* Waits for the daemon's SIGUSR1. Returns 0, -ECHILD when it ended instead, -ETIMEDOUT. */
static int await_ready(pid_t pid)
{
	uint64_t patience = deadline_now_ms() + START_PATIENCE_MS;
	const struct timespec slice = {.tv_nsec = 50 * 1000000};
	sigset_t ready;

	sigemptyset(&ready);
	sigaddset(&ready, SIGUSR1);
	while (deadline_now_ms() < patience) {
		siginfo_t info;

		if (sigtimedwait(&ready, &info, &slice) == SIGUSR1 && info.si_pid == pid)
			return 0;
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return -ECHILD;
	}
	return -ETIMEDOUT;
}

static int start(struct daemon *daemon)
{
	int failure[2], error = 0, result;
	pid_t pid, parent = getpid();

	daemon->log = memfd_create("rbdprof-sessiond", MFD_CLOEXEC);
	if (daemon->log < 0 || pipe2(failure, O_CLOEXEC)) {
		result = -errno;
		say("cannot start " PROGRAM ": %s", strerror(errno));
		return result;
	}
	pid = fork();
	if (!pid)
		become_daemon(daemon, failure[1], parent);
	result = pid < 0 ? -errno : 0;
	close(failure[1]);
	if (!result && read(failure[0], &error, sizeof(error)) == sizeof(error)) {
		waitpid(pid, NULL, 0);
		result = -error;
	}
	close(failure[0]);
	if (result) {
		if (result == -ENOENT)
			say(PROGRAM " is not installed: install the package lttng-tools");
		else
			say("cannot start " PROGRAM ": %s", strerror(-result));
		return result;
	}
	/* Written before it is ready: should this process be killed now, the next recording knows whose it is. */
	daemon->pid = pid;
	daemon->start = proc_start(pid);
	lock_write(daemon);
	result = await_ready(pid);
	if (!result)
		return 0;
	end(daemon, false);
	/* Somebody else's daemon was quicker. */
	if (session_daemon_alive())
		return 0;
	say(PROGRAM " %s%s%s", result == -ECHILD ? "ended at once" : "did not become ready", *daemon_words(daemon) ? ": " : "",
	    daemon_words(daemon));
	return result;
}

/* A daemon that listens may be dying or frozen: one of rbdprof's is replaced then, another's is not touched. */
static int use_or_replace(struct daemon *daemon)
{
	if (daemon->pid && !session_daemon_alive())
		end(daemon, true);
	if (!session_daemon_alive())
		return start(daemon);
	if (session_count() >= 0)
		return 0;
	if (!daemon->pid) {
		say("the LTTng session daemon that is running does not answer (%s): end it, or wait for it", session_why());
		return -EIO;
	}
	end(daemon, false);
	session_daemon_replaced();
	return start(daemon);
}

/* Opens the lock file and takes the lock. In a user's home another recording may remove the file meanwhile. */
static int lock_open(struct daemon *daemon)
{
	struct stat status;
	int result;

	do {
		if (daemon->lock >= 0)
			close(daemon->lock);
		daemon->locked = false;
		daemon->lock = open(daemon->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		result = daemon->lock < 0 ? -errno : lock_take(daemon);
		if (!result && fstat(daemon->lock, &status))
			result = -errno;
	} while (!result && !status.st_nlink);
	if (result)
		say("cannot lock %s: %s", daemon->lock_path, strerror(-result));
	return result;
}

static int open_private(struct daemon *daemon)
{
	int result = home_make(daemon->home, sizeof(daemon->home));

	/* Nothing is in that home yet: a daemon that answers now is the machine's, through the tracing group. */
	if (!result && session_daemon_alive())
		home_remove(daemon->home);
	return result;
}

static int open_in_home(struct daemon *daemon, const char *home)
{
	char *slash;

	setenv("LTTNG_HOME", HOME_OF_NOBODY, 1);
	if (session_daemon_alive())
		return 0;
	if (strlen(home) > HOME_LONGEST) {
		say("the home %s is too long a path for a session daemon: attach as root", home);
		return -ENAMETOOLONG;
	}
	setenv("LTTNG_HOME", home, 1);
	daemon->in_users_home = true;
	snprintf(daemon->lock_path, sizeof(daemon->lock_path), "%s/" HOME_LOCK, home);
	slash = strrchr(daemon->lock_path, '/');
	*slash = 0;
	mkdir(daemon->lock_path, 0700);
	*slash = '/';
	return lock_open(daemon);
}

static int open_machines(struct daemon *daemon)
{
	strcpy(daemon->lock_path, LOCK_FILE);
	return lock_open(daemon);
}

int daemon_open(struct daemon *daemon, const char *users_home)
{
	int result;

	*daemon = (struct daemon){.lock = -1, .log = -1};
	shm_list(&daemon->before);
	if (!geteuid())
		result = open_machines(daemon);
	else
		result = users_home ? open_in_home(daemon, users_home) : open_private(daemon);
	if (result)
		return result;
	if (daemon->lock >= 0)
		lock_read(daemon);
	result = use_or_replace(daemon);
	if (!result)
		session_sweep();
	return result;
}

bool daemon_kill(struct daemon *daemon)
{
	if (!daemon->pid)
		return false;
	end(daemon, false);
	session_daemon_replaced();
	return true;
}

/* Whoever waits for the lock finds the file gone, and makes it again. */
static void leave_home(struct daemon *daemon)
{
	unlink(daemon->lock_path);
	*strrchr(daemon->lock_path, '/') = 0;
	rmdir(daemon->lock_path);
}

void daemon_close(struct daemon *daemon)
{
	int sessions;

	daemon_lock(daemon);
	if (daemon->pid && proc_is(daemon->pid, daemon->start)) {
		session_sweep();
		sessions = session_count();
		if (sessions <= 0)
			end(daemon, sessions == 0);
	}
	/* A program that outlives its recording still sleeps on its file: a later recording removes that. */
	daemon->keep_before = shm_tidy(&daemon->before) && !daemon->pid;
	if (daemon->locked && !daemon->pid)
		lock_write(daemon);
	if (daemon->locked && daemon->in_users_home && !daemon->pid)
		leave_home(daemon);
	daemon_unlock(daemon);
	if (daemon->lock >= 0)
		close(daemon->lock);
	if (daemon->log >= 0)
		close(daemon->log);
	daemon->lock = daemon->log = -1;
	home_remove(daemon->home);
}

/* Not every complaint matters: that the limit of open files could not be raised is told at each start without privileges. */
static bool is_complaint(const char *line)
{
	return (strstr(line, "Error") || strstr(line, "PERROR")) && !strstr(line, "open files limit");
}

const char *daemon_words(const struct daemon *daemon)
{
	static char words[512];
	char *line = NULL;
	size_t room = 0;
	FILE *log;
	int copy;

	words[0] = 0;
	copy = daemon->log < 0 ? -1 : fcntl(daemon->log, F_DUPFD_CLOEXEC, 0);
	log = copy < 0 ? NULL : fdopen(copy, "r");
	if (!log)
		return words;
	rewind(log);
	while (getline(&line, &room, log) > 0) {
		if (is_complaint(line))
			snprintf(words, sizeof(words), "%.*s", (int)strcspn(line, "\n"), line);
	}
	free(line);
	fclose(log);
	return words;
}
