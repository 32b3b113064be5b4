/* /proc/self/maps, line by line. */
#include "preload/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_MAPPINGS 8192 /* addresses beyond are not known */

static struct mapping mappings[MOST_MAPPINGS];
static size_t count;

/* BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH */
static void note(const char *line)
{
	struct mapping *mapping = &mappings[count];
	char permissions[5], path[16] = "";
	uint64_t inode;

	if (count == MOST_MAPPINGS || sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %15s", &mapping->begin, &mapping->end,
					     permissions, &inode, path) < 4)
		return;
	mapping->readable = permissions[0] == 'r';
	mapping->writable = permissions[1] == 'w';
	mapping->of_file = inode != 0;
	mapping->stack = !strncmp(path, "[stack", 6);
	count++;
}

bool maps_read(void)
{
	static char buffer[32768];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	count = 0;
	if (fd < 0)
		return false;
	while ((got = read(fd, buffer + length, sizeof(buffer) - 1 - length)) > 0) {
		char *line = buffer, *end;

		length += (size_t)got;
		buffer[length] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			note(line);
		}
		length -= (size_t)(line - buffer);
		memmove(buffer, line, length);
	}
	close(fd);
	return count > 0;
}

const struct mapping *maps_find(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address >= mappings[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && address >= mappings[low].begin ? &mappings[low] : NULL;
}
