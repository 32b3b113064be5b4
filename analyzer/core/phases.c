#include "analyzer/core/phases.h"

#include <errno.h>

static const char *const names[] = {
#define PHASE(upper, lower) [PHASE_##upper] = #lower,
    PHASES(PHASE)
#undef PHASE
};

const char *phase_name(enum phase phase)
{
	return names[phase];
}

void moments_set(struct moments *moments, enum moment moment, uint64_t at_ns)
{
	moments->at_ns[moment] = at_ns;
	moments->known |= 1U << moment;
}

int moments_know(const struct moments *moments, enum moment moment)
{
	return moments->known >> moment & 1;
}

static void add(struct phase_split *split, enum phase phase, uint64_t ns)
{
	split->ns[phase] += ns;
	split->seen |= 1U << phase;
}

/* Which phase ends at a moment. */
static const enum phase ends_at[MOMENT_COUNT] = {
    [MOMENT_Q] = PHASE_S2Q, [MOMENT_L] = PHASE_Q2L, [MOMENT_J] = PHASE_L2J, [MOMENT_N] = PHASE_J2N,
    [MOMENT_C] = PHASE_N2C, [MOMENT_D] = PHASE_C2D, [MOMENT_A] = PHASE_D2A,
};

static int is_observable(const struct moments *moments, enum moment moment)
{
	return moments->observable >> moment & 1;
}

int phases_split(const struct moments *moments, struct phase_split *split)
{
	uint64_t last_ns = moments->at_ns[MOMENT_S];
	int hidden = 0; /* since last_ns a moment may have passed that the recording could not show */

	*split = (struct phase_split){0};
	for (enum moment moment = MOMENT_Q; moment < MOMENT_COUNT; moment++) {
		enum phase phase = ends_at[moment];

		if (!moments_know(moments, moment)) {
			if (!is_observable(moments, moment))
				hidden = 1;
			else if ((moment == MOMENT_Q || moment == MOMENT_L) && !hidden)
				add(split, phase, 0);
			continue;
		}
		if (moments->at_ns[moment] < last_ns)
			return -ERANGE;
		if (hidden)
			phase = PHASE_OTHER;
		else if (moment == MOMENT_C && !moments_know(moments, MOMENT_N))
			phase = PHASE_J2N; /* nothing was sent for it: N is C */
		add(split, phase, moments->at_ns[moment] - last_ns);
		last_ns = moments->at_ns[moment];
		hidden = 0;
	}
	return 0;
}
