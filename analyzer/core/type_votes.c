#include "analyzer/core/type_votes.h"

#include <errno.h>
#include <stdlib.h>

/* How many locks of a place have a type; without a type, how many there are. */
struct type_vote {
	struct vote_key {
		uint64_t site;
		uint64_t process;
		const struct lock_type *type;
	} key;
	uint64_t count;
	UT_hash_handle hh;
};

void type_votes_fini(struct type_votes *votes)
{
	struct type_vote *vote, *next;

	HASH_ITER(hh, votes->votes, vote, next)
	{
		HASH_DEL(votes->votes, vote);
		free(vote);
	}
}

uint64_t lock_main_site(const struct lock *lock)
{
	const struct edge *edge = lock->contention ? edges_next(&lock->contention->edges, NULL) : NULL;

	return edge ? edge->key.waiter_site : 0;
}

static struct type_vote *find(const struct type_votes *votes, const struct vote_key *key)
{
	struct type_vote *vote;

	HASH_FIND(hh, votes->votes, key, sizeof(*key), vote);
	return vote;
}

static int add(struct type_votes *votes, const struct lock *lock, const struct lock_type *type)
{
	struct vote_key key = {lock_main_site(lock), lock->key.process, type};
	struct type_vote *vote = find(votes, &key);

	if (!vote) {
		vote = calloc(1, sizeof(*vote));
		if (!vote)
			return -ENOMEM;
		vote->key = key;
		HASH_ADD(hh, votes->votes, key, sizeof(vote->key), vote);
		if (hash_failed(vote)) {
			free(vote);
			return -ENOMEM;
		}
	}
	vote->count++;
	return 0;
}

int type_votes_count(struct type_votes *votes, const struct model *model)
{
	for (const struct lock *lock = model_lock_next(model, NULL); lock; lock = model_lock_next(model, lock)) {
		if (!lock_main_site(lock))
			continue;
		if (add(votes, lock, NULL) || (lock->type && add(votes, lock, lock->type)))
			return -ENOMEM;
	}
	return 0;
}

const struct lock_type *type_votes_type(const struct type_votes *votes, const struct lock *lock)
{
	struct vote_key of_type = {lock_main_site(lock), lock->key.process, lock->type}, of_all = {of_type.site, of_type.process, NULL};
	const struct type_vote *agree = lock->type ? find(votes, &of_type) : NULL, *all = agree ? find(votes, &of_all) : NULL;

	/* Of one whose place is not known nothing speaks against its type. */
	if (!agree)
		return lock->type;
	return agree->count * 2 >= all->count ? lock->type : NULL;
}
