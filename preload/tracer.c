/* Loading the provider beside this library, and the address ranges of lttng-ust's and liburcu's code. */
#include "preload/tracer.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/real.h"
#include "preload/waitfile.h"

#define PROVIDER    "librbdprof-lttng.so"
#define MOST_RANGES 32

static char provider[PATH_MAX];
static struct range {
	uintptr_t begin, end;
} ranges[MOST_RANGES];
static int range_count;
static struct range all; /* from the first range's begin to the last one's end */

void tracer_init(void)
{
	char path[PATH_MAX];
	Dl_info self;
	char *slash;

	if (!dladdr((void *)tracer_init, &self) || !self.dli_fname || !realpath(self.dli_fname, path))
		return;
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash - path) + sizeof("/" PROVIDER) > sizeof(provider))
		return;
	memcpy(provider, path, (size_t)(slash - path));
	strcpy(provider + (slash - path), "/" PROVIDER);
}

bool tracer_present(void)
{
	return provider[0] && !access(provider, R_OK);
}

static int note_ranges(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size, (void)unused;
	name = name ? name + 1 : "";
	if (strncmp(name, "liblttng-ust", 12) && strncmp(name, "liburcu", 7) && strcmp(name, PROVIDER))
		return 0;
	for (int i = 0; i < info->dlpi_phnum && range_count < MOST_RANGES; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		ranges[range_count].begin = info->dlpi_addr + segment->p_vaddr;
		ranges[range_count].end = ranges[range_count].begin + segment->p_memsz;
		if (!range_count || ranges[range_count].begin < all.begin)
			all.begin = ranges[range_count].begin;
		if (ranges[range_count].end > all.end)
			all.end = ranges[range_count].end;
		range_count++;
	}
	return 0;
}

const struct rbdprof_emitter *tracer_load(void)
{
	void *handle;

	/* Two LTTngs in one process say so on standard error, and may abort. */
	if (real_loaded("liblttng-ust.so.0") || !waitfile_make())
		return NULL;
	handle = dlopen(provider, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return NULL;
	dl_iterate_phdr(note_ranges, NULL);
	return dlsym(handle, RBDPROF_EMITTER_SYMBOL);
}

bool tracer_named(const char *name)
{
	size_t length = strlen(name);

	return length >= 4 && !strcmp(name + length - 4, "-ust");
}

bool tracer_owns(const void *address)
{
	uintptr_t at = (uintptr_t)address;

	if (at < all.begin || at >= all.end)
		return false;
	for (int i = 0; i < range_count; i++)
		if (at >= ranges[i].begin && at < ranges[i].end)
			return true;
	return false;
}
