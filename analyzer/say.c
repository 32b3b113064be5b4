/* One line on standard error, in one write(). */
#include "analyzer/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void say_keep_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDWR | O_CLOEXEC);
	}
}

void say(const char *format, ...)
{
	static const char prefix[] = "rbdprof: ";
	char line[8192];
	size_t length = sizeof(prefix) - 1;
	va_list arguments;
	int written;

	memcpy(line, prefix, length);
	va_start(arguments, format);
	written = vsnprintf(line + length, sizeof(line) - length - 1, format, arguments);
	va_end(arguments);
	if (written > 0)
		length += (size_t)written < sizeof(line) - length - 1 ? (size_t)written : sizeof(line) - length - 2;
	line[length++] = '\n';
	while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
		;
}
