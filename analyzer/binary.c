/* libelf. Sections rather than segments: what the loader needs is never stripped. */
#include "analyzer/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct binary {
	int fd;
	Elf *elf;
	Elf_Scn *dynamic; /* NULL: there is none */
	Elf_Scn *symbols; /* the dynamic ones */
};

static Elf_Scn *find_section(Elf *elf, unsigned int type, Elf_Scn *after)
{
	GElf_Shdr header;
	Elf_Scn *section = after;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

int binary_open(struct binary **out, const char *path)
{
	struct binary *b = calloc(1, sizeof(*b));
	int result;

	if (!b)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	b->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0) {
		result = -errno;
		free(b);
		return result;
	}
	b->elf = elf_begin(b->fd, ELF_C_READ_MMAP, NULL);
	if (!b->elf || elf_kind(b->elf) != ELF_K_ELF || gelf_getclass(b->elf) != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
		binary_close(b);
		return -ENOEXEC;
	}
	b->dynamic = find_section(b->elf, SHT_DYNAMIC, NULL);
	b->symbols = find_section(b->elf, SHT_DYNSYM, NULL);
	*out = b;
	return 0;
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	elf_end(b->elf);
	close(b->fd);
	free(b);
}

bool binary_is_static(const struct binary *b)
{
	GElf_Phdr segment;
	size_t count = 0;

	elf_getphdrnum(b->elf, &count);
	for (size_t s = 0; s < count; s++)
		if (gelf_getphdr(b->elf, (int)s, &segment) && segment.p_type == PT_INTERP)
			return false;
	/* A shared library has no interpreter, but names what it needs; a static program that can be placed anywhere names nothing. */
	return !b->dynamic || !binary_needed(b, 0);
}

const char *binary_needed(const struct binary *b, size_t n)
{
	Elf_Data *data = b->dynamic ? elf_getdata(b->dynamic, NULL) : NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	if (!data || !gelf_getshdr(b->dynamic, &header))
		return NULL;
	for (int e = 0; gelf_getdyn(data, e, &entry) && entry.d_tag != DT_NULL; e++)
		if (entry.d_tag == DT_NEEDED && !n--)
			return elf_strptr(b->elf, header.sh_link, entry.d_un.d_val);
	return NULL;
}

void binary_symbols(const struct binary *b, bool (*take)(void *data, const char *name, bool offered, uint64_t value), void *data)
{
	Elf_Data *table = b->symbols ? elf_getdata(b->symbols, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!table || !gelf_getshdr(b->symbols, &header))
		return;
	for (int s = 0; gelf_getsym(table, s, &symbol); s++) {
		const char *name = elf_strptr(b->elf, header.sh_link, symbol.st_name);

		if (name && *name && !take(data, name, symbol.st_shndx != SHN_UNDEF, symbol.st_value))
			return;
	}
}

struct wanted {
	const char *name;
	uint64_t value;
};

static bool compare(void *data, const char *name, bool offered, uint64_t value)
{
	struct wanted *wanted = data;

	if (!offered || strcmp(name, wanted->name))
		return true;
	wanted->value = value;
	return false;
}

uint64_t binary_find(const struct binary *b, const char *name)
{
	struct wanted wanted = {.name = name};

	binary_symbols(b, compare, &wanted);
	return wanted.value;
}

void binary_slots(const struct binary *b, void (*take)(void *data, const char *name, uint64_t slot), void *data)
{
	Elf_Data *symbols = b->symbols ? elf_getdata(b->symbols, NULL) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr names, header;

	if (!symbols || !gelf_getshdr(b->symbols, &names))
		return;
	while ((section = find_section(b->elf, SHT_RELA, section))) {
		Elf_Data *table = elf_getdata(section, NULL);
		GElf_Rela relocation;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_link != elf_ndxscn(b->symbols))
			continue;
		for (int r = 0; gelf_getrela(table, r, &relocation); r++) {
			const char *name = gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol)
					       ? elf_strptr(b->elf, names.sh_link, symbol.st_name)
					       : NULL;

			if (name && *name)
				take(data, name, relocation.r_offset);
		}
	}
}

uint64_t binary_first_page(const struct binary *b)
{
	GElf_Phdr segment;
	size_t count = 0;

	elf_getphdrnum(b->elf, &count);
	for (size_t s = 0; s < count; s++)
		if (gelf_getphdr(b->elf, (int)s, &segment) && segment.p_type == PT_LOAD)
			return segment.p_vaddr & ~(uint64_t)(getpagesize() - 1);
	return 0;
}

bool binary_find_text(const struct binary *b, bool (*fits)(const char *text), char *text, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = find_section(b->elf, SHT_PROGBITS, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && !(header.sh_flags & SHF_EXECINSTR) ? elf_getdata(section, NULL) : NULL;
		const char *at = data ? data->d_buf : NULL, *end = at ? at + data->d_size : NULL;

		while (at && at < end) {
			size_t length = strnlen(at, (size_t)(end - at));

			if (at + length < end && length && length < size && fits(at)) {
				memcpy(text, at, length + 1);
				return true;
			}
			at += length + 1;
		}
	}
	return false;
}
