/* The events as LTTng-UST sees them; every one is described in docs/events.md. Integers, but for what is said once. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER rbdprof

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tracepoints/provider.h"

#if !defined(RBDPROF_TRACEPOINTS_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define RBDPROF_TRACEPOINTS_PROVIDER_H

#include <lttng/tracepoint.h>

#include "tracepoints/emit.h"

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, process,
	LTTNG_UST_TP_ARGS(uint32_t, schema, const char *, version, uint32_t, pid, const char *, comm),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, schema, schema)
		lttng_ust_field_integer(uint32_t, pid, pid)
		lttng_ust_field_string(version, version)
		lttng_ust_field_string(comm, comm)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, thread,
	LTTNG_UST_TP_ARGS(uint32_t, thread, uint32_t, tid, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, thread, thread)
		lttng_ust_field_integer(uint32_t, tid, tid)
		lttng_ust_field_string(name, name)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, image,
	LTTNG_UST_TP_ARGS(const struct rbdprof_image *, i),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, image, i->image)
		lttng_ust_field_integer(uint64_t, open_ns, i->open_ns)
		lttng_ust_field_integer(uint64_t, client, i->client)
		lttng_ust_field_string(cluster, i->cluster)
		lttng_ust_field_string(release, i->release)
		lttng_ust_field_integer(int64_t, pool_id, i->pool_id)
		lttng_ust_field_string(pool, i->pool)
		lttng_ust_field_string(namespace, i->namespace_)
		lttng_ust_field_string(name, i->name)
		lttng_ust_field_string(id, i->id)
		lttng_ust_field_string(snapshot, i->snapshot)
		lttng_ust_field_integer(uint64_t, size_bytes, i->size_bytes)
		lttng_ust_field_integer_hex(uint64_t, features, i->features)
		lttng_ust_field_integer(uint64_t, object_size_bytes, i->object_size_bytes)
		lttng_ust_field_integer(uint64_t, stripe_unit_bytes, i->stripe_unit_bytes)
		lttng_ust_field_integer(uint64_t, stripe_count, i->stripe_count)
		lttng_ust_field_string(prefix, i->prefix)
		lttng_ust_field_integer(uint8_t, read_only, i->read_only)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, config,
	LTTNG_UST_TP_ARGS(uint32_t, image, const char *, option, const char *, value),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, image, image)
		lttng_ust_field_string(option, option)
		lttng_ust_field_string(value, value)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, unseen,
	LTTNG_UST_TP_ARGS(const char *, function),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(function, function)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, totals,
	LTTNG_UST_TP_ARGS(uint64_t, emitted, uint64_t, passed_through),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, emitted, emitted)
		lttng_ust_field_integer(uint64_t, passed_through, passed_through)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, batch,
	LTTNG_UST_TP_ARGS(const uint64_t *, words, size_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(uint64_t, words, words, uint32_t, count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, watermark,
	LTTNG_UST_TP_ARGS(uint64_t, until_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, until_ns, until_ns)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, image_closed,
	LTTNG_UST_TP_ARGS(uint32_t, image, uint64_t, close_ns, int32_t, result),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, image, image)
		lttng_ust_field_integer(uint64_t, close_ns, close_ns)
		lttng_ust_field_integer(int32_t, result, result)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, request,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_REQUEST_WORDS)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, request_open,
	LTTNG_UST_TP_ARGS(const struct rbdprof_request *, r, uint64_t, age_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, request, r->request)
		lttng_ust_field_integer(uint32_t, image, r->image)
		lttng_ust_field_integer(uint8_t, kind, r->kind)
		lttng_ust_field_integer(uint8_t, flags, r->flags)
		lttng_ust_field_integer(uint64_t, offset_bytes, r->offset_bytes)
		lttng_ust_field_integer(uint64_t, length_bytes, r->length_bytes)
		lttng_ust_field_integer(uint64_t, age_ns, age_ns)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, complete,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_COMPLETE_WORDS)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, reap,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_REAP_WORDS)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_CLASS(rbdprof, wait,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_WAIT_WORDS)
	)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, wait, rbdprof, lock_wait, LTTNG_UST_TP_ARGS(const uint64_t *, words))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, wait, rbdprof, lock_wait_open, LTTNG_UST_TP_ARGS(const uint64_t *, words))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, wait, rbdprof, cond_wait, LTTNG_UST_TP_ARGS(const uint64_t *, words))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(rbdprof, hold,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_HOLD_WORDS)
	)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, hold, rbdprof, lock_hold, LTTNG_UST_TP_ARGS(const uint64_t *, words))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, hold, rbdprof, lock_pair, LTTNG_UST_TP_ARGS(const uint64_t *, words))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(rbdprof, counts,
	LTTNG_UST_TP_ARGS(const uint64_t *, words, size_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_sequence(uint64_t, words, words, uint32_t, count)
	)
)
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, counts, rbdprof, lock_counts, LTTNG_UST_TP_ARGS(const uint64_t *, words, size_t, count))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(rbdprof, counts, rbdprof, hold_counts, LTTNG_UST_TP_ARGS(const uint64_t *, words, size_t, count))

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, lock_name,
	LTTNG_UST_TP_ARGS(uint64_t, lock, uint64_t, offset_bytes, const char *, type),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, lock, lock)
		lttng_ust_field_integer(uint64_t, offset_bytes, offset_bytes)
		lttng_ust_field_string(type, type)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, stack,
	LTTNG_UST_TP_ARGS(uint64_t, stack, const uint64_t *, frames, size_t, count),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, stack, stack)
		lttng_ust_field_sequence_hex(uint64_t, frames, frames, uint32_t, count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, module,
	LTTNG_UST_TP_ARGS(const struct rbdprof_module *, m),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, begin, m->begin)
		lttng_ust_field_integer_hex(uint64_t, end, m->end)
		lttng_ust_field_integer_hex(uint64_t, bias, m->bias)
		lttng_ust_field_string(path, m->path)
		lttng_ust_field_string(build_id, m->build_id)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, usage,
	LTTNG_UST_TP_ARGS(uint32_t, tid, uint64_t, cpu_ns, uint64_t, run_queue_ns, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, tid, tid)
		lttng_ust_field_integer(uint64_t, cpu_ns, cpu_ns)
		lttng_ust_field_integer(uint64_t, run_queue_ns, run_queue_ns)
		lttng_ust_field_string(name, name)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, host,
	LTTNG_UST_TP_ARGS(const struct rbdprof_host *, h),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int64_t, throttled_ns, h->throttled_ns)
		lttng_ust_field_integer(int64_t, steal_ns, h->steal_ns)
		lttng_ust_field_integer(uint32_t, processors, h->processors)
		lttng_ust_field_integer(uint32_t, quota_milli, h->quota_milli)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, object,
	LTTNG_UST_TP_ARGS(uint64_t, object, const char *, name),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, object, object)
		lttng_ust_field_string(name, name)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, operation,
	LTTNG_UST_TP_ARGS(const struct rbdprof_operation *, o),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, o->operation)
		lttng_ust_field_integer(uint64_t, client, o->client)
		lttng_ust_field_integer(int64_t, pool_id, o->pool_id)
		lttng_ust_field_integer_hex(uint64_t, object, o->object)
		lttng_ust_field_integer_hex(uint64_t, methods, o->methods)
		lttng_ust_field_integer(uint64_t, watch, o->watch)
		lttng_ust_field_integer(uint8_t, kind, o->kind)
		lttng_ust_field_integer(uint8_t, synchronous, o->synchronous)
		lttng_ust_field_integer(uint8_t, tracked, o->tracked)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, operation_done,
	LTTNG_UST_TP_ARGS(uint64_t, operation, int32_t, result, uint64_t, reply_bytes),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, operation)
		lttng_ust_field_integer(int32_t, result, result)
		lttng_ust_field_integer(uint64_t, reply_bytes, reply_bytes)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, lock_call,
	LTTNG_UST_TP_ARGS(const struct rbdprof_lock_call *, c),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, c->operation)
		lttng_ust_field_integer(uint64_t, watch, c->watch)
		lttng_ust_field_integer(uint64_t, locker, c->locker)
		lttng_ust_field_integer(uint8_t, method, c->method)
		lttng_ust_field_integer(uint8_t, lock_type, c->type)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, journal_append,
	LTTNG_UST_TP_ARGS(const struct rbdprof_journal_append *, a),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, a->operation)
		lttng_ust_field_integer(uint64_t, tag, a->tag)
		lttng_ust_field_integer(uint32_t, append_bytes, a->append_bytes)
		lttng_ust_field_sequence(uint64_t, entries, a->entries, uint32_t, a->count)
		lttng_ust_field_sequence(uint64_t, offsets_bytes, a->offsets_bytes, uint32_t, a->count)
		lttng_ust_field_sequence(uint64_t, lengths_bytes, a->lengths_bytes, uint32_t, a->count)
		lttng_ust_field_sequence(uint8_t, kinds, a->kinds, uint32_t, a->count)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, notification,
	LTTNG_UST_TP_ARGS(const struct rbdprof_notification_is *, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, n->operation)
		lttng_ust_field_integer(uint64_t, client, n->client)
		lttng_ust_field_integer_hex(uint64_t, object, n->object)
		lttng_ust_field_integer(uint64_t, notify_id, n->notify_id)
		lttng_ust_field_integer(uint64_t, notifier, n->notifier)
		lttng_ust_field_integer(uint64_t, about, n->about)
		lttng_ust_field_integer(uint32_t, what, n->what)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, notify_ack,
	LTTNG_UST_TP_ARGS(uint64_t, client, uint64_t, object, uint64_t, notify_id, int32_t, result, uint8_t, answered),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, client, client)
		lttng_ust_field_integer_hex(uint64_t, object, object)
		lttng_ust_field_integer(uint64_t, notify_id, notify_id)
		lttng_ust_field_integer(int32_t, result, result)
		lttng_ust_field_integer(uint8_t, answered, answered)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, notify_reply,
	LTTNG_UST_TP_ARGS(uint64_t, operation, uint64_t, client, int32_t, result),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, operation, operation)
		lttng_ust_field_integer(uint64_t, client, client)
		lttng_ust_field_integer(int32_t, result, result)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, watching,
	LTTNG_UST_TP_ARGS(uint64_t, client, uint64_t, object, uint64_t, watch),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, client, client)
		lttng_ust_field_integer_hex(uint64_t, object, object)
		lttng_ust_field_integer(uint64_t, watch, watch)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, watch_error,
	LTTNG_UST_TP_ARGS(uint64_t, client, uint64_t, object, uint64_t, watch, int32_t, error),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, client, client)
		lttng_ust_field_integer_hex(uint64_t, object, object)
		lttng_ust_field_integer(uint64_t, watch, watch)
		lttng_ust_field_integer(int32_t, error, error)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, lock_acquired,
	LTTNG_UST_TP_ARGS(uint32_t, image),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, image, image)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, sent,
	LTTNG_UST_TP_ARGS(const uint64_t *, words),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_array(uint64_t, words, words, RBDPROF_SENT_WORDS)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, throttled,
	LTTNG_UST_TP_ARGS(uint64_t, bucket, uint64_t, wanted, uint64_t, granted),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, bucket, bucket)
		lttng_ust_field_integer(uint64_t, wanted, wanted)
		lttng_ust_field_integer(uint64_t, granted, granted)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, timer,
	LTTNG_UST_TP_ARGS(uint64_t, delay_ns),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, delay_ns, delay_ns)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(rbdprof, undecoded,
	LTTNG_UST_TP_ARGS(const char *, what),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(what, what)
	)
)

#endif

#include <lttng/tracepoint-event.h>
