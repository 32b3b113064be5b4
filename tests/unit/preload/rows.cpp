/*
 * Every row of functions.def, generated from the table: the wrapper calls its original exactly once, with the arguments it was given, answers
 * what the original answered, leaves errno alone, allocates nothing (opening aside) and writes nothing; dormant, while somebody records, and within
 * an emission. C++ for the sake of its templates: they write a stub of each row's own type.
 */
#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

extern "C" {
#include <cmocka.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "heard.h"
#include "preload/flusher.h"
#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "stubs.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
}

namespace
{

using originals = struct real; /* where the variable hides the type */

/* Allocations and writes while a wrapper runs, of the whole process: the shim, the C library and the loader. */
bool watched;
int allocations, writes;

alignas(64) char arena[16][256]; /* what pointers point to, one place an argument */
struct iovec vectors[8];
struct timespec never = {4102444800, 0};

cxx_image object = {arena[0]};
cxx_ioctx pool = {arena[1]};

record *carried; /* what every completion carries */
int times;
unsigned long long seen[10];
bool spoils_errno;

void *carried_arg(rbd_completion_t)
{
	return carried;
}

void no_callback(rbd_completion_t, void *)
{
}

int each(uint64_t, size_t, const char *, void *)
{
	return 0;
}

/* The argument at this place. Numbers are small, since some are counts; all differ. */
template <typename T> struct argument {
	static T at(int place)
	{
		return static_cast<T>(place);
	}
};

template <typename T> struct argument<T *> {
	static T *at(int place)
	{
		return reinterpret_cast<T *>(arena[place]);
	}
};

template <> struct argument<const struct iovec *> {
	static const struct iovec *at(int)
	{
		return vectors;
	}
};

template <> struct argument<const struct timespec *> {
	static const struct timespec *at(int)
	{
		return &never;
	}
};

template <> struct argument<cxx_image *> {
	static cxx_image *at(int)
	{
		return &object;
	}
};

template <> struct argument<cxx_ioctx *> {
	static cxx_ioctx *at(int)
	{
		return &pool;
	}
};

template <> struct argument<rbd_callback_t> {
	static rbd_callback_t at(int)
	{
		return no_callback;
	}
};

template <> struct argument<int (*)(uint64_t, size_t, const char *, void *)> {
	static int (*at(int))(uint64_t, size_t, const char *, void *)
	{
		return each;
	}
};

template <typename T> unsigned long long bits(T value)
{
	unsigned long long all = 0;

	static_assert(sizeof(value) <= sizeof(all), "an argument fits");
	memcpy(&all, &value, sizeof(value));
	return all;
}

long long answer; /* what the original returns */

template <typename R> struct answers {
	static R give()
	{
		return static_cast<R>(answer);
	}
	static bool holds(R given)
	{
		return given == static_cast<R>(answer);
	}
};

template <typename T> struct answers<T *> {
	static T *give()
	{
		return reinterpret_cast<T *>(arena[15]);
	}
	static bool holds(T *given)
	{
		return given == give();
	}
};

template <int row, typename R, typename... A> R stub(A... arguments)
{
	unsigned long long all[] = {0, bits(arguments)...};

	times++;
	memcpy(seen, all + 1, sizeof...(A) * sizeof(seen[0]));
	if (spoils_errno)
		errno = ERANGE;
	return answers<R>::give();
}

template <int row, typename... A> void stub_void(A... arguments)
{
	stub<row, int>(arguments...);
}

template <typename R> struct outcome {
	template <typename... A> static bool of(R (*wrapper)(A...), A... arguments)
	{
		return answers<R>::holds(wrapper(arguments...));
	}
};

template <> struct outcome<void> {
	template <typename... A> static bool of(void (*wrapper)(A...), A... arguments)
	{
		wrapper(arguments...);
		return true;
	}
};

template <int row, typename R, typename... A> struct original {
	static R (*function())(A...)
	{
		return stub<row, R, A...>;
	}
};

template <int row, typename... A> struct original<row, void, A...> {
	static void (*function())(A...)
	{
		return stub_void<row, A...>;
	}
};

/* What a wrapper of a blocking lock asks first. */
int busy_mutex(pthread_mutex_t *)
{
	return EBUSY;
}

int busy_rwlock(pthread_rwlock_t *)
{
	return EBUSY;
}

template <int row, typename R, typename... A, size_t... place>
bool call_once(R (*wrapper)(A...), R (*originals::*slot)(A...), bool recording, std::index_sequence<place...>)
{
	unsigned long long expected[] = {0, bits(argument<A>::at(static_cast<int>(place)))...};
	struct real saved;
	bool same;
	int after;

	times = 0;
	memset(seen, 0, sizeof(seen));
	memcpy(&saved, &real, sizeof(saved));
	if (recording) {
		real.pthread_mutex_trylock = busy_mutex;
		real.pthread_rwlock_tryrdlock = real.pthread_rwlock_trywrlock = busy_rwlock;
	}
	real.*slot = original<row, R, A...>::function();
	errno = EXDEV;
	watched = true;
	same = outcome<R>::of(wrapper, argument<A>::at(static_cast<int>(place))...);
	watched = false;
	after = errno;
	memcpy(&real, &saved, sizeof(saved));
	assert_true(same);
	assert_int_equal(times, 1);
	assert_memory_equal(seen, expected + 1, sizeof...(A) * sizeof(seen[0]));
	assert_int_equal(after, spoils_errno ? ERANGE : EXDEV);
	return true;
}

/* Of librbd's functions: without what its interface puts before their names. */
const char *function(const char *name)
{
	return name + strlen("rbd_");
}

/* Not told by their own stub alone: their original is called within other wrappers too, or their arguments are the shim's on purpose.
 * completion.c holds them. */
bool told_elsewhere(const char *name)
{
	return !strcmp(function(name), "aio_create_completion") || !strcmp(function(name), "aio_get_arg");
}

bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Before each call: the image in the first place is known, and every completion carries a record of the shim's. */
void prepare()
{
	rbd_image_t image = arena[0];

	if (!images_find(image))
		images_opened(image, nullptr, nullptr, false, 0);
	carried = record_create(no_callback, nullptr);
	assert_non_null(carried);
}

template <int row, typename R, typename... A> void hold(const char *name, R (*wrapper)(A...), R (*originals::*slot)(A...))
{
	const long long answered[] = {-EIO, 0, 5};

	if (told_elsewhere(name))
		return;
	for (int state = 0; state < 3; state++) {
		for (long long one : answered) {
			for (int spoils = 0; spoils < 2; spoils++) {
				/* An open image is described, which may allocate: image.c holds that. */
				if (one >= 0 && begins(function(name), "open"))
					continue;
				heard_start(false);
				real.rbd_aio_get_arg = carried_arg;
				prepare();
				heard_start(state > 0);
				recorder_thread.inside = state == 2;
				answer = one;
				spoils_errno = spoils;
				allocations = writes = 0;
				call_once<row>(wrapper, slot, state > 0, std::index_sequence_for<A...>());
				recorder_thread.inside = 0;
				heard_start(false);
				if (!strstr(name, "_open")) /* opening asks the loader for more functions, and that may allocate */
					assert_int_equal(allocations, 0);
				assert_int_equal(writes, 0);
			}
		}
	}
}

void every_row_passes_through(void **)
{
#define FN_PTHREAD(name) hold<REAL_##name>(#name, &name, &real::name);
#define FN_RBD(name)     hold<REAL_##name>(#name, &name, &real::name);
#define FN_RADOS(name)
#define FN_COMMON(name)
#define FN(family, need, name) FN_##family(name)
#include "tracepoints/functions.def"
#undef FN
}

/* The kind of request that a function's name says. */
int kind_of(const char *name)
{
	const struct {
		const char *part;
		int kind;
	} kinds[] = {
		{"compare_and_write", RBDPROF_COMPARE_AND_WRITE}, {"writesame", RBDPROF_WRITESAME}, {"write_zeroes", RBDPROF_WRITE_ZEROES},
		{"invalidate_cache", RBDPROF_INVALIDATE_CACHE},   {"_read", RBDPROF_READ},	      {"_write", RBDPROF_WRITE},
		{"discard", RBDPROF_DISCARD},			  {"flush", RBDPROF_FLUSH},
	};

	if (strstr(name, "_open") || strstr(name, "_close"))
		return -1;
	for (const auto &one : kinds)
		if (strstr(name, one.part))
			return one.kind;
	return -1;
}

/* Offsets stand in the second place, or where a vector stands there, in the fourth or later; lengths behind, or in the vectors. */
template <typename R, typename... A> void extent(R (*)(A...), uint64_t *offset, uint64_t *length)
{
	const bool vector[] = {false, std::is_same<A, const struct iovec *>::value...};
	const bool wide[] = {false, std::is_same<A, uint64_t>::value...};

	*offset = *length = 0;
	for (size_t i = 1; i <= sizeof...(A); i++)
		if (vector[i]) /* place i - 1 in the call; the count follows. The last vector is the data. */
			*length = i * 512; /* as many vectors as the count's own place says: (i - 1) + 1 */
	for (size_t i = sizeof...(A); i >= 1; i--)
		if (wide[i])
			*offset = i - 1;
	if (!*length && sizeof...(A) > 2)
		*length = 2;
}

template <int row, typename R, typename... A> void say(const char *name, R (*wrapper)(A...), R (*originals::*slot)(A...))
{
	bool synchronous = !begins(function(name), "aio_");
	int kind = kind_of(name);
	uint64_t offset, length, passed;

	if (kind < 0)
		return;
	extent(wrapper, &offset, &length);
	heard_start(false);
	real.rbd_aio_get_arg = carried_arg;
	prepare();
	heard_start(true);
	spoils_errno = false;
	answer = 5;
	passed = records_passed_through();
	call_once<row>(wrapper, slot, true, std::index_sequence_for<A...>());
	assert_int_equal(heard.count[HEARD_REQUEST], 1);
	assert_int_equal(heard.request.kind, kind);
	assert_int_equal(heard.request.flags, synchronous ? RBDPROF_SYNCHRONOUS : 0);
	assert_int_equal(heard.request.image, images_number(images_find(arena[0])));
	assert_int_equal(heard.request.offset_bytes, offset);
	assert_int_equal(heard.request.length_bytes, length);
	assert_int_equal(heard.count[HEARD_COMPLETE], synchronous ? 1 : 0);
	if (synchronous)
		assert_int_equal(heard.complete.result, 5);
	assert_int_equal(records_passed_through(), passed);

	/* Refused, or failed at once: closed with its error. */
	prepare();
	heard_start(true);
	answer = -EROFS;
	call_once<row>(wrapper, slot, true, std::index_sequence_for<A...>());
	assert_int_equal(heard.count[HEARD_REQUEST], 1);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	assert_int_equal(heard.complete.request, heard.request.request);
	assert_int_equal(heard.complete.result, -EROFS);
	assert_int_equal(heard.complete.looked, 1);
	heard_start(false);

	/* An image that the shim does not know: let through and counted. */
	images_forget(arena[0]);
	heard_start(true);
	call_once<row>(wrapper, slot, true, std::index_sequence_for<A...>());
	assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE], 0);
	assert_int_equal(records_passed_through(), passed + 1);
	heard_start(false);
}

void every_data_call_is_one_request(void **)
{
#undef FN_PTHREAD
#undef FN_RBD
#define FN_PTHREAD(name)
#define FN_RBD(name) say<REAL_##name>(#name, &name, &real::name);
#define FN(family, need, name) FN_##family(name)
#include "tracepoints/functions.def"
#undef FN
}

} // namespace

extern "C" {

void *malloc(size_t size)
{
	allocations += watched;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations += watched;
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	allocations += watched;
	return __libc_realloc(old, size);
}

ssize_t write(int fd, const void *data, size_t size)
{
	writes += watched;
	return syscall(SYS_write, fd, data, size);
}
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_passes_through),
		cmocka_unit_test(every_data_call_is_one_request),
	};

	for (auto &vector : vectors)
		vector = {arena[14], 512};
	stubs_install();
	flusher_finish(); /* starting the flusher allocates */
	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
