/* How a request's time is divided; every case's numbers are set so that no two phases are alike. */
#include "tests/unit/core/test.h"

#include "analyzer/core/phases.h"

#define BIT(moment) (1U << MOMENT_##moment)
#define ALL         (BIT(Q) | BIT(L) | BIT(J) | BIT(N))
#define NONE        UINT64_MAX /* in `want`: the phase is null */

static const struct {
	const char *what;
	uint8_t observable;
	uint64_t at_ns[MOMENT_COUNT]; /* S Q L J N C D A; 0: not known */
	uint64_t want[PHASE_COUNT];   /* s2q q2l l2j j2n n2c other c2d d2a */
} cases[] = {
    {"everything seen", ALL, {1000, 1001, 1003, 1007, 1015, 1031, 1063, 1127}, {1, 2, 4, 8, 16, NONE, 32, 64}},
    {"no limit and not parked", ALL, {1000, 0, 0, 1007, 1015, 1031, 1063, 1127}, {0, 0, 7, 8, 16, NONE, 32, 64}},
    {"no journal", ALL, {1000, 1001, 1003, 0, 1015, 1031, 1063, 1127}, {1, 2, NONE, 12, 16, NONE, 32, 64}},
    {"from a cache", ALL, {1000, 0, 0, 0, 0, 1031, 1063, 1127}, {0, 0, NONE, 31, NONE, NONE, 32, 64}},
    {"nothing can be seen inside", 0, {1000, 0, 0, 0, 0, 1031, 1063, 1127}, {NONE, NONE, NONE, NONE, NONE, 31, 32, 64}},
    {"only the network can", BIT(N), {1000, 0, 0, 0, 1015, 1031, 1063, 1127}, {NONE, NONE, NONE, NONE, 16, 15, 32, 64}},
    {"the network cannot", BIT(Q) | BIT(L) | BIT(J), {1000, 1001, 1003, 1007, 0, 1031, 1063, 1127}, {1, 2, 4, NONE, NONE, 24, 32, 64}},
    {"a blocking call", 0, {1000, 0, 0, 0, 0, 1031, 1031, 1031}, {NONE, NONE, NONE, NONE, NONE, 31, 0, 0}},
    {"all at once", ALL, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}, {0, 0, 0, 0, 0, NONE, 0, 0}},
};

static void test_cases(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct moments moments = {.observable = cases[i].observable};
		struct phase_split split;
		uint64_t sum = 0;

		for (unsigned moment = 0; moment < MOMENT_COUNT; moment++)
			if (cases[i].at_ns[moment])
				moments_set(&moments, moment, cases[i].at_ns[moment]);
		assert_int_equal(phases_split(&moments, &split), 0);
		for (unsigned phase = 0; phase < PHASE_COUNT; phase++) {
			int seen = split.seen >> phase & 1;
			uint64_t want = cases[i].want[phase];

			if (seen != (want != NONE) || (seen && split.ns[phase] != want))
				fail_msg("%s: %s is %d %llu", cases[i].what, phase_name(phase), seen, (unsigned long long)split.ns[phase]);
			sum += split.ns[phase];
		}
		assert_int_equal(sum, cases[i].at_ns[MOMENT_A] - cases[i].at_ns[MOMENT_S]);
	}
}

/* Any two neighbours exchanged are an impossible order. */
static void test_disorder(void **unused)
{
	(void)unused;
	for (unsigned early = MOMENT_S; early < MOMENT_A; early++) {
		struct moments moments = {.observable = ALL};
		struct phase_split split;

		for (unsigned moment = 0; moment < MOMENT_COUNT; moment++)
			moments_set(&moments, moment, 1000 + moment);
		moments.at_ns[early] = 1000 + early + 1;
		moments.at_ns[early + 1] = 1000 + early;
		assert_int_equal(phases_split(&moments, &split), -ERANGE);
	}
}

static void test_names(void **unused)
{
	(void)unused;
	assert_string_equal(phase_name(PHASE_S2Q), "s2q");
	assert_string_equal(phase_name(PHASE_OTHER), "other");
	assert_string_equal(phase_name(PHASE_D2A), "d2a");
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_disorder),
		cmocka_unit_test(test_names),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
