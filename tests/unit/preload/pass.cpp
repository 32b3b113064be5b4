/*
 * Every row of the boundary below librbd, generated from the table: the wrapper calls its original exactly once, with the arguments it was
 * given, answers what the original answered, leaves errno alone, and allocates nothing; dormant, while somebody records, and within an
 * emission. Dormant, nothing is said. Where an argument is the shim's on purpose (callbacks and contexts while somebody records),
 * boundary.c and watch.cpp hold it.
 */
#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" {
#include <cmocka.h>

#include "below.h"
#include "buffers.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "stubs.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
}

namespace
{

using originals = struct real; /* where the variable hides the type */

bool watched;
int allocations;

constexpr int MOST_PLACES = 8;
void *buffers[MOST_PLACES + 1]; /* what untyped pointers point to: an empty buffer each; the last is answered */
char cluster;
cxx_ioctx ioctx = {&cluster};
const char text[] = "lock";
cxx_string oid = {text, 4};
uint64_t handle;
int code;

int times;
unsigned long long seen[MOST_PLACES];
bool spoils_errno;

void no_callback(void *, void *)
{
}

/* The argument at this place; all differ. */
template <typename T> struct argument {
	static T at(int place)
	{
		return static_cast<T>(place + 1);
	}
};

template <> struct argument<void *> {
	static void *at(int place)
	{
		return buffers[place];
	}
};

template <> struct argument<const void *> {
	static const void *at(int place)
	{
		return buffers[place];
	}
};

#define POINTS(type, to)                                                                                                                   \
	template <> struct argument<type> {                                                                                                \
		static type at(int)                                                                                                        \
		{                                                                                                                          \
			return to;                                                                                                         \
		}                                                                                                                          \
	}
POINTS(cxx_ioctx *, &ioctx);
POINTS(const cxx_string *, &oid);
POINTS(const char *, text);
POINTS(uint64_t *, &handle);
POINTS(int *, &code);
POINTS(cxx_rados_callback, no_callback);

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
};

template <> struct answers<void *> {
	static void *give()
	{
		return buffers[MOST_PLACES];
	}
};

template <> struct answers<void> {
	static void give()
	{
	}
};

template <int row, typename R, typename... A> R stub(A... arguments)
{
	const unsigned long long all[] = {bits(arguments)...};

	static_assert(sizeof...(A) <= MOST_PLACES, "all arguments are seen");
	times++;
	memcpy(seen, all, sizeof(all));
	if (spoils_errno)
		errno = ERANGE;
	return answers<R>::give();
}

template <typename R> struct outcome {
	template <typename... A> static bool of(R (*wrapper)(A...), A... arguments)
	{
		return wrapper(arguments...) == answers<R>::give();
	}
};

template <> struct outcome<void> {
	template <typename... A> static bool of(void (*wrapper)(A...), A... arguments)
	{
		wrapper(arguments...);
		return true;
	}
};

/* Their callbacks or contexts are the shim's while somebody records; a watch's context also before that, for it may begin any time. */
bool changes_arguments(const char *name, bool recording)
{
	return !strcmp(name, "aio_watch") || !strcmp(name, "watch2") || (recording && strstr(name, "create_completion"));
}

template <int row, typename R, typename... A, size_t... place>
void call(const char *name, R (*wrapper)(A...), R (*originals::*slot)(A...), bool recording, std::index_sequence<place...>)
{
	const unsigned long long expected[] = {bits(argument<A>::at(static_cast<int>(place)))...};
	R (*saved)(A...) = real.*slot;
	bool same;
	int after;

	times = allocations = 0;
	real.*slot = stub<row, R, A...>;
	errno = EXDEV;
	watched = true;
	same = outcome<R>::of(wrapper, argument<A>::at(static_cast<int>(place))...);
	watched = false;
	after = errno;
	real.*slot = saved;
	assert_true(same);
	assert_int_equal(times, 1);
	if (!changes_arguments(name, recording))
		assert_memory_equal(seen, expected, sizeof(expected));
	assert_int_equal(after, spoils_errno ? ERANGE : EXDEV);
}

template <int row, typename R, typename... A> void hold(const char *name, R (*wrapper)(A...), R (*originals::*slot)(A...))
{
	const long long answered[] = {-EIO, 0, 5};

	for (int state = 0; state < 3; state++) {
		for (long long one : answered) {
			for (int spoils = 0; spoils < 2; spoils++) {
				answer = one;
				spoils_errno = spoils;
				below_start(state > 0);
				recorder_thread.inside = state == 2;
				call<row>(name, wrapper, slot, state > 0, std::index_sequence_for<A...>());
				recorder_thread.inside = 0;
				assert_int_equal(allocations, 0);
				if (state != 1)
					assert_int_equal(below.events, 0);
				below_start(false);
			}
		}
	}
}

void every_row_passes_through(void **)
{
#define FN_PTHREAD(name)
#define FN_RBD(name)
#define FN_RADOS(name)         hold<REAL_##name>(#name, &name, &real::name);
#define FN_COMMON(name)        hold<REAL_##name>(#name, &name, &real::name);
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
}

int main()
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_passes_through),
	};

	for (auto &buffer : buffers)
		buffer = buffer_of("", 0, 0);
	stubs_install();
	/* What is looked up once, which asks the loader: an operation's pool and client, and how its buffer is read. */
	below_start(true);
	real.operate_read = [](cxx_ioctx *, const cxx_string *, void *, void *) { return 0; };
	operate_read(&ioctx, &oid, buffers[0], buffers[1]);
	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
