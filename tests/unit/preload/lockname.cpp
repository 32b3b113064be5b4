/*
 * What a lock's surroundings are called: classes as the compiler of this test lays them out, and memory in which nothing may be found, or
 * even read.
 */
#include <cerrno>
#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <typeinfo>

extern "C" {
#include <cmocka.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heard.h"
#include "preload/lockname.h"
}

namespace lockname
{

struct Base {
	virtual ~Base() = default;
	long base = 0;
};

struct Second {
	virtual ~Second() = default;
	long second[4] = {};
};

struct Plain : Base {
	long before[5] = {};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	long after[3] = {};
};

struct Shared : Base {
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
};

/* The pointer to a vtable that is nearest to the lock is the second base's. */
struct Derived : Base, Second {
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

/* The object of an object. */
struct Outer : Base {
	long before[20] = {};
	Plain inner;
};

template <typename T> struct Of : Base {
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

struct Bare {
	long before[5] = {};
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

/* So large that the allocator gives its block back to the heap; the words that it then writes into it come before the object in it. */
struct Large {
	long before[5] = {};
	Plain inner;
	long after[500] = {};
};

namespace
{

/* Its name says that it is of this file alone, with an asterisk before it. */
struct Hidden : Base {
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

} // namespace

} // namespace lockname

namespace
{

using namespace lockname;

/* One pass of the flusher's over a lock that has been contended. */
void say(const void *lock)
{
	heard_start_locks(true);
	locknames_want(lock);
	locknames_say();
}

/* The lock is said to lie in an object of this type that begins there. */
void expect(const void *lock, const void *begin, const std::type_info &type)
{
	say(lock);
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 1);
	assert_int_equal(heard.name.lock, (uintptr_t)lock);
	assert_int_equal(heard.name.offset_bytes, (uintptr_t)lock - (uintptr_t)begin);
	assert_string_equal(heard.name.type, type.name());
}

void expect_none(const void *lock)
{
	say(lock);
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 0);
}

void classes_are_told(void **)
{
	auto plain = std::unique_ptr<Plain>(new Plain);
	auto shared = std::unique_ptr<Shared>(new Shared);
	auto derived = std::unique_ptr<Derived>(new Derived);
	auto outer = std::unique_ptr<Outer>(new Outer);
	auto of = std::unique_ptr<Of<Of<int>>>(new Of<Of<int>>);
	auto hidden = std::unique_ptr<Hidden>(new Hidden);

	expect(&plain->mutex, plain.get(), typeid(Plain));
	expect(&shared->lock, shared.get(), typeid(Shared));
	expect(&derived->mutex, derived.get(), typeid(Derived));
	expect(&outer->inner.mutex, outer.get(), typeid(Outer));
	expect(&of->mutex, of.get(), typeid(Of<Of<int>>));
	expect(&hidden->mutex, hidden.get(), typeid(Hidden));
	/* A large block that is a mapping of its own. */
	auto *block = static_cast<char *>(::operator new(4 << 20));
	auto *large = new (block) Plain;
	expect(&large->mutex, large, typeid(Plain));
	::operator delete(block);
}

/* The counts of its owners, which have a vtable too, lie before the object. */
void owners_of_a_shared_object_are_not_its_class(void **)
{
	auto plain = std::make_shared<Plain>();
	auto bare = std::make_shared<Bare>();

	expect(&plain->mutex, plain.get(), typeid(Plain));
	expect_none(&bare->mutex);
}

void a_lock_without_a_class_has_no_name(void **)
{
	static Plain global;
	Plain local;
	std::unique_ptr<Plain> neighbours[64];
	std::unique_ptr<Bare> bare[64];

	expect_none(&global.mutex); /* it has a symbol, or a place in the file */
	expect_none(&local.mutex);
	for (int i = 0; i < 64; i++) {
		neighbours[i].reset(new Plain);
		bare[i].reset(new Bare);
	}
	for (int i = 0; i < 64; i++)
		expect_none(&bare[i]->mutex);
}

/* Its words stay behind. */
void a_freed_object_has_no_name(void **)
{
	auto *large = new Large;
	auto *next = new Large; /* so that the block does not become a part of the rest of the heap */
	const Plain *inner = &large->inner;

	expect(&inner->mutex, inner, typeid(Plain));
	::operator delete(large);
	expect_none(&inner->mutex);
	delete next;
}

/* What the memory before a lock may hold, a word at a time: pointers to nothing, to code, to constants that are no vtable, to themselves.
 */
void garbage_is_read_safely(void **)
{
	static const uint64_t constants[] = {0, 0, 0, 1, UINT64_MAX, 0x4141414141414141, 8, 0, 0};
	static const char text[] = "4Nameandmore";
	static const struct {
		int64_t to_top;
		const void *type, *functions[2];
	} forged[] = {
	    {0, nullptr, {}}, {0, constants, {}}, {0, text + 1, {}}, {-8, constants, {}}, {1, constants, {}}, {INT64_MIN, &forged, {}},
	};
	long page = sysconf(_SC_PAGESIZE);
	auto *unmapped = static_cast<char *>(mmap(nullptr, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	auto *locked = static_cast<char *>(mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	auto *plain = new Plain;

	munmap(unmapped, page);
	const uint64_t words[] = {
	    1,
	    8,
	    UINT64_MAX,
	    UINT64_MAX - 7,
	    UINT64_C(0x8000000000000000),
	    UINT64_C(0xffff800000000000),
	    (uintptr_t)unmapped,
	    (uintptr_t)unmapped + 8,
	    (uintptr_t)locked,
	    (uintptr_t)locked + 16,
	    (uintptr_t)&memcpy,
	    (uintptr_t)constants,
	    (uintptr_t)constants + 16,
	    (uintptr_t)constants + 32,
	    (uintptr_t)text,
	    (uintptr_t)forged[0].functions,
	    (uintptr_t)forged[1].functions,
	    (uintptr_t)forged[2].functions,
	    (uintptr_t)forged[3].functions,
	    (uintptr_t)forged[4].functions,
	    (uintptr_t)forged[5].functions,
	    (uintptr_t)plain,
	};
	for (uint64_t word : words) {
		auto *bare = new Bare;

		for (long &before : bare->before)
			before = (long)word;
		expect_none(&bare->mutex);
		delete bare;
	}
	delete plain;
	munmap(locked, page);
}

/* It begins its mapping, ends it, or the mapping is gone by the time it is looked at. */
void edges_of_memory(void **)
{
	long page = sysconf(_SC_PAGESIZE);
	auto *memory = static_cast<char *>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	char *middle = memory + page;

	munmap(memory, page);
	munmap(memory + 2 * page, page);
	expect_none(middle);
	expect_none(middle + 8);
	expect_none(middle + page - sizeof(pthread_mutex_t));
	expect_none(middle + page - 8); /* it would go on where nothing is */
	expect_none(middle + 4);
	mprotect(middle, page, PROT_READ);
	expect_none(middle + 64);
	munmap(middle, page);
	expect_none(middle + 64);
	expect_none(nullptr);
	expect_none((const void *)8);
	expect_none((const void *)UINTPTR_MAX);
	expect_none((const void *)&garbage_is_read_safely);
}

/* The memory may be another object's since the lock was contended. */
void what_is_no_lock_has_no_name(void **)
{
	auto *plain = new Plain;

	memset(&plain->mutex, 0x5a, sizeof(plain->mutex));
	expect_none(&plain->mutex);
	delete plain;
}

void names_are_said_once_when_wanted(void **)
{
	auto plain = std::unique_ptr<Plain>(new Plain), other = std::unique_ptr<Plain>(new Plain);

	heard_start_locks(true);
	locknames_say();
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 0);
	for (int i = 0; i < 3; i++) {
		locknames_want(&plain->mutex);
		locknames_want(&other->mutex);
	}
	locknames_say();
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 2);
	locknames_say();
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 2);
	/* More than it remembers: the rest comes when those are contended again. */
	for (uintptr_t i = 1; i < 5000; i++)
		locknames_want((const void *)(i * 64));
	locknames_say();
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 2);
	locknames_want(&plain->mutex);
	locknames_say();
	assert_int_equal(heard.count[HEARD_LOCK_NAME], 3);
}

} // namespace

int main()
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(classes_are_told),
	    cmocka_unit_test(owners_of_a_shared_object_are_not_its_class),
	    cmocka_unit_test(a_lock_without_a_class_has_no_name),
	    cmocka_unit_test(a_freed_object_has_no_name),
	    cmocka_unit_test(garbage_is_read_safely),
	    cmocka_unit_test(edges_of_memory),
	    cmocka_unit_test(what_is_no_lock_has_no_name),
	    cmocka_unit_test(names_are_said_once_when_wanted),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
