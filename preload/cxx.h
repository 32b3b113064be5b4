/*
 * The C++ functions that the shim interposes, librbd's own and those at the boundary below it, as C sees them on the ABI: `this` is the
 * first argument, references are pointers, one-word class values are words. Their mangled names stand in tracepoints/functions.def. It
 * knows signatures and the layouts of std::string and of classes that are one pointer, and of nothing else: buffers are read with
 * librados' own iterator (bufferlist.h).
 */
#ifndef RBDPROF_PRELOAD_CXX_H
#define RBDPROF_PRELOAD_CXX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rbd/librbd.h>

/* libstdc++'s std::string, from its data on. */
struct cxx_string {
	const char *data;
	size_t length;
};

typedef void (*cxx_rados_callback)(void *completion, void *arg);

/* librados::IoCtx is one pointer: the C API's rados_ioctx_t. */
struct cxx_ioctx {
	void *ioctx;
};

/* librbd::Image is one pointer: the C API's rbd_image_t; NULL while nothing is open. */
struct cxx_image {
	rbd_image_t handle;
};

/* librbd::RBD, which has no members: `rbd` points to nothing. A pointer to its AioCompletion is the C API's rbd_completion_t. */
int cxx_open(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot);
int cxx_open_head(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name);
int cxx_open_by_id(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot);
int cxx_open_by_id_head(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id);
int cxx_open_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot);
int cxx_open_by_id_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot);
int cxx_aio_open(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot, rbd_completion_t completion);
int cxx_aio_open_by_id(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot,
		       rbd_completion_t completion);
int cxx_aio_open_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *name, const char *snapshot,
			   rbd_completion_t completion);
int cxx_aio_open_by_id_read_only(void *rbd, struct cxx_ioctx *pool, struct cxx_image *image, const char *id, const char *snapshot,
				 rbd_completion_t completion);

/* librbd::RBD::AioCompletion */
void cxx_aio_create_completion(rbd_completion_t completion, void *arg, rbd_callback_t callback);
bool cxx_aio_is_complete(rbd_completion_t completion);
int cxx_aio_wait_for_complete(rbd_completion_t completion);
ssize_t cxx_aio_get_return_value(rbd_completion_t completion);
void *cxx_aio_get_arg(rbd_completion_t completion);
void cxx_aio_release(rbd_completion_t completion);

/* librbd::Image. `data` is a bufferlist. */
int cxx_close(struct cxx_image *image);
void cxx_destroy(struct cxx_image *image);
int cxx_aio_close(struct cxx_image *image, rbd_completion_t completion);
int cxx_poll_io_events(struct cxx_image *image, rbd_completion_t *completions, int most);
int cxx_set_image_notification(struct cxx_image *image, int fd, int type);
int cxx_aio_read(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion);
int cxx_aio_read_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion);
int cxx_aio_read2(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_read2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_write(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion);
int cxx_aio_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion);
int cxx_aio_write2(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_write2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_discard(struct cxx_image *image, uint64_t offset, uint64_t length, rbd_completion_t completion);
int cxx_aio_writesame(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_writesame_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, rbd_completion_t completion, int flags);
int cxx_aio_write_zeroes(struct cxx_image *image, uint64_t offset, size_t length, rbd_completion_t completion, int zero_flags, int flags);
int cxx_aio_compare_and_write(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data,
			      rbd_completion_t completion, uint64_t *mismatch, int flags);
int cxx_aio_compare_and_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data,
				 rbd_completion_t completion, uint64_t *mismatch, int flags);
int cxx_aio_flush(struct cxx_image *image, rbd_completion_t completion);
ssize_t cxx_read(struct cxx_image *image, uint64_t offset, size_t length, void *data);
ssize_t cxx_read_14(struct cxx_image *image, uint64_t offset, size_t length, void *data);
ssize_t cxx_read2(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
ssize_t cxx_read2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
int64_t cxx_read_iterate(struct cxx_image *image, uint64_t offset, size_t length, int (*each)(uint64_t, size_t, const char *, void *),
			 void *arg);
int cxx_read_iterate2(struct cxx_image *image, uint64_t offset, uint64_t length, int (*each)(uint64_t, size_t, const char *, void *),
		      void *arg);
ssize_t cxx_write(struct cxx_image *image, uint64_t offset, size_t length, void *data);
ssize_t cxx_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *data);
ssize_t cxx_write2(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
ssize_t cxx_write2_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
int cxx_discard(struct cxx_image *image, uint64_t offset, uint64_t length);
ssize_t cxx_writesame(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
ssize_t cxx_writesame_14(struct cxx_image *image, uint64_t offset, size_t length, void *data, int flags);
ssize_t cxx_write_zeroes(struct cxx_image *image, uint64_t offset, size_t length, int zero_flags, int flags);
ssize_t cxx_compare_and_write(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data, uint64_t *mismatch,
			      int flags);
ssize_t cxx_compare_and_write_14(struct cxx_image *image, uint64_t offset, size_t length, void *expected, void *data, uint64_t *mismatch,
				 int flags);
int cxx_flush(struct cxx_image *image);
int cxx_invalidate_cache(struct cxx_image *image);

/* librados::ObjectOperation and its kinds */
void operation_construct(void *operation);
void operation_destroy(void *operation);
void operation_exec(void *operation, const char *cls, const char *method, void *in);
void operation_exec_14(void *operation, const char *cls, const char *method, void *in);
void operation_read(void *operation, size_t offset, uint64_t length, void *out, int *result);
void operation_read_14(void *operation, size_t offset, uint64_t length, void *out, int *result);
void operation_append(void *operation, const void *in);
void operation_append_14(void *operation, const void *in);
void operation_list_watchers(void *operation, void *out, int *result);

/* librados::IoCtx */
int aio_operate_write(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation);
int aio_operate_write_snaps(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, uint64_t snap,
			    void *snaps, const void *trace);
int aio_operate_read(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, void *out);
int aio_operate_read_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, void *out);
int aio_operate_read_flags(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, int flags, void *out);
int aio_operate_read_flags_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *operation, int flags, void *out);
int operate_write(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation);
int operate_read(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation, void *out);
int operate_read_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *operation, void *out);
int ioctx_exec(struct cxx_ioctx *ioctx, const struct cxx_string *oid, const char *cls, const char *method, void *in, void *out);
int ioctx_exec_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, const char *cls, const char *method, void *in, void *out);
int aio_notify(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *payload, uint64_t timeout_ms, void *reply);
int aio_notify_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, void *payload, uint64_t timeout_ms, void *reply);
int notify2(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *payload, uint64_t timeout_ms, void *reply);
int notify2_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *payload, uint64_t timeout_ms, void *reply);
void notify_ack(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t notify_id, uint64_t watch, void *reply);
void notify_ack_14(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t notify_id, uint64_t watch, void *reply);
int aio_watch(struct cxx_ioctx *ioctx, const struct cxx_string *oid, void *completion, uint64_t *watch, void *context);
int watch2(struct cxx_ioctx *ioctx, const struct cxx_string *oid, uint64_t *watch, void *context);
int aio_unwatch(struct cxx_ioctx *ioctx, uint64_t watch, void *completion);
int unwatch2(struct cxx_ioctx *ioctx, uint64_t watch);

/* librados::Rados */
void *aio_create_completion(void *arg, cxx_rados_callback callback);
void *aio_create_completion_14(void *arg, cxx_rados_callback complete, cxx_rados_callback safe);
int aio_watch_flush(void *rados, void *completion);
int blocklist_add(void *rados, const struct cxx_string *address, uint32_t expire_s);
int blocklist_add_14(void *rados, const struct cxx_string *address, uint32_t expire_s);

/* librados::AioCompletion. Ceph 14 has no destructor of it: there `release` deletes. */
int completion_set_callback(void *completion, void *arg, cxx_rados_callback callback);
int completion_set_safe_callback_14(void *completion, void *arg, cxx_rados_callback callback);
void completion_destroy(void *completion);
void completion_destroy_14(void *completion);

/* libceph-common */
void message_encode_trace(const void *message, void *payload, uint64_t features);
void message_encode_trace_14(const void *message, void *payload, uint64_t features);
void counters_tinc(void *counters, int index, uint64_t elapsed_ns);
void counters_tinc_14(void *counters, int index, uint64_t elapsed_ns);
void counters_tset(void *counters, int index, uint64_t time);
void counters_tset_14(void *counters, int index, uint64_t time);
void counters_destroy(void *counters);
void counters_destroy_14(void *counters);
void counters_builder(void *builder, void *cct, const struct cxx_string *name, int first, int last);
void counters_builder_14(void *builder, void *cct, const struct cxx_string *name, int first, int last);
void counters_add_time(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
void counters_add_time_14(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
void counters_add_time_avg(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
void counters_add_time_avg_14(void *builder, int index, const char *name, const char *description, const char *nick, int priority);
void *counters_create(void *builder);
void *counters_create_14(void *builder);
uint64_t bucket_get(void *bucket, uint64_t tokens);
void *timer_add_event_after(void *timer, double seconds, void *context);
void *timer_add_event_after_14(void *timer, double seconds, void *context);

#define FN(family, need, name)
#define FN_AS(family, need, name, symbol) extern __typeof__(name) name __asm__(symbol);
#include "tracepoints/functions.def"
#undef FN

#endif
