/* What an image's journal did and what it cost. It is fed operations and joins; it knows no events and no output. */
#ifndef RBDPROF_ANALYZER_CORE_JOURNAL_H
#define RBDPROF_ANALYZER_CORE_JOURNAL_H

#include <stdint.h>

#include "analyzer/core/histogram.h"
#include "analyzer/core/operations.h"

/* Zeroed memory is an empty one. */
struct journal {
	uint64_t appends, append_bytes;   /* done, and not refused; bytes with their headers */
	uint64_t refused;                 /* appends for which the journal object had no room: their entries are appended again elsewhere */
	uint64_t first_ns, last_ns;       /* submission of the first and reply of the last append, for a rate */
	struct histogram append;          /* their latency, ns */
	uint64_t entries, entries_joined; /* that hold requests, of those appends; those whose request was found */
	uint64_t writes;                  /* completed writes, discards … that the journal has to hold and all of whose life was seen */
	uint64_t writes_unjoined;         /* those without all of their entries */
	uint64_t commits, tags;
	uint64_t replay_reads, replay_bytes;
	struct histogram after_acknowledgement; /* ns from C until the entries were safe, of requests that were acknowledged earlier */
};

void journal_fini(struct journal *journal);

/* 1 when the entry holds what a request asked for; others are the journal's own and maintenance. */
int journal_entry_of_request(const struct entry *entry);

/* An operation on the journal's objects is done. Returns 0 or -ENOMEM. */
int journal_operation_done(struct journal *journal, const struct operation *operation);

#endif
