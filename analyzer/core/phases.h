/*
 * The moments of a request's life and the phases between them, as docs/architecture.md names them. It knows how one request's
 * time is divided, so that the parts sum to the whole exactly; it does not know where the moments come from, nor statistics.
 */
#ifndef RBDPROF_ANALYZER_CORE_PHASES_H
#define RBDPROF_ANALYZER_CORE_PHASES_H

#include <stdint.h>

/* In the order in which a request passes them. */
enum moment {
	MOMENT_S, /* entry of the call */
	MOMENT_Q, /* let through by QoS */
	MOMENT_L, /* the exclusive lock is usable */
	MOMENT_J, /* the last journal entry is safe */
	MOMENT_N, /* the last data operation is handed to the network */
	MOMENT_C, /* librbd completed it */
	MOMENT_D, /* the callback returned */
	MOMENT_A, /* the application looked */
	MOMENT_COUNT
};

struct moments {
	uint64_t at_ns[MOMENT_COUNT]; /* the host's monotonic clock; valid where `known` says so */
	uint8_t known;                /* bit 1 << moment */
	uint8_t observable;           /* bits of Q, L, J, N that the recording would show if they happened */
};

/* The phases in the order of time; the names are also the keys of the JSON report. */
#define PHASES(PHASE)                                                                                                                      \
	PHASE(S2Q, s2q)                                                                                                                    \
	PHASE(Q2L, q2l)                                                                                                                    \
	PHASE(L2J, l2j)                                                                                                                    \
	PHASE(J2N, j2n)                                                                                                                    \
	PHASE(N2C, n2c)                                                                                                                    \
	PHASE(OTHER, other)                                                                                                                \
	PHASE(C2D, c2d)                                                                                                                    \
	PHASE(D2A, d2a)

enum phase {
#define PHASE(upper, lower) PHASE_##upper,
	PHASES(PHASE)
#undef PHASE
	PHASE_COUNT
};

/* One request's time, divided. Σ ns = A − S, whatever was seen. */
struct phase_split {
	uint64_t ns[PHASE_COUNT]; /* 0 where not seen */
	uint16_t seen;            /* bit 1 << phase; a phase that was not seen is null, not 0 */
};

/* The phase's name, as in the JSON report; static. */
const char *phase_name(enum phase phase);

/* Notes that the moment was at `at_ns`. */
void moments_set(struct moments *moments, enum moment moment, uint64_t at_ns);

/* 1 when the moment is known, else 0. */
int moments_know(const struct moments *moments, enum moment moment);

/*
 * Divides the life of a request whose S, C, D and A are known. Of the observable moments a missing Q is S and a missing L is Q (both
 * phases are then 0: nothing held it there), a missing J is L and l2j null, a missing N is C and n2c null. Time that ends at a moment
 * which the recording could not show belongs to no named phase: it is `other`. Returns 0, or -ERANGE when a known moment
 * precedes an earlier one; `split` is then undefined.
 */
int phases_split(const struct moments *moments, struct phase_split *split);

#endif
