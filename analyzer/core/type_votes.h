/*
 * Whether the type that was inferred for a lock can be believed. What is taken at one place in the code is one member of one class: if the
 * locks that were waited for there are said to lie in this object and in that, their surroundings were mistaken for them, as
 * happens with short-lived objects without run-time type information. A type is believed when at least half of the locks that are waited
 * for at the lock's main place agree on it.
 */
#ifndef RBDPROF_ANALYZER_CORE_TYPE_VOTES_H
#define RBDPROF_ANALYZER_CORE_TYPE_VOTES_H

#include "analyzer/core/hash.h"
#include "analyzer/core/model.h"

/* Zeroed memory is an empty one. */
struct type_votes {
	struct type_vote *votes; /* owned */
};

/* Counts the locks of a finished model. Returns 0 or -ENOMEM; type_votes_fini() follows all the same. */
int type_votes_count(struct type_votes *votes, const struct model *model);

void type_votes_fini(struct type_votes *votes);

/* The lock's type where it can be believed, else NULL. */
const struct lock_type *type_votes_type(const struct type_votes *votes, const struct lock *lock);

/* Where the lock was waited for longest: a return address; 0 when that is not known. */
uint64_t lock_main_site(const struct lock *lock);

#endif
