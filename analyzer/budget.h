/*
 * How a recording's shared memory is divided: shares, one for each traced process, and within a share sub-buffers, one ring
 * of them for each processor. Arithmetic only: it asks no file system and no tracer.
 *
 * LTTng takes (sub-buffers + 1) × size × possible processors for a process, at its start (the one more is the reader's).
 */
#ifndef RBDPROF_ANALYZER_BUDGET_H
#define RBDPROF_ANALYZER_BUDGET_H

#include <stdint.h>

#define BUDGET_DEFAULT_BYTES (UINT64_C(64) << 20)
#define BUDGET_SHARES        4                    /* processes at a time that record makes room for, where memory allows */
#define BUDGET_SUBBUFFERS    4                    /* of one processor */
#define BUDGET_GOOD_BYTES    (UINT64_C(64) << 10) /* sub-buffers smaller than this are made only where there is no other way */
#define BUDGET_LEAST_BYTES   (UINT64_C(4) << 10)  /* one page: the least that LTTng takes */

struct budget {
	unsigned int shares;      /* processes that can be traced at the same time */
	unsigned int subbuffers;  /* per processor */
	uint64_t subbuffer_bytes; /* a power of two */
	uint64_t share_bytes;     /* what one process takes */
};

/*
 * Divides `bytes` among `most` processes, or fewer but at least `least` (1 or more) when their sub-buffers would become small, on a machine
 * with that many possible processors. Returns 0, or -ENOSPC when not even the least fit: each needs budget_least(processors).
 */
int budget_split(struct budget *budget, uint64_t bytes, unsigned int most, unsigned int least, unsigned int processors);

/* Bytes that one process needs at least. */
uint64_t budget_least(unsigned int processors);

/* Reads "64M", "256K", "1G" or plain bytes. Returns 0 or -EINVAL. */
int budget_parse(const char *text, uint64_t *bytes);

#endif
