/* Ceph compiles its number in as a text of its own: 18.2.7, or 18.2.7-1-gabcdef for a build between releases. */
#include "analyzer/release.h"

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/binary.h"

static bool fits(const char *text)
{
	unsigned int major, minor, patch;
	int end = 0;

	return sscanf(text, "%2u.%1u.%3u%n", &major, &minor, &patch, &end) == 3 && end && major >= 12 && (!text[end] || text[end] == '-');
}

void release_read(const char *path, char *release, size_t size)
{
	struct binary *binary;

	*release = 0;
	if (binary_open(&binary, path))
		return;
	if (!binary_find_text(binary, fits, release, size))
		*release = 0;
	binary_close(binary);
}
