/*
 * A model whose image has made-up results of the exclusive lock, the journal and the placement groups, so that the writers are tested
 * apart from what computes these. All numbers, in ms where nothing else is said:
 *
 *	trace of 1200: nobody owned the lock for 120, client 4001 for 600 in three tenures, client 4002 for 480 in one
 *	4 tenures, 3 handovers, one of them back to the same client; 5 refused attempts
 *	handovers of 100, 200 and 300: 600; serving requests 400; 3 handovers in 600 + 400 = 1 s
 *	their steps: unlock 10, 10, 10 = 30 (5 %); replay 0, 110, 250 = 360 (60 %); first completion 90, 80, 40 = 210 (35 %)
 *	read back in them: nothing; 10 MiB; 40 MiB
 *	journal: 6 appends of 4200 bytes within 2 s, 2 ms each; 5 of 6 entries joined; 1 of 4 writes without all of its entries
 *	requests: two writes of each client at once, total 10 each: q2l 8, l2j 1, n2c 1; 2 in 10 ms: 200 IOPS, 2 in flight
 *	placement groups of pool 2: 20 requests each in 0 (4 ms), 1 (4 ms), 31 (9 ms), and one request in 4
 */
#ifndef RBDPROF_TESTS_OWNED_H
#define RBDPROF_TESTS_OWNED_H

#include "analyzer/core/model.h"

/* Changes the made-up results before they are told. */
typedef void owned_change(struct image *image, struct ownership_result *ownership);

/* The model, destroyed by owned_done(); one at a time. change: NULL for the numbers above. */
const struct model *owned_model(owned_change *change);
void owned_done(void);

#endif
