#include "tests/unit/analyzer/owned.h"

#include <errno.h>

#include "tests/unit/core/events_text.h"
#include "tests/unit/core/test.h"

#define MS UINT64_C(1000000)

static const char events[] = "1 p0 process schema=1 pid=77 version=0.1.0 comm=fio host=alpha clock_offset_ns=1000\n"
			     "1 p0 image image=1 client=4001 cluster=c1 release=16.2.15 pool_id=2 pool=rbd name=one id=10ab "
			     "size_bytes=67108864 features=69 object_size_bytes=4194304 stripe_unit_bytes=4194304 stripe_count=1\n"
			     "1 p0 image image=2 client=4002 cluster=c1 release=16.2.15 pool_id=2 pool=rbd name=one id=10ab "
			     "size_bytes=67108864 features=69 object_size_bytes=4194304 stripe_unit_bytes=4194304 stripe_count=1\n"
			     "1000000 p0 request request=1:1 image=1 kind=write length_bytes=4096\n"
			     "1000000 p0 request request=1:2 image=1 kind=write length_bytes=4096\n"
			     "1000000 p0 request request=2:1 image=2 kind=write length_bytes=4096\n"
			     "1000000 p0 request request=2:2 image=2 kind=write length_bytes=4096\n"
			     "11000000 p0 complete request=1:1 thread=1 looked=1\n"
			     "11000000 p0 complete request=1:2 thread=1 looked=1\n"
			     "11000000 p0 complete request=2:1 thread=2 looked=1\n"
			     "11000000 p0 complete request=2:2 thread=2 looked=1\n"
			     "1200000001 p0 image_closed image=1\n";

static struct model *model;
static struct ownership_result result;
static struct owner owners[2];
static struct incident incidents[5];
static struct tenure_brief sequence[4];

static void add(struct histogram *histogram, uint64_t value, unsigned times)
{
	while (times--)
		assert_int_equal(histogram_add(histogram, value), 0);
}

static void make_tenures(void)
{
	add(&result.tenure, 100 * MS, 3);
	add(&result.tenure, 480 * MS, 1);
	add(&result.tenure_requests, 2, 3);
	add(&result.tenure_requests, 4, 1);
	add(&result.tenure_bytes, 8192, 4);
	add(&result.tenure_until_asked, 20 * MS, 3);
	add(&result.tenure_drain, 5 * MS, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t replay[] = {0, 110, 250}, first[] = {90, 80, 40};
		static const unsigned classes[] = {0, 5, 7};
		struct replay_class *class = &result.replay[classes[i]];

		for (int step = 0; step < STEP_COUNT; step++)
			add(&result.steps[step],
			    step == STEP_UNLOCK             ? 10 * MS
			    : step == STEP_REPLAY           ? replay[i] * MS
			    : step == STEP_FIRST_COMPLETION ? first[i] * MS
							    : 0,
			    1);
		add(&result.handover, (10 + replay[i] + first[i]) * MS, 1);
		class->handovers++;
		add(&class->handover, (10 + replay[i] + first[i]) * MS, 1);
		add(&class->replay, replay[i] * MS, 1);
	}
}

static void make_incidents(void)
{
	incidents[0] = (struct incident){.kind = INCIDENT_REQUEST_TIMEOUT,
					 .at_ns = 1 + 400 * MS,
					 .client = 4002,
					 .other = 4001,
					 .waited_ns = 5000 * MS,
					 .error = -ETIMEDOUT};
	incidents[1] = (struct incident){.kind = INCIDENT_WATCH_LOST, .at_ns = 1 + 500 * MS, .client = 4001, .error = -ENOTCONN};
	incidents[2] =
	    (struct incident){.kind = INCIDENT_BREAK, .at_ns = 1 + 600 * MS, .client = 4002, .other = 4001, .waited_ns = 90 * MS};
	incidents[3] = (struct incident){
	    .kind = INCIDENT_REFUSED, .at_ns = 1 + 800 * MS, .client = 4001, .other = 4002, .waited_ns = 5 * MS, .error = -EROFS};
	incidents[4] = incidents[3];
	incidents[4].at_ns = 1 + 900 * MS;
	incidents[4].waited_ns = 105 * MS;
	result.incidents = incidents;
	result.incident_count = 5;
	result.request_timeouts = 1;
	result.watches_lost = 1;
	result.breaks = 1;
	result.refusals = 2;
}

static void make_ownership(void)
{
	result = (struct ownership_result){
	    .tenures = 4,
	    .handovers = 3,
	    .reacquired = 1,
	    .failed_attempts = 5,
	    .span_ns = 1200 * MS,
	    .unowned_ns = 120 * MS,
	    .serving_ns = 400 * MS,
	    .owners = owners,
	    .owner_count = 2,
	    .sequence = sequence,
	    .sequence_count = 4,
	};
	owners[0] = (struct owner){4001, 600 * MS, 3};
	owners[1] = (struct owner){4002, 480 * MS, 1};
	sequence[0] = (struct tenure_brief){4001, 0, 200 * MS, 2, 0, 1};
	sequence[3] = (struct tenure_brief){4002, 720 * MS, 0, 4, 40 << 20, 1};
	for (unsigned i = 0; i < OWNERSHIP_SLICES; i++)
		result.slices[i] = i < 12 ? 0 : i < 72 ? 4001 : 4002;
	make_tenures();
	make_incidents();
}

static void make_journal(struct journal *journal)
{
	journal->appends = 6;
	journal->append_bytes = 6 * 4200;
	journal->refused = 1;
	journal->first_ns = 1;
	journal->last_ns = 1 + 2000 * MS;
	add(&journal->append, 2 * MS, 6);
	journal->entries = 6;
	journal->entries_joined = 5;
	journal->writes = 4;
	journal->writes_unjoined = 1;
	journal->commits = 2;
	journal->tags = 4;
	journal->replay_reads = 8;
	journal->replay_bytes = 50 << 20;
	add(&journal->after_acknowledgement, 3 * MS, 1);
}

static void make_group(struct image *image, uint32_t number, uint64_t n2c_ns, unsigned requests)
{
	struct placement_group *group = placement_groups_get(&image->placement_groups, 2, number);

	assert_non_null(group);
	group->operations = requests;
	add(&group->n2c, n2c_ns, requests);
}

/* The writes' latency of 10 ms is told apart; `other` was all of it. */
static void make_phases(struct client *client)
{
	struct histogram *phases = client->stats.kinds[RBDPROF_WRITE]->phases;

	histogram_fini(&phases[PHASE_OTHER]);
	add(&phases[PHASE_Q2L], 8 * MS, 2);
	add(&phases[PHASE_L2J], 1 * MS, 2);
	add(&phases[PHASE_N2C], 1 * MS, 2);
	for (unsigned row = 0; row < BAND_ROWS; row++) {
		for (unsigned place = 0; client->claims.rows[row] && place < BANDS_IN_ROW; place++) {
			struct band *band = &client->claims.rows[row][place];

			if (!band->count)
				continue;
			band->ns[CLAIM_OTHER] = 0;
			band->ns[CLAIM_LOCK_PEER] = 16 * MS;
			band->ns[CLAIM_JOURNAL] = band->ns[CLAIM_NETWORK] = 2 * MS;
		}
	}
}

static int feed(void *context, const struct event *event)
{
	return model_feed(context, event);
}

const struct model *owned_model(owned_change *change)
{
	const struct event undecoded = {.type = EVENT_UNDECODED, .time_ns = 1200000001, .undecoded.what = "lock_info"};
	struct image *image;

	model = model_create();
	assert_non_null(model);
	assert_int_equal(events_text_each(events, feed, model), 0);
	assert_int_equal(model_feed(model, &undecoded), 0);
	assert_int_equal(model_finish(model), 0);
	/* The model's own, in which the test alone may write. */
	image = (struct image *)model_image_next(model, NULL);
	make_ownership();
	make_journal(&image->journal);
	for (struct client *client = image->clients; client; client = client->hh.next)
		make_phases(client);
	make_group(image, 0, 4 * MS, 20);
	make_group(image, 1, 4 * MS, 20);
	make_group(image, 4, 50 * MS, 1);
	make_group(image, 31, 9 * MS, 20);
	image->operations = 61;
	image->unmatched_operations = 8;
	image->resent = 2;
	image->ambiguous_joins = 3;
	image->ownership_is = &result;
	if (change)
		change(image, &result);
	return model;
}

void owned_done(void)
{
	model_destroy(model);
	histogram_fini(&result.tenure);
	histogram_fini(&result.tenure_requests);
	histogram_fini(&result.tenure_bytes);
	histogram_fini(&result.tenure_until_asked);
	histogram_fini(&result.tenure_drain);
	histogram_fini(&result.handover);
	for (int step = 0; step < STEP_COUNT; step++)
		histogram_fini(&result.steps[step]);
	for (unsigned i = 0; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		histogram_fini(&result.replay[i].handover);
		histogram_fini(&result.replay[i].replay);
	}
}
