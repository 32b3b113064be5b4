/* Files of /proc. */
#include "preload/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

long proc_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	if (fd < 0)
		return -1;
	while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	text[length] = '\0';
	return (long)length;
}

bool proc_thread_name(uint32_t tid, char name[16])
{
	char path[64], text[17];
	long length;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	length = proc_read(path, text, sizeof(text));
	if (length <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	memcpy(name, text, 16);
	name[15] = '\0';
	return true;
}

/* opendir() would take memory of the program's allocator. */
void proc_each_thread(void (*each)(uint32_t tid))
{
	static char buffer[16384] __attribute__((aligned(8)));
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long got;

	if (fd < 0)
		return;
	while ((got = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < got;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);

			if (entry->d_name[0] != '.')
				each((uint32_t)strtoul(entry->d_name, NULL, 10));
			at += entry->d_reclen;
		}
	close(fd);
}
