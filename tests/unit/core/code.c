/* Which module an address belongs to, and the stacks. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct code code;

static int feed(void *context, const struct event *event)
{
	(void)context;
	return event->type == EVENT_STACK ? code_feed_stack(&code, event) : code_feed_module(&code, event);
}

static void run(const char *text)
{
	assert_int_equal(events_text_each(text, feed, NULL), 0);
}

static int teardown(void **unused)
{
	(void)unused;
	code_fini(&code);
	return 0;
}

static void check(uint64_t address, const char *name)
{
	const struct module *module = code_module(&code, address);

	if (!name) {
		assert_null(module);
		return;
	}
	assert_non_null(module);
	assert_string_equal(module->name, name);
}

static void test_ranges(void **unused)
{
	(void)unused;
	check(0x100, NULL);
	run("1 p0 module begin=0x300 end=0x400 bias=0x300 path=/usr/lib/b.so build_id=ab\n"
	    "2 p0 module begin=0x100 end=0x200 path=/usr/bin/a\n"
	    "3 p0 module begin=0x500 end=0x600 path=c\n"
	    "4 p0 module begin=0x300 end=0x400 bias=0x300 path=/usr/lib/b.so build_id=ab\n"
	    "5 p0 module begin=0x700 end=0x700 path=empty\n");
	check(0xff, NULL);
	check(0x100, "a");
	check(0x1ff, "a");
	check(0x200, NULL);
	check(0x3a0, "b.so");
	check(0x5ff, "c");
	check(0x600, NULL);
	assert_int_equal(code.module_count, 3);
	assert_int_equal(code_module(&code, 0x300)->bias, 0x300);
	assert_string_equal(code_module(&code, 0x300)->build_id, "ab");
}

/* What is mapped over others takes their place. */
static void test_taken_over(void **unused)
{
	(void)unused;
	run("1 p0 module begin=0x100 end=0x200 path=a\n"
	    "1 p0 module begin=0x200 end=0x300 path=b\n"
	    "1 p0 module begin=0x400 end=0x500 path=c\n"
	    "2 p0 module begin=0x180 end=0x280 path=d\n"
	    "3 p0 module begin=0x400 end=0x500 path=c build_id=cd\n");
	check(0x100, NULL);
	check(0x180, "d");
	check(0x290, NULL);
	assert_string_equal(code_module(&code, 0x400)->build_id, "cd");
	assert_int_equal(code.module_count, 2);
}

static void test_ceph(void **unused)
{
	(void)unused;
	run("1 p0 module begin=0x100 end=0x200 path=/usr/lib/x86_64-linux-gnu/librbd.so.1\n"
	    "1 p0 module begin=0x200 end=0x300 path=/usr/lib/ceph/libceph-common.so.2\n"
	    "1 p0 module begin=0x300 end=0x400 path=/usr/lib/librados.so.2.0.0\n"
	    "1 p0 module begin=0x400 end=0x500 path=/opt/librbdprof.so\n"
	    "1 p0 module begin=0x500 end=0x600 path=/usr/bin/fio\n");
	assert_true(code_module(&code, 0x100)->ceph);
	assert_true(code_module(&code, 0x200)->ceph);
	assert_true(code_module(&code, 0x300)->ceph);
	assert_false(code_module(&code, 0x400)->ceph);
	assert_false(code_module(&code, 0x500)->ceph);
	assert_true(code_is_shim(&code, 0x400));
	assert_false(code_is_shim(&code, 0x100));
	assert_false(code_is_shim(&code, 0x900));
}

static void test_stacks(void **unused)
{
	(void)unused;
	assert_null(code_stack(&code, 7));
	run("1 p0 stack stack=7 frames=0x10,0x20,0x30\n"
	    "2 p0 stack stack=7 frames=0x99\n"
	    "3 p0 stack stack=8\n");
	assert_int_equal(code_stack(&code, 7)->count, 3);
	assert_int_equal(code_stack(&code, 7)->frames[0], 0x10);
	assert_int_equal(code_stack(&code, 7)->frames[2], 0x30);
	assert_null(code_stack(&code, 8));
}

#define TEST(name) cmocka_unit_test_teardown(test_##name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(ranges), TEST(taken_over), TEST(ceph), TEST(stacks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
