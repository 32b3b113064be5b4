/* Modules, as the loader lists them. */
#include "preload/modules.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/recorder.h"

#define MOST_MODULES 512 /* further ones are not said */

static struct rbdprof_module modules[MOST_MODULES];
static size_t count;
static uint64_t changes; /* of the list, when it was looked at */

/* A note is three words, a name and contents, each padded to the note's alignment. */
static void find_build_id(struct rbdprof_module *module, const char *note, size_t size, size_t align)
{
	align = align == 8 ? 8 : 4;
	while (size > sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)note;
		size_t name = (sizeof(*header) + header->n_namesz + align - 1) & ~(align - 1);
		size_t whole = (name + header->n_descsz + align - 1) & ~(align - 1);
		const unsigned char *id = (const unsigned char *)note + name;

		if (name + header->n_descsz > size)
			return;
		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && !memcmp(note + sizeof(*header), "GNU", 4)) {
			for (size_t i = 0; i < header->n_descsz && i < sizeof(module->build_id) / 2; i++)
				snprintf(module->build_id + 2 * i, 3, "%02x", id[i]);
			return;
		}
		if (whole >= size)
			return;
		note += whole;
		size -= whole;
	}
}

static void name_module(struct rbdprof_module *module, const char *name)
{
	ssize_t length;

	if (name && *name) {
		strncpy(module->path, name, sizeof(module->path) - 1);
		return;
	}
	length = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
	module->path[length < 0 ? 0 : length] = '\0';
}

/* The program itself comes first and has no name. */
static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct rbdprof_module *module = &modules[count];

	(void)size, (void)unused;
	if (count == MOST_MODULES)
		return 1;
	memset(module, 0, sizeof(*module));
	module->begin = UINT64_MAX;
	module->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;

		if (segment->p_type == PT_NOTE && !module->build_id[0])
			find_build_id(module, (const char *)(uintptr_t)begin, segment->p_memsz, segment->p_align);
		if (segment->p_type != PT_LOAD)
			continue;
		module->begin = begin < module->begin ? begin : module->begin;
		module->end = end > module->end ? end : module->end;
	}
	if (module->begin >= module->end)
		return 0;
	name_module(module, count ? info->dlpi_name : NULL);
	count++;
	return 0;
}

static int note_changes(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	changes = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

void modules_say(void)
{
	uint64_t before = changes;

	dl_iterate_phdr(note_changes, NULL);
	if (!count || changes != before) {
		count = 0;
		dl_iterate_phdr(note_module, NULL);
	}
	for (size_t i = 0; i < count; i++)
		EMIT_ALONE(module(&modules[i]));
}
