/*
 * Names of C++ things, of places in a file that is there and of files that are not, and of locks. The file that is there is this program:
 * it tells itself as a module, at an address where it is not, and looks for its own functions.
 */
#include "tests/unit/core/test.h"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include "analyzer/demangle.h"
#include "analyzer/names.h"
#include "tests/unit/core/events_text.h"

/* Where the process of the test has the program. */
#define BIAS UINT64_C(0x7f0000000000)

struct a_lock_in_it {
	long before;
	pthread_mutex_t mutex;
};

struct a_lock_in_it a_lock_with_a_name;
static uint64_t return_address;
static int line_of_the_call;

__attribute__((noinline)) static void note_caller(void)
{
	return_address = (uintptr_t)__builtin_return_address(0);
}

__attribute__((noinline)) static void a_function_with_a_name(void)
{
	note_caller(), line_of_the_call = __LINE__;
}

/* clang-format off */
/* As if it were a lock guard of the C++ library's. */
#line 1 "/usr/include/c++/12/bits/lock.h"
static inline __attribute__((always_inline)) void library_lock(void) { note_caller(); }
#line 1000 "names.c"
static inline __attribute__((always_inline)) void an_inlined_function(void) { library_lock(), line_of_the_call = __LINE__; }
__attribute__((noinline)) static void a_function_that_locks(void) { library_lock(), line_of_the_call = __LINE__; }
__attribute__((noinline)) static void a_function_that_inlines(void) { an_inlined_function(); }
/* clang-format on */

static char build_id[41];
static char path[256];
static uint64_t begin, end, bias;

/* The program is the first that is told of. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	bias = info->dlpi_addr;
	begin = UINT64_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const char *note = (const char *)(info->dlpi_addr + part->p_vaddr), *notes_end = note + part->p_filesz;

		if (part->p_type == PT_LOAD) {
			begin = part->p_vaddr < begin ? part->p_vaddr : begin;
			end = part->p_vaddr + part->p_memsz > end ? part->p_vaddr + part->p_memsz : end;
		}
		while (part->p_type == PT_NOTE && note < notes_end) {
			const ElfW(Nhdr) *head = (const void *)note;
			const unsigned char *text = (const unsigned char *)note + sizeof(*head) + ((head->n_namesz + 3) & ~3u);

			for (unsigned b = 0; head->n_type == NT_GNU_BUILD_ID && b < head->n_descsz && b < 20; b++)
				sprintf(build_id + 2 * b, "%02x", text[b]);
			note = (const char *)text + ((head->n_descsz + 3) & ~3u);
		}
	}
	return 1;
}

static struct model *model;
static struct names *names;

/* A process that has the program, with this build-id, and a library without a file. More events follow. */
static void run(const char *id, const char *events)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "1 p0 process pid=7\n"
		 "1 p0 module begin=%llu end=%llu bias=%llu path=%s build_id=%s\n"
		 "1 p0 module begin=0x10000 end=0x20000 bias=0x8000 path=/nowhere/librbd.so.1 build_id=abcd\n%s",
		 (unsigned long long)(BIAS + begin), (unsigned long long)(BIAS + end), (unsigned long long)BIAS, path, id, events);
	model = events_text_model(text);
	names = names_create();
	assert_non_null(names);
	assert_int_equal(names_learn(names, model), 0);
}

static int teardown(void **unused)
{
	(void)unused;
	names_destroy(names);
	model_destroy(model);
	names = NULL;
	model = NULL;
	return 0;
}

static const char *site(uint64_t address)
{
	return names_site(names, model_process_next(model, NULL), address);
}

/* Where the process has what this program has there. */
static uint64_t there(uint64_t here)
{
	return here - bias + BIAS;
}

static void test_functions(void **unused)
{
	static const struct {
		const char *symbol, *full, *shortened;
	} cases[] = {
	    {"main", "main", "main"},
	    {"f", "f", "f"},
	    {"_Z3runi", "run(int)", "run"},
	    {"_ZNK6librbd13ExclusiveLockINS_8ImageCtxEE14accept_requestENS_22exclusive_lock_17OperationRequestTypeEPi",
	     "_ZNK6librbd13ExclusiveLockINS_8ImageCtxEE14accept_requestENS_22exclusive_lock_17OperationRequestTypeEPi",
	     "_ZNK6librbd13ExclusiveLockINS_8ImageCtxEE14accept_requestENS_22exclusive_lock_17OperationRequestTypeEPi"},
	    {"_ZNK6librbd13ExclusiveLockINS_8ImageCtxEE14accept_requestEPi",
	     "librbd::ExclusiveLock<librbd::ImageCtx>::accept_request(int*) const", "librbd::ExclusiveLock::accept_request"},
	    {"_ZN1aIiE1fIcEEvT_", "void a<int>::f<char>(char)", "a::f"},
	    {"_ZlsIiERSoS0_RKT_", "std::ostream& operator<< <int>(std::ostream&, int const&)", "operator<<"},
	    {"_ZN1acvbEv", "a::operator bool()", "a::operator bool"},
	    {"_ZN1aclEi", "a::operator()(int)", "a::operator()"},
	    {"_ZN1aptEv", "a::operator->()", "a::operator->"},
	    {"_ZN1anwEm", "a::operator new(unsigned long)", "a::operator new"},
	    {"_ZN12_GLOBAL__N_13runEi", "(anonymous namespace)::run(int)", "(anonymous namespace)::run"},
	    {"_ZZN1a3runEiENKUlvE_clEv", "a::run(int)::{lambda()#1}::operator()() const", "a::run::{lambda#1}::operator()"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name = demangle_symbol(cases[i].symbol);

		assert_string_equal(name, cases[i].full);
		assert_string_equal(shorten_function(name), cases[i].shortened);
		free(name);
	}
}

static void test_types(void **unused)
{
	static const struct {
		const char *mangled, *full, *shortened;
	} cases[] = {
	    {"8Objecter", "Objecter", "Objecter"},
	    {"N8Objecter10OSDSessionE", "Objecter::OSDSession", "Objecter::OSDSession"},
	    {"N6librbd13ExclusiveLockINS_8ImageCtxEEE", "librbd::ExclusiveLock<librbd::ImageCtx>", "librbd::ExclusiveLock"},
	    {"*N12_GLOBAL__N_14LockE", "(anonymous namespace)::Lock", "(anonymous namespace)::Lock"},
	    {"no type", "no type", "no type"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name = demangle_type(cases[i].mangled);

		assert_string_equal(name, cases[i].full);
		assert_string_equal(shorten_type(name), cases[i].shortened);
		free(name);
	}
}

/* With the debug information that tests are built with: the function, this file, and the line of the call. */
static void test_site(void **unused)
{
	char wanted[100];

	(void)unused;
	a_function_with_a_name();
	run(build_id, "");
	snprintf(wanted, sizeof(wanted), "a_function_with_a_name (names.c:%d)", line_of_the_call);
	assert_string_equal(site(there(return_address)), wanted);
	assert_string_equal(names_function(names, model_process_next(model, NULL), there(return_address)), "a_function_with_a_name");
}

/* Out of the library's inlined function to where it was called, by a function or by one that is inlined itself. */
static void test_inlined(void **unused)
{
	char wanted[100];

	(void)unused;
	a_function_that_locks();
	run(build_id, "");
	snprintf(wanted, sizeof(wanted), "a_function_that_locks (names.c:%d)", line_of_the_call);
	assert_string_equal(site(there(return_address)), wanted);
	a_function_that_inlines();
	snprintf(wanted, sizeof(wanted), "an_inlined_function (names.c:%d)", line_of_the_call);
	assert_string_equal(site(there(return_address)), wanted);
}

/* Another build of the file lies there by now: its names would be wrong. */
static void test_replaced(void **unused)
{
	char other[41], wanted[300];

	(void)unused;
	strcpy(other, build_id);
	other[39] = other[39] == '0' ? '1' : '0';
	run(other, "");
	snprintf(wanted, sizeof(wanted), "%s+0x%llx", strrchr(path, '/') + 1, (unsigned long long)(return_address - bias));
	assert_string_equal(site(there(return_address)), wanted);
}

static void test_without_file(void **unused)
{
	(void)unused;
	run(build_id, "");
	assert_string_equal(site(0x10010), "librbd.so.1+0x8010");
	assert_string_equal(site(0x30000), "unknown code");
	assert_string_equal(site(0), "");
}

static void is_called(const char *wanted, int wanted_inferred)
{
	const struct lock *lock = model_lock_next(model, NULL);
	uint8_t inferred;
	char *name;

	assert_int_equal(names_lock(names, lock, &name, &inferred), 0);
	assert_string_equal(name, wanted);
	assert_int_equal(inferred, wanted_inferred);
	free(name);
}

/* A static lock has its object's symbol, whatever lies around it. */
static void test_static_lock(void **unused)
{
	char text[300];

	(void)unused;
	snprintf(text, sizeof(text),
		 "2 p0 lock_name lock=%llu offset_bytes=8 type=4Lock\n"
		 "3 p0 lock_wait lock=%llu thread=1 wait_ns=5 kind=mutex caller=0x10010\n",
		 (unsigned long long)there((uintptr_t)&a_lock_with_a_name.mutex),
		 (unsigned long long)there((uintptr_t)&a_lock_with_a_name.mutex));
	run(build_id, text);
	is_called("a_lock_with_a_name+0x8", 0);
}

/* Without a symbol the class comes before the module, and a lock that lies in neither is called by where it was waited for longest. */
static void test_typed_lock(void **unused)
{
	(void)unused;
	run(build_id, "2 p0 lock_name lock=0x10100 offset_bytes=32 type=N6librbd13ExclusiveLockINS_8ImageCtxEEE\n"
		      "3 p0 lock_wait lock=0x10100 thread=1 wait_ns=5 kind=mutex caller=0x10010\n");
	is_called("librbd::ExclusiveLock<librbd::ImageCtx>+0x20", 1);
}

/* At one place half of the locks and more have to be of one type: of three two are, of the other three none is like another. */
static void test_types_that_disagree(void **unused)
{
	unsigned believed = 0, not = 0;

	(void)unused;
	run(build_id, "2 p0 lock_name lock=0x90000 offset_bytes=32 type=4Lock\n"
		      "2 p0 lock_name lock=0x91000 offset_bytes=32 type=4Lock\n"
		      "2 p0 lock_name lock=0x92000 offset_bytes=8 type=4Lock\n"
		      "2 p0 lock_name lock=0x93000 offset_bytes=1 type=5Other\n"
		      "2 p0 lock_name lock=0x94000 offset_bytes=2 type=5Other\n"
		      "3 p0 lock_wait lock=0x90000 thread=1 wait_ns=90 kind=mutex caller=0x10010\n"
		      "3 p0 lock_wait lock=0x91000 thread=1 wait_ns=80 kind=mutex caller=0x10010\n"
		      "3 p0 lock_wait lock=0x92000 thread=1 wait_ns=70 kind=mutex caller=0x10010\n"
		      "3 p0 lock_wait lock=0x93000 thread=1 wait_ns=6 kind=mutex caller=0x10020\n"
		      "3 p0 lock_wait lock=0x94000 thread=1 wait_ns=5 kind=mutex caller=0x10020\n"
		      "3 p0 lock_wait lock=0x95000 thread=1 wait_ns=4 kind=mutex caller=0x10020\n");
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock)) {
		uint8_t inferred;
		char *name;

		assert_int_equal(names_lock(names, lock, &name, &inferred), 0);
		believed += !strcmp(name, "Lock+0x20");
		not += !strncmp(name, "lock taken at ", 14);
		free(name);
	}
	assert_int_equal(believed, 2);
	assert_int_equal(not, 4);
}

static void test_lock_of_a_module(void **unused)
{
	(void)unused;
	run(build_id, "3 p0 lock_wait lock=0x10100 thread=1 wait_ns=5 kind=mutex caller=0x10010\n");
	is_called("librbd.so.1+0x8100", 0);
}

static void test_lock_by_site(void **unused)
{
	(void)unused;
	run(build_id, "3 p0 lock_wait lock=0x90000 thread=1 wait_ns=5 kind=mutex caller=0x10010\n"
		      "4 p0 lock_wait lock=0x90000 thread=1 wait_ns=6 kind=mutex caller=0x10020\n");
	is_called("lock taken at librbd.so.1+0x8020", 0);
}

static void test_unknown_lock(void **unused)
{
	(void)unused;
	run(build_id, "3 p0 lock_wait lock=0x90000 thread=1 wait_ns=5 kind=mutex caller=0x50000\n");
	is_called("unknown lock 0x90000", 0);
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		TEST(functions),
		TEST(types),
		TEST(site),
		TEST(inlined),
		TEST(replaced),
		TEST(without_file),
		TEST(static_lock),
		TEST(typed_lock),
		TEST(types_that_disagree),
		TEST(lock_of_a_module),
		TEST(lock_by_site),
		TEST(unknown_lock),
	};
	/* clang-format on */
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = '\0';
	dl_iterate_phdr(find_program, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
