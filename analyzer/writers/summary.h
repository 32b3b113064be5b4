/* Numbers that several forms of the report need, made of results of the core. It knows no forms. */
#ifndef RBDPROF_ANALYZER_WRITERS_SUMMARY_H
#define RBDPROF_ANALYZER_WRITERS_SUMMARY_H

#include <stdbool.h>

#include "analyzer/core/images.h"

/* The step's part of the summed time of all handovers, 0 to 1; 0 where there were none. */
double summary_step_share(const struct ownership_result *ownership, enum handover_step step);

/* Appends a second between the first one's submission and the last one's reply; 0 where there were fewer than two. */
double summary_appends_per_s(const struct journal *journal);

/* The most that is read back in a handover of that class of ownership_result.replay, in bytes; UINT64_MAX for the last. */
uint64_t summary_replay_bytes(unsigned replay_class);

/* Is there a journal to tell about? */
bool summary_has_journal(const struct image *image);

#endif
