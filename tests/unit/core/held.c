/* What is noted while it crosses the boundary, from whole traces as text: what went on while a request waited, and what was still going on.
 */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

/* The image of boundary.c: a7a8db3b is the hash of its object 0's name. */
#define IMAGE(features)                                                                                                                    \
	"1 p0 process schema=1 pid=77 comm=fio host=alpha\n"                                                                               \
	"1 p0 image image=1 client=4001 cluster=c1 pool_id=1 pool=rbd name=one id=1017716fa366 prefix=rbd_data.1017716fa366 "              \
	"size_bytes=1048576 object_size_bytes=4096 stripe_unit_bytes=4096 stripe_count=1 features=" features "\n"                          \
	"1 p0 object object=1 name=rbd_header.1017716fa366\n"                                                                              \
	"1 p0 object object=3 name=rbd_object_map.1017716fa366\n"
#define PLAIN     "1"
#define EXCLUSIVE "5"

/* A write from 100 to 200 of which the operation is sent at 160, C is 180 and D 200. */
#define WRITE                                                                                                                              \
	"160 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 "      \
	"length_bytes=512\n"                                                                                                               \
	"200 p0 complete request=1:1 c2d_ns=20 looked=1\n"
#define MAKE "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"

static struct model *model;
static struct band all;

static int teardown(void **unused)
{
	(void)unused;
	model_destroy(model);
	model = NULL;
	return 0;
}

/* The trace, and the sums of its client's claims. */
static const struct image *run(const char *text)
{
	const struct image *image;
	struct claimed claimed = {NULL, 0};

	model = events_text_model(text);
	image = model_image_next(model, NULL);
	claimed.claims = &image_client_next(image, NULL)->claims;
	claims_sum(&claimed, 1, 0, 1, &all);
	return image;
}

/* j2n from 100 to 160: the map is updated from 120 to 150. */
static void test_object_map(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) MAKE
	    "120 p0 operation operation=9:1 client=4001 pool_id=1 object=3 methods=rbd.object_map_update kind=write tracked=1\n"
	    "150 p0 operation_done operation=9:1\n" WRITE);
	assert_int_equal(all.ns[CLAIM_OBJECT_MAP], 30);
	assert_int_equal(all.ns[CLAIM_LIBRBD], 30);
	assert_int_equal(all.ns[CLAIM_NETWORK], 20);
}

/* The header is reread from 90 to 130. */
static void test_header(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) "90 p0 operation operation=9:1 client=4001 pool_id=1 object=1 methods=rbd.get_size kind=read tracked=1\n" MAKE
			 "130 p0 operation_done operation=9:1\n" WRITE);
	assert_int_equal(all.ns[CLAIM_REFRESH], 30);
	assert_int_equal(all.ns[CLAIM_LIBRBD], 30);
}

/* A snapshot is asked for at 110 and known to everybody at 170: 50 of j2n and 10 of n2c. */
static void test_snapshot(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) MAKE "110 p0 notification client=4001 object=1 notify_id=1 notifier=4009 about=4009 what=8\n"
			      "160 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 "
			      "code=0x2201 extents=1 length_bytes=512\n"
			      "170 p0 notification client=4001 object=1 notify_id=2 notifier=4009 about=4009 what=3\n"
			      "200 p0 complete request=1:1 c2d_ns=20 looked=1\n");
	assert_int_equal(all.ns[CLAIM_REFRESH], 60);
	assert_int_equal(all.ns[CLAIM_NETWORK], 10);
}

/* A refresh reads the image's settings from 80 to 110 and its group from 140 to 150, and between them the pool's: 50 of j2n. */
static void test_refresh_reads_the_pool(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) "80 p0 operation operation=9:1 client=4001 pool_id=1 object=1 methods=rbd.metadata_list kind=read tracked=1\n" MAKE
			 "110 p0 operation_done operation=9:1\n"
			 "140 p0 operation operation=9:2 client=4001 pool_id=1 object=1 methods=rbd.image_group_get kind=read tracked=1\n"
			 "150 p0 operation_done operation=9:2\n" WRITE);
	assert_int_equal(all.ns[CLAIM_REFRESH], 50);
	assert_int_equal(all.ns[CLAIM_LIBRBD], 10);
}

/* A write to object 0, made at `at` and sent 5 later, that the network and the OSDs take n2c for; in so much text at most. */
#define WRITE_TEXT 400
static void add_write(char *text, unsigned number, unsigned at, unsigned n2c)
{
	size_t length = strlen(text);

	snprintf(
	    text + length, WRITE_TEXT,
	    "%u p0 request request=1:%u image=1 kind=write length_bytes=512\n"
	    "%u p0 sent client=4001 transaction=%u pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 "
	    "length_bytes=512\n"
	    "%u p0 complete request=1:%u c2d_ns=0 looked=1\n",
	    at, number, at + 5, number, at + 5 + n2c, number);
}

/*
 * A hundred writes with an n2c of 10 each make the usual. Then a snapshot is known to everybody, and the next write to the same object
 * takes 60: 50 of them are its copy's. The one after that is no copy, whatever it takes.
 */
static void check_after(const char *notifications, uint64_t want_ns)
{
	static char text[103 * WRITE_TEXT];

	snprintf(text, sizeof(text), "%s", IMAGE(PLAIN));
	for (unsigned number = 1; number <= 100; number++)
		add_write(text, number, 100 * number, 10);
	strcat(text, notifications);
	add_write(text, 101, 20100, 60);
	add_write(text, 102, 20200, 60);
	run(text);
	assert_int_equal(all.count, 102);
	assert_int_equal(all.ns[CLAIM_REFRESH], want_ns);
	model_destroy(model);
	model = NULL;
}

static void test_copying(void **unused)
{
	(void)unused;
	check_after("20000 p0 notification client=4001 object=1 notify_id=1 notifier=4009 about=4009 what=8\n"
		    "20010 p0 notification client=4001 object=1 notify_id=2 notifier=4009 about=4009 what=3\n",
		    50);
	check_after("20000 p0 operation operation=9:1 client=4001 pool_id=1 object=1 methods=rbd.snapshot_add kind=write tracked=1\n"
		    "20010 p0 operation_done operation=9:1\n",
		    50);
	/* The header changed, and not by a snapshot. */
	check_after("20010 p0 notification client=4001 object=1 notify_id=2 notifier=4009 about=4009 what=3\n", 0);
}

#define ASK                                                                                                                                \
	"110 p0 operation operation=9:1 client=4001 pool_id=1 object=1 kind=notify tracked=1\n"                                            \
	"110 p0 notification operation=9:1 client=4001 object=1 about=4001 what=2\n"

/* The owner was asked at 110 and had not answered at 2 000 000 100, when the trace ends: its silence has all but the first 10. */
static void test_silent_at_the_end(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(IMAGE(EXCLUSIVE) MAKE ASK "2000000100 p0 totals emitted=8\n");
	assert_int_equal(all.count, 1);
	assert_int_equal(all.total_ns, 2000000000);
	assert_int_equal(all.ns[CLAIM_LOCK_SILENT], 2000000000 - 10);
	assert_int_equal(all.ns[CLAIM_LOCK_TAKEN], 10);
	assert_int_equal(coverage_last(&image->silent)->begin_ns, 110);
}

/* Half a second is no silence yet. */
static void test_asked_lately(void **unused)
{
	(void)unused;
	assert_null(coverage_last(&run(IMAGE(EXCLUSIVE) MAKE ASK "500000100 p0 totals emitted=8\n")->silent));
	assert_int_equal(all.ns[CLAIM_LOCK_TAKEN], 500000000);
}

/*
 * The write waits for the lock from 100 on; it is asked for at 110, and one of the clients is silent for five seconds. The lock is usable
 * at 5 000 000 130, and the operation sent 10 later.
 */
#define UNANSWERED(silent)                                                                                                                 \
	ASK "5000000110 p0 notify_reply operation=9:1 client=" silent " result=-110\n"                                                     \
	    "5000000110 p0 operation_done operation=9:1 result=-110\n"                                                                     \
	    "5000000120 p0 lock_call operation=9:2 watch=5 lock_type=1 method=3\n"                                                         \
	    "5000000120 p0 operation operation=9:2 client=4001 pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n"                \
	    "5000000125 p0 operation_done operation=9:2\n"                                                                                 \
	    "5000000130 p0 lock_acquired image=1\n"                                                                                        \
	    "5000000140 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 code=0x2201 "     \
	    "extents=1 length_bytes=512\n"                                                                                                 \
	    "5000000160 p0 complete request=1:1 c2d_ns=0 looked=1\n"
#define OWNER "50 p0 notification client=4001 object=1 notify_id=7 notifier=4009 about=4009 what=0\n"

/* The owner, 4009: its silence has the five seconds. Another: then they are the notification's. */
static void test_unanswered(void **unused)
{
	(void)unused;
	run(IMAGE(EXCLUSIVE) OWNER MAKE UNANSWERED("4009"));
	assert_int_equal(all.ns[CLAIM_LOCK_SILENT], 5000000000);
	assert_int_equal(all.ns[CLAIM_NOTIFY], 0);
	teardown(NULL);
	run(IMAGE(EXCLUSIVE) OWNER MAKE UNANSWERED("4010"));
	assert_int_equal(all.ns[CLAIM_NOTIFY], 5000000000);
	assert_int_equal(all.ns[CLAIM_LOCK_SILENT], 0);
}

/* The owner answers at 130 that it will give the lock up; the client tries to take it ten seconds later. `between` happens meanwhile. */
#define PROMISED(between)                                                                                                                  \
	ASK "130 p0 operation_done operation=9:1\n" between "10000000130 p0 lock_call operation=9:2 watch=5 lock_type=1 method=3\n"        \
	    "10000000130 p0 operation operation=9:2 client=4001 pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n"               \
	    "10000000135 p0 operation_done operation=9:2\n"                                                                                \
	    "10000000140 p0 lock_acquired image=1\n"                                                                                       \
	    "10000000150 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 code=0x2201 "    \
	    "extents=1 length_bytes=512\n"                                                                                                 \
	    "10000000170 p0 complete request=1:1 c2d_ns=0 looked=1\n"

/* It never says that it has: it was silent all the time. It says so: it was slow. */
static void test_promised(void **unused)
{
	(void)unused;
	run(IMAGE(EXCLUSIVE) MAKE PROMISED(""));
	assert_int_equal(all.ns[CLAIM_LOCK_SILENT], 10000000000);
	teardown(NULL);
	run(IMAGE(EXCLUSIVE)
		MAKE PROMISED("9000000000 p0 notification client=4001 object=1 notify_id=8 notifier=4009 about=4009 what=1\n"));
	assert_int_equal(all.ns[CLAIM_LOCK_SILENT], 0);
}

/* Sent at 160 and not answered when the trace ends, at 1000: 60 of j2n and 840 of n2c. Less than a stall. */
static void test_sent_at_the_end(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) MAKE
	    "160 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 code=0x2201 "
	    "extents=1 length_bytes=512\n"
	    "1000 p0 totals emitted=8\n");
	assert_int_equal(all.ns[CLAIM_LIBRBD], 60);
	assert_int_equal(all.ns[CLAIM_NETWORK], 840);
	assert_int_equal(all.total_ns, 900);
}

/* Complete, and not looked at when the trace ends: nobody knows when it would have been. */
static void test_not_looked_at(void **unused)
{
	(void)unused;
	run(IMAGE(PLAIN) MAKE "200 p0 complete request=1:1 c2d_ns=20\n1000 p0 totals emitted=8\n");
	assert_int_equal(all.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_object_map, teardown),    cmocka_unit_test_teardown(test_header, teardown),
	    cmocka_unit_test_teardown(test_snapshot, teardown),      cmocka_unit_test_teardown(test_refresh_reads_the_pool, teardown),
	    cmocka_unit_test_teardown(test_copying, teardown),       cmocka_unit_test_teardown(test_silent_at_the_end, teardown),
	    cmocka_unit_test_teardown(test_asked_lately, teardown),  cmocka_unit_test_teardown(test_unanswered, teardown),
	    cmocka_unit_test_teardown(test_promised, teardown),      cmocka_unit_test_teardown(test_sent_at_the_end, teardown),
	    cmocka_unit_test_teardown(test_not_looked_at, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
