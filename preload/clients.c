/* Global ids by cluster handle. */
#include "preload/clients.h"

#include <stddef.h>

#include "preload/real.h"

#define MOST_CLIENTS 256

static struct client {
	void *cluster;
	uint64_t id;
} clients[MOST_CLIENTS];

static void *(*cluster_of)(void *ioctx);
static uint64_t (*ask_id)(void *cluster);
static int64_t (*pool_of)(void *ioctx);

/* Concurrent first calls store the same values. */
static int find_functions(void)
{
	if (!__atomic_load_n(&cluster_of, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&ask_id, (uint64_t(*)(void *))real_symbol("librados.so.2", "rados_get_instance_id"), __ATOMIC_RELAXED);
		__atomic_store_n(&pool_of, (int64_t(*)(void *))real_symbol("librados.so.2", "rados_ioctx_get_id"), __ATOMIC_RELAXED);
		__atomic_store_n(&cluster_of, (void *(*)(void *))real_symbol("librados.so.2", "rados_ioctx_get_cluster"), __ATOMIC_RELEASE);
	}
	return cluster_of && ask_id;
}

/* The cluster's entry: its own, or a free one made its own; NULL when the table is full. */
static struct client *entry_of(void *cluster)
{
	for (size_t i = 0; i < MOST_CLIENTS; i++) {
		void *seen = __atomic_load_n(&clients[i].cluster, __ATOMIC_ACQUIRE);

		if (seen == cluster)
			return &clients[i];
		if (!seen && __atomic_compare_exchange_n(&clients[i].cluster, &seen, cluster, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return &clients[i];
		if (seen == cluster)
			return &clients[i];
	}
	return NULL;
}

static uint64_t ask(void *cluster, int anew)
{
	struct client *client = cluster ? entry_of(cluster) : NULL;
	uint64_t id = client ? __atomic_load_n(&client->id, __ATOMIC_RELAXED) : 0;

	if (cluster && (anew || !id)) {
		id = ask_id(cluster);
		if (client)
			__atomic_store_n(&client->id, id, __ATOMIC_RELAXED);
	}
	return id;
}

void clients_note(void *ioctx)
{
	if (find_functions())
		ask(cluster_of(ioctx), 1);
}

uint64_t clients_id(void *ioctx)
{
	return find_functions() ? ask(cluster_of(ioctx), 0) : 0;
}

int64_t clients_pool(void *ioctx)
{
	return find_functions() && pool_of ? pool_of(ioctx) : -1;
}
