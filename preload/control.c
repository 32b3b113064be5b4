/* The handshake with `rbdprof record`. */
#include "preload/control.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/recorder.h"

#define PATIENCE_S 5

bool control_ask(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	uint64_t until_ns = recorder_now_ns() + PATIENCE_S * UINT64_C(1000000000);
	size_t length = strlen(name);
	uint32_t pid = (uint32_t)getpid();
	char answer = 'n';
	int fd;

	if (length >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path + 1, name, length);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
	    connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) ||
	    send(fd, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid)) {
		close(fd);
		return false;
	}
	/* Each signal begins the socket's own patience anew. */
	while (recv(fd, &answer, 1, 0) < 0 && errno == EINTR && recorder_now_ns() < until_ns)
		;
	close(fd);
	return answer == 'y';
}
