/* An image's verdict in one sentence. Numbers: owned.h beside this file. */
#include "tests/unit/core/test.h"

#include "analyzer/writers/summary.h"
#include "tests/unit/analyzer/owned.h"

static void empty(struct histogram *histogram)
{
	histogram_fini(histogram);
}

static void add_twice(struct histogram *histogram, uint64_t value_ns)
{
	assert_int_equal(histogram_add(histogram, value_ns), 0);
	assert_int_equal(histogram_add(histogram, value_ns), 0);
}

/* All requests' time is n2c. */
static void make_network(struct image *image)
{
	for (struct client *client = image->clients; client; client = client->hh.next) {
		struct histogram *phases = client->stats.kinds[RBDPROF_WRITE]->phases;

		empty(&phases[PHASE_Q2L]);
		empty(&phases[PHASE_L2J]);
		add_twice(&phases[PHASE_N2C], 9000000);
	}
}

static void no_feature(struct image *image, struct ownership_result *ownership)
{
	(void)ownership;
	make_network(image);
	image->features = 1;
	image->ownership_is = NULL;
}

static void not_used(struct image *image, struct ownership_result *ownership)
{
	(void)ownership;
	make_network(image);
	image->ownership_is = NULL;
}

static void not_observed(struct image *image, struct ownership_result *ownership)
{
	not_used(image, ownership);
	for (struct client *client = image->clients; client; client = client->hh.next)
		((struct process *)client->process)->crossing = 0;
}

static void nothing_happened(struct ownership_result *ownership)
{
	ownership->refusals = ownership->breaks = ownership->incident_count = 0;
}

static void one_owner(struct image *image, struct ownership_result *ownership)
{
	make_network(image);
	nothing_happened(ownership);
	ownership->owner_count = 1;
	ownership->tenures = 1;
	ownership->handovers = ownership->reacquired = 0;
}

/* Of each write's 10 ms, 4 are the journal's and 6 the network's. */
static void one_journaled(struct image *image, struct ownership_result *ownership)
{
	one_owner(image, ownership);
	for (struct client *client = image->clients; client; client = client->hh.next) {
		struct histogram *phases = client->stats.kinds[RBDPROF_WRITE]->phases;

		empty(&phases[PHASE_N2C]);
		add_twice(&phases[PHASE_L2J], 4000000);
		add_twice(&phases[PHASE_N2C], 6000000);
	}
}

/* 80 % of the requests' time, as at first, is waiting for the lock; there is no other owner. */
static void acquired_once(struct image *image, struct ownership_result *ownership)
{
	(void)image;
	nothing_happened(ownership);
	ownership->owner_count = ownership->tenures = 1;
	ownership->handovers = ownership->reacquired = 0;
}

static void taken_back(struct image *image, struct ownership_result *ownership)
{
	one_owner(image, ownership);
	ownership->tenures = 4;
	ownership->handovers = ownership->reacquired = 3;
}

/* One hands over to the other, once. */
static void one_after_the_other(struct image *image, struct ownership_result *ownership)
{
	make_network(image);
	nothing_happened(ownership);
	ownership->tenures = 2;
	ownership->handovers = 1;
	ownership->reacquired = 0;
}

/* 3 handovers in 400 + 5600 ms are fewer than one a second; no handover's time is known. */
static void seldom(struct image *image, struct ownership_result *ownership)
{
	(void)image;
	nothing_happened(ownership);
	empty(&ownership->handover);
	ownership->span_ns = 6000000000;
}

static void test_sentences(void **unused)
{
	static const struct {
		owned_change *change;
		const char *wanted;
	} cases[] = {
	    {NULL,
	     "2 clients took the exclusive lock from each other 3.00 times a second; waiting for it is 80 % of their requests' time; one "
	     "handover takes 200 ms (p50), and replay is 60 % of their time; the lock was broken once, after 90.0 ms of waiting; 2 "
	     "requests for the lock were refused; the journal is 10 % of the writes' time"},
	    {no_feature, "no exclusive lock; network and OSDs are 100 % of the requests' time"},
	    {not_used, "nobody used the exclusive lock; network and OSDs are 100 % of the requests' time"},
	    {not_observed, "the exclusive lock was not observed; network and OSDs are 100 % of the requests' time"},
	    {one_owner, "one client owned the exclusive lock all the time; network and OSDs are 100 % of the requests' time"},
	    {one_journaled,
	     "one client owned the exclusive lock all the time; the journal is 40 % of the writes' time; network and OSDs are "
	     "60 % of the requests' time"},
	    {acquired_once,
	     "one client owned the exclusive lock all the time; acquiring it is 80 % of the requests' time; the journal is 10 % of "
	     "the writes' time"},
	    {taken_back, "one client owned the exclusive lock, and got it back 3 times; network and OSDs are 100 % of the requests' time"},
	    {one_after_the_other,
	     "2 clients owned the exclusive lock one after the other; network and OSDs are 100 % of the requests' time"},
	    {seldom,
	     "2 clients took the exclusive lock from each other 3 times in 6.00 s; waiting for it is 80 % of their requests' time; the "
	     "journal is 10 % of the writes' time"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *sentence = summary_sentence(model_image_next(owned_model(cases[i].change), NULL));

		assert_non_null(sentence);
		assert_string_equal(sentence, cases[i].wanted);
		free(sentence);
		owned_done();
	}
}

/* The classes of replay as ownership.h has them: none, 1 MiB, 2, 4 … 128, more. */
static void test_replay_bytes(void **unused)
{
	(void)unused;
	assert_int_equal(summary_replay_bytes(0), 0);
	assert_int_equal(summary_replay_bytes(1), 1048576);
	assert_int_equal(summary_replay_bytes(8), 128 * 1048576);
	assert_true(summary_replay_bytes(9) == UINT64_MAX);
}

/* An image without journaling has no journal, though it was in use before; one with it has none before it is used. */
static void test_has_journal(void **unused)
{
	struct image *image = (struct image *)model_image_next(owned_model(NULL), NULL);
	struct journal used = image->journal;

	(void)unused;
	assert_true(summary_has_journal(image));
	image->features = 5;
	assert_false(summary_has_journal(image));
	image->features = 69;
	image->journal = (struct journal){0};
	assert_false(summary_has_journal(image));
	image->journal.replay_reads = 1;
	assert_true(summary_has_journal(image));
	image->journal = used;
	owned_done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sentences),
	    cmocka_unit_test(test_replay_bytes),
	    cmocka_unit_test(test_has_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
