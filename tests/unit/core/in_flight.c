/* The greatest number in flight when C is learnt late, against counting every request at every S. */
#include "tests/unit/core/test.h"

#include "analyzer/core/in_flight.h"

static void test_by_hand(void **unused)
{
	struct in_flight in_flight = {0};

	(void)unused;
	assert_int_equal(in_flight_max(&in_flight), 0);
	assert_int_equal(in_flight_enter(&in_flight, 10), 0);
	assert_int_equal(in_flight_enter(&in_flight, 20), 0);
	assert_int_equal(in_flight_enter(&in_flight, 30), 0);
	assert_int_equal(in_flight_max(&in_flight), 3);
	/* The first was over at 15 already: never more than two at once. */
	in_flight_leave(&in_flight, 10, 15);
	assert_int_equal(in_flight_max(&in_flight), 2);
	/* The second ended when the third began. */
	in_flight_leave(&in_flight, 20, 30);
	assert_int_equal(in_flight_max(&in_flight), 1);
	in_flight_leave(&in_flight, 30, 45);
	assert_int_equal(in_flight_max(&in_flight), 1);
	assert_int_equal(in_flight.now, 0);
	assert_int_equal(in_flight.sum_ns, 5 + 10 + 15);
	in_flight_fini(&in_flight);
}

/* One without length, and one whose C is said to precede its S, were there all the same. */
static void test_no_length(void **unused)
{
	struct in_flight in_flight = {0};

	(void)unused;
	assert_int_equal(in_flight_enter(&in_flight, 10), 0);
	in_flight_leave(&in_flight, 10, 10);
	assert_int_equal(in_flight_enter(&in_flight, 20), 0);
	in_flight_leave(&in_flight, 20, 5);
	assert_int_equal(in_flight_max(&in_flight), 1);
	assert_int_equal(in_flight.sum_ns, 0);
	in_flight_fini(&in_flight);
}

#define REQUESTS 4000

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void test_against_counting(void **unused)
{
	static struct {
		uint64_t s, c, d;
	} requests[REQUESTS];
	struct in_flight in_flight = {0};
	unsigned state = 7;
	uint64_t now = 0, most = 0, sum = 0;
	size_t most_room = 0;

	(void)unused;
	for (size_t i = 0; i < REQUESTS; i++) {
		now += 1 + next_random(&state) % 20;
		requests[i].s = now;
		requests[i].c = now + 1 + next_random(&state) % 300;
		requests[i].d = requests[i].c + next_random(&state) % 600;
	}
	for (uint64_t t = 0; t < now + 1000; t++) {
		for (size_t i = 0; i < REQUESTS; i++)
			if (requests[i].d == t)
				in_flight_leave(&in_flight, requests[i].s, requests[i].c);
		for (size_t i = 0; i < REQUESTS; i++)
			if (requests[i].s == t)
				assert_int_equal(in_flight_enter(&in_flight, t), 0);
		if (in_flight.rise_room > most_room)
			most_room = in_flight.rise_room;
	}
	for (size_t i = 0; i < REQUESTS; i++) {
		uint64_t there = 0;

		for (size_t j = 0; j < REQUESTS; j++)
			there += requests[j].s <= requests[i].s && requests[j].c > requests[i].s;
		if (there > most)
			most = there;
		sum += requests[i].c - requests[i].s;
	}
	assert_int_equal(in_flight_max(&in_flight), most);
	assert_int_equal(in_flight.sum_ns, sum);
	assert_int_equal(in_flight.now, 0);
	/* S to D is 900 at most and two S are 1 apart at least; room doubles. */
	assert_in_range(most_room, 1, 1024);
	in_flight_fini(&in_flight);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_no_length),
		cmocka_unit_test(test_against_counting),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
