/*
 * What the rules of the verdict have before them, and the rules: one function for each cause of causes.def. Only verdict.c, forecast.c and
 * the evidence_*.c files include it.
 */
#ifndef RBDPROF_ANALYZER_CORE_EVIDENCE_H
#define RBDPROF_ANALYZER_CORE_EVIDENCE_H

#include "analyzer/core/claims.h"
#include "analyzer/core/verdict.h"

/* One image with all its clients. */
struct evidence {
	const struct model *model;
	const struct image *image;
	const struct baseline *baseline;       /* may be NULL */
	uint64_t begin_ns;                     /* of the trace */
	struct band all, p50, p99;             /* claims of all requests, and of those around these times */
	struct histogram total, n2c, c2d, d2a; /* owned; of all clients and kinds */
	uint64_t completed;
	uint64_t failed;
	uint64_t writes; /* completed; what changes data */
	double iops;
	double in_flight;
	uint64_t in_flight_max; /* of one client */
	double span_ns;         /* from the first request to the last completion */
	double idle;            /* the part of it in which no client had a request in flight, as the least idle client has it */
	unsigned told;          /* causes that were told before this one is judged */
};

/* Returns 0 or -ENOMEM. */
int evidence_gather(struct evidence *evidence, const struct model *model, const struct image *image, const struct baseline *baseline);
void evidence_fini(struct evidence *evidence);

/* The part of all requests' time that the claimant has. */
double evidence_share(const struct evidence *evidence, enum claimant claimant);

/* Makes the claimant's shares the verdict's. */
void verdict_claims(struct verdict *verdict, const struct evidence *evidence, enum claimant claimant);

/* Adds the claimant's shares to them. */
void verdict_claims_also(struct verdict *verdict, const struct evidence *evidence, enum claimant claimant);

/* Notes a fact; what does not fit is left out. */
void verdict_note(struct verdict *verdict, enum fact fact, double value);
void verdict_note_number(struct verdict *verdict, enum fact fact, uint64_t number);
void verdict_note_text(struct verdict *verdict, enum fact fact, const char *text);

/* A condition of advice holds. */
void verdict_advise(struct verdict *verdict, enum advise_when when);

/* Are the threads that call a process's callbacks on a processor, or waiting for one, nearly all the time? *cpu: the part that they are on
 * one, 0 where that is not known. */
int callbacks_saturate(const struct process *process, double *cpu);

/*
 * The rules. Each fills the verdict's shares, facts, what else it could be and what may be advised, and returns 1 if the cause is
 * at work at all; whether its share is enough to be told is verdict.c's to decide. `evidence` is of an image with requests, which may all be
 * open still.
 */
#define CAUSE(upper, judge, ...) int judge_##judge(const struct evidence *evidence, struct verdict *verdict);
#include "analyzer/core/causes.def"
#undef CAUSE

#endif
