/* /proc/self/maps, line by line. */
#include "preload/maps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_MAPPINGS 8192 /* addresses beyond are not known */

static struct mapping mappings[MOST_MAPPINGS];
static size_t count;

/* BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH */
static void note(char *line)
{
	struct mapping *mapping = &mappings[count];
	char *at, *permissions;

	if (count == MOST_MAPPINGS)
		return;
	mapping->begin = strtoull(line, &at, 16);
	if (*at != '-')
		return;
	mapping->end = strtoull(at + 1, &permissions, 16);
	at = permissions;
	for (int i = 0; i < 3 && at; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return;
	mapping->readable = permissions[1] == 'r';
	mapping->writable = permissions[2] == 'w';
	mapping->of_file = strtoull(at, &at, 10) != 0;
	mapping->stack = !strncmp(at + strspn(at, " "), "[stack", 6);
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
