/* A signalfd, and what was before it. */
#include "analyzer/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "analyzer/say.h"

static const int taken[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD};

static void set_disposition(struct signals *signals, int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler}, before;

	if (!sigaction(number, &action, &before))
		signals->was_ignored[number] = before.sa_handler == SIG_IGN;
}

int signals_take(struct signals *signals)
{
	int result = 0;
	sigset_t set;

	memset(signals, 0, sizeof(*signals));
	sigemptyset(&set);
	/* An ignored signal never reaches a signalfd, and an ignored SIGCHLD makes the kernel reap what waitpid() waits for. */
	for (size_t s = 0; s < sizeof(taken) / sizeof(taken[0]); s++) {
		set_disposition(signals, taken[s], SIG_DFL);
		sigaddset(&set, taken[s]);
	}
	set_disposition(signals, SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, &signals->mask);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0) {
		result = -errno;
		say("cannot receive signals: %s", strerror(errno));
	}
	return result;
}

void signals_give_back(const struct signals *signals)
{
	for (int s = 1; s < NSIG; s++) {
		if (signals->was_ignored[s])
			signal(s, SIG_IGN);
	}
	if (!signals->was_ignored[SIGPIPE])
		signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

bool signals_asked_to_end(const struct signals *signals)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info))
		asked |= info.ssi_signo == SIGINT || info.ssi_signo == SIGQUIT || info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP;
	return asked;
}
