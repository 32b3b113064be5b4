/* A librados in the test's hands. */
#include "boundary.h"

#include "test.h"

#include "preload/real.h"
#include "queries.h"

static char cluster;
struct cxx_ioctx boundary_ioctx = {&cluster};
const struct cxx_string boundary_header = {"rbd_header.1234abcd", 19};
int boundary_answer, boundary_calls, boundary_callbacks;
struct below boundary_said, boundary_said_by_callback;
void *boundary_called_with, *boundary_called_arg;
char boundary_arg, boundary_half;

int boundary_called(void)
{
	boundary_calls++;
	boundary_said = below;
	return boundary_answer;
}

void boundary_callback(void *completion, void *arg)
{
	boundary_callbacks++;
	boundary_called_with = completion;
	boundary_called_arg = arg;
	boundary_said_by_callback = below;
}

static void *create(void *arg, cxx_rados_callback callback)
{
	struct boundary_completion *completion = calloc(1, sizeof(*completion));

	assert_non_null(completion);
	completion->callback = callback;
	completion->arg = arg;
	return completion;
}

static int set_callback(void *completion, void *arg, cxx_rados_callback callback)
{
	struct boundary_completion *c = completion;

	c->callback = callback;
	c->arg = arg;
	return 0;
}

/* The test's memory, which it gives back when it completes or drops one. */
static void destroy_completion(void *completion)
{
	(void)completion;
}

void *boundary_create(void)
{
	return aio_create_completion(&boundary_arg, boundary_callback);
}

void boundary_finish(void *completion, int result)
{
	struct boundary_completion *c = completion;

	queries.operation_result = result;
	c->callback(&boundary_half, c->arg);
	free(c);
}

void boundary_drop(void *completion)
{
	completion_destroy(completion);
	free(completion);
}

static void construct(void *operation)
{
	(void)operation;
}

static void destroy(void *operation)
{
	(void)operation;
}

static void exec(void *operation, const char *cls, const char *method, void *in)
{
	(void)operation, (void)cls, (void)method, (void)in;
}

static void read_object(void *operation, size_t offset, uint64_t length, void *out, int *result)
{
	(void)operation, (void)offset, (void)length, (void)out, (void)result;
}

static int aio_write(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation)
{
	(void)ioctx, (void)oid, (void)completion, (void)operation;
	return boundary_called();
}

static int aio_read(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, void *out)
{
	(void)ioctx, (void)oid, (void)completion, (void)operation, (void)out;
	return boundary_called();
}

static int write_now(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation)
{
	(void)ioctx, (void)oid, (void)operation;
	return boundary_called();
}

static int read_now(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation, void *out)
{
	(void)ioctx, (void)oid, (void)operation, (void)out;
	return boundary_called();
}

static int exec_now(struct cxx_ioctx *ioctx, const struct cxx_string *oid, const char *cls, const char *method, void *in, void *out)
{
	(void)ioctx, (void)oid, (void)cls, (void)method, (void)in, (void)out;
	return boundary_called();
}

void boundary_start(bool recording)
{
	boundary_answer = boundary_calls = boundary_callbacks = 0;
	boundary_called_with = boundary_called_arg = NULL;
	queries.client = CLIENT;
	queries.pool_id = POOL;
	real.aio_create_completion = create;
	real.completion_set_callback = set_callback;
	real.completion_destroy = destroy_completion;
	real.operation_construct = construct;
	real.operation_destroy = destroy;
	real.operation_exec = exec;
	real.operation_read = read_object;
	real.aio_operate_write = aio_write;
	real.aio_operate_read = aio_read;
	real.operate_write = write_now;
	real.operate_read = read_now;
	real.ioctx_exec = exec_now;
	below_start(recording);
}
