/* The text report, whole: a change of it is to be looked at and pasted here. Numbers: report.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"
#include "tests/unit/analyzer/owned.h"
#include "tests/unit/analyzer/report.h"
#include "tests/unit/analyzer/rows.h"
#include "tests/unit/core/events_text.h"

/* Its verdict: of all requests' time, 2 × 2.5 + 0.5 ms, callbacks are 2 × 0.5: 18 %, and a fifth of each write; 3 requests in 5.5 ms: 545. */
static const char golden[] =
    "Recording /data/slow\n"
    "  command    fio --name=t\n"
    "  recorded   1970-01-02 00:00:00 UTC, for 7.25 s, exit status 0\n"
    "  2 processes wanted to be traced and could not be: buffers were in use by others\n"
    "  process    fio, pid 77, on alpha\n"
    "  events     over 6.50 ms\n"
    "\n"
    "Image rbd/one, 64 MiB in objects of 4 MiB\n"
    "  callback-slow: the program's callbacks hold completions up: 18 % of the requests' time lies between librbd's completion and the callback's\n"
    "  return, 500 µs (p50)\n"
    "  seen       18 % of the requests' time on average, 20 % of those around their p50, 20 % around their p99; requests completed a second, of\n"
    "             all clients: 545\n"
    "  or         one-thread-saturated: this trace cannot tell\n"
    "  do         do not wait in a completion's callback: librbd calls them one after the other, so each delays all that are behind it\n"
    "             hand the completion to a thread of your own, or use rbd_set_image_notification() and rbd_poll_io_events()\n"
    "  features   layering, exclusive-lock, journaling\n"
    "  cluster    c1\n"
    "  Ceph       16.2.15\n"
    "\n"
    "  Client 4001 (fio, pid 77), opened in 12.0 ms: in flight 0.636 mean, 1 max\n"
    "\n"
    "    write: 2 completed, 0 failed, 500 IOPS, 1.95 MiB/s, 4 KiB each on average\n"
    "    time of one request                      of total     mean      p50      p90      p99    p99.9      max\n"
    "    latency  call to librbd's completion       60.0 %  1.50 ms  1.50 ms  1.50 ms  1.50 ms  1.50 ms  1.50 ms\n"
    "    c2d      the program's callback            20.0 %   500 µs   500 µs   500 µs   500 µs   500 µs   500 µs\n"
    "    d2a      until the program looked          20.0 %   500 µs   500 µs   500 µs   500 µs   500 µs   500 µs\n"
    "    total    call until the program looked    100.0 %  2.50 ms  2.50 ms  2.50 ms  2.50 ms  2.50 ms  2.50 ms\n"
    "\n"
    "    flush: 1 completed, 1 failed, latency 500 µs, total 500 µs\n"
    "\n"
    "Contended locks, by time waited (2 of 2)\n"
    "  lock                                 kind      n   acquired contended   waited      p50      p99       hold  requests   by p50   by p99\n"
    "  unknown lock 0x1000                  mutex     1          -         2  40.0 µs  10.0 µs  30.0 µs          -         0        -        -\n"
    "  unknown lock 0x2000                  read      1          -         1  5.00 µs  5.00 µs  5.00 µs          -         0        -        -\n"
    "\n"
    "How far to trust this\n"
    "  events     16 read, 0 lost, 0 unaccounted for, 0 calls not recorded\n"
    "  anomalies  1: unreadable 1\n"
    "             DIR: torn\n"
    "  operations 0 carry requests, 0 carry none (replay, copy-up …), 0 sent again, 0 joined ambiguously\n"
    "  undecoded  0 payloads\n"
    "  not seen   1 function: rbd_aio_of_tomorrow\n";

/*
 * Its verdicts: each write of 10 ms waited 8 for the lock and 1 for the journal. Without the lock one takes 2 ms: 2 in flight would be 1000 a
 * second, told from 1 to 2.45 times that, since none was made while its client had the lock. Of 16 ms at the OSDs 12 are appends, three
 * quarters of them of the three other requests in flight: the journal has 0.5625 of the 2 ms behind the lock. 50 MiB were read back in 4
 * acquisitions: 12.5 each.
 */
/* clang-format off */
static const char golden_owned[] =
    "  process    fio, pid 77, on alpha\n"
    "  events     over 1.20 s\n"
    "\n"
    "Image rbd/one, 64 MiB in objects of 4 MiB\n"
    "  exclusive-lock-pingpong: 2 clients take the exclusive lock from each other 3.00 times a second: 80 % of their requests' time is waiting\n"
    "  for it; one handover takes 200 ms (p50), most of it replay\n"
    "  seen       80 % of the requests' time on average, 80 % of those around their p50, 80 % around their p99; one handover, p90: 300 ms; that\n"
    "             step, of all handovers' time: 60 %; one tenure, p50: 100 ms; requests served in a tenure, mean: 2.50; journal read back in a\n"
    "             handover, mean: 12.5 MiB; the journal's part of all handovers' time: 60 %\n"
    "  do         use one image per writer, or let one client do all the writing with a deeper queue\n"
    "             to keep a second writer out, let the first hold the lock: rbd map --exclusive, or rbd_lock_acquire()\n"
    "             each handover reads back the open journal objects (12.5 MiB on average): smaller ones keep it short (rbd create\n"
    "             --journal-object-size 1M; for an existing image disable journaling and enable it again so)\n"
    "             without journaling readers need no lock and handovers are short: rbd feature disable IMAGE journaling, which ends journal-based\n"
    "             mirroring\n"
    "  would give 1000 to 2450 IOPS with one-client\n"
    "  journal: each write goes to the journal before it goes to its object: that is 11 % of the requests' time, 2.00 ms an append (p50), 1.50\n"
    "  appends a write\n"
    "  seen       11 % of the requests' time on average, 11 % of those around their p50, 11 % around their p99; requests completed a second, of\n"
    "             all clients: 400\n"
    "  do         put the journal on a faster pool: rbd feature enable IMAGE journaling --journal-pool POOL\n"
    "             if the journal only serves mirroring, mirror by snapshots: rbd mirror image enable IMAGE snapshot, and rbd feature disable\n"
    "             IMAGE journaling\n"
    "             flush now and then (fsync): librbd gathers appends only after the first flush\n"
    "  features   layering, exclusive-lock, journaling\n"
    "  cluster    c1\n"
    "  Ceph       16.2.15\n"
    "\n"
    "  Exclusive lock: 4 tenures of 2 clients, 3 handovers (3.00 a second; 1 back to the same client), 5 refused attempts\n"
    "    of the time between the first completion and the last, 40.0 % is serving requests and 60.0 % is handing over\n"
    "\n"
    "    tenures and handovers                                             count              mean      p50      p90      p99    p99.9      max\n"
    "    tenure     lock.lock granted until lock.unlock                        4            195 ms   100 ms   480 ms   480 ms   480 ms   480 ms\n"
    "      asked    usable until another client asks for it                    3           20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms  20.0 ms\n"
    "      drain    from then until lock.unlock                                3           5.00 ms  5.00 ms  5.00 ms  5.00 ms  5.00 ms  5.00 ms\n"
    "      requests complete in one tenure                                     4              2.50     2.00     4.00     4.00     4.00     4.00\n"
    "      bytes    of these requests                                          4             8 KiB    8 KiB    8 KiB    8 KiB    8 KiB    8 KiB\n"
    "    handover   last completion until the next owner's first               3            200 ms   200 ms   300 ms   300 ms   300 ms   300 ms\n"
    "\n"
    "    what a handover is made of                                      seen in of total     mean      p50      p90      p99    p99.9      max\n"
    "    unlock           old owner: lock.unlock                               3    5.0 %  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms\n"
    "    replay           new owner: reads journal objects back                2   60.0 %   120 ms   110 ms   250 ms   250 ms   250 ms   250 ms\n"
    "    first_completion until the first request is complete                  3   35.0 %  70.0 ms  80.2 ms  90.0 ms  90.0 ms  90.0 ms  90.0 ms\n"
    "\n"
    "    owner                              time  of recording  tenures\n"
    "    4001 (fio, pid 77)               600 ms        50.0 %        3\n"
    "    4002 (fio, pid 77)               480 ms        40.0 %        1\n"
    "    nobody                           120 ms        10.0 %\n"
    "\n"
    "    who owned it most, in steps of 10.0 ms\n"
    "          4001              ████████████████████████████████████████████████████████████\n"
    "          4002                                                                          ████████████████████████████████████████████████\n"
    "        nobody  ████████████\n"
    "                |0                            |300 ms                       |600 ms                       |900 ms                1.20 s|\n"
    "\n"
    "    incidents: 1 broken, 1 watch lost, 2 refused, 1 not answered by all in time\n"
    "      at   400 ms  client 4002 asked for the lock and not everybody answered in time, with the lock at client 4001: Connection timed out,\n"
    "                   after 5.00 s\n"
    "      at   500 ms  client 4001 lost its watch on the image: Transport endpoint is not connected\n"
    "      at   600 ms  client 4002 broke the lock of client 4001, after 90.0 ms\n"
    "      at   800 ms  client 4001 asked for the lock and was refused by client 4002: Read-only file system, after up to 105 ms; 2 times until\n"
    "                   900 ms\n"
    "\n"
    "  Journal: 6 appends, 3.00 a second, 1.50 a write, 4.10 KiB each on average, 24.6 KiB in all\n"
    "    6 entries of requests, 5 joined to theirs; 1 of 4 writes without all of their entries\n"
    "    2 commits, 4 tags, 1 append repeated elsewhere since a journal object was full\n"
    "    replay: 50 MiB read back in 8 reads\n"
    "\n"
    "    journal                                                           count              mean      p50      p90      p99    p99.9      max\n"
    "    append   journal.append, until it is safe                             6           2.00 ms  2.00 ms  2.00 ms  2.00 ms  2.00 ms  2.00 ms\n"
    "    late     acknowledged request until its entries are safe              1           3.00 ms  3.00 ms  3.00 ms  3.00 ms  3.00 ms  3.00 ms\n"
    "\n"
    "                                                        time of replay        of the whole handover\n"
    "    read back by the new owner  handovers       mean      p50      max       mean      p50      max\n"
    "    nothing                             1       0 ns     0 ns     0 ns     100 ms   100 ms   100 ms\n"
    "    8 MiB to 16 MiB                     1     110 ms   110 ms   110 ms     200 ms   200 ms   200 ms\n"
    "    32 MiB to 64 MiB                    1     250 ms   250 ms   250 ms     300 ms   300 ms   300 ms\n"
    "    Each new owner reads the journal's current objects as a whole, however little of them it needs. Smaller objects keep that short:\n"
    "      a new image      rbd create --journal-object-size 1M ...\n"
    "      this one         rbd feature disable rbd/one journaling, then\n"
    "      when not in use  rbd feature enable rbd/one journaling --journal-object-size 1M\n"
    "\n"
    "  Client 4001 (fio, pid 77): in flight 2.00 mean, 2 max\n"
    "\n"
    "    write: 2 completed, 0 failed, 200 IOPS, 800 KiB/s, 4 KiB each on average\n"
    "    time of one request                      of total     mean      p50      p90      p99    p99.9      max\n"
    "    latency  call to librbd's completion      100.0 %  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms\n"
    "      q2l    waiting for the exclusive lock    80.0 %  8.00 ms  8.00 ms  8.00 ms  8.00 ms  8.00 ms  8.00 ms\n"
    "      l2j    until its journal entry is safe   10.0 %  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms\n"
    "      n2c    network, OSDs and the way back    10.0 %  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms\n"
    "    c2d      the program's callback             0.0 %     0 ns     0 ns     0 ns     0 ns     0 ns     0 ns\n"
    "    d2a      until the program looked           0.0 %     0 ns     0 ns     0 ns     0 ns     0 ns     0 ns\n"
    "    total    call until the program looked    100.0 %  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms\n"
    "\n"
    "  Client 4002 (fio, pid 77): in flight 2.00 mean, 2 max\n"
    "\n"
    "    write: 2 completed, 0 failed, 200 IOPS, 800 KiB/s, 4 KiB each on average\n"
    "    time of one request                      of total     mean      p50      p90      p99    p99.9      max\n"
    "    latency  call to librbd's completion      100.0 %  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms\n"
    "      q2l    waiting for the exclusive lock    80.0 %  8.00 ms  8.00 ms  8.00 ms  8.00 ms  8.00 ms  8.00 ms\n"
    "      l2j    until its journal entry is safe   10.0 %  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms\n"
    "      n2c    network, OSDs and the way back    10.0 %  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms  1.00 ms\n"
    "    c2d      the program's callback             0.0 %     0 ns     0 ns     0 ns     0 ns     0 ns     0 ns\n"
    "    d2a      until the program looked           0.0 %     0 ns     0 ns     0 ns     0 ns     0 ns     0 ns\n"
    "    total    call until the program looked    100.0 %  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms  10.0 ms\n"
    "\n"
    "  Placement groups: 1 of 4 stands out\n"
    "    n2c by group     requests      p50      p99\n"
    "    2.1f                   20  9.00 ms  9.00 ms\n"
    "    median group               4.00 ms  4.00 ms\n"
    "\n"
    "Contended locks: none\n"
    "\n"
    "How far to trust this\n"
    "  events     13 read, 0 lost, 0 unaccounted for, 0 calls not recorded\n"
    "  anomalies  0\n"
    "  operations 61 carry requests, 8 carry none (replay, copy-up …), 2 sent again, 3 joined ambiguously\n"
    "  undecoded  1 payload: lock_info 1\n"
    "  not seen   0 functions\n";
/* clang-format on */

/* Compares line by line; prints the new text as C when it differs. */
static void check_text(const char *text, const char *wanted)
{
	if (strcmp(text, wanted) == 0)
		return;
	printf("the report is now:\n");
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		printf("\t\"%.*s\\n\"\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	fail();
}

static char *write_text(const char *events, struct report *report)
{
	struct model *model = events_text_model(events);
	char *text;

	report->model = model;
	text = rows_write(report, text_write);
	model_destroy(model);
	return text;
}

static void test_golden(void **unused)
{
	static const char *const problems[] = {"DIR: torn"};
	struct recording recording = {
	    .folder = (char[]){"/data/slow"},
	    .command = (char[]){"fio --name=t"},
	    .begin_ns = 86400ll * 1000000000, /* 2 January 1970, 0:00 UTC */
	    .end_ns = 86400ll * 1000000000 + 7250000000,
	    .status = 0,
	    .processes_refused = 2,
	};
	struct report report = {.recordings = &recording, .recording_count = 1, .problems = problems, .problem_count = 1};
	char *text = write_text(REPORT_EVENTS, &report);

	(void)unused;
	check_text(text, golden);
	free(text);
}

static char *write_owned(owned_change *change)
{
	struct report report = {.model = owned_model(change)};
	char *text = rows_write(&report, text_write);

	owned_done();
	return text;
}

static void test_owned(void **unused)
{
	char *text = write_owned(NULL);

	(void)unused;
	check_text(text, golden_owned);
	free(text);
}

#define CACHED                                                                                                                             \
	TEXT_IMAGE "1 p0 config image=1 option=rbd_cache value=true\n1 p0 config image=1 option=rbd_cache_writethrough_until_flush value=true\n"
#define WRITE(n) #n " p0 request request=1:" #n " image=1 kind=write length_bytes=4096\n" #n " p0 complete request=1:" #n " looked=1\n"
#define FOUR(n)  WRITE(n##0) WRITE(n##1) WRITE(n##2) WRITE(n##3)

static void check_cache(const char *events, const char *line)
{
	struct report report = {0};
	char *text = write_text(events, &report);

	if (line)
		assert_non_null(strstr(text, line));
	else
		assert_null(strstr(text, "cache:"));
	free(text);
}

#define LATE                                                                                                                               \
	"5000 p0 process schema=1 pid=77\n5000 p0 image image=1 client=4001 cluster=c1 pool_id=2 pool=rbd name=one id=10ab\n"              \
	"5000 p0 config image=1 option=rbd_cache value=true\n"                                                                             \
	"5000 p0 config image=1 option=rbd_cache_writethrough_until_flush value=true\n"                                                    \
	"5001 p0 request_open request=1:1 image=1 kind=flush age_ns=4000\n6000 p0 complete request=1:1 c2d_ns=3000 looked=1\n"         \
	"7000 p0 request request=1:2 image=1 kind=write length_bytes=4096\n8000 p0 complete request=1:2 looked=1\n"

/* A flush in the recording, which began at 1; one that was complete before it began; none; none, but 16 writes with nothing sent for them,
 * which only a cache in use completes. */
static void test_cache(void **unused)
{
	(void)unused;
	check_cache(CACHED WRITE(10) "20 p0 request request=1:20 image=1 kind=flush\n4000001 p0 complete request=1:20 looked=1\n",
		    "    cache: first flush seen 4.00 ms after the trace began; 1 of 1 writes complete before anything was sent for them\n");
	check_cache(LATE, "    cache: first flush seen 0 ns after the trace began; 1 of 1 writes complete");
	check_cache(CACHED FOUR(1) FOUR(2) FOUR(3) WRITE(40) WRITE(41) WRITE(42),
		    "    cache: no flush yet, so that it writes through; 15 of 15 writes complete");
	check_cache(CACHED FOUR(1) FOUR(2) FOUR(3) FOUR(4), "    cache: no flush seen, but there was one before; 16 of 16 writes complete");
	check_cache(REPORT_EVENTS, NULL);
}

/* No line is wider than a terminal is taken to be. */
static void check_width(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t width = 0;

		for (const char *at = line; *at != '\n'; at++)
			width += ((unsigned char)*at & 0xc0) != 0x80;
		assert_in_range(width, 0, 140);
	}
}

/* However large the numbers. */
static void test_width(void **unused)
{
	struct report report = {0};
	char *text = write_text(
	    TEXT_IMAGE "2 p0 request request=1:1 image=1 kind=compare_and_write length_bytes=18446744073709551\n"
		       "18446744073709551 p0 complete request=1:1 thread=1 c2d_ns=99999999999999 looked=1\n"
		       "18446744073709552 p0 request request=1:2 image=1 kind=compare_and_write length_bytes=18446744073709551\n"
		       "36893488147419102 p0 complete request=1:2 thread=1 c2d_ns=99999999999999 looked=1\n"
		       "36893488147419103 p0 lock_wait lock=18446744073709551615 thread=1 kind=rwlock_write wait_ns=18446744073709551\n",
	    &report);

	(void)unused;
	check_width(text);
	free(text);
}

/* Weeks, millions of handovers, clients with long numbers. */
static void make_large(struct image *image, struct ownership_result *ownership)
{
	struct owner *owners = (struct owner *)ownership->owners;
	struct incident *incidents = (struct incident *)ownership->incidents;
	struct histogram *all[] = {&ownership->tenure,
				   &ownership->tenure_requests,
				   &ownership->tenure_bytes,
				   &ownership->handover,
				   &ownership->steps[STEP_FIRST_OPERATION],
				   &image->journal.append,
				   &ownership->replay[9].replay,
				   &ownership->replay[9].handover};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(histogram_add(all[i], UINT64_C(1) << 55), 0);
	ownership->replay[9].handovers = 98765432;
	ownership->tenures = ownership->failed_attempts = 98765432;
	ownership->handovers = 98765431;
	ownership->span_ns = UINT64_C(1) << 55;
	ownership->unknown_ns = UINT64_C(1) << 54;
	ownership->slices[60] = UINT64_MAX;
	owners[0].client = owners[1].client = UINT64_MAX - 1;
	for (unsigned i = 0; i < ownership->incident_count; i++) {
		incidents[i].client = incidents[i].other = UINT64_MAX - 1;
		incidents[i].at_ns = UINT64_C(1) << 55;
	}
	image->journal.appends = image->journal.entries = image->journal.writes = 9876543210;
	image->journal.append_bytes = image->journal.replay_bytes = UINT64_C(1) << 60;
}

static void test_width_of_ownership(void **unused)
{
	char *text = write_owned(make_large);

	(void)unused;
	assert_non_null(strstr(text, "not known"));
	assert_non_null(strstr(text, "more than 128 MiB"));
	check_width(text);
	free(text);
}

static void make_plain(struct image *image, struct ownership_result *ownership)
{
	(void)ownership;
	image->features = 1;
	image->ownership_is = NULL;
}

/* Nothing of what an image does not have. */
static void test_plain(void **unused)
{
	char *text = write_owned(make_plain);

	(void)unused;
	assert_non_null(strstr(text, "(no exclusive lock)\n"));
	assert_null(strstr(text, "Exclusive lock:"));
	assert_null(strstr(text, "handover"));
	assert_null(strstr(text, "incidents"));
	assert_null(strstr(text, "Journal:"));
	free(text);
}

static void make_single(struct image *image, struct ownership_result *ownership)
{
	histogram_fini(&ownership->tenure_requests);
	histogram_fini(&ownership->tenure_bytes);
	histogram_fini(&ownership->handover);
	assert_int_equal(histogram_add(&ownership->tenure_requests, 7), 0);
	assert_int_equal(histogram_add(&ownership->tenure_bytes, 7 * 4096), 0);
	ownership->tenures = ownership->owner_count = 1;
	ownership->handovers = ownership->reacquired = 0;
	ownership->breaks = ownership->watches_lost = ownership->refusals = ownership->request_timeouts = 0;
	ownership->incident_count = 0;
	for (unsigned i = 0; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		histogram_fini(&ownership->replay[i].handover);
		histogram_fini(&ownership->replay[i].replay);
		ownership->replay[i].handovers = 0;
	}
	journal_fini(&image->journal);
	image->journal = (struct journal){.tags = 1};
}

/* One tenure is told without tables; the journal of a program that only reads without its writes. */
static void test_single(void **unused)
{
	char *text = write_owned(make_single);

	(void)unused;
	assert_non_null(strstr(text,
			       "  Exclusive lock: 1 tenure of 1 client, 5 refused attempts\n"
			       "    client 4001 (fio, pid 77) owned it for 600 ms, 50.0 % of the recording, and completed 7 requests under "
			       "it (28 KiB)\n"
			       "    incidents: none (locks broken, watches lost, requests for it refused or not answered)\n"
			       "\n"
			       "  Journal: 0 appends\n"
			       "    0 commits, 1 tag\n"
			       "\n"
			       "  Client 4001"));
	free(text);
}

/* With --image only that one, under its name alone or with its pool. */
static void test_image(void **unused)
{
	static const char events[] = TEXT_IMAGE "2 p0 image image=2 client=4001 cluster=c1 pool_id=2 pool=rbd name=two id=10ac\n";
	struct report report = {.image = "two"};
	char *text = write_text(events, &report);

	(void)unused;
	assert_non_null(strstr(text, "Image rbd/two"));
	assert_null(strstr(text, "Image rbd/one"));
	free(text);
	report.image = "rbd/one";
	text = write_text(events, &report);
	assert_null(strstr(text, "Image rbd/two"));
	assert_non_null(strstr(text, "Image rbd/one"));
	free(text);
}

static void test_cells(void **unused)
{
	static const struct {
		double ns;
		const char *text;
	} times[] = {{0, "0 ns"},        {999, "999 ns"},     {1000, "1.00 µs"},  {9994, "9.99 µs"},
		     {9996, "10.0 µs"},  {81234, "81.2 µs"},  {812345, "812 µs"}, {999600, "1.00 ms"},
		     {7.4e6, "7.40 ms"}, {12.34e9, "12.3 s"}, {599e9, "599 s"},   {660e9, "11.0 min"}};
	static const struct {
		double bytes;
		const char *text;
	} sizes[] = {{512, "512 B"}, {4096, "4 KiB"}, {1536, "1.50 KiB"}, {2048000, "1.95 MiB"}, {4194304, "4 MiB"}};
	struct cell cell;

	(void)unused;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(cell_ns(&cell, times[i].ns), times[i].text);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_string_equal(cell_bytes(&cell, sizes[i].bytes), sizes[i].text);
	assert_string_equal(cell_number(&cell, 0), "0.00");
	assert_string_equal(cell_number(&cell, 0.01234), "0.0123");
	assert_string_equal(cell_number(&cell, 31.06), "31.1");
	assert_string_equal(cell_number(&cell, 12345.6), "12346");
	assert_string_equal(cell_share(&cell, 0.1234), "12.3 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_golden), cmocka_unit_test(test_owned),
	    cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_width),  cmocka_unit_test(test_width_of_ownership),
	    cmocka_unit_test(test_plain),  cmocka_unit_test(test_single),
	    cmocka_unit_test(test_image),  cmocka_unit_test(test_cells),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
