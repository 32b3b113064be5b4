/*
 * The librados clients of a process, as the cluster knows them: by their global ids. It knows which images each has open and what it sent
 * lately, and no more.
 */
#ifndef RBDPROF_ANALYZER_CORE_USERS_H
#define RBDPROF_ANALYZER_CORE_USERS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"

struct client;

/* Transactions that are remembered of each, to tell those that are sent again: more than are ever in flight. */
#define TRANSACTIONS_KEPT 1024

struct user {
	uint64_t id;             /* global id */
	struct client **clients; /* owned; the registry's clients of described images; several images can share one librados client */
	uint64_t sent_ns;        /* when it sent something last; 0: never */
	uint64_t pause_ns;       /* a pause in sending began, as of a connection that broke: the last one … */
	uint64_t paused_ns;      /* … and ended */
	uint8_t sent_again;      /* it had to send something again, as after a connection that broke */
	size_t client_count;     /* 0: it only crosses the boundary */
	uint64_t transactions[TRANSACTIONS_KEPT]; /* the latest of each remainder, plus 1; 0: none */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct users {
	struct user *users; /* owned; by global id */
};

void users_fini(struct users *users);

/* The one of that global id: NULL when it was never made; or made if need be, and NULL when memory ran out. */
struct user *users_find(const struct users *users, uint64_t id);
struct user *users_get(struct users *users, uint64_t id);

/* It has the client's image open; once for each client. Returns 0 or -ENOMEM. */
int user_add(struct user *user, struct client *client);

/* It sends the transaction. Returns 1 when it had sent it before, else 0. */
int user_sends(struct user *user, uint64_t transaction);

#endif
