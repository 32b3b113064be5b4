#include "analyzer/symbols.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/demangle.h"

#define DEBUG_FILES "/usr/lib/debug/.build-id"
#define INLINED_MAX 32 /* in one another */

/* A file that modules of processes were mapped from; looked for once. */
struct binary {
	char *key; /* owned: build-id and path */
	Dwfl_Module *dwfl;
	GElf_Addr bias; /* libdw's addresses = the file's + this */
	UT_hash_handle hh;
};

/* An address that was asked for. */
struct resolved {
	struct {
		uint64_t address;
		uint32_t process;
		uint32_t is_call;
	} key;
	struct symbol symbol;
	char *module; /* owned, as the next: what the symbol points to */
	char *name;
	char *file;
	UT_hash_handle hh;
};

struct symbols {
	Dwfl *dwfl;
	struct binary *binaries;   /* owned */
	struct resolved *resolved; /* owned */
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct symbols *symbols_create(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	elf_version(EV_CURRENT);
	symbols->dwfl = dwfl_begin(&callbacks);
	if (symbols->dwfl)
		return symbols;
	free(symbols);
	return NULL;
}

void symbols_destroy(struct symbols *symbols)
{
	struct resolved *resolved, *next_resolved;
	struct binary *binary, *next_binary;

	if (!symbols)
		return;
	HASH_ITER(hh, symbols->resolved, resolved, next_resolved)
	{
		HASH_DEL(symbols->resolved, resolved);
		free(resolved->module);
		free(resolved->name);
		free(resolved->file);
		free(resolved);
	}
	HASH_ITER(hh, symbols->binaries, binary, next_binary)
	{
		HASH_DEL(symbols->binaries, binary);
		free(binary->key);
		free(binary);
	}
	dwfl_end(symbols->dwfl);
	free(symbols);
}

/* Whether the open file is the very one that was mapped. A process whose file had no build-id gives no names. */
static bool is_mapped(int fd, const char *build_id)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bytes;
	ssize_t length = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	bool same = length > 0 && strlen(build_id) == 2 * (size_t)length;

	for (ssize_t i = 0; same && i < length; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", ((const unsigned char *)bytes)[i]);
		same = strncmp(digits, build_id + 2 * i, 2) == 0;
	}
	elf_end(elf);
	return same;
}

static int open_mapped(const char *path, const char *build_id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && is_mapped(fd, build_id))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The file, or what a debug package has of it. */
static int open_module(const struct module *module)
{
	char debug[sizeof(DEBUG_FILES) + 64];
	int fd = open_mapped(module->path, module->build_id);

	if (fd >= 0 || strlen(module->build_id) < 3)
		return fd;
	snprintf(debug, sizeof(debug), DEBUG_FILES "/%.2s/%.50s.debug", module->build_id, module->build_id + 2);
	return open_mapped(debug, module->build_id);
}

/* A file that is not there is remembered, too. */
static void load(struct symbols *symbols, struct binary *binary, const struct module *module)
{
	int fd = open_module(module);

	if (fd < 0)
		return;
	dwfl_report_begin_add(symbols->dwfl);
	binary->dwfl = dwfl_report_offline(symbols->dwfl, binary->key, module->path, fd);
	if (!binary->dwfl)
		close(fd);
	dwfl_report_end(symbols->dwfl, NULL, NULL);
	if (binary->dwfl && !dwfl_module_getelf(binary->dwfl, &binary->bias))
		binary->dwfl = NULL;
}

static struct binary *binary_get(struct symbols *symbols, const struct module *module)
{
	struct binary *binary;
	char *key;

	if (asprintf(&key, "%s %s", module->build_id, module->path) < 0)
		return NULL;
	HASH_FIND_STR(symbols->binaries, key, binary);
	if (binary) {
		free(key);
		return binary;
	}
	binary = calloc(1, sizeof(*binary));
	if (binary) {
		binary->key = key;
		HASH_ADD_KEYPTR(hh, symbols->binaries, binary->key, strlen(binary->key), binary);
		if (!hash_failed(binary)) {
			load(symbols, binary, module);
			return binary;
		}
	}
	free(binary);
	free(key);
	return NULL;
}

/* Where the C++ library's own inlined functions are written, such as lock guards: nobody wants to be led there. */
static bool is_library(const char *path)
{
	return strstr(path, "/c++/") != NULL;
}

static int keep_file(struct resolved *resolved, const char *path, int line)
{
	const char *slash = strrchr(path, '/');

	free(resolved->file);
	resolved->file = strdup(slash ? slash + 1 : path);
	resolved->symbol.file = resolved->file;
	resolved->symbol.line = line;
	return resolved->file ? 0 : -ENOMEM;
}

static int keep_name(struct resolved *resolved, const char *name, uint64_t offset)
{
	free(resolved->name);
	resolved->name = demangle_symbol(name);
	resolved->symbol.name = resolved->name;
	resolved->symbol.offset = offset;
	return resolved->name ? 0 : -ENOMEM;
}

static const char *name_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_diename(function);
}

/* Where the inlined function was called. Returns its path, or NULL. */
static const char *call_of(Dwarf_Die *unit, Dwarf_Die *inlined, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word file, at;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &at) || dwarf_getsrcfiles(unit, &files, &count))
		return NULL;
	*line = (int)at;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* Whether functions can lie within such an entry. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
}

/*
 * The function at pc. A lambda's lies within that of the function which it is written in, though its code does not: only then functions
 * that do not have pc are searched, too.
 */
static bool find_function(Dwarf_Die *in, Dwarf_Addr pc, bool everywhere, Dwarf_Die *function)
{
	Dwarf_Die die;

	if (dwarf_child(in, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && dwarf_haspc(&die, pc) > 0) {
			*function = die;
			return true;
		}
		if (holds_functions(tag) && (everywhere || tag == DW_TAG_namespace) && find_function(&die, pc, everywhere, function))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* The inlined functions at pc within one another, the outermost first. Returns how many there are. */
static unsigned find_inlined(Dwarf_Die *in, Dwarf_Addr pc, Dwarf_Die *inlined, unsigned count)
{
	Dwarf_Die die;

	if (count == INLINED_MAX || dwarf_child(in, &die))
		return count;
	do {
		int tag = dwarf_tag(&die);

		if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) || dwarf_haspc(&die, pc) <= 0)
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			inlined[count++] = die;
		return find_inlined(&die, pc, inlined, count);
	} while (dwarf_siblingof(&die, &die) == 0);
	return count;
}

/* The line at pc; out of inlined functions of the C++ library, to where they were called, and the name of what was inlined there. */
static int find_line(struct resolved *resolved, Dwfl_Module *module, Dwarf_Addr pc)
{
	Dwarf_Die function, inlined[INLINED_MAX], *unit;
	Dwfl_Line *at = dwfl_module_getsrc(module, pc);
	int line = 0, status = 0;
	const char *path = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
	unsigned count = 0;
	Dwarf_Addr bias;

	if (!path)
		return 0;
	unit = dwfl_module_addrdie(module, pc, &bias);
	if (unit && (find_function(unit, pc - bias, false, &function) || find_function(unit, pc - bias, true, &function)))
		count = find_inlined(&function, pc - bias, inlined, 0);
	for (unsigned i = count; path && i > 0 && !status; i--) {
		if (!is_library(path)) {
			const char *name = name_of(&inlined[i - 1]);

			status = name ? keep_name(resolved, name, 0) : 0;
			break;
		}
		path = call_of(unit, &inlined[i - 1], &line);
	}
	return path && !status ? keep_file(resolved, path, line) : status;
}

static int find_name(struct resolved *resolved, Dwfl_Module *module, GElf_Addr address)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

	/* Behind the end of the last symbol that is known, something else lies that has none. Marks such as _end have no size. */
	if (!name || (symbol.st_size ? offset >= symbol.st_size : GELF_ST_TYPE(symbol.st_info) != STT_FUNC))
		return 0;
	return keep_name(resolved, name, offset);
}

static int resolve(struct symbols *symbols, struct resolved *resolved, const struct process *process)
{
	/* A call's return address may lie behind the function that made it. */
	uint64_t address = resolved->key.address - (resolved->key.is_call ? 1 : 0);
	const struct module *module = code_module(&process->code, address);
	struct binary *binary;
	GElf_Addr in_dwfl;
	int status;

	if (!module)
		return 0;
	resolved->module = strdup(module->name);
	resolved->symbol.module = resolved->module;
	resolved->symbol.module_offset = resolved->key.address - module->bias;
	binary = resolved->module ? binary_get(symbols, module) : NULL;
	if (!binary)
		return -ENOMEM;
	if (!binary->dwfl)
		return 0;
	in_dwfl = address - module->bias + binary->bias;
	status = find_name(resolved, binary->dwfl, in_dwfl);
	if (resolved->symbol.name)
		resolved->symbol.offset += resolved->key.is_call;
	return status || !resolved->key.is_call ? status : find_line(resolved, binary->dwfl, in_dwfl);
}

static const struct symbol *find(struct symbols *symbols, const struct process *process, uint64_t address, bool is_call)
{
	struct resolved sought = {.key = {address, process->number, is_call}}, *resolved;

	HASH_FIND(hh, symbols->resolved, &sought.key, sizeof(sought.key), resolved);
	if (resolved)
		return &resolved->symbol;
	resolved = calloc(1, sizeof(*resolved));
	if (!resolved)
		return NULL;
	resolved->key = sought.key;
	HASH_ADD(hh, symbols->resolved, key, sizeof(resolved->key), resolved);
	if (hash_failed(resolved)) {
		free(resolved);
		return NULL;
	}
	return resolve(symbols, resolved, process) ? NULL : &resolved->symbol;
}

const struct symbol *symbols_call(struct symbols *symbols, const struct process *process, uint64_t return_address)
{
	return find(symbols, process, return_address, true);
}

const struct symbol *symbols_object(struct symbols *symbols, const struct process *process, uint64_t address)
{
	return find(symbols, process, address, false);
}
