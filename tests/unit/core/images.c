/* Telling processes, threads, images and clients apart, and the same ones together. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

static struct images images;

static int setup(void **unused)
{
	(void)unused;
	images = (struct images){0};
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	images_fini(&images);
	return 0;
}

static struct client *open_image(const char *text)
{
	struct event event = events_text_one(text);
	struct process *process = images_process(&images, event.process);
	struct client *opened;

	assert_non_null(process);
	assert_int_equal(images_feed_image(&images, process, &event, &opened), 0);
	return process_client(process, event.image.image);
}

static void test_process(void **unused)
{
	struct event event = events_text_one("5 p3 process schema=1 pid=42 version=0.1 comm=qemu host=alpha clock_offset_ns=-7");
	struct process *process = images_process(&images, 3);

	(void)unused;
	assert_string_equal(process->comm, "");
	assert_int_equal(images_feed_process(process, &event), 0);
	assert_ptr_equal(images_process(&images, 3), process);
	assert_int_equal(process->number, 3);
	assert_int_equal(process->pid, 42);
	assert_string_equal(process->comm, "qemu");
	assert_string_equal(process->host, "alpha");
	assert_int_equal(process->clock_offset_ns, -7);
	assert_null(images.processes[0]);
}

static void test_threads(void **unused)
{
	struct process *process = images_process(&images, 0);
	struct event event = events_text_one("5 p0 thread thread=2 tid=900 name=msgr-worker-1");

	(void)unused;
	assert_null(process_thread_find(process, 2));
	assert_int_equal(images_feed_thread(process, &event), 0);
	assert_string_equal(process_thread_find(process, 2)->name, "msgr-worker-1");
	assert_int_equal(process_thread(process, 2)->tid, 900);
	/* Threads change their names; the last one stands. */
	event = events_text_one("6 p0 thread thread=2 tid=900 name=worker");
	assert_int_equal(images_feed_thread(process, &event), 0);
	assert_string_equal(process_thread_find(process, 2)->name, "worker");
}

/* Each differs from the first in one part of what makes an image. */
static void test_what_makes_an_image(void **unused)
{
	static const char *const others[] = {
	    "1 p0 image image=2 client=1 cluster=d pool_id=2 namespace=n name=i id=a snapshot=s",
	    "1 p0 image image=3 client=1 cluster=c pool_id=3 namespace=n name=i id=a snapshot=s",
	    "1 p0 image image=4 client=1 cluster=c pool_id=2 namespace=m name=i id=a snapshot=s",
	    "1 p0 image image=5 client=1 cluster=c pool_id=2 namespace=n name=i id=b snapshot=s",
	    "1 p0 image image=6 client=1 cluster=c pool_id=2 namespace=n name=i id=a",
	};
	struct image *first = open_image("1 p0 image image=1 client=1 cluster=c pool_id=2 namespace=n name=i id=a snapshot=s")->image;

	(void)unused;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		assert_ptr_not_equal(open_image(others[i])->image, first);
		assert_int_equal(HASH_COUNT(images.images), i + 2);
	}
	/* Renamed and resized it is the same, under its new name. */
	assert_ptr_equal(
	    open_image("2 p1 image image=1 client=9 cluster=c pool_id=2 namespace=n name=new id=a snapshot=s size_bytes=9")->image, first);
	assert_string_equal(first->name, "new");
	assert_int_equal(first->size_bytes, 9);
	/* Images of the old format have no id. */
	assert_ptr_not_equal(open_image("2 p1 image image=2 client=9 cluster=c pool_id=2 name=x")->image,
			     open_image("2 p1 image image=3 client=9 cluster=c pool_id=2 name=y")->image);
}

static void test_clients(void **unused)
{
	struct client *one = open_image("1 p0 image image=1 client=4001 cluster=c id=a");
	struct client *two = open_image("1 p0 image image=2 client=4002 cluster=c id=a");

	(void)unused;
	assert_ptr_not_equal(one, two);
	assert_ptr_equal(one->image, two->image);
	/* The same client opens it again: one client, two numbers. */
	assert_ptr_equal(open_image("1 p0 image image=3 client=4001 cluster=c id=a"), one);
	/* Said again. */
	assert_ptr_equal(open_image("2 p0 image image=1 client=4001 cluster=c id=a"), one);
	assert_ptr_equal(image_client_next(one->image, NULL), one);
	assert_ptr_equal(image_client_next(one->image, one), two);
	assert_null(image_client_next(one->image, two));
	/* Another cluster's client of the same id. */
	assert_ptr_not_equal(open_image("2 p1 image image=1 client=4001 cluster=d id=a"), one);
}

static void feed_config(const char *text, int want)
{
	struct event event = events_text_one(text);

	assert_int_equal(images_feed_config(images_process(&images, event.process), &event), want);
}

static void test_config(void **unused)
{
	struct client *client = open_image("1 p0 image image=1 client=4001 cluster=c id=a");
	const struct config *config;

	(void)unused;
	feed_config("2 p0 config image=1 option=rbd_cache value=true", 0);
	feed_config("2 p0 config image=1 option=rbd_op_threads value=1", 0);
	feed_config("3 p0 config image=1 option=rbd_cache value=false", 0);
	feed_config("3 p0 config image=2 option=rbd_cache value=false", -ENOENT);
	feed_config("3 p1 config image=1 option=rbd_cache value=false", -ENOENT);
	config = client_config_next(client, NULL);
	assert_string_equal(config->option, "rbd_cache");
	assert_string_equal(config->value, "false");
	config = client_config_next(client, config);
	assert_string_equal(config->option, "rbd_op_threads");
	assert_null(client_config_next(client, config));
}

static void test_closed(void **unused)
{
	struct client *client = open_image("1 p0 image image=1 client=4001 cluster=c id=a");
	struct process *process = images_process(&images, 0);
	struct event event = events_text_one("2 p0 image_closed image=1");

	(void)unused;
	assert_ptr_equal(images_feed_closed(process, &event), client);
	assert_null(process_client(process, 1));
	assert_null(images_feed_closed(process, &event));
	/* What it did remains. */
	assert_ptr_equal(image_client_next(client->image, NULL), client);
}

static void test_undescribed(void **unused)
{
	struct process *process = images_process(&images, 0);
	struct event closed = events_text_one("2 p0 image_closed image=1");
	uint64_t never, later;

	(void)unused;
	assert_int_equal(process_undescribed_add(process, 1, 1), 0);
	assert_int_equal(process_undescribed_add(process, 1, 1), 0);
	assert_int_equal(process_undescribed_add(process, 2, 1), 0);
	assert_null(process_client(process, 1));
	process_undescribed(process, &never, &later);
	assert_int_equal(never, 3);
	assert_int_equal(later, 0);
	open_image("2 p0 image image=1 client=4001 cluster=c id=a");
	assert_int_equal(process_undescribed_add(process, 1, -1), 0);
	process_undescribed(process, &never, &later);
	assert_int_equal(never, 1);
	assert_int_equal(later, 1);
	images_feed_closed(process, &closed);
	process_undescribed(process, &never, &later);
	assert_int_equal(never, 1);
	assert_int_equal(later, 1);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_makes_an_image, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clients, setup, teardown),
		cmocka_unit_test_setup_teardown(test_config, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_undescribed, setup, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
