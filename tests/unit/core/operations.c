/* Operations, from what carries them to their reply, and the names of what they are about. */
#include "tests/unit/core/test.h"

#include "analyzer/core/images.h"
#include "analyzer/core/operations.h"
#include "tests/unit/core/events_text.h"

static char told[4096];
static struct process process;
static struct operations *operations;
static struct operation last; /* a copy of the one that was told last; its entries are not */

static int tell(void *context, const char *what, const struct operation *operation)
{
	size_t length = strlen(told);

	assert_ptr_equal(context, told);
	last = *operation;
	snprintf(told + length, sizeof(told) - length, "%s%s:%u", length ? " " : "", what, (unsigned)(operation->key.number & 0xff));
	return 0;
}

static int begun(void *context, struct operation *operation)
{
	return tell(context, "begun", operation);
}

static int done(void *context, struct operation *operation)
{
	return tell(context, "done", operation);
}

static int left(void *context, struct operation *operation)
{
	return tell(context, "left", operation);
}

static int setup(void **unused)
{
	const struct operations_consumer consumer = {.context = told, .begun = begun, .done = done, .left = left};

	(void)unused;
	told[0] = '\0';
	process = (struct process){.number = 0};
	operations = operations_create(&consumer);
	return operations ? 0 : -1;
}

static int teardown(void **unused)
{
	(void)unused;
	operations_destroy(operations);
	return 0;
}

static int feed(void *context, const struct event *event)
{
	(void)context;
	return operations_feed(operations, &process, event);
}

static void run(const char *text)
{
	assert_int_equal(events_text_each(text, feed, NULL), 0);
}

static void check_told(const char *want)
{
	assert_string_equal(told, want);
	told[0] = '\0';
}

static void test_names(void **unused)
{
	static const struct {
		const char *name;
		enum object_class object;
		const char *image_id;
		int64_t pool_id;
	} cases[] = {
	    {"rbd_header.10ab", OBJECT_HEADER, "10ab", -1},
	    {"rbd_object_map.10ab", OBJECT_MAP, "10ab", -1},
	    {"rbd_object_map.10ab.0000000000000004", OBJECT_MAP, "10ab", -1},
	    {"journal.10ab", OBJECT_JOURNAL, "10ab", -1},
	    {"journal_data.12.10ab.3", OBJECT_JOURNAL_DATA, "10ab", 12},
	    {"rbd_id.name", OBJECT_OTHER, "", -1},
	    {"rbd_header.", OBJECT_OTHER, "", -1},
	    {"journal_data.12", OBJECT_OTHER, "", 12},
	    {"rbd_header.0123456789012345678901234567890123456789012345678901234567890123", OBJECT_OTHER, "", -1},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct object *object;
		char text[200];

		snprintf(text, sizeof(text), "1 p0 object object=%u name=%s", (unsigned)i + 1, cases[i].name);
		run(text);
		object = operations_object(operations, 0, i + 1);
		assert_non_null(object);
		assert_int_equal(object->object, cases[i].object);
		assert_string_equal(object->image_id, cases[i].image_id);
		assert_int_equal(object->pool_id, cases[i].pool_id);
		assert_null(operations_object(operations, 1, i + 1));
	}
}

static void test_lock_call(void **unused)
{
	(void)unused;
	run("1 p0 object object=5 name=rbd_header.10ab\n"
	    "2 p0 lock_call operation=1:1 watch=99 lock_type=1\n"
	    "3 p0 operation operation=1:1 client=4001 pool_id=2 object=5 methods=lock.assert_locked+lock.lock kind=write tracked=1\n");
	check_told("begun:1");
	assert_int_equal(last.object, OBJECT_HEADER);
	assert_string_equal(last.image_id, "10ab");
	assert_int_equal(last.client, 4001);
	assert_int_equal(last.pool_id, 2);
	assert_int_equal(last.lock_watch, 99);
	assert_int_equal(last.lock_type, 1);
	assert_int_equal(last.begin_ns, 3);
	assert_int_equal(last.end_ns, 0);
	assert_true(operation_calls(&last, RBDPROF_METHOD_lock_lock));
	assert_true(operation_calls(&last, RBDPROF_METHOD_lock_assert_locked));
	assert_false(operation_calls(&last, RBDPROF_METHOD_lock_unlock));
	run("7 p0 operation_done operation=1:1 result=-16 reply_bytes=12\n"
	    "8 p0 operation_done operation=1:1 result=0\n");
	check_told("done:1");
	assert_int_equal(last.end_ns, 7);
	assert_int_equal(last.result, -16);
	assert_int_equal(last.reply_bytes, 12);
}

/* More entries than one event holds; the pool in the object's name is the image's. */
static void test_append_in_parts(void **unused)
{
	(void)unused;
	run("1 p0 object object=5 name=journal_data.3.10ab.7\n"
	    "2 p0 journal_append operation=1:1 tag=6 append_bytes=300 entries=8,9 offsets_bytes=0,16 lengths_bytes=16,4 kinds=1,1\n"
	    "2 p0 journal_append operation=1:1 tag=6 entries=10 offsets_bytes=4096 lengths_bytes=512 kinds=0\n"
	    "3 p0 operation operation=1:1 pool_id=9 object=5 methods=journal.append kind=write tracked=1\n");
	assert_int_equal(last.entry_count, 3);
	assert_int_equal(last.append_bytes, 300);
	assert_int_equal(last.tag, 6);
	assert_int_equal(last.pool_id, 3);
	assert_int_equal(last.entries[1].offset_bytes, 16);
	assert_int_equal(last.entries[1].length_bytes, 4);
	assert_int_equal(last.entries[2].number, 10);
	assert_int_equal(last.entries[2].kind, RBDPROF_ENTRY_DISCARD);
}

/* What it says comes behind the operation, which begins only then. Of other objects nothing comes. */
static void test_notify(void **unused)
{
	(void)unused;
	run("1 p0 object object=5 name=rbd_header.10ab\n"
	    "1 p0 object object=6 name=journal.10ab\n"
	    "2 p0 operation operation=1:1 object=5 kind=notify tracked=1\n");
	check_told("");
	run("2 p0 notification operation=1:1 client=4001 object=5 about=4001 what=2\n");
	check_told("begun:1");
	assert_int_equal(last.notifies, 1);
	assert_int_equal(last.what, RBDPROF_REQUEST_LOCK);
	run("3 p0 operation operation=1:2 object=6 kind=notify tracked=1\n");
	check_told("begun:2");
	assert_int_equal(last.notifies, 0);
	/* What it said was lost, or could not be read. */
	run("4 p0 operation operation=1:3 object=5 kind=notify tracked=1\n"
	    "5 p0 operation_done operation=1:3\n");
	check_told("begun:3 done:3");
}

/* A watch's end names its handle; of which object is known from its begin, in the same process. */
static void test_unwatch(void **unused)
{
	(void)unused;
	run("1 p0 object object=6 name=journal.10ab\n"
	    "2 p0 watching client=4001 object=6 watch=77\n"
	    "3 p0 operation operation=1:1 client=4001 watch=77 kind=unwatch tracked=1\n");
	check_told("begun:1");
	assert_int_equal(last.object, OBJECT_JOURNAL);
	assert_string_equal(last.image_id, "10ab");
	run("4 p0 operation operation=1:2 client=4001 watch=77 kind=unwatch tracked=1\n");
	assert_int_equal(last.object, OBJECT_OTHER);
	/* The handle is used again, for another object. */
	run("5 p0 object object=5 name=rbd_header.10ab\n"
	    "5 p0 watching client=4001 object=6 watch=77\n"
	    "5 p0 watching client=4001 object=5 watch=77\n"
	    "6 p0 operation operation=1:3 client=4001 watch=77 kind=unwatch tracked=1\n");
	assert_int_equal(last.object, OBJECT_HEADER);
}

static void test_untracked(void **unused)
{
	(void)unused;
	run("1 p0 object object=5 name=rbd_header.10ab\n"
	    "2 p0 operation operation=1:1 object=5 kind=write\n"
	    "3 p0 operation operation=1:2 object=5 kind=notify\n"
	    "3 p0 notification operation=1:2 object=5\n"
	    "4 p0 operation_done operation=1:1\n");
	check_told("begun:1 left:1 begun:2 left:2");
	assert_int_equal(process.health.untracked_operations, 2);
	assert_int_equal(operations_finish(operations), 0);
	check_told("");
}

/* Given up after a while: what was never submitted, and where events were lost what waits for a reply. */
static void test_sweep(void **unused)
{
	(void)unused;
	run("1 p0 lock_call operation=1:1\n"
	    "2 p0 operation operation=1:2 tracked=1\n"
	    "3 p0 operation operation=1:3 tracked=1\n");
	check_told("begun:2 begun:3");
	assert_int_equal(operations_sweep(operations, &process, 3, 0), 0);
	check_told("");
	assert_int_equal(operations_sweep(operations, &process, 3, 1), 0);
	check_told("left:2");
	assert_int_equal(operations_finish(operations), 0);
	check_told("left:3");
}

/* Replies to what was not seen, and the same submission twice. */
static void test_disorder(void **unused)
{
	(void)unused;
	run("1 p0 operation_done operation=1:1\n"
	    "2 p0 notification operation=1:1 what=2\n"
	    "3 p0 operation operation=1:2 client=1 tracked=1\n"
	    "4 p0 operation operation=1:2 client=2 tracked=1\n"
	    "5 p0 lock_call operation=1:3\n"
	    "6 p0 operation_done operation=1:3\n");
	check_told("begun:2");
	assert_int_equal(last.client, 1);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lock_call, setup, teardown),
		cmocka_unit_test_setup_teardown(test_append_in_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_notify, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unwatch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untracked, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sweep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disorder, setup, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
