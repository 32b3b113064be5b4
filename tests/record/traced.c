/*
 * A program that behaves like one with the shim in it, without librbd: it asks at the door, loads the provider and emits a known
 * number of events. What it prints is the truth that the tests hold a recording against.
 *
 *   traced EVENTS [exit | _exit | kill | hold SECONDS | loop SECONDS | fork | exec | silent SECONDS | uninvited SECONDS |
 *                  dormant SECONDS [LATE]]
 *
 * dormant: asks nobody, and emits EVENTS events each millisecond, numbered without a gap, whether they are recorded or not; it loads the
 * provider after LATE seconds.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracepoints/emit.h"

__thread void *rbdprof_thread_place; /* as the shim has it */

static int connect_door(void)
{
	const char *name = getenv("RBDPROF_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = 5};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!name || strlen(name) >= sizeof(address.sun_path) || fd < 0)
		return -1;
	memcpy(address.sun_path + 1, name, strlen(name));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		return fd;
	close(fd);
	return -1;
}

static char ask(void)
{
	uint32_t pid = (uint32_t)getpid();
	char answer = '?';
	int fd = connect_door();

	if (fd < 0)
		return '-';
	if (send(fd, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid) || recv(fd, &answer, 1, 0) != 1)
		answer = '?';
	close(fd);
	return answer;
}

static const struct rbdprof_emitter *load(void)
{
	void *provider = dlopen(PROVIDER, RTLD_NOW);

	if (!provider) {
		fprintf(stderr, "%s\n", dlerror());
		exit(3);
	}
	return dlsym(provider, RBDPROF_EMITTER_SYMBOL);
}

static long emit(const struct rbdprof_emitter *emitter, long count)
{
	for (long i = 0; i < count; i++)
		emitter->complete((uint64_t)i, 1, 0, 0, 1);
	return count;
}

static long emit_for(const struct rbdprof_emitter *emitter, int seconds)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	time_t end = time(NULL) + seconds;
	long count = 0;

	while (time(NULL) < end) {
		count += emit(emitter, 20);
		nanosleep(&pause, NULL);
	}
	return count;
}

static int sleep_and_emit(long each, int seconds, unsigned int late)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const struct rbdprof_emitter *emitter;
	time_t end = time(NULL) + seconds;
	uint64_t number = 0;

	printf("dormant\n");
	fflush(stdout);
	sleep(late);
	emitter = load();
	printf("loaded\n");
	fflush(stdout);
	while (time(NULL) < end) {
		for (long i = 0; i < each; i++)
			emitter->complete(++number, 1, 0, 0, 1);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* The child of a traced process is let in by nobody: its events must not be in the recording. */
static void emit_forked(const struct rbdprof_emitter *emitter)
{
	pid_t child;

	emitter->fork_before();
	child = fork();
	emitter->fork_after(!child);
	if (!child) {
		emit(emitter, 1000);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	long events = argc > 1 ? atol(argv[1]) : 0, emitted;
	const char *how = argc > 2 ? argv[2] : "exit";
	int seconds = argc > 3 ? atoi(argv[3]) : 0;
	const struct rbdprof_emitter *emitter;
	char answer;

	if (!strcmp(how, "silent")) {
		int fd = connect_door();

		sleep((unsigned int)seconds);
		return fd < 0;
	}
	if (!strcmp(how, "uninvited")) {
		emitter = load();
		emit(emitter, events);
		printf("uninvited, requests %d\n", *emitter->requests);
		fflush(stdout);
		sleep((unsigned int)seconds);
		return 0;
	}
	if (!strcmp(how, "dormant"))
		return sleep_and_emit(events, seconds, argc > 4 ? (unsigned int)atoi(argv[4]) : 0);
	answer = ask();
	if (answer != 'y') {
		printf("answer %c\n", answer);
		return 0;
	}
	emitter = load();
	emitted = emit(emitter, events);
	if (!strcmp(how, "loop"))
		emitted += emit_for(emitter, seconds);
	if (!strcmp(how, "fork")) {
		emit_forked(emitter);
		emitted += emit(emitter, events);
	}
	printf("answer y emitted %ld lock_waits %d cond_waits %d all_holds %d lock_pairs %d\n", emitted, *emitter->lock_waits,
	       *emitter->cond_waits, *emitter->all_holds, *emitter->lock_pairs);
	fflush(stdout);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "hold"))
		sleep((unsigned int)seconds);
	if (!strcmp(how, "exec")) {
		execl("/proc/self/exe", argv[0], argv[1], (char *)NULL);
		return 4;
	}
	return 0;
}
