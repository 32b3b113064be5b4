/* What the library of queries.c answers when the shim asks about an image. */
#ifndef RBDPROF_TESTS_QUERIES_H
#define RBDPROF_TESTS_QUERIES_H

#include <stdint.h>

struct queries {
	const char *name, *id, *prefix, *pool, *space, *cluster, *release; /* NULL: the query fails */
	uint64_t size_bytes, features, stripe_unit_bytes, stripe_count, object_size_bytes, client;
	int64_t pool_id;
	const char *option, *value; /* the only setting that is known */
	int asked;                  /* how many queries were made */
	int operation_result;       /* of every RADOS operation that completes */
	int error;                  /* what each query leaves in errno */
};

extern struct queries queries;

#endif
