/* Opening, describing and closing images. */
#include "test.h"

#include "heard.h"
#include "preload/images.h"
#include "preload/real.h"
#include "preload/record.h"
#include "queries.h"
#include "stubs.h"

#define MOST_IMAGES 1024 /* as documented in docs/interposing.md */

static char handles[MOST_IMAGES + 10];
static char pool;

static int setup(void **state)
{
	(void)state;
	heard_start(false);
	stubs_install();
	queries = (struct queries){
	    .name = "disk",
	    .id = "10f6",
	    .prefix = "rbd_data.10f6",
	    .pool = "rbd",
	    .space = "tenant",
	    .cluster = "5f3c0b9e-0000-4000-8000-000000000001",
	    .release = "ceph version 16.2.15",
	    .size_bytes = 1 << 30,
	    .features = 61,
	    .stripe_unit_bytes = 4 << 20,
	    .stripe_count = 1,
	    .object_size_bytes = 4 << 20,
	    .client = 4711,
	    .pool_id = 2,
	    .option = "rbd_cache",
	    .value = "false",
	    .error = EDOM,
	};
	heard_start(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	heard_start(false);
	images_reset();
	return 0;
}

static void assert_described(const char *snapshot, bool read_only)
{
	assert_int_equal(heard.count[HEARD_IMAGE], 1);
	assert_string_equal(heard.image.name, "disk");
	assert_string_equal(heard.image.id, "10f6");
	assert_string_equal(heard.image.prefix, "rbd_data.10f6");
	assert_string_equal(heard.image.pool, "rbd");
	assert_string_equal(heard.image.namespace_, "tenant");
	assert_string_equal(heard.image.cluster, "5f3c0b9e-0000-4000-8000-000000000001");
	assert_string_equal(heard.image.release, "ceph version 16.2.15");
	assert_string_equal(heard.image.snapshot, snapshot);
	assert_int_equal(heard.image.size_bytes, 1 << 30);
	assert_int_equal(heard.image.features, 61);
	assert_int_equal(heard.image.stripe_unit_bytes, 4 << 20);
	assert_int_equal(heard.image.stripe_count, 1);
	assert_int_equal(heard.image.object_size_bytes, 4 << 20);
	assert_int_equal(heard.image.client, 4711);
	assert_int_equal(heard.image.pool_id, 2);
	assert_int_equal(heard.image.read_only, read_only);
	assert_int_equal(heard.count[HEARD_CONFIG], 1); /* the others are not known to this client */
	assert_int_equal(heard.config.image, heard.image.image);
	assert_string_equal(heard.config.option, "rbd_cache");
	assert_string_equal(heard.config.value, "false");
}

typedef int open_function(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot);
typedef int aio_open_function(rados_ioctx_t pool, const char *name, rbd_image_t *handle, const char *snapshot, rbd_completion_t completion);

static void every_open_describes(void **state)
{
	static const struct {
		open_function *open;
		bool read_only;
	} opens[] = {{rbd_open, false}, {rbd_open_by_id, false}, {rbd_open_read_only, true}, {rbd_open_by_id_read_only, true}};
	uint32_t last = 0;

	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
		rbd_image_t handle = NULL;

		teardown(state);
		setup(state);
		stub_next_handle(&handles[i]);
		errno = EXDEV;
		assert_int_equal(opens[i].open(&pool, "disk", &handle, "yesterday"), 0);
		assert_int_equal(errno, EXDEV); /* although the queries and the tracer spoil it */
		assert_ptr_equal(handle, &handles[i]);
		assert_described("yesterday", opens[i].read_only);
		assert_true(heard.image.image > last);
		last = heard.image.image;
		errno = EXDEV;
		assert_int_equal(rbd_close(handle), 0);
		assert_int_equal(errno, EXDEV);
		assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 1);
		assert_int_equal(heard.closed.image, last);
		assert_null(images_find(handle));
	}
}

static void failed_open_is_no_image(void **state)
{
	rbd_image_t handle = NULL;

	(void)state;
	stub_next_handle(&handles[0]);
	stub_answer = -ENOENT;
	assert_int_equal(rbd_open(&pool, "disk", &handle, NULL), -ENOENT);
	assert_int_equal(heard.count[HEARD_IMAGE], 0);
	assert_null(images_find(&handles[0]));
}

static int seen_in_callback; /* image events heard when the application's callback came */

static void callback(rbd_completion_t completion, void *arg)
{
	(void)completion, (void)arg;
	seen_in_callback = heard.count[HEARD_IMAGE] + heard.count[HEARD_IMAGE_CLOSED];
}

static rbd_completion_t create(rbd_callback_t with)
{
	rbd_completion_t completion = NULL;

	assert_int_equal(rbd_aio_create_completion(NULL, with, &completion), 0);
	return completion;
}

static void every_aio_open_describes_before_the_callback(void **state)
{
	static const struct {
		aio_open_function *open;
		bool read_only;
	} opens[] = {
	    {rbd_aio_open, false}, {rbd_aio_open_by_id, false}, {rbd_aio_open_read_only, true}, {rbd_aio_open_by_id_read_only, true}};

	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
		for (int quiet = 0; quiet < 2; quiet++) {
			rbd_image_t handle = NULL;
			rbd_completion_t completion;

			teardown(state);
			setup(state);
			completion = create(quiet ? NULL : callback);
			seen_in_callback = -1;
			assert_int_equal(opens[i].open(&pool, "disk", &handle, "yesterday", completion), 0);
			assert_int_equal(heard.count[HEARD_IMAGE], 0);
			handle = &handles[0]; /* librbd fills it in, then completes */
			stub_finish(completion, 0);
			assert_int_equal(seen_in_callback, quiet ? -1 : 1);
			if (quiet)
				rbd_aio_wait_for_complete(completion);
			assert_described("yesterday", opens[i].read_only);
			assert_non_null(images_find(handle));
			rbd_aio_release(completion);
			assert_int_equal(heard.count[HEARD_IMAGE], 1);
			assert_int_equal(heard.count[HEARD_REQUEST] + heard.count[HEARD_COMPLETE] + heard.count[HEARD_REAP], 0);

			completion = create(quiet ? NULL : callback);
			assert_int_equal(rbd_aio_close(handle, completion), 0);
			assert_null(images_find(handle)); /* from now on its address may be another's */
			stub_finish(completion, -EIO);
			if (quiet)
				rbd_aio_wait_for_complete(completion);
			else
				assert_int_equal(seen_in_callback, 2);
			assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 1);
			assert_int_equal(heard.closed.result, -EIO);
			rbd_aio_release(completion);
			assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 1);
		}
	}
}

static void failed_aio_open_is_no_image(void **state)
{
	rbd_image_t handle = &handles[0];
	rbd_completion_t completion = create(callback);

	(void)state;
	assert_int_equal(rbd_aio_open(&pool, "disk", &handle, NULL, completion), 0);
	stub_finish(completion, -ENOENT);
	rbd_aio_release(completion);
	stub_answer = 0;
	completion = create(callback);
	stub_answer = -EINVAL;
	assert_int_equal(rbd_aio_open(&pool, "disk", &handle, NULL, completion), -EINVAL);
	rbd_aio_release(completion);
	assert_int_equal(heard.count[HEARD_IMAGE], 0);
	assert_null(images_find(&handles[0]));
}

static void close_of_an_unknown_image(void **state)
{
	(void)state;
	assert_int_equal(rbd_close(&handles[0]), 0);
	assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 0);
}

static void failed_queries_leave_gaps(void **state)
{
	(void)state;
	queries = (struct queries){.error = EDOM};
	stub_open(&handles[0]);
	assert_int_equal(heard.count[HEARD_IMAGE], 1);
	assert_int_equal(heard.count[HEARD_CONFIG], 0);
	assert_string_equal(heard.image.name, "");
	assert_string_equal(heard.image.pool, "");
	assert_string_equal(heard.image.cluster, "");
	assert_string_equal(heard.image.release, "");
	assert_string_equal(heard.image.snapshot, "");
}

static void long_strings_are_cut(void **state)
{
	static char longest[1000];
	rbd_image_t handle = NULL;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	queries.name = queries.id = queries.prefix = queries.pool = queries.space = queries.cluster = queries.release = queries.value =
	    longest;
	stub_next_handle(&handles[0]);
	assert_int_equal(rbd_open(&pool, "disk", &handle, longest), 0);
	assert_int_equal(strlen(heard.image.snapshot), sizeof(heard.image.snapshot) - 1);
	assert_int_equal(strlen(heard.image.release), sizeof(heard.image.release) - 1);
	assert_string_equal(heard.image.name, ""); /* librbd refuses to cut it */
	assert_int_equal(heard.count[HEARD_CONFIG], 0);
	rbd_close(handle);
}

static void long_snapshot_of_an_aio_open_is_cut(void **state)
{
	static char longest[1000];
	rbd_image_t handle = &handles[0];
	rbd_completion_t completion = create(callback);

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	assert_int_equal(rbd_aio_open(&pool, "disk", &handle, longest, completion), 0);
	stub_finish(completion, 0);
	assert_int_equal(strlen(heard.image.snapshot), sizeof(heard.image.snapshot) - 1);
	rbd_aio_release(completion);
}

/* Described while nobody records, said when somebody does. */
static void said_again_when_a_recording_begins(void **state)
{
	static char data[512];

	(void)state;
	heard_start(false);
	stub_open(&handles[0]);
	stub_open(&handles[1]);
	assert_int_equal(heard.events, 0);
	queries = (struct queries){.error = EDOM}; /* nothing is asked again */
	heard_start(true);
	rbd_read(&handles[0], 0, sizeof(data), data);
	assert_int_equal(heard.count[HEARD_IMAGE], 2);
	assert_int_equal(heard.count[HEARD_CONFIG], 2);
	assert_string_equal(heard.image.name, "disk");
	assert_int_equal(queries.asked, 0);
	rbd_close(&handles[1]);
	heard_start(true);
	rbd_read(&handles[0], 0, sizeof(data), data);
	assert_int_equal(heard.count[HEARD_IMAGE], 1); /* the closed one no more */
	rbd_close(&handles[0]);
}

static void more_images_than_the_table_holds(void **state)
{
	static char data[512];
	uint64_t passed;
	uint32_t last;

	(void)state;
	for (int i = 0; i < MOST_IMAGES + 10; i++)
		stub_open(&handles[i]);
	assert_int_equal(heard.count[HEARD_IMAGE], MOST_IMAGES);
	last = heard.image.image;
	assert_non_null(images_find(&handles[MOST_IMAGES - 1]));
	assert_null(images_find(&handles[MOST_IMAGES]));
	passed = records_passed_through();
	assert_int_equal(rbd_read(&handles[MOST_IMAGES], 0, sizeof(data), data), sizeof(data));
	assert_int_equal(records_passed_through(), passed + 1);
	assert_int_equal(rbd_close(&handles[MOST_IMAGES]), 0);
	/* A closed one's place is free again; its number is not. */
	rbd_close(&handles[3]);
	stub_open(&handles[3]);
	assert_true(heard.image.image > last);
	assert_int_equal(images_number(images_find(&handles[3])), heard.image.image);
	for (int i = 0; i < MOST_IMAGES; i++)
		rbd_close(&handles[i]);
	assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], MOST_IMAGES + 1);
}

/* As librbd does it: some functions are called within others, through the wrappers, and what an object has open is closed first. */
static int cxx_open_it(void *rbd, struct cxx_ioctx *in, struct cxx_image *image, const char *name, const char *snapshot)
{
	(void)rbd, (void)in, (void)name, (void)snapshot;
	image->handle = stub_answer < 0 ? NULL : &handles[0];
	return stub_answer;
}

static int cxx_open_through(void *rbd, struct cxx_ioctx *in, struct cxx_image *image, const char *name)
{
	return cxx_open(rbd, in, image, name, NULL);
}

static int cxx_close_it(struct cxx_image *image)
{
	image->handle = NULL;
	return 0;
}

static void cxx_destroy_through(struct cxx_image *image)
{
	cxx_close(image);
}

static void cxx_objects(void **state)
{
	struct cxx_image image = {NULL};
	struct cxx_ioctx in = {&pool};

	(void)state;
	real.cxx_open = cxx_open_it;
	real.cxx_open_head = cxx_open_through;
	real.cxx_close = cxx_close_it;
	real.cxx_destroy = cxx_destroy_through;
	assert_int_equal(cxx_open_head(NULL, &in, &image, "disk"), 0);
	assert_described("", false);
	assert_non_null(images_find(&handles[0]));
	assert_int_equal(cxx_open(NULL, &in, &image, "disk", "yesterday"), 0);
	assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 1);
	assert_int_equal(heard.count[HEARD_IMAGE], 2);
	assert_string_equal(heard.image.snapshot, "yesterday");
	cxx_destroy(&image);
	assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 2);
	assert_int_equal(heard.closed.image, heard.image.image);
	assert_null(images_find(&handles[0]));
	cxx_close(&image); /* of nothing */
	assert_int_equal(heard.count[HEARD_IMAGE_CLOSED], 2);
	stub_answer = -ENOENT;
	assert_int_equal(cxx_open(NULL, &in, &image, "disk", NULL), -ENOENT);
	assert_int_equal(heard.count[HEARD_IMAGE], 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(every_open_describes),
	    TEST(failed_open_is_no_image),
	    TEST(every_aio_open_describes_before_the_callback),
	    TEST(failed_aio_open_is_no_image),
	    TEST(close_of_an_unknown_image),
	    TEST(cxx_objects),
	    TEST(failed_queries_leave_gaps),
	    TEST(long_strings_are_cut),
	    TEST(long_snapshot_of_an_aio_open_is_cut),
	    TEST(said_again_when_a_recording_begins),
	    TEST(more_images_than_the_table_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
