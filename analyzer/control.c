/* An epoll set of the listener, the peers that have not asked yet, and a pidfd for each process inside. */
#include "analyzer/control.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "analyzer/deadline.h"

/* What an epoll event belongs to: the kind above, the index in its array below. */
enum kind {
	LISTENER,
	PEER,
	PROCESS,
};
#define TAG(kind, index) ((uint64_t)(kind) << 32 | (index))

static int watch(const struct control *c, int fd, uint64_t tag)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};

	return epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int control_init(struct control *c, unsigned int shares, bool (*admit)(pid_t vpid), void (*release)(pid_t vpid))
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint64_t unique;
	int length, result;

	memset(c, 0, sizeof(*c));
	c->shares = shares;
	c->admit = admit;
	c->release = release;
	for (size_t p = 0; p < CONTROL_PEERS; p++)
		c->peers[p].fd = -1;
	for (size_t p = 0; p < CONTROL_PROCESSES; p++)
		c->processes[p].pidfd = -1;
	if (getrandom(&unique, sizeof(unique), 0) != sizeof(unique))
		return -EIO;
	length = snprintf(c->name, sizeof(c->name), "rbdprof-%d-%016" PRIx64, (int)getpid(), unique);
	memcpy(address.sun_path + 1, c->name, (size_t)length);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0)
		return -errno;
	c->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listener < 0 ||
	    bind(c->listener, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) ||
	    listen(c->listener, CONTROL_PEERS)) {
		result = -errno;
	} else {
		result = watch(c, c->listener, TAG(LISTENER, 0));
	}
	if (result) {
		if (c->listener >= 0)
			close(c->listener);
		close(c->epoll);
	}
	return result;
}

static void hang_up(const struct control *c, struct control_peer *peer)
{
	epoll_ctl(c->epoll, EPOLL_CTL_DEL, peer->fd, NULL);
	close(peer->fd);
	peer->fd = -1;
}

void control_fini(struct control *c)
{
	for (size_t p = 0; p < CONTROL_PEERS; p++) {
		if (c->peers[p].fd >= 0)
			hang_up(c, &c->peers[p]);
	}
	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		if (c->processes[p].pidfd >= 0)
			close(c->processes[p].pidfd);
		c->processes[p].pidfd = -1;
	}
	close(c->listener);
	close(c->epoll);
}

unsigned int control_living(const struct control *c)
{
	unsigned int living = 0;

	for (size_t p = 0; p < CONTROL_PROCESSES; p++)
		living += c->processes[p].vpid && c->processes[p].pidfd >= 0;
	return living;
}

/* Frees the slot, and lets go of the number unless a living process of another pid namespace has the same. */
static void forget(struct control *c, struct control_process *process)
{
	pid_t vpid = process->vpid;

	process->vpid = 0;
	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		if (c->processes[p].vpid == vpid)
			return;
	}
	c->release(vpid);
}

/* A free slot; the one that has been dead for longest is freed for it. NULL when all are alive. */
static struct control_process *make_room(struct control *c)
{
	struct control_process *oldest = NULL;

	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		struct control_process *process = &c->processes[p];

		if (!process->vpid)
			return process;
		if (process->pidfd < 0 && (!oldest || process->dead_ms < oldest->dead_ms))
			oldest = process;
	}
	if (oldest)
		forget(c, oldest);
	return oldest;
}

/* The living process that is inside under that number: it asks again after an exec. */
static bool is_inside(const struct control *c, pid_t pid, pid_t vpid)
{
	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		const struct control_process *process = &c->processes[p];

		if (process->vpid == vpid && process->pid == pid && process->pidfd >= 0)
			return true;
	}
	return false;
}

/* Looks at every process inside: a batch of events may tell of a newcomer before it tells of the death that made room. */
static void bury_dead(struct control *c)
{
	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		struct control_process *process = &c->processes[p];
		struct pollfd death = {.fd = process->pidfd, .events = POLLIN};

		if (process->pidfd < 0 || poll(&death, 1, 0) != 1)
			continue;
		/* Closing alone would not do: a forked child that still has a copy keeps it in the epoll set. */
		epoll_ctl(c->epoll, EPOLL_CTL_DEL, process->pidfd, NULL);
		close(process->pidfd);
		process->pidfd = -1;
		process->dead_ms = deadline_now_ms();
	}
}

static bool let_in(struct control *c, pid_t pid, pid_t vpid)
{
	struct control_process *process;
	int pidfd;

	if (is_inside(c, pid, vpid))
		return true;
	bury_dead(c);
	if (control_living(c) >= c->shares)
		return false;
	process = make_room(c);
	pidfd = process ? pidfd_open(pid, 0) : -1; /* close-on-exec by nature */
	if (pidfd < 0)
		return false;
	if (!c->admit(vpid) || watch(c, pidfd, TAG(PROCESS, (size_t)(process - c->processes)))) {
		close(pidfd);
		return false;
	}
	*process = (struct control_process){.vpid = vpid, .pid = pid, .pidfd = pidfd};
	c->traced++;
	return true;
}

static void greet(struct control *c)
{
	struct ucred who;
	socklen_t size = sizeof(who);
	size_t p;
	int fd;

	while ((fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		for (p = 0; p < CONTROL_PEERS && c->peers[p].fd >= 0; p++)
			;
		/* The name is not secret: only this user's processes, root's, or anybody's if we are root may ask. */
		if (p == CONTROL_PEERS || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
		    (who.uid != geteuid() && who.uid && geteuid()) || watch(c, fd, TAG(PEER, p))) {
			close(fd);
			continue;
		}
		c->peers[p] = (struct control_peer){.fd = fd, .pid = who.pid, .since_ms = deadline_now_ms()};
	}
}

static void answer(struct control *c, struct control_peer *peer)
{
	uint32_t vpid[2];
	ssize_t got = recv(peer->fd, vpid, sizeof(vpid), MSG_DONTWAIT);
	char word;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got == sizeof(vpid[0]) && vpid[0] && vpid[0] <= INT32_MAX) {
		word = let_in(c, peer->pid, (pid_t)vpid[0]) ? 'y' : 'n';
		c->refused += word == 'n';
		/* Should it be gone meanwhile, its pidfd tells. */
		send(peer->fd, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	hang_up(c, peer);
}

void control_serve(struct control *c)
{
	struct epoll_event events[32];
	int count = epoll_wait(c->epoll, events, sizeof(events) / sizeof(events[0]), 0);

	for (int e = 0; e < count; e++) {
		uint32_t index = (uint32_t)events[e].data.u64;

		switch ((enum kind)(events[e].data.u64 >> 32)) {
		case LISTENER:
			greet(c);
			break;
		case PEER:
			if (c->peers[index].fd >= 0)
				answer(c, &c->peers[index]);
			break;
		case PROCESS:
			bury_dead(c);
			break;
		}
	}
}

void control_tick(struct control *c)
{
	uint64_t now = deadline_now_ms();

	for (size_t p = 0; p < CONTROL_PEERS; p++) {
		if (c->peers[p].fd >= 0 && now - c->peers[p].since_ms >= CONTROL_SILENT_MS)
			hang_up(c, &c->peers[p]);
	}
	for (size_t p = 0; p < CONTROL_PROCESSES; p++) {
		struct control_process *process = &c->processes[p];

		if (process->vpid && process->pidfd < 0 && now - process->dead_ms >= CONTROL_FORGET_MS)
			forget(c, process);
	}
}
