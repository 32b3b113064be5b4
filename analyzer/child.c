/* fork, execvp, and a close-on-exec pipe that tells whether it worked. */
#include "analyzer/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void child_init(struct child *child, const struct signals *signals)
{
	*child = (struct child){.signals = signals, .status = -1};
}

/* 0 when it can be executed, or the errno that says why not. */
static int try(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

static int as_status(int error)
{
	errno = error;
	return error == ENOENT || error == ENOTDIR ? CHILD_NOT_FOUND : CHILD_NOT_EXECUTABLE;
}

int child_where(const char *program, char candidate[PATH_MAX])
{
	const char *path = getenv("PATH"), *next;
	int error = ENOENT, found;

	if (strchr(program, '/')) {
		found = snprintf(candidate, PATH_MAX, "%s", program) < PATH_MAX ? try(program) : ENAMETOOLONG;
		return found ? as_status(found) : 0;
	}
	if (!*program)
		return as_status(ENOENT);
	for (path = path ? path : "/bin:/usr/bin"; path; path = next) {
		size_t length = strcspn(path, ":");

		next = path[length] ? path + length + 1 : NULL;
		if (snprintf(candidate, PATH_MAX, "%.*s%s%s", (int)length, path, length ? "/" : "", program) >= PATH_MAX)
			continue;
		found = try(candidate);
		if (!found)
			return 0;
		if (found == EACCES)
			error = EACCES;
	}
	return as_status(error);
}

int child_find(const char *program)
{
	char path[PATH_MAX];

	return child_where(program, path);
}

static void become_command(const struct child *child, char *const argv[], int failure)
{
	int error;

	signals_give_back(child->signals);
	execvp(argv[0], argv);
	error = errno;
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(CHILD_NOT_EXECUTABLE);
	_exit(CHILD_NOT_FOUND);
}

int child_start(struct child *child, char *const argv[])
{
	int failure[2], error = 0;
	pid_t pid;
	ssize_t got;

	if (pipe2(failure, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become_command(child, argv, failure[1]);
	error = pid < 0 ? errno : 0;
	close(failure[1]);
	if (error) {
		close(failure[0]);
		return -error;
	}
	while ((got = read(failure[0], &error, sizeof(error))) < 0 && errno == EINTR)
		;
	close(failure[0]);
	if (got == sizeof(error)) {
		waitpid(pid, NULL, 0);
		return as_status(error);
	}
	child->pid = pid;
	return 0;
}

static void reap(struct child *child)
{
	int status;

	if (waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	if (WIFEXITED(status))
		child->status = WEXITSTATUS(status);
	else if (WIFSIGNALED(status))
		child->status = 128 + WTERMSIG(status);
}

void child_serve(struct child *child)
{
	struct signalfd_siginfo info;

	while (child->status < 0 && read(child->signals->fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGCHLD:
			reap(child);
			break;
		case SIGINT:
		case SIGQUIT:
			break;
		default:
			kill(child->pid, (int)info.ssi_signo);
		}
	}
}
