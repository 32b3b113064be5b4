/* librbd's counters: whose they are, the moments at which they count, and what is not theirs. */
#include "test.h"

#include "below.h"
#include "preload/counters.h"
#include "preload/cxx.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "queries.h"
#include "stubs.h"

#define MOST_GROUPS 1024 /* that can be told apart at a time */
#define MOMENTS     1024 /* counts of a kind that can wait for their callbacks */
#define LOCK_INDEX  26040
#define OTHER_INDEX 26050 /* one that is not looked for */
#define OTHER_NAME  "rd_bytes"
#define GROUP       "librbd-10ac5e6b8b45-rbd-disk" /* as librbd calls the group of an image's counters */
#define ID          "10ac5e6b8b45"
#define NOW_UTIME   UINT64_C(0x2faf080068000000) /* seconds and nanoseconds, 32 bits each */

/* The indexes are the release's own: those here are none's. */
static const struct {
	const char *name;
	int index;
} averages[] = {{"rd_latency", 26012},    {"wr_latency", 26007}, {"discard_latency", 26021},
		{"flush_latency", 26030}, {"ws_latency", 26026}, {"cmp_latency", 26035}};
#define AVERAGES 6

/* The functions of a release: Ceph 14's names, and the later ones. */
struct names {
	void (*builder)(void *builder, void *cct, const struct cxx_string *name, int first, int last);
	void (*add_time)(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
	void (*add_time_avg)(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
	void *(*create)(void *builder);
	void (*destroy)(void *counters);
	void (*tset)(void *counters, int index, uint64_t time);
	void (*tinc)(void *counters, int index, uint64_t elapsed_ns);
};

static const struct names names_15 = {counters_builder, counters_add_time, counters_add_time_avg, counters_create,
				      counters_destroy, counters_tset,     counters_tinc};
static const struct names names_14 = {counters_builder_14, counters_add_time_14, counters_add_time_avg_14, counters_create_14,
				      counters_destroy_14, counters_tset_14,     counters_tinc_14};
static const struct names *names = &names_15;

static char builder, other_builder, pool, other_pool; /* the fake client's context has its pool's address */
static char counters[MOST_GROUPS + 1];                /* a group each: its address is all that is looked at */
static char handles[2];
static void *next;        /* what the next group's address will be */
static int calls;         /* of the originals */
static struct below said; /* by the time that an original was called */

static void called(void)
{
	calls++;
	said = below;
}

static void original_builder(void *of, void *cct, const struct cxx_string *name, int first, int last)
{
	(void)of, (void)cct, (void)name, (void)first, (void)last;
	called();
}

static void original_add(void *of, int index, const char *name, const char *description, const char *nick, int priority)
{
	(void)of, (void)index, (void)name, (void)description, (void)nick, (void)priority;
	called();
}

static void *original_create(void *of)
{
	(void)of;
	called();
	return next;
}

static void original_destroy(void *group)
{
	(void)group;
	called();
}

static void original_time(void *group, int index, uint64_t time)
{
	assert_true((char *)group >= counters && (char *)group < counters + sizeof(counters));
	assert_true(index > 26000);
	assert_int_equal(time, NOW_UTIME);
	called();
}

static int setup(void **state)
{
	(void)state;
	stubs_install();
	below_start(true);
	names = &names_15;
	calls = 0;
	real.counters_builder = real.counters_builder_14 = original_builder;
	real.counters_add_time = real.counters_add_time_14 = original_add;
	real.counters_add_time_avg = real.counters_add_time_avg_14 = original_add;
	real.counters_create = real.counters_create_14 = original_create;
	real.counters_destroy = real.counters_destroy_14 = original_destroy;
	real.counters_tset = real.counters_tset_14 = original_time;
	real.counters_tinc = real.counters_tinc_14 = original_time;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counters); i++)
		counters_destroy(&counters[i]);
	for (size_t i = 0; i < sizeof(handles); i++)
		rbd_close(&handles[i]);
	below_start(false);
	return 0;
}

static void begin(void *of, void *cct, const char *name)
{
	const struct cxx_string string = {name, strlen(name)};

	names->builder(of, cct, &string, 26000, 26100);
}

/* As librbd makes one, in one go. */
static void *make(void *cct, const char *name, void *group)
{
	begin(&builder, cct, name);
	for (int i = 0; i < AVERAGES; i++)
		names->add_time_avg(&builder, averages[i].index, averages[i].name, "latency", "r_lt", 5);
	names->add_time_avg(&builder, OTHER_INDEX, OTHER_NAME, "other", NULL, 0);
	names->add_time(&builder, LOCK_INDEX, "lock_acquired_time", "acquired", "lats", 5);
	next = group;
	assert_ptr_equal(names->create(&builder), group);
	return group;
}

/* The image is open, as far as the shim sees, only once its counters are long made. */
static struct image *open_image(void *of_pool, const char *id, void *handle)
{
	rbd_image_t opened = NULL;

	queries.id = id;
	stub_next_handle(handle);
	assert_int_equal(rbd_open(of_pool, "disk", &opened, NULL), 0);
	below_forget();
	return images_find(handle);
}

/* librbd counts. Returns when it was over. */
static uint64_t count(void *group, int index)
{
	int before = calls;

	errno = EXDEV;
	names->tinc(group, index, NOW_UTIME);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(calls, before + 1);
	return recorder_now_ns();
}

static uint64_t completed(const struct image *image, enum rbdprof_kind kind, uint64_t start_ns)
{
	return counters_completed_ns(image, images_number(image), (uint8_t)kind, start_ns);
}

/* Each kind by its own counter, discards and zeroes by one; a cache's invalidation by none. */
static void each_kind_has_its_counter(void **state)
{
	static const struct {
		enum rbdprof_kind kind;
		int average; /* −1: none */
	} cases[] = {{RBDPROF_READ, 0},      {RBDPROF_WRITE, 1}, {RBDPROF_DISCARD, 2},           {RBDPROF_WRITE_ZEROES, 2},
		     {RBDPROF_WRITESAME, 4}, {RBDPROF_FLUSH, 3}, {RBDPROF_COMPARE_AND_WRITE, 5}, {RBDPROF_INVALIDATE_CACHE, -1}};
	static const struct names *const releases[] = {&names_15, &names_14};
	struct image *image;

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		names = releases[r];
		make(&pool, GROUP, &counters[0]);
		image = open_image(&pool, ID, &handles[0]);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			uint64_t start_ns = recorder_now_ns(), end_ns, moment_ns;

			for (int j = 0; j < AVERAGES; j++)
				if (j != cases[i].average)
					count(&counters[0], averages[j].index);
			count(&counters[0], OTHER_INDEX);
			assert_int_equal(completed(image, cases[i].kind, start_ns), 0);
			if (cases[i].average < 0)
				continue;
			end_ns = count(&counters[0], averages[cases[i].average].index);
			moment_ns = completed(image, cases[i].kind, start_ns);
			assert_in_range(moment_ns, start_ns, end_ns);
			assert_int_equal(completed(image, cases[i].kind, start_ns), 0); /* each is told once */
		}
		assert_int_equal(below.events, 0);
		names->destroy(&counters[0]);
		rbd_close(&handles[0]);
	}
}

static void counts_come_out_in_their_order(void **state)
{
	uint64_t ends_ns[4] = {recorder_now_ns()};
	struct image *image;

	(void)state;
	make(&pool, GROUP, &counters[0]);
	image = open_image(&pool, ID, &handles[0]);
	for (int i = 1; i < 4; i++)
		ends_ns[i] = count(&counters[0], averages[0].index);
	for (int i = 1; i < 4; i++)
		assert_in_range(completed(image, RBDPROF_READ, ends_ns[0]), ends_ns[i - 1], ends_ns[i]);
	assert_int_equal(completed(image, RBDPROF_READ, 0), 0);
}

/* A moment before the request began is that of another, which nobody will ask for. */
static void counts_before_the_request(void **state)
{
	struct image *image;
	uint64_t start_ns, end_ns;

	(void)state;
	make(&pool, GROUP, &counters[0]);
	image = open_image(&pool, ID, &handles[0]);
	count(&counters[0], averages[1].index);
	count(&counters[0], averages[1].index);
	start_ns = recorder_now_ns() + 1;
	while (recorder_now_ns() <= start_ns)
		;
	assert_int_equal(completed(image, RBDPROF_WRITE, start_ns), 0);
	count(&counters[0], averages[1].index);
	end_ns = count(&counters[0], averages[1].index);
	assert_in_range(completed(image, RBDPROF_WRITE, start_ns), start_ns, end_ns);
	assert_in_range(completed(image, RBDPROF_WRITE, start_ns), start_ns, end_ns);
	assert_int_equal(completed(image, RBDPROF_WRITE, start_ns), 0);
}

/* Those that had no room any more are not known; the k-th callback still gets the k-th moment of those that had. */
static void more_counts_than_there_is_room_for(void **state)
{
	enum { TOO_MANY = 3 };
	static uint64_t ends_ns[MOMENTS + TOO_MANY + 1];
	struct image *image;

	(void)state;
	make(&pool, GROUP, &counters[0]);
	image = open_image(&pool, ID, &handles[0]);
	ends_ns[0] = recorder_now_ns();
	for (int i = 1; i <= MOMENTS + TOO_MANY; i++)
		ends_ns[i] = count(&counters[0], averages[0].index);
	for (int i = 1; i <= MOMENTS + TOO_MANY; i++) {
		uint64_t moment_ns = completed(image, RBDPROF_READ, ends_ns[0]);

		if (i <= TOO_MANY)
			assert_int_equal(moment_ns, 0);
		else
			assert_in_range(moment_ns, ends_ns[i - 1], ends_ns[i]);
	}
	assert_int_equal(completed(image, RBDPROF_READ, 0), 0);
}

/* librbd notes the time when the lock is acquired: whose, and nothing of other times. */
static void acquired_lock_is_said_before_the_call(void **state)
{
	static const struct names *const releases[] = {&names_15, &names_14};
	struct image *image;

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		names = releases[r];
		make(&pool, GROUP, &counters[0]);
		names->tset(&counters[0], LOCK_INDEX, NOW_UTIME); /* of an image that is not open yet */
		assert_int_equal(below.count[BELOW_LOCK_ACQUIRED], 0);
		image = open_image(&pool, ID, &handles[0]);
		calls = 0;
		errno = EXDEV;
		names->tset(&counters[0], LOCK_INDEX, NOW_UTIME);
		assert_int_equal(errno, EXDEV);
		assert_int_equal(calls, 1);
		assert_int_equal(said.count[BELOW_LOCK_ACQUIRED], 1);
		assert_int_equal(below_nth(BELOW_LOCK_ACQUIRED, 0)->is.image, images_number(image));
		names->tset(&counters[0], OTHER_INDEX, NOW_UTIME);
		names->tset(&counters[1], LOCK_INDEX, NOW_UTIME); /* of no image */
		assert_int_equal(below.events, 1);
		names->destroy(&counters[0]);
		rbd_close(&handles[0]);
		below_forget();
	}
}

/* A group belongs to the image of its client whose id is its own, whole. */
static void group_of_another(void **state)
{
	static const struct {
		const char *name, *id;
		void *cct;
		bool own;
	} cases[] = {
	    {GROUP, ID, &pool, true},
	    {GROUP, ID, &other_pool, false},
	    {GROUP, "10ac5e6b8b4", &pool, false},
	    {GROUP, "10ac5e6b8b456", &pool, false},
	    {GROUP, NULL, &pool, false},
	    {"librbd--rbd-disk", NULL, &pool, false}, /* of the first format: which of those without an id it is cannot be told */
	    {"librbd-10ac5e6b8b45-a-pool-whose-name-is-far-longer-than-what-is-kept-of-it", ID, &pool, true},
	    {"librbd-", ID, &pool, false},
	    {"client-10ac5e6b8b45-rbd-disk", ID, &pool, false}, /* another's, with indexes of its own */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t start_ns = recorder_now_ns();
		struct image *image;

		make(cases[i].cct, cases[i].name, &counters[0]);
		image = open_image(&pool, cases[i].id, &handles[0]);
		count(&counters[0], averages[0].index);
		names->tset(&counters[0], LOCK_INDEX, NOW_UTIME);
		assert_int_equal(completed(image, RBDPROF_READ, start_ns) != 0, cases[i].own);
		assert_int_equal(below.events, cases[i].own);
		names->destroy(&counters[0]);
		rbd_close(&handles[0]);
	}
}

/* An image that is open twice has two groups, each its own, whichever counts first. */
static void image_that_is_open_twice(void **state)
{
	struct image *images[2];
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	for (int i = 0; i < 2; i++) {
		make(&pool, GROUP, &counters[i]);
		images[i] = open_image(&pool, ID, &handles[i]);
	}
	for (int i = 1; i >= 0; i--) {
		below_forget();
		count(&counters[i], averages[i].index);
		names->tset(&counters[i], LOCK_INDEX, NOW_UTIME);
		assert_int_equal(below_nth(BELOW_LOCK_ACQUIRED, 0)->is.image, images_number(images[i]));
		assert_int_equal(completed(images[!i], i ? RBDPROF_WRITE : RBDPROF_READ, start_ns), 0);
		assert_int_not_equal(completed(images[i], i ? RBDPROF_WRITE : RBDPROF_READ, start_ns), 0);
	}
}

static void other_handle_is_closed_first(void **state)
{
	struct image *image;
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	for (int i = 0; i < 2; i++) {
		make(&pool, GROUP, &counters[i]);
		image = open_image(&pool, ID, &handles[i]);
	}
	rbd_close(&handles[0]);
	count(&counters[0], averages[3].index); /* a close flushes */
	names->destroy(&counters[0]);
	count(&counters[1], averages[0].index);
	assert_int_equal(completed(image, RBDPROF_FLUSH, start_ns), 0);
	assert_int_not_equal(completed(image, RBDPROF_READ, start_ns), 0);
}

/* While a group is built, others register with builders of their own, under the same names. */
static void other_builders_are_not_listened_to(void **state)
{
	struct image *image;
	uint64_t start_ns;

	(void)state;
	begin(&builder, &pool, GROUP);
	names->add_time_avg(&builder, averages[0].index, averages[0].name, "latency", NULL, 0);
	names->add_time(&builder, LOCK_INDEX, "lock_acquired_time", "acquired", NULL, 0);
	names->add_time_avg(&other_builder, OTHER_INDEX, averages[0].name, "latency", NULL, 0);
	names->add_time(&other_builder, OTHER_INDEX, "lock_acquired_time", "acquired", NULL, 0);
	next = &counters[0];
	names->create(&builder);
	/* It is the last that this builder makes: what else comes is not librbd's. */
	next = &counters[1];
	names->create(&builder);
	image = open_image(&pool, ID, &handles[0]);
	start_ns = recorder_now_ns();
	count(&counters[1], averages[0].index);
	count(&counters[0], OTHER_INDEX);
	names->tset(&counters[0], OTHER_INDEX, NOW_UTIME);
	assert_int_equal(completed(image, RBDPROF_READ, start_ns), 0);
	assert_int_equal(below.events, 0);
	count(&counters[0], averages[0].index);
	assert_int_not_equal(completed(image, RBDPROF_READ, start_ns), 0);
}

/* Images are opened long before somebody records: their groups are known then, and nothing was counted. */
static void nothing_while_nobody_records(void **state)
{
	struct image *image;
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	below_start(false);
	make(&pool, GROUP, &counters[0]);
	image = open_image(&pool, ID, &handles[0]);
	count(&counters[0], averages[0].index);
	names->tset(&counters[0], LOCK_INDEX, NOW_UTIME);
	assert_int_equal(below.events, 0);
	below_start(true);
	assert_int_equal(completed(image, RBDPROF_READ, start_ns), 0);
	assert_int_equal(below.events, 0);
	count(&counters[0], averages[0].index);
	assert_int_not_equal(completed(image, RBDPROF_READ, start_ns), 0);
}

/* The address of a group that is gone may be the next one's; and what the group before counted is not that one's. */
static void address_is_another_group_s_at_once(void **state)
{
	struct image *images[2];
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	make(&pool, GROUP, &counters[0]);
	images[0] = open_image(&pool, ID, &handles[0]);
	count(&counters[0], averages[0].index);
	calls = 0;
	errno = EXDEV;
	names->destroy(&counters[0]);
	assert_int_equal(errno, EXDEV);
	assert_int_equal(calls, 1);
	count(&counters[0], averages[0].index); /* of no group now */
	make(&pool, "librbd-2b3c-rbd-other", &counters[0]);
	images[1] = open_image(&pool, "2b3c", &handles[1]);
	assert_int_equal(completed(images[1], RBDPROF_READ, start_ns), 0);
	count(&counters[0], averages[0].index);
	count(&counters[0], averages[1].index);
	assert_int_equal(completed(images[0], RBDPROF_READ, start_ns), 0);
	assert_int_not_equal(completed(images[1], RBDPROF_READ, start_ns), 0);
	assert_int_not_equal(completed(images[1], RBDPROF_WRITE, start_ns), 0);
}

/* A request may end after its image's close, when the place of the image is another's. */
static void number_of_an_image_that_is_closed(void **state)
{
	struct image *image;
	uint32_t number;
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	make(&pool, GROUP, &counters[0]);
	image = open_image(&pool, ID, &handles[0]);
	number = images_number(image);
	count(&counters[0], averages[0].index);
	count(&counters[0], averages[0].index);
	rbd_close(&handles[0]);
	assert_int_not_equal(counters_completed_ns(image, number, RBDPROF_READ, start_ns), 0);
	assert_ptr_equal(open_image(&pool, "2b3c", &handles[1]), image);
	assert_int_equal(counters_completed_ns(image, number, RBDPROF_READ, start_ns), 0);
	assert_int_equal(counters_completed_ns(NULL, number, RBDPROF_READ, start_ns), 0);
}

/* One too many counts in librbd as ever, and for nobody here; when a place is free, the next one has it. */
static void too_many_groups(void **state)
{
	struct image *image;
	uint64_t start_ns = recorder_now_ns();

	(void)state;
	for (size_t i = 0; i < MOST_GROUPS; i++)
		make(&pool, "librbd-2b3c-rbd-other", &counters[i]);
	make(&pool, GROUP, &counters[MOST_GROUPS]);
	image = open_image(&pool, ID, &handles[0]);
	count(&counters[MOST_GROUPS], averages[0].index);
	names->tset(&counters[MOST_GROUPS], LOCK_INDEX, NOW_UTIME);
	assert_int_equal(completed(image, RBDPROF_READ, start_ns), 0);
	assert_int_equal(below.events, 0);
	names->destroy(&counters[MOST_GROUPS]);
	names->destroy(&counters[7]);
	make(&pool, GROUP, &counters[MOST_GROUPS]);
	count(&counters[MOST_GROUPS], averages[0].index);
	assert_int_not_equal(completed(image, RBDPROF_READ, start_ns), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(each_kind_has_its_counter),
	    TEST(counts_come_out_in_their_order),
	    TEST(counts_before_the_request),
	    TEST(more_counts_than_there_is_room_for),
	    TEST(acquired_lock_is_said_before_the_call),
	    TEST(group_of_another),
	    TEST(image_that_is_open_twice),
	    TEST(other_handle_is_closed_first),
	    TEST(other_builders_are_not_listened_to),
	    TEST(nothing_while_nobody_records),
	    TEST(address_is_another_group_s_at_once),
	    TEST(number_of_an_image_that_is_closed),
	    TEST(too_many_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
