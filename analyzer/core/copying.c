#include "analyzer/core/copying.h"

#include <stdlib.h>
#include <string.h>

/* So many requests tell what is usual. */
#define ENOUGH 100

void copying_fini(struct copying *copying)
{
	coverage_fini(&copying->copies);
	free(copying->written);
	*copying = (struct copying){0};
}

void copying_snapshot(struct copying *copying)
{
	if (copying->written)
		memset(copying->written, 0, copying->written_bytes);
	copying->snapshots = 1;
}

/* Makes room for the object's bit. Returns 1 when there is. */
static int reach(struct copying *copying, uint64_t object)
{
	size_t bytes = copying->written_bytes ? copying->written_bytes : 64;
	uint8_t *grown;

	if (object >= COPYING_OBJECTS)
		return 0;
	while (bytes <= object / 8)
		bytes *= 2;
	if (bytes == copying->written_bytes)
		return 1;
	grown = realloc(copying->written, bytes);
	if (!grown)
		return 0;
	memset(grown + copying->written_bytes, 0, bytes - copying->written_bytes);
	copying->written = grown;
	copying->written_bytes = bytes;
	return 1;
}

int copying_begin(struct copying *copying, uint64_t object, uint64_t now_ns)
{
	uint8_t bit = (uint8_t)(1 << object % 8);

	if (!copying->snapshots || !reach(copying, object) || copying->written[object / 8] & bit)
		return 0;
	copying->written[object / 8] |= bit;
	coverage_begin(&copying->copies, now_ns);
	return 1;
}

int copying_end(struct copying *copying, uint64_t now_ns)
{
	return coverage_end(&copying->copies, now_ns);
}

uint64_t copying_held(struct copying *copying, uint64_t sent_ns, uint64_t c_ns, uint64_t changing_ns)
{
	uint64_t overlap_ns = coverage_overlap(&copying->copies, sent_ns, c_ns), took_ns = c_ns - sent_ns, known_ns;

	if (!overlap_ns && !changing_ns) {
		copying->usual_count++;
		copying->usual_ns += took_ns;
	}
	if (!overlap_ns || copying->usual_count < ENOUGH)
		return 0;
	known_ns = changing_ns + copying->usual_ns / copying->usual_count;
	if (took_ns <= known_ns)
		return 0;
	return overlap_ns < took_ns - known_ns ? overlap_ns : took_ns - known_ns;
}
