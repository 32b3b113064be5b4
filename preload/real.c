/* Finding originals. */
#include "preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct real real;

enum family { PTHREAD, RBD, RADOS, COMMON };
enum need { REQUIRED, OPTIONAL };

#define COMMON_LIBRARY    "libceph-common.so.2"
#define COMMON_LIBRARY_14 "libceph-common.so.0"

static const char *const libraries[] = {[PTHREAD] = "libc.so.6", [RBD] = "librbd.so.1", [RADOS] = "librados.so.2", [COMMON] = COMMON_LIBRARY};

static const struct row {
	const char *name;
	const char *symbol;
	enum family family;
	enum need need;
	size_t offset; /* in struct real */
} rows[] = {
#define FN_AS(family, need, name, symbol) [REAL_##name] = {#name, symbol, family, need, offsetof(struct real, name)},
#define FN(family, need, name)            FN_AS(family, need, name, #name)
#include "tracepoints/functions.def"
#undef FN
};

/* Every row has a body: a missing one leaves its marker undefined, and the link fails. */
#define FN(family, need, name) extern const char rbdprof_wraps_##name;
#include "tracepoints/functions.def"
#undef FN
extern const char *const rbdprof_wrapped[];
const char *const rbdprof_wrapped[] = {
#define FN(family, need, name) &rbdprof_wraps_##name,
#include "tracepoints/functions.def"
#undef FN
};

static __thread int finding __attribute__((tls_model("initial-exec")));

static int answer_zero(void)
{
	return 0;
}

/* A program that finds our wrapper of a function that its librbd lacks must not believe that it was done. */
static long answer_lacking(void)
{
	return -ENOSYS;
}

static int answer_lacking_pthread(void)
{
	return ENOSYS;
}

/* NULL when it is not loaded. Its second name is Ceph 14's. */
static void *open_loaded(const char *library)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);

	return handle || strcmp(library, COMMON_LIBRARY) ? handle : dlopen(COMMON_LIBRARY_14, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* RTLD_NEXT alone misses a library that was loaded with local scope; a NULL handle would be RTLD_DEFAULT and find the wrapper.
 * What is found is remembered, so its library must stay, even if the program closes the plugin that brought it. */
static void *find_in(const char *library, const char *name)
{
	void *handle = open_loaded(library);
	void *found = dlsym(RTLD_NEXT, name);

	if (!handle)
		return found;
	if (!found)
		found = dlsym(handle, name);
	dlclose(handle);
	return found;
}

/* The condition variables have an older implementation under the same names; mixing the two corrupts them. */
static void *find_pthread(const char *name)
{
	void *found = NULL;

	if (!strncmp(name, "pthread_cond_", 13))
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	return found ? found : dlsym(RTLD_NEXT, name);
}

static void **slot(const struct row *row)
{
	return (void **)((char *)&real + row->offset);
}

void *real_find(enum real_index index)
{
	const struct row *row = &rows[index];
	void *found = NULL;

	if (finding)
		return (void *)answer_zero;
	finding = 1;
	found = row->family == PTHREAD ? find_pthread(row->symbol) : find_in(libraries[row->family], row->symbol);
	finding = 0;
	if (!found)
		return row->family == PTHREAD ? (void *)answer_lacking_pthread : (void *)answer_lacking;
	__atomic_store_n(slot(row), found, __ATOMIC_RELEASE);
	return found;
}

void real_find_pthread(void)
{
	for (size_t i = 0; i < REAL_COUNT; i++)
		if (rows[i].family == PTHREAD && !*slot(&rows[i]))
			real_find((enum real_index)i);
}

static void say_missing(const char *name)
{
	char line[256] = "rbdprof: this librbd has no ";

	strncat(line, name, 128);
	strcat(line, "; nothing is traced in this process\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* nobody to tell */
}

bool real_find_rbd(void)
{
	static int missing; /* 0: not looked, 1: none, 2: some */

	if (__atomic_load_n(&missing, __ATOMIC_ACQUIRE))
		return missing == 1;
	for (size_t i = 0; i < REAL_COUNT; i++) {
		void *found;

		if (rows[i].family == PTHREAD)
			continue;
		found = find_in(libraries[rows[i].family], rows[i].symbol);
		if (found) {
			__atomic_store_n(slot(&rows[i]), found, __ATOMIC_RELEASE);
		} else if (rows[i].need == REQUIRED) {
			if (!__atomic_exchange_n(&missing, 2, __ATOMIC_ACQ_REL))
				say_missing(rows[i].name);
			return false;
		}
	}
	__atomic_store_n(&missing, 1, __ATOMIC_RELEASE);
	return true;
}

void *real_symbol(const char *library, const char *name)
{
	return find_in(library, name);
}

bool real_loaded(const char *library)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

	if (!handle)
		return false;
	dlclose(handle);
	return true;
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < REAL_COUNT; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

bool real_has_row(const char *name)
{
	return find_row(name) != NULL;
}

/* A function of the boundary has one name on Ceph 14 and another since; either will do. */
static bool is_of_14(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && !strcmp(name + length - 3, "_14");
}

static bool has_twin_of_14(const char *name)
{
	char twin[64] = "";
	const struct row *row;

	strncat(twin, name, sizeof(twin) - 4);
	strcat(twin, "_14");
	row = find_row(twin);
	return row && *slot(row);
}

size_t real_missing(const char **names, size_t most)
{
	size_t count = 0;

	for (size_t i = 0; i < REAL_COUNT && count < most; i++) {
		const struct row *row = &rows[i];

		if ((row->family == RADOS || row->family == COMMON) && !is_of_14(row->name) && !*slot(row) && !has_twin_of_14(row->name))
			names[count++] = row->name;
	}
	return count;
}
