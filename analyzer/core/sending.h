/*
 * A data operation is handed to the network: whose it is, and which requests it carries, now or once more. It knows clients and their
 * images; the join by bytes is effects.h's.
 */
#ifndef RBDPROF_ANALYZER_CORE_SENDING_H
#define RBDPROF_ANALYZER_CORE_SENDING_H

#include "analyzer/core/images.h"
#include "analyzer/event.h"

/* Takes a SENT event of the process. Returns 0 or a negative errno. */
int sending_feed(struct process *process, const struct event *event);

#endif
