/* Operations on objects, blocking and not, as librbd sends them through librados. */
#include <string.h>

#include "preload/operation.h"
#include "preload/payload.h"
#include "preload/real.h"
#include "preload/recorder.h"

WRAPS(operation_construct)
void operation_construct(void *operation)
{
	if (recorder_wants_requests())
		operation_forget(operation);
	REAL(operation_construct)(operation);
}

WRAPS(operation_destroy)
void operation_destroy(void *operation)
{
	operation_forget(operation);
	REAL(operation_destroy)(operation);
}

static void call(const void *operation, const char *cls, const char *name, const void *in, enum bufferlist_age age)
{
	enum rbdprof_method method;
	uint64_t number;

	if (!recorder_wants_requests())
		return;
	method = operation_method(cls, name);
	number = operation_add(operation, method);
	if (number)
		payload_call(number, method, in, age);
}

WRAPS(operation_exec)
void operation_exec(void *operation, const char *cls, const char *method, void *in)
{
	call(operation, cls, method, in, BUFFERLIST_15);
	REAL(operation_exec)(operation, cls, method, in);
}

WRAPS(operation_exec_14)
void operation_exec_14(void *operation, const char *cls, const char *method, void *in)
{
	call(operation, cls, method, in, BUFFERLIST_14);
	REAL(operation_exec_14)(operation, cls, method, in);
}

static void read_object(const void *operation, const void *out, enum bufferlist_age age)
{
	if (recorder_wants_requests() && operation_add(operation, RBDPROF_METHOD_osd_read))
		operation_add_reply(operation, out, age);
}

WRAPS(operation_read)
void operation_read(void *operation, size_t offset, uint64_t length, void *out, int *result)
{
	read_object(operation, out, BUFFERLIST_15);
	REAL(operation_read)(operation, offset, length, out, result);
}

WRAPS(operation_read_14)
void operation_read_14(void *operation, size_t offset, uint64_t length, void *out, int *result)
{
	read_object(operation, out, BUFFERLIST_14);
	REAL(operation_read_14)(operation, offset, length, out, result);
}

static bool has(uint64_t methods, enum rbdprof_method method)
{
	for (; methods; methods >>= 8)
		if ((methods & 255) == method)
			return true;
	return false;
}

/* Behind the guard of a journal's object, entries are appended as plain bytes: a journal.append, in the words of Ceph 15 and later. */
static void append(const void *operation, const void *in, enum bufferlist_age age)
{
	uint64_t number = 0, methods = recorder_wants_requests() ? operation_methods(operation, &number) : 0;

	if (!has(methods, RBDPROF_METHOD_journal_guard_append))
		return;
	if (!has(methods, RBDPROF_METHOD_journal_append))
		operation_add(operation, RBDPROF_METHOD_journal_append);
	payload_entries(number, in, age);
}

WRAPS(operation_append)
void operation_append(void *operation, const void *in)
{
	append(operation, in, BUFFERLIST_15);
	REAL(operation_append)(operation, in);
}

WRAPS(operation_append_14)
void operation_append_14(void *operation, const void *in)
{
	append(operation, in, BUFFERLIST_14);
	REAL(operation_append_14)(operation, in);
}

WRAPS(operation_list_watchers)
void operation_list_watchers(void *operation, void *out, int *result)
{
	if (recorder_wants_requests())
		operation_add(operation, RBDPROF_METHOD_osd_list_watchers);
	REAL(operation_list_watchers)(operation, out, result);
}

/* Nothing is asked of the object's class, and it holds an image's data: what moves data is told where it is sent (message.c). */
static bool only_data(const struct operation_call *call)
{
	static const char *const prefixes[] = {"rbd_data.", "rb.0."};
	uint64_t number;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (call->oid->length > strlen(prefixes[i]) && !memcmp(call->oid->data, prefixes[i], strlen(prefixes[i])))
			return !operation_methods(call->operation, &number);
	return false;
}

/* Says the operation, calls, and says its end where no callback will. */
#define OPERATE(kind_, completion_, out_, age_, call_)                                                                                     \
	do {                                                                                                                               \
		struct operation_call is_ = {.kind = RBDPROF_OPERATION_##kind_,                                                            \
					     .ioctx = ioctx,                                                                               \
					     .oid = oid,                                                                                   \
					     .operation = operation,                                                                       \
					     .completion = completion_,                                                                    \
					     .out = out_,                                                                                  \
					     .age = age_};                                                                                 \
		uint64_t number_ = only_data(&is_) ? 0 : operation_begin(&is_);                                                            \
		int result_ = call_;                                                                                                       \
		operation_end(&is_, number_, result_);                                                                                     \
		return result_;                                                                                                            \
	} while (0)

WRAPS(aio_operate_write)
int aio_operate_write(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation)
{
	OPERATE(WRITE, completion, NULL, BUFFERLIST_15, REAL(aio_operate_write)(ioctx, oid, completion, operation));
}

WRAPS(aio_operate_write_snaps)
int aio_operate_write_snaps(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, uint64_t snap,
			    void *snaps, const void *trace)
{
	OPERATE(WRITE, completion, NULL, BUFFERLIST_15,
		REAL(aio_operate_write_snaps)(ioctx, oid, completion, operation, snap, snaps, trace));
}

WRAPS(aio_operate_read)
int aio_operate_read(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, void *out)
{
	OPERATE(READ, completion, out, BUFFERLIST_15, REAL(aio_operate_read)(ioctx, oid, completion, operation, out));
}

WRAPS(aio_operate_read_14)
int aio_operate_read_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, void *out)
{
	OPERATE(READ, completion, out, BUFFERLIST_14, REAL(aio_operate_read_14)(ioctx, oid, completion, operation, out));
}

WRAPS(aio_operate_read_flags)
int aio_operate_read_flags(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, int flags, void *out)
{
	OPERATE(READ, completion, out, BUFFERLIST_15, REAL(aio_operate_read_flags)(ioctx, oid, completion, operation, flags, out));
}

WRAPS(aio_operate_read_flags_14)
int aio_operate_read_flags_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, int flags,
			      void *out)
{
	OPERATE(READ, completion, out, BUFFERLIST_14, REAL(aio_operate_read_flags_14)(ioctx, oid, completion, operation, flags, out));
}

WRAPS(operate_write)
int operate_write(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation)
{
	OPERATE(WRITE, NULL, NULL, BUFFERLIST_15, REAL(operate_write)(ioctx, oid, operation));
}

WRAPS(operate_read)
int operate_read(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation, void *out)
{
	OPERATE(READ, NULL, out, BUFFERLIST_15, REAL(operate_read)(ioctx, oid, operation, out));
}

WRAPS(operate_read_14)
int operate_read_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation, void *out)
{
	OPERATE(READ, NULL, out, BUFFERLIST_14, REAL(operate_read_14)(ioctx, oid, operation, out));
}

/* A blocking call of one method has no operation object: its buffer serves as the key. */
WRAPS(ioctx_exec)
int ioctx_exec(struct cxx_ioctx *ioctx, const struct cxx_string *oid, const char *cls, const char *method, void *in, void *out)
{
	const void *operation = in;

	call(operation, cls, method, in, BUFFERLIST_15);
	OPERATE(READ, NULL, out, BUFFERLIST_15, REAL(ioctx_exec)(ioctx, oid, cls, method, in, out));
}

WRAPS(ioctx_exec_14)
int ioctx_exec_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, const char *cls, const char *method, void *in, void *out)
{
	const void *operation = in;

	call(operation, cls, method, in, BUFFERLIST_14);
	OPERATE(READ, NULL, out, BUFFERLIST_14, REAL(ioctx_exec_14)(ioctx, oid, cls, method, in, out));
}
