/*
 * Random clients that hand the lock to and fro, against a reference that looks at every single nanosecond: the definition of a
 * handover's steps, taken by its word. The clients do what librbd does, in its order, but leave out whatever they like, serve nothing
 * at times, and learn of their completions long after.
 */
#include "tests/unit/core/test.h"

#include "tests/unit/core/ownership_text.h"

#define TENURES    60
#define OPERATIONS 12 /* in each half of a tenure */
#define REQUESTS   6

/* An operation, and which step it explains while its client takes the lock over, and while it gives it up. STEP_LIBRBD: none. */
struct span {
	uint64_t client, begin_ns, end_ns;
	enum handover_step taking, giving;
};

struct story {
	uint64_t client;
	uint64_t noticed, get_info, got_info, lock, locked, acquired, unlock, unlocked, released, answered; /* 0: left out */
	uint64_t effect[REQUESTS], c[REQUESTS], d[REQUESTS];
	unsigned requests;
};

static struct story stories[TENURES];
static struct span spans[TENURES * (2 * OPERATIONS + 2)];
static unsigned span_count;
static char text[1 << 20];
static size_t text_length;
static unsigned state;

static unsigned below(unsigned limit)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % limit;
}

static int often(void)
{
	return below(8) != 0;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_length += (size_t)vsnprintf(text + text_length, sizeof(text) - text_length, format, arguments);
	va_end(arguments);
	assert_in_range(text_length, 0, sizeof(text) - 1);
}

/* No two things happen at once: which came first is the reader's business, not the model's. */
static uint8_t taken[1 << 20];

static uint64_t moment(uint64_t earliest, unsigned spread)
{
	uint64_t at = earliest + below(spread);

	while (taken[at])
		at++;
	taken[at] = 1;
	return at;
}

static void keep(uint64_t client, uint64_t begin_ns, uint64_t end_ns, enum handover_step taking, enum handover_step giving)
{
	spans[span_count++] = (struct span){client, begin_ns, end_ns, taking, giving};
}

struct way {
	const char *verb;
	enum handover_step taking, giving;
};

/* Overlapping operations that begin in [from, to). */
static void tell_operations(uint64_t client, const struct way *ways, uint64_t from, uint64_t to)
{
	for (unsigned count = below(OPERATIONS); count; count--) {
		const struct way *way = &ways[below(3)];
		uint64_t begin_ns = moment(from, (unsigned)(to - from));
		uint64_t end_ns = moment(begin_ns + 1, 50);

		keep(client, begin_ns, end_ns, way->taking, way->giving);
		say("%lu %lu %s until=%lu\n", begin_ns, client, way->verb, end_ns);
	}
}

static const struct way ways_of_taking[] = {{"refresh", STEP_REFRESH, STEP_REFRESH},
					    {"map_lock", STEP_OBJECT_MAP, STEP_DRAIN},
					    {"journal_read", STEP_JOURNAL_OPEN, STEP_JOURNAL_CLOSE}};
static const struct way ways_of_giving[] = {{"append", STEP_LIBRBD, STEP_DRAIN},
					    {"journal_commit", STEP_LIBRBD, STEP_JOURNAL_CLOSE},
					    {"map_unlock", STEP_LIBRBD, STEP_OBJECT_MAP_CLOSE}};

/* One tenure, from asking for the lock to RELEASED; returns a time after which the next client may ask. */
static uint64_t tell(struct story *story, const struct story *before, unsigned number, uint64_t now)
{
	uint64_t quiet;

	*story = (struct story){.client = 1 + below(3)};
	if (before && before->released && before->client != story->client && often()) {
		story->noticed = moment(now, 20);
		say("%lu %lu hears_released about=%lu\n", story->noticed, story->client, before->client);
		now = story->noticed + 1;
	}
	if (often()) {
		story->get_info = moment(now, 20);
		story->got_info = moment(story->get_info + 1, 20);
		now = story->got_info + 1;
		say("%lu %lu get_info until=%lu\n", story->get_info, story->client, story->got_info);
	}
	story->lock = moment(now, 20);
	story->locked = moment(story->lock + 1, 20);
	say("%lu %lu lock until=%lu\n", story->lock, story->client, story->locked);
	story->acquired = moment(story->locked + 80, 30);
	tell_operations(story->client, ways_of_taking, story->locked + 1, story->acquired - 50);
	quiet = moment(story->acquired + 1, 30);
	keep(story->client, story->acquired, quiet, STEP_LIBRBD, STEP_DRAIN);
	say("%lu %lu acquired until=%lu\n", story->acquired, story->client, quiet);
	quiet = story->acquired + 2;
	story->requests = below(4) ? below(REQUESTS) : 0;
	for (unsigned i = 0; i < story->requests; i++) {
		story->effect[i] = moment(story->acquired + 1, 50);
		story->c[i] = story->effect[i] + 1 + below(80);
		story->d[i] = moment(story->c[i], below(10) ? 50 : 3000);
		if (story->c[i] >= quiet)
			quiet = story->c[i] + 1;
		say("%lu %lu effect request=%u\n", story->effect[i], story->client, number * REQUESTS + i);
		say("%lu %lu served request=%u c=%lu\n", story->d[i], story->client, number * REQUESTS + i, story->c[i]);
	}
	story->unlock = moment(quiet, 100);
	tell_operations(story->client, ways_of_giving, story->acquired + 1, story->unlock);
	say("%lu %lu unlock", story->unlock, story->client);
	if (often()) {
		story->unlocked = moment(story->unlock + 1, 20);
		say(" until=%lu", story->unlocked);
		now = story->unlocked + 1;
	} else {
		now = story->unlock + 1;
	}
	say("\n");
	if (often()) {
		story->released = moment(now, 10);
		story->answered = moment(story->released + 1, 60);
		keep(story->client, story->released, story->answered, STEP_LIBRBD, STEP_DRAIN);
		say("%lu %lu released until=%lu\n", story->released, story->client, story->answered);
		now = story->released + 1;
	}
	return now;
}

/* --- The reference. --------------------------------------------------------------------------------------------------- */

static uint64_t first_of(const struct story *story)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < story->requests; i++)
		if (story->c[i] < first)
			first = story->c[i];
	return first;
}

static uint64_t last_of(const struct story *story)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < story->requests; i++)
		if (story->c[i] > last)
			last = story->c[i];
	return last;
}

static uint64_t first_effect_of(const struct story *story)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < story->requests; i++)
		if (story->effect[i] < first)
			first = story->effect[i];
	return story->requests ? first : 0;
}

/* The step of the oldest operation that is outstanding at this instant and explains one. */
static enum handover_step oldest(uint64_t client, uint64_t at, int giving)
{
	enum handover_step oldest_step = STEP_LIBRBD;
	uint64_t begin_ns = UINT64_MAX;

	for (unsigned i = 0; i < span_count; i++) {
		enum handover_step step = giving ? spans[i].giving : spans[i].taking;

		if (spans[i].client != client || spans[i].begin_ns > at || spans[i].end_ns <= at || step == STEP_LIBRBD)
			continue;
		if (spans[i].begin_ns >= begin_ns)
			continue;
		begin_ns = spans[i].begin_ns;
		oldest_step = step;
	}
	return oldest_step;
}

static uint64_t expected[STEP_COUNT], expected_handovers, expected_ns, expected_serving_ns;

/* Goes to a moment, if it lies ahead and before the end; each instant on the way is the step's. */
static uint64_t go(uint64_t now, uint64_t to, uint64_t end, enum handover_step step)
{
	for (; now < to && now < end; now++)
		expected[step]++;
	return now;
}

/* Each instant is that of an operation of the client. */
static uint64_t go_with(uint64_t now, uint64_t to, uint64_t end, uint64_t client, int giving)
{
	for (; now < to && now < end; now++)
		expected[oldest(client, now, giving)]++;
	return now;
}

static void refer(unsigned count)
{
	int from = -1;

	for (unsigned i = 0; i < count; i++) {
		uint64_t now, end;

		if (!stories[i].requests)
			continue;
		expected_serving_ns += last_of(&stories[i]) - first_of(&stories[i]);
		if (from < 0) {
			from = (int)i;
			continue;
		}
		now = last_of(&stories[from]);
		end = first_of(&stories[i]);
		expected_handovers++;
		expected_ns += end - now;
		for (unsigned j = (unsigned)from; j < i; j++) {
			const struct story *old = &stories[j], *new = &stories[j + 1];
			uint64_t asked = new->get_info ? new->get_info : new->lock;
			uint64_t noticed = old->client == new->client ? old->answered : new->noticed;

			now = go_with(now, old->unlock, end, old->client, 1);
			now = go(now, old->unlocked, end, STEP_UNLOCK);
			now = go(now, old->released <= asked ? old->released : 0, end, STEP_LIBRBD);
			now = go(now, noticed <= asked ? noticed : 0, end, STEP_NOTICE);
			now = go(now, asked, end, STEP_WAKE);
			now = go(now, new->got_info, end, STEP_GET_INFO);
			now = go(now, new->lock, end, STEP_LIBRBD);
			now = go(now, new->locked, end, STEP_LOCK);
			now = go_with(now, new->acquired, end, new->client, 0);
		}
		now = go(now, first_effect_of(&stories[i]), end, STEP_FIRST_OPERATION);
		go(now, end, end, STEP_FIRST_COMPLETION);
		from = (int)i;
	}
}

static void compare(unsigned seed)
{
	const struct ownership_result *result;
	uint64_t now = 100, sum = 0, owned = 0;
	unsigned reacquired = 0;

	state = seed;
	text_length = 0;
	span_count = 0;
	memset(taken, 0, sizeof(taken));
	memset(expected, 0, sizeof(expected));
	expected_handovers = expected_ns = expected_serving_ns = 0;
	for (unsigned i = 0; i < TENURES; i++)
		now = tell(&stories[i], i ? &stories[i - 1] : NULL, i, now);
	refer(TENURES);
	result = ownership_text_result(text, 50, now + 5000);
	for (unsigned i = 0; i < TENURES; i++) {
		owned += stories[i].unlock - stories[i].locked;
		reacquired += i && stories[i].client == stories[i - 1].client;
	}
	assert_int_equal(result->tenures, TENURES);
	assert_int_equal(result->handovers, TENURES - 1);
	assert_int_equal(result->reacquired, reacquired);
	assert_int_equal(result->tenure.sum, owned);
	assert_int_equal(result->unknown_ns, 0);
	assert_int_equal(result->unowned_ns, now + 5000 - 50 - owned);
	assert_int_equal(result->serving_ns, expected_serving_ns);
	assert_int_equal(result->handover.count, expected_handovers);
	assert_int_equal(result->handover.sum, expected_ns);
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		if (result->steps[step].sum != expected[step])
			print_error("seed %u, step %s\n", seed, handover_step_name((enum handover_step)step));
		assert_int_equal(result->steps[step].sum, expected[step]);
		assert_int_equal(result->steps[step].count, expected_handovers);
		sum += result->steps[step].sum;
	}
	assert_int_equal(sum, result->handover.sum);
	ownership_text_done();
}

static void test_against_every_instant(void **unused)
{
	(void)unused;
	for (unsigned seed = 1; seed <= 30; seed++)
		compare(seed);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_every_instant),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
