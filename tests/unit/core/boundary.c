/* Whole traces with what crosses the boundary below librbd, and the moments, owners and journals that the model makes of them. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

/*
 * Image 1 of client 4001, journaled, with objects of 4096 bytes. The hashes of its objects' names are Ceph's own (`ceph osd map`):
 * a7a8db3b of object 0.
 */
#define IMAGE(process, client, features)                                                                                                   \
	"1 " process " process schema=1 pid=77 comm=fio host=alpha\n"                                                                      \
	"1 " process " image image=1 client=" client " cluster=c1 pool_id=1 pool=rbd name=one id=1017716fa366 "                            \
	"prefix=rbd_data.1017716fa366 size_bytes=1048576 object_size_bytes=4096 stripe_unit_bytes=4096 stripe_count=1 features=" features  \
	"\n"                                                                                                                               \
	"1 " process " object object=1 name=rbd_header.1017716fa366\n"                                                                     \
	"1 " process " object object=2 name=journal_data.1.1017716fa366.0\n"
#define PLAIN     "1"
#define EXCLUSIVE "5"
#define JOURNALED "69"

/* 4001 owns the lock: asked for at `ask`, replied at `have`, usable at `usable`. */
#define ACQUIRE(process, number, client, watch, ask, have, usable)                                                                         \
	ask " " process " lock_call operation=9:" number " watch=" watch " lock_type=1 method=3\n" ask " " process                         \
	    " operation operation=9:" number " client=" client " pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n" have         \
	    " " process " operation_done operation=9:" number "\n" usable " " process " lock_acquired image=1\n"

static struct model *model;

static int teardown(void **unused)
{
	(void)unused;
	model_destroy(model);
	model = NULL;
	return 0;
}

static const struct image *run(const char *text)
{
	model = events_text_model(text);
	return model_image_next(model, NULL);
}

static const struct kind_stats *stats_of(uint8_t kind)
{
	return image_client_next(model_image_next(model, NULL), NULL)->stats.kinds[kind];
}

/* The one request of the kind: its phases in their order, "-" where null. */
static void check_phases(uint8_t kind, const char *want)
{
	const struct kind_stats *stats = stats_of(kind);
	char got[256] = "";
	uint64_t sum = 0;

	assert_int_equal(stats->completed, 1);
	for (unsigned phase = 0; phase < PHASE_COUNT; phase++) {
		size_t length = strlen(got);
		const struct histogram *histogram = &stats->phases[phase];

		if (histogram->count)
			snprintf(got + length, sizeof(got) - length, "%s%u", phase ? " " : "", (unsigned)histogram->sum);
		else
			snprintf(got + length, sizeof(got) - length, "%s-", phase ? " " : "");
		sum += histogram->sum;
	}
	assert_string_equal(got, want);
	assert_int_equal(sum, stats->total.sum);
}

/* Columns: s2q q2l l2j j2n n2c other c2d d2a. */
static void test_plain_write(void **unused)
{
	const struct image *image;
	const struct placement_group *group;
	char text[PLACEMENT_GROUP_TEXT];

	(void)unused;
	image = run(IMAGE("p0", "4001",
			  PLAIN) "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
				 "130 p0 sent client=4001 transaction=1 pool_id=1 placement_group=43 object_hash=0xa7a8db3b flags=0x20 "
				 "code=0x2201 extents=1 length_bytes=512\n"
				 "200 p0 complete request=1:1 c2d_ns=20\n"
				 "210 p0 reap requests=1:1\n");
	check_phases(RBDPROF_WRITE, "0 0 - 30 50 - 20 10");
	group = placement_groups_next(&image->placement_groups, NULL);
	assert_string_equal(placement_group_text(group, text), "1.2b");
	assert_int_equal(group->operations, 1);
	assert_int_equal(group->n2c.sum, 50);
	assert_null(placement_groups_next(&image->placement_groups, group));
	assert_int_equal(image->operations, 1);
	assert_null(image->ownership_is);
}

/* An old shim saw nothing below librbd: what happened there is in no named phase. */
static void test_without_boundary(void **unused)
{
	(void)unused;
	run(TEXT_IMAGE "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
		       "200 p0 complete request=1:1 c2d_ns=20 looked=1\n");
	check_phases(RBDPROF_WRITE, "- - - - - 80 20 0");
}

/* A function that the shim cannot wrap hides its moment, not the others. */
static void test_unseen(void **unused)
{
	(void)unused;
	run(IMAGE("p0", "4001", PLAIN) "50 p0 unseen function=message_encode_trace\n"
				       "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
				       "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_WRITE, "0 0 - - - 100 0 0");
}

/* Parked at 100, its client's lock usable at 150; entry sent 160, safe 180; data 185. */
static void test_parked_and_journaled(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(IMAGE("p0", "4001", JOURNALED) "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n" ACQUIRE(
	    "p0", "1", "4001", "5", "110", "130",
	    "150") "160 p0 journal_append operation=9:2 tag=1 append_bytes=600 entries=0 offsets_bytes=0 lengths_bytes=512 kinds=1\n"
		   "160 p0 operation operation=9:2 client=4001 pool_id=1 object=2 methods=journal.append kind=write tracked=1\n"
		   "180 p0 operation_done operation=9:2\n"
		   "185 p0 sent client=4001 transaction=1 pool_id=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 "
		   "length_bytes=512\n"
		   "240 p0 complete request=1:1 c2d_ns=10 looked=1\n");
	check_phases(RBDPROF_WRITE, "0 50 30 5 45 - 10 0");
	assert_int_equal(image->journal.appends, 1);
	assert_int_equal(image->journal.append_bytes, 600);
	assert_int_equal(image->journal.append.sum, 20);
	assert_int_equal(image->journal.entries, 1);
	assert_int_equal(image->journal.entries_joined, 1);
	assert_int_equal(image->journal.writes, 1);
	assert_int_equal(image->journal.writes_unjoined, 0);
	assert_int_equal(image->ownership_is->tenures, 1);
	assert_int_equal(image->ownership_is->tenure_requests.sum, 1);
}

/* The lock was usable before S: not parked. Readers of a journaled image wait as well, of another they do not. */
static void test_who_waits(void **unused)
{
#define READ_PARKED(features)                                                                                                              \
	IMAGE("p0", "4001", features)                                                                                                      \
	"100 p0 request request=1:1 image=1 kind=read length_bytes=512\n" ACQUIRE(                                                         \
	    "p0", "1", "4001", "5", "110", "130",                                                                                          \
	    "150") "160 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x10 code=0x1201 extents=1 length_bytes=512\n"      \
		   "200 p0 complete request=1:1 result=512 looked=1\n"
	(void)unused;
	run(READ_PARKED(JOURNALED));
	check_phases(RBDPROF_READ, "0 50 - 10 40 - 0 0");
	model_destroy(model);
	run(READ_PARKED(EXCLUSIVE));
	check_phases(RBDPROF_READ, "0 0 - 60 40 - 0 0");
	model_destroy(model);
	run(IMAGE("p0", "4001", EXCLUSIVE) ACQUIRE(
	    "p0", "1", "4001", "5", "10", "30",
	    "50") "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
		  "160 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"
		  "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_WRITE, "0 0 - 60 40 - 0 0");
}

/* A flush is sent nowhere: it was parked when the lock became usable while it waited. */
static void test_flush(void **unused)
{
	(void)unused;
	run(IMAGE("p0", "4001", EXCLUSIVE) "100 p0 request request=1:1 image=1 kind=flush\n" ACQUIRE(
	    "p0", "1", "4001", "5", "110", "130", "150") "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_FLUSH, "0 50 - 50 - - 0 0");
}

/* Where the moment cannot be seen, telling the others does. */
static void test_usable_by_notification(void **unused)
{
	(void)unused;
	run(IMAGE(
	    "p0", "4001",
	    EXCLUSIVE) "50 p0 unseen function=counters_tset\n"
		       "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
		       "110 p0 lock_call operation=9:1 watch=5 lock_type=1 method=3\n"
		       "110 p0 operation operation=9:1 client=4001 pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n"
		       "130 p0 operation_done operation=9:1\n"
		       "150 p0 operation operation=9:2 client=4001 pool_id=1 object=1 kind=notify tracked=1\n"
		       "150 p0 notification operation=9:2 client=4001 object=1 about=4001 what=0\n"
		       "160 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"
		       "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_WRITE, "0 50 - 10 40 - 0 0");
}

/* QoS: requests queued from 90 on, and none did any more at 170. The second is after that. */
static void test_throttled(void **unused)
{
#define SENT_AND_COMPLETE(number, at, end)                                                                                                 \
	at " p0 sent client=4001 transaction=" number " object_hash=0xa7a8db3b flags=0x10 code=0x1201 extents=1 length_bytes=512\n" end    \
	   " p0 complete request=1:" number " result=512 looked=1\n"
	(void)unused;
	run(IMAGE("p0", "4001", PLAIN) "90 p0 throttled bucket=7 wanted=1 granted=0\n"
				       "100 p0 request request=1:1 image=1 kind=read length_bytes=512\n" SENT_AND_COMPLETE("1", "160",
															   "200"));
	check_phases(RBDPROF_READ, "60 0 - 0 40 - 0 0");
	model_destroy(model);
	run(IMAGE("p0", "4001", PLAIN) "90 p0 throttled bucket=7 wanted=1 granted=0\n"
				       "95 p0 throttled bucket=7 wanted=1 granted=1\n"
				       "100 p0 request request=1:1 image=1 kind=read length_bytes=512\n" SENT_AND_COMPLETE("1", "160",
															   "200"));
	check_phases(RBDPROF_READ, "0 0 - 60 40 - 0 0");
}

/* Of nobody's request; it shows that this process's data operations can be seen. */
#define SENDS "90 p0 sent client=4001 transaction=100 object_hash=0x1 flags=0x20 code=0x2201 extents=1 length_bytes=1\n"

/* Entry and data come after C: no phase holds them. The entry was safe 70 after C. */
static void test_acknowledged_early(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(IMAGE("p0", "4001", JOURNALED) ACQUIRE(
	    "p0", "1", "4001", "5", "10", "30",
	    "50") SENDS "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
		  "105 p0 journal_append operation=9:2 tag=1 append_bytes=600 entries=0 offsets_bytes=0 lengths_bytes=512 kinds=1\n"
		  "105 p0 operation operation=9:2 client=4001 pool_id=1 object=2 methods=journal.append kind=write tracked=1\n"
		  "110 p0 complete request=1:1 looked=1\n"
		  "180 p0 operation_done operation=9:2\n"
		  "185 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n");
	check_phases(RBDPROF_WRITE, "0 0 - 10 - - 0 0");
	assert_int_equal(image->journal.after_acknowledgement.count, 1);
	assert_int_equal(image->journal.after_acknowledgement.sum, 70);
	assert_int_equal(image->journal.entries_joined, 1);
	assert_int_equal(image->journal.writes_unjoined, 0);
	assert_int_equal(image->operations, 1);
	assert_int_equal(image->ownership_is->tenure_requests.sum, 1);
}

/* A write whose entry was never seen, and one that had been made before the recording, which is not held against it. */
static void test_unjoined(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(IMAGE("p0", "4001",
			  JOURNALED) SENDS "100 p0 request_open request=2:1 image=1 kind=write offset_bytes=512 length_bytes=512 age_ns=200\n"
				     "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
				     "200 p0 complete request=1:1 looked=1\n"
				     "210 p0 complete request=2:1 looked=1\n");
	assert_int_equal(image->journal.writes, 1);
	assert_int_equal(image->journal.writes_unjoined, 1);
	/* Of the one made before nobody knows what it waited for. */
	assert_int_equal(stats_of(RBDPROF_WRITE)->phases[PHASE_OTHER].count, 1);
}

/* Where no data operation is ever seen, nobody can tell librbd's own time from the network's; a flush has no operation of its own. */
static void test_sends_unseen(void **unused)
{
	(void)unused;
	run(IMAGE("p0", "4001", PLAIN) "90 p0 operation operation=9:1 client=4001 object=2 methods=lock.get_info kind=read tracked=1\n"
				       "100 p0 request request=1:1 image=1 kind=read length_bytes=512\n"
				       "140 p0 complete request=1:1 looked=1\n"
				       "200 p0 request request=1:2 image=1 kind=flush\n"
				       "210 p0 complete request=1:2 looked=1\n");
	check_phases(RBDPROF_READ, "0 0 - - - 40 0 0");
	check_phases(RBDPROF_FLUSH, "0 0 - 10 - - 0 0");
}

static void test_resent_and_unmatched(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(
	    IMAGE("p0", "4001",
		  PLAIN) "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
			 "130 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"
			 "140 p0 sent client=4001 transaction=1 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"
			 "150 p0 sent client=4001 transaction=2 object_hash=0x77 flags=0x10 code=0x1201 extents=1 length_bytes=512\n"
			 "160 p0 sent client=4009 transaction=3 object_hash=0xa7a8db3b flags=0x20 code=0x2201 extents=1 length_bytes=512\n"
			 "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_WRITE, "0 0 - 30 70 - 0 0");
	assert_int_equal(image->operations, 1);
	assert_int_equal(image->resent, 1);
	assert_int_equal(image->unmatched_operations, 1);
	assert_int_equal(image->ambiguous_joins, 0);
}

/* Where events were dropped between S and C, what is missing may have happened. */
static void test_loss(void **unused)
{
	(void)unused;
	run(IMAGE("p0", "4001", PLAIN) "100 p0 request request=1:1 image=1 kind=write length_bytes=512\n"
				       "150 p0 lost begin_ns=120 events=1\n"
				       "200 p0 complete request=1:1 looked=1\n");
	check_phases(RBDPROF_WRITE, "- - - - - 100 0 0");
}

/* Two processes; the lock goes from one to the other. The second is a client that opened the image with functions nobody sees, and its
 * process has it open with another. */
static void test_two_processes(void **unused)
{
	const struct image *image;

	(void)unused;
	image = run(IMAGE("p0", "4001", EXCLUSIVE) IMAGE("p1", "4002", EXCLUSIVE) ACQUIRE(
	    "p0", "1", "4001", "5", "110", "130",
	    "150") "300 p0 lock_call operation=9:2 watch=5 method=4\n"
		   "300 p0 operation operation=9:2 client=4001 pool_id=1 object=1 methods=lock.unlock kind=write tracked=1\n"
		   "310 p0 operation_done operation=9:2\n"
		   "320 p1 lock_call operation=9:1 watch=6 lock_type=1 method=3\n"
		   "320 p1 operation operation=9:1 client=4003 pool_id=1 object=1 methods=lock.lock kind=write tracked=1\n"
		   "330 p1 operation_done operation=9:1\n");
	assert_int_equal(image->ownership_is->tenures, 2);
	assert_int_equal(image->ownership_is->handovers, 1);
	assert_null(model_image_next(model, image));
}

#define ASK(replies)                                                                                                                       \
	"100 p0 operation operation=9:1 client=4001 pool_id=1 object=1 kind=notify tracked=1\n"                                            \
	"100 p0 notification operation=9:1 client=4001 object=1 about=4001 what=2\n" replies "150 p0 operation_done operation=9:1\n"

/* A peer that is not traced refuses: the asker's reply tells. Of one that is traced it is its own to tell, once. */
static void test_refused_by_peer(void **unused)
{
	const struct ownership_result *result;

	(void)unused;
	result = run(IMAGE("p0", "4001", EXCLUSIVE) ASK("150 p0 notify_reply operation=9:1 client=4009 result=-30\n"))->ownership_is;
	assert_int_equal(result->refusals, 1);
	assert_int_equal(result->incidents[0].kind, INCIDENT_REFUSED);
	assert_int_equal(result->incidents[0].client, 4001);
	assert_int_equal(result->incidents[0].other, 4009);
	assert_int_equal(result->incidents[0].error, -30);
	teardown(NULL);
	result = run(IMAGE("p0", "4001", EXCLUSIVE) IMAGE("p1", "4009", EXCLUSIVE)
			 ASK("110 p1 notification client=4009 object=1 notify_id=1 notifier=4001 about=4001 what=2\n"
			     "120 p1 notify_ack client=4009 object=1 notify_id=1 result=-30 answered=1\n"
			     "150 p0 notify_reply operation=9:1 client=4009 result=-30\n"))
		     ->ownership_is;
	assert_int_equal(result->refusals, 1);
}

static void test_undecoded(void **unused)
{
	const struct undecoded *undecoded;

	(void)unused;
	run("1 p0 undecoded what=entry\n2 p0 undecoded what=lock\n3 p0 undecoded what=entry\n");
	undecoded = model_undecoded_next(model, NULL);
	assert_string_equal(undecoded->what, "entry");
	assert_int_equal(undecoded->count, 2);
	undecoded = model_undecoded_next(model, undecoded);
	assert_int_equal(undecoded->count, 1);
	assert_null(model_undecoded_next(model, undecoded));
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_plain_write, teardown),
		cmocka_unit_test_teardown(test_without_boundary, teardown),
		cmocka_unit_test_teardown(test_unseen, teardown),
		cmocka_unit_test_teardown(test_parked_and_journaled, teardown),
		cmocka_unit_test_teardown(test_who_waits, teardown),
		cmocka_unit_test_teardown(test_flush, teardown),
		cmocka_unit_test_teardown(test_usable_by_notification, teardown),
		cmocka_unit_test_teardown(test_throttled, teardown),
		cmocka_unit_test_teardown(test_acknowledged_early, teardown),
		cmocka_unit_test_teardown(test_unjoined, teardown),
		cmocka_unit_test_teardown(test_sends_unseen, teardown),
		cmocka_unit_test_teardown(test_resent_and_unmatched, teardown),
		cmocka_unit_test_teardown(test_loss, teardown),
		cmocka_unit_test_teardown(test_two_processes, teardown),
		cmocka_unit_test_teardown(test_refused_by_peer, teardown),
		cmocka_unit_test_teardown(test_undecoded, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
