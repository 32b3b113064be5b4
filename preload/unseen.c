/* Comparing librbd's exports with the table of interposed functions, and the table's boundary with what this release has. */
#include "preload/unseen.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/real.h"
#include "preload/recorder.h"

#define MOST_UNSEEN 64

static char unseen[MOST_UNSEEN][64];
static int unseen_count;
static bool looked;

/* Mirroring's functions complete, but move no data. */
static bool moves_data(const char *name)
{
	static const char *const beginnings[] = {
#define MOVES(beginning) beginning,
#include "tracepoints/moving.def"
#undef MOVES
	};

	if (strstr(name, "_mirror_"))
		return false;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* The number of symbols is not written anywhere: it is one more than the last index in the hash table's chains. */
static uint32_t count_symbols(const uint32_t *gnu_hash)
{
	uint32_t buckets = gnu_hash[0], first = gnu_hash[1], bloom_words = gnu_hash[2], last = 0;
	const uint32_t *bucket = (const uint32_t *)((const ElfW(Addr) *)(gnu_hash + 4) + bloom_words);
	const uint32_t *chain = bucket + buckets;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return 0;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

void unseen_find(void)
{
	void *handle = looked ? NULL : dlopen("librbd.so.1", RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;
	const uint32_t *gnu_hash = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	uint32_t count = 0;
	const char *missing[MOST_UNSEEN / 2];
	int found = 0;

	if (!handle)
		return;
	looked = true;
	for (size_t i = real_missing(missing, MOST_UNSEEN / 2); i--;)
		strncpy(unseen[found++], missing[i], sizeof(unseen[0]) - 1);
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
		for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
			if (d->d_tag == DT_GNU_HASH)
				gnu_hash = (const uint32_t *)d->d_un.d_ptr;
			else if (d->d_tag == DT_SYMTAB)
				symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
			else if (d->d_tag == DT_STRTAB)
				strings = (const char *)d->d_un.d_ptr;
		}
	if (gnu_hash && symbols && strings)
		count = count_symbols(gnu_hash);
	for (uint32_t i = 0; i < count && found < MOST_UNSEEN; i++) {
		const char *name = strings + symbols[i].st_name;

		if (symbols[i].st_shndx != SHN_UNDEF && moves_data(name) && !real_has_row(name))
			strncpy(unseen[found++], name, sizeof(unseen[0]) - 1);
	}
	unseen_count = found;
	dlclose(handle);
}

void unseen_say(void)
{
	for (int i = 0; i < unseen_count; i++)
		EMIT(unseen(unseen[i]));
}
