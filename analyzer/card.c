/* The card's address is the shim's place in the process plus its symbol's value in the file. */
#include "analyzer/card.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/binary.h"
#include "tracepoints/card.h"

#define MOST_SLOTS   4096
#define STRING_BYTES 512

static int find(const struct target *target, uint64_t *address)
{
	const struct target_mapping *shim = &target->mappings[TARGET_SHIM];
	struct binary *binary;
	int result = binary_open(&binary, shim->readable);

	if (result)
		return result == -ENOENT || result == -EPERM ? -EACCES : result;
	*address = binary_find(binary, RBDPROF_CARD_SYMBOL);
	if (*address)
		*address += shim->begin - binary_first_page(binary);
	else
		result = -EPROTO;
	binary_close(binary);
	return result;
}

/* A string of a description; what cannot be read is "". */
static void read_string(const struct target *target, const struct rbdprof_card *theirs, uint64_t at, char text[STRING_BYTES])
{
	size_t bytes = theirs->string_bytes < STRING_BYTES ? theirs->string_bytes : STRING_BYTES;

	if (target_read(target, at, text, bytes))
		bytes = 1;
	text[bytes - 1] = 0;
}

static void name_image(const struct target *target, const struct rbdprof_card *theirs, uint64_t image, char name[CARD_NAME_BYTES])
{
	char pool[STRING_BYTES], space[STRING_BYTES], its_name[STRING_BYTES], snapshot[STRING_BYTES];

	read_string(target, theirs, image + theirs->pool_at, pool);
	read_string(target, theirs, image + theirs->namespace_at, space);
	read_string(target, theirs, image + theirs->name_at, its_name);
	read_string(target, theirs, image + theirs->snapshot_at, snapshot);
	snprintf(name, CARD_NAME_BYTES, "%.60s/%.40s%s%.60s%s%.20s", pool, space, *space ? "/" : "", its_name, *snapshot ? "@" : "",
		 snapshot);
}

static int read_images(struct card *card, const struct target *target, const struct rbdprof_card *theirs)
{
	uint64_t handles[MOST_SLOTS];
	char text[STRING_BYTES];

	if (theirs->slots > MOST_SLOTS)
		return -EPROTO;
	if (target_read(target, (uintptr_t)theirs->handles, handles, theirs->slots * sizeof(handles[0])))
		return -EACCES;
	for (uint32_t slot = 0; slot < theirs->slots; slot++) {
		uint64_t image = (uintptr_t)theirs->images + (uint64_t)slot * theirs->stride;

		if (!handles[slot])
			continue;
		if (card->images < CARD_IMAGES)
			name_image(target, theirs, image, card->names[card->images]);
		if (!card->images++) {
			read_string(target, theirs, image + theirs->release_at, text);
			snprintf(card->release, sizeof(card->release), "%.63s", text);
		}
	}
	return 0;
}

static size_t layout_bytes(uint32_t layout)
{
	if (layout == 1)
		return offsetof(struct rbdprof_card, emitter);
	return layout == 2 ? offsetof(struct rbdprof_card, flusher_alive) : sizeof(struct rbdprof_card);
}

/* Its card; what is not in its layout is 0. */
static int read_card(struct rbdprof_card *theirs, const struct target *target)
{
	uint64_t address = 0;
	int result;

	memset(theirs, 0, sizeof(*theirs));
	if (!target_has(target, TARGET_SHIM))
		return -ENOENT;
	result = find(target, &address);
	if (result)
		return result;
	if (target_read(target, address, theirs, offsetof(struct rbdprof_card, emitter)))
		return -EACCES;
	if (memcmp(theirs->magic, RBDPROF_CARD_MAGIC, sizeof(theirs->magic)) || !theirs->layout || theirs->layout > RBDPROF_CARD_LAYOUT ||
	    !theirs->string_bytes)
		return -EPROTO;
	return target_read(target, address, theirs, layout_bytes(theirs->layout)) ? -EACCES : 0;
}

int card_read(struct card *card, const struct target *target)
{
	struct rbdprof_card theirs;
	int result = read_card(&theirs, target);

	memset(card, 0, sizeof(*card));
	if (result)
		return result;
	card->schema = theirs.schema;
	snprintf(card->version, sizeof(card->version), "%.15s", theirs.version);
	return read_images(card, target, &theirs);
}

int card_recorded(const struct target *target)
{
	struct rbdprof_card theirs;
	uint64_t emitter, word;
	int wanted, result = read_card(&theirs, target);

	if (result)
		return result;
	if (!theirs.emitter)
		return -EPROTO;
	if (target_read(target, (uintptr_t)theirs.emitter, &emitter, sizeof(emitter)))
		return -EACCES;
	if (emitter == (uintptr_t)theirs.no_emitter)
		return -EAGAIN;
	if (target_read(target, emitter, &word, sizeof(word)) || target_read(target, word, &wanted, sizeof(wanted)))
		return -EACCES;
	return wanted != 0;
}

int card_telling(const struct target *target)
{
	struct rbdprof_card theirs;
	uint8_t alive;
	int result = read_card(&theirs, target);

	if (result)
		return result;
	if (!theirs.flusher_alive)
		return -EPROTO;
	if (target_read(target, (uintptr_t)theirs.flusher_alive, &alive, sizeof(alive)))
		return -EACCES;
	return alive != 0;
}
