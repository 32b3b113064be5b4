/*
 * What is told of an image in one sentence, and the numbers that several forms of the report need. It knows results of the core and
 * rules on shares; it forecasts nothing and advises nothing.
 */
#ifndef RBDPROF_ANALYZER_WRITERS_SUMMARY_H
#define RBDPROF_ANALYZER_WRITERS_SUMMARY_H

#include <stdbool.h>

#include "analyzer/core/images.h"

/* Handovers a second between the first completion under the lock and the last; over the whole trace where requests were not seen. */
double summary_handovers_per_s(const struct ownership_result *ownership);

/* The step's part of the summed time of all handovers, 0 to 1; 0 where there were none. */
double summary_step_share(const struct ownership_result *ownership, enum handover_step step);

/* Appends a second between the first one's submission and the last one's reply; 0 where there were fewer than two. */
double summary_appends_per_s(const struct journal *journal);

/* The most that is read back in a handover of that class of ownership_result.replay, in bytes; UINT64_MAX for the last. */
uint64_t summary_replay_bytes(unsigned replay_class);

/* Was anything seen of what the image's programs do below librbd's calls? Else locks, journal and operations are not told. */
bool summary_sees_below(const struct image *image);

/* Is there a journal to tell about? */
bool summary_has_journal(const struct image *image);

/* The image's verdict, without a full stop. The caller frees it; NULL when memory ran out. */
char *summary_sentence(const struct image *image);

#endif
