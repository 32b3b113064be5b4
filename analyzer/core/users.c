#include "analyzer/core/users.h"

#include <errno.h>
#include <stdlib.h>

void users_fini(struct users *users)
{
	struct user *user, *next;

	HASH_ITER(hh, users->users, user, next)
	{
		HASH_DEL(users->users, user);
		free(user->clients);
		free(user);
	}
}

struct user *users_find(const struct users *users, uint64_t id)
{
	struct user *user;

	HASH_FIND_BYHASHVALUE(hh, users->users, &id, sizeof(id), hash_numbers(id, 0), user);
	return user;
}

struct user *users_get(struct users *users, uint64_t id)
{
	struct user *user = users_find(users, id);

	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->id = id;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, users->users, &user->id, sizeof(user->id), hash_numbers(id, 0), user);
	if (!hash_failed(user))
		return user;
	free(user);
	return NULL;
}

int user_add(struct user *user, struct client *client)
{
	struct client **grown;

	for (size_t i = 0; i < user->client_count; i++)
		if (user->clients[i] == client)
			return 0;
	grown = realloc(user->clients, (user->client_count + 1) * sizeof(struct client *));
	if (!grown)
		return -ENOMEM;
	user->clients = grown;
	user->clients[user->client_count++] = client;
	return 0;
}

int user_sends(struct user *user, uint64_t transaction)
{
	uint64_t *kept = &user->transactions[transaction % TRANSACTIONS_KEPT];

	if (*kept == transaction + 1)
		return 1;
	*kept = transaction + 1;
	return 0;
}
