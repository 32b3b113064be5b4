/* How one request's time is divided among claims, first come first served, and the sums by how long requests took. */
#include "tests/unit/core/test.h"

#include <errno.h>

#include "analyzer/core/claims.h"
#include "analyzer/core/images.h"
#include "analyzer/core/requests.h"

static struct claims claims;
static struct coverage notifying, silent;
static struct image image;
static struct client client;
static struct process process;
static struct request request;

/* A write from 0 to 250: S 0, Q 10, L 40, J 60, N 100, C 200, D 220, A 250. */
static int setup(void **unused)
{
	static const uint64_t at_ns[MOMENT_COUNT] = {0, 10, 40, 60, 100, 200, 220, 250};

	(void)unused;
	image = (struct image){.snapshot = "", .features = IMAGE_EXCLUSIVE_LOCK};
	client = (struct client){.image = &image};
	request = (struct request){.client = &client, .kind = RBDPROF_WRITE};
	for (enum moment moment = 0; moment < MOMENT_COUNT; moment++)
		moments_set(&request.moments, moment, at_ns[moment]);
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	claims_fini(&claims);
	coverage_fini(&notifying);
	coverage_fini(&silent);
	return 0;
}

/* What the request's time is divided into: each claim that has some, in the table's order. */
static void check_division(const char *want)
{
	static const char *const names[] = {
#define CLAIM(upper) #upper,
	    CLAIMS(CLAIM)
#undef CLAIM
	};
	struct claimed all = {&claims, 0};
	char got[256] = "";
	uint64_t sum_ns = 0;
	struct band band;

	assert_int_equal(claims_add(&claims, &request, &notifying, &silent), 0);
	claims_sum(&all, 1, 0, 1, &band);
	for (unsigned claim = 0; claim < CLAIM_COUNT; claim++) {
		size_t length = strlen(got);

		sum_ns += band.ns[claim];
		if (band.ns[claim])
			snprintf(got + length, sizeof(got) - length, "%s%s %u", length ? ", " : "", names[claim], (unsigned)band.ns[claim]);
	}
	assert_string_equal(got, want);
	assert_int_equal(band.count, 1);
	assert_int_equal(sum_ns, band.total_ns);
	assert_int_equal(sum_ns, 250);
}

static void add(struct coverage *coverage, uint64_t begin_ns, uint64_t end_ns)
{
	assert_int_equal(coverage_add(coverage, begin_ns, end_ns), 0);
}

static void test_phases(void **unused)
{
	(void)unused;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

/* q2l, 10 to 40: the owner silent from 25, the notification from 20 to 30 has 10 of the 15 that are left, the rest is the peer's. */
static void test_lock(void **unused)
{
	(void)unused;
	request.held.origin = LOCK_OF_PEER;
	add(&notifying, 20, 30);
	add(&silent, 25, 45);
	check_division("QOS 10, NOTIFY 10, LOCK_SILENT 15, LOCK_PEER 5, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

/* A lock that was broken: all of q2l is its owner's. */
static void test_broken(void **unused)
{
	(void)unused;
	request.held.origin = LOCK_BROKEN;
	add(&notifying, 20, 30);
	check_division("QOS 10, LOCK_SILENT 30, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

/* j2n, 60 to 100: a snapshot 10, the header 15 of [65, 80] of which 5 are the snapshot's, the map 5 of [90, 95]. */
static void test_librbd(void **unused)
{
	(void)unused;
	add(&claims.changing, 60, 70);
	add(&claims.refreshing, 65, 80);
	add(&claims.updating, 90, 95);
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, REFRESH 25, OBJECT_MAP 5, LIBRBD 10, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

/*
 * Tried at 70 and sent with the copy at 100: half of 30 is the attempt, half is reading the parent, and n2c is the copy's. A snapshot
 * from 60 to 80 leaves 20 of j2n, which both then share.
 */
static void test_copyup(void **unused)
{
	(void)unused;
	request.held.first_sent_ns = 70;
	request.held.copied = 1;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, COPYUP 115, LIBRBD 10, NETWORK 15, CALLBACK 20, APPLICATION 30");
	claims_fini(&claims);
	add(&claims.changing, 60, 80);
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, REFRESH 20, COPYUP 110, NETWORK 10, CALLBACK 20, APPLICATION 30");
}

/* n2c, 100 to 200: a snapshot until 110, sent again at 130, which is 30 from 100 on, a stall of 20; and in j2n a pause of 25. */
static void test_network(void **unused)
{
	(void)unused;
	add(&claims.changing, 100, 110);
	add(&claims.cut, 70, 95);
	add(&claims.stalls.standing, 150, 170);
	request.held.resent_ns = 130;
	check_division(
	    "QOS 10, LOCK_TAKEN 30, JOURNAL 20, REFRESH 10, LIBRBD 15, RESENT 55, STALLED 20, NETWORK 40, CALLBACK 20, APPLICATION 30");
}

/* A cache would have hidden half of j2n and n2c of a write … */
static void test_writethrough(void **unused)
{
	(void)unused;
	claims.cached = 1;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 20, WRITETHROUGH 120, CALLBACK 20, APPLICATION 30");
}

/* … after a flush it does, and what it does not hide is the OSDs'; and it hides no read. */
static void test_flushed(void **unused)
{
	(void)unused;
	claims.cached = claims.flushed = 1;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
	claims_fini(&claims);
	claims.cached = 1;
	request.kind = RBDPROF_READ;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

/*
 * A write that is complete before anything is sent for it: j2n ends with C, and is no queue of librbd's. The same of a read. A flush waits
 * for others in librbd.
 */
static void test_in_cache(void **unused)
{
	static const uint64_t at_ns[MOMENT_COUNT] = {0, 10, 40, 60, 0, 200, 220, 250};

	(void)unused;
	request.moments = (struct moments){.observable = 1 << MOMENT_N};
	for (enum moment moment = 0; moment < MOMENT_COUNT; moment++)
		if (moment != MOMENT_N)
			moments_set(&request.moments, moment, at_ns[moment]);
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, CACHE 140, CALLBACK 20, APPLICATION 30");
	claims_fini(&claims);
	request.kind = RBDPROF_READ;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, CACHE 140, CALLBACK 20, APPLICATION 30");
	claims_fini(&claims);
	request.kind = RBDPROF_FLUSH;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 140, CALLBACK 20, APPLICATION 30");
}

/* Early ones take 200 µs. */
static void complete_writes(unsigned quick, unsigned early, unsigned late)
{
	struct request write = {.kind = RBDPROF_WRITE, .length_bytes = 4096, .process = &process};

	claims_fini(&claims);
	claims.cached = 1;
	moments_set(&write.moments, MOMENT_S, 0);
	moments_set(&write.moments, MOMENT_C, 90000);
	for (unsigned i = 0; i < quick; i++)
		claims_completed(&claims, &write);
	moments_set(&write.moments, MOMENT_C, 200000);
	for (unsigned i = 0; i < early; i++)
		claims_completed(&claims, &write);
	moments_set(&write.moments, MOMENT_N, 1);
	for (unsigned i = 0; i < late; i++)
		claims_completed(&claims, &write);
}

/* The program flushed before the recording began: its writes are complete before anything is sent, and only the odd one is without a flush.
 */
static void test_flushed_before(void **unused)
{
	(void)unused;
	complete_writes(0, 15, 0);
	assert_int_equal(claims.flushed, 0);
	complete_writes(0, 16, 0);
	assert_int_equal(claims.flushed, 1);
	complete_writes(12, 3, 100);
	assert_int_equal(claims.flushed, 0);
	complete_writes(16, 0, 1000); /* the cache was full most of the time */
	assert_int_equal(claims.flushed, 1);
}

/* Neither what failed, nor what has no bytes, nor what began before the recording, nor a process of which events were lost tells anything.
 */
static void test_flushed_is_not_known(void **unused)
{
	struct process lossy = {.health.lost_events = 1};
	struct request odd[] = {
	    {.kind = RBDPROF_WRITE, .length_bytes = 4096, .process = &process, .result = -EIO},
	    {.kind = RBDPROF_WRITE, .process = &process},
	    {.kind = RBDPROF_WRITE, .length_bytes = 4096, .process = &process, .announced = 1},
	    {.kind = RBDPROF_WRITE, .length_bytes = 4096, .process = &lossy},
	    {.kind = RBDPROF_DISCARD, .length_bytes = 4096, .process = &process},
	};

	(void)unused;
	for (unsigned i = 0; i < 100; i++)
		claims_completed(&claims, &odd[i % 5]);
	assert_int_equal(claims.flushed, 0);
	claims_completed(&claims, &(struct request){.kind = RBDPROF_FLUSH, .result = -EIO});
	assert_int_equal(claims.flushed, 0);
	assert_int_equal(claims.flushed_ns, 0);
	for (uint64_t c_ns = 7; c_ns < 9; c_ns++) {
		struct request flush = {.kind = RBDPROF_FLUSH};

		moments_set(&flush.moments, MOMENT_C, c_ns);
		claims_completed(&claims, &flush);
	}
	assert_int_equal(claims.flushed, 1);
	assert_int_equal(claims.flushed_ns, 7); /* the first one's */
}

static void test_refused(void **unused)
{
	(void)unused;
	request.result = -EROFS;
	check_division("REFUSED 200, CALLBACK 20, APPLICATION 30");
	claims_fini(&claims);
	client.read_only = 1;
	check_division("QOS 10, LOCK_TAKEN 30, JOURNAL 20, LIBRBD 40, NETWORK 100, CALLBACK 20, APPLICATION 30");
}

static void pass(uint64_t total_ns, unsigned times)
{
	request.moments = (struct moments){.known = 0};
	moments_set(&request.moments, MOMENT_S, 0);
	for (enum moment moment = MOMENT_C; moment <= MOMENT_A; moment++)
		moments_set(&request.moments, moment, total_ns);
	while (times--)
		assert_int_equal(claims_add(&claims, &request, &notifying, &silent), 0);
}

/* Of ten, 4 take 100, 4 take 1000 and 2 take 10 000: around the p50 (the 5th and 6th) are those of 1000, around the p99 the last two. */
static void test_bands(void **unused)
{
	struct claimed list = {&claims, 0};
	struct band band;

	(void)unused;
	pass(100, 4);
	pass(1000, 4);
	pass(10000, 2);
	claims_sum(&list, 1, 0.4, 0.6, &band);
	assert_int_equal(band.count, 4);
	assert_int_equal(band.total_ns, 4000);
	claims_sum(&list, 1, 0.98, 0.995, &band);
	assert_int_equal(band.count, 2);
	assert_int_equal(band.total_ns, 20000);
	claims_sum(&list, 1, 0, 1, &band);
	assert_int_equal(band.total_ns, 24400);
}

/* Two clients, of one of which the callbacks' threads can do no more. */
static void test_saturated(void **unused)
{
	struct claims other = {0};
	struct claimed list[] = {{&claims, 0}, {&other, 1}};
	struct band band;

	(void)unused;
	assert_int_equal(claims_add(&claims, &request, &notifying, &silent), 0);
	moments_set(&request.moments, MOMENT_D, 230);
	assert_int_equal(claims_add(&other, &request, &notifying, &silent), 0);
	claims_sum(list, 2, 0, 1, &band);
	assert_int_equal(band.ns[CLAIM_CALLBACK], 20);
	assert_int_equal(band.ns[CLAIM_SATURATED], 30);
	assert_int_equal(band.total_ns, 500);
	claims_fini(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_phases, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_librbd, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_copyup, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_network, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_writethrough, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_flushed, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_in_cache, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_flushed_before, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_flushed_is_not_known, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_bands, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_saturated, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
