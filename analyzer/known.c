#include "analyzer/known.h"

/* clang-format off */
#define MEMBER(TYPE, group, field) {#field, MEMBER_##TYPE, offsetof(struct event, group.field), 0, 0, 0}
#define NUMBERS(group, field) {#field, MEMBER_NUMBERS, offsetof(struct event, group.field), offsetof(struct event, group.count), 0, 0}
#define ROWS(group, field) {"words", MEMBER_ROWS, offsetof(struct event, group.field), offsetof(struct event, group.count), 0, 0}
#define WORD(number, bit, TYPE, group, field) {"words", MEMBER_##TYPE, offsetof(struct event, group.field), 0, (number) + 1, bit}
#define EVENT(TYPE, name, ...) {KNOWN_PROVIDER #name, EVENT_##TYPE, {__VA_ARGS__}}

#define REQUEST_MEMBERS                                                                                                                    \
	MEMBER(U64, request, request), MEMBER(U32, request, image), MEMBER(U8, request, kind), MEMBER(U8, request, flags),                 \
		MEMBER(U64, request, offset_bytes), MEMBER(U64, request, length_bytes)
#define WAIT_MEMBERS                                                                                                                       \
	MEMBER(U64, wait, lock), MEMBER(U64, wait, mutex), MEMBER(U64, wait, caller), MEMBER(U64, wait, wait_ns), MEMBER(U64, wait, request), \
		MEMBER(U64, wait, stack), MEMBER(U32, wait, thread), MEMBER(U32, wait, holder), MEMBER(I32, wait, result), MEMBER(U8, wait, kind)
#define HOLD_MEMBERS                                                                                                                       \
	MEMBER(U64, hold, lock), MEMBER(U64, hold, caller), MEMBER(U64, hold, hold_ns), MEMBER(U64, hold, ago_ns), MEMBER(U32, hold, thread), \
		MEMBER(U8, hold, kind)
#define REQUEST_WORDS                                                                                                                      \
	WORD(0, 0, U64, request, request), WORD(1, 0, U64, request, offset_bytes), WORD(2, 0, U64, request, length_bytes),                 \
		WORD(3, 0, U32, request, image), WORD(3, 32, U8, request, kind), WORD(3, 40, U8, request, flags)
#define COMPLETE_WORDS                                                                                                                     \
	WORD(0, 0, U64, complete, request), WORD(1, 0, I64, complete, result), WORD(2, 0, MOMENT, complete, c2d_ns),                       \
		WORD(3, 0, U32, complete, thread), WORD(3, 32, U8, complete, looked)
#define SENT_WORDS                                                                                                                         \
	WORD(0, 0, U64, sent, client), WORD(1, 0, U64, sent, transaction), WORD(2, 0, I64, sent, pool_id),                                 \
		WORD(3, 0, U32, sent, placement_group), WORD(3, 32, U32, sent, object_hash), WORD(4, 0, U32, sent, flags),                 \
		WORD(4, 32, U16, sent, code), WORD(4, 48, U16, sent, extents), WORD(5, 0, U64, sent, offset_bytes),                        \
		WORD(6, 0, U64, sent, length_bytes)
#define WAIT_WORDS                                                                                                                         \
	WORD(0, 0, U64, wait, lock), WORD(1, 0, U64, wait, mutex), WORD(2, 0, U64, wait, caller), WORD(3, 0, U64, wait, wait_ns),          \
		WORD(4, 0, U64, wait, request), WORD(5, 0, U64, wait, stack), WORD(6, 0, U32, wait, thread), WORD(6, 32, U32, wait, holder), \
		WORD(7, 0, I32, wait, result), WORD(7, 32, U8, wait, kind)
#define HOLD_WORDS                                                                                                                         \
	WORD(0, 0, U64, hold, lock), WORD(1, 0, U64, hold, caller), WORD(2, 0, U64, hold, hold_ns), WORD(3, 0, U64, hold, ago_ns),         \
		WORD(4, 0, U32, hold, thread), WORD(4, 32, U8, hold, kind)
#define COMPLETE_MEMBERS                                                                                                                   \
	MEMBER(U64, complete, request), MEMBER(U32, complete, thread), MEMBER(I64, complete, result), MEMBER(U8, complete, looked)
#define COUNTS_MEMBERS                                                                                                                     \
	MEMBER(U64, counts.one, lock), MEMBER(U64, counts.one, acquisitions), MEMBER(U64, counts.one, contended),                          \
		MEMBER(U64, counts.one, wait_ns), MEMBER(U64, counts.one, holds), MEMBER(U64, counts.one, hold_ns),                        \
		MEMBER(U32, counts.one, thread), MEMBER(U8, counts.one, kind)
#define REAP_WORDS WORD(0, 0, U64, reap, one)
#define LOCK_WAIT_WORDS WAIT_WORDS
#define COND_WAIT_WORDS WAIT_WORDS
#define LOCK_HOLD_WORDS HOLD_WORDS
#define LOCK_PAIR_WORDS HOLD_WORDS
#define RECORD(upper, lower, words) EVENT(upper, lower, upper##_WORDS),

const struct known_event known_events[] = {
	RBDPROF_RECORDS(RECORD) /* as known_record says */
	EVENT(PROCESS, process, MEMBER(U32, process_is, schema), MEMBER(U32, process_is, pid), MEMBER(STRING, process_is, version),
	      MEMBER(STRING, process_is, comm)),
	EVENT(THREAD, thread, MEMBER(U32, thread, thread), MEMBER(U32, thread, tid), MEMBER(STRING, thread, name)),
	EVENT(IMAGE, image, MEMBER(U32, image, image), MEMBER(U64, image, open_ns), MEMBER(U64, image, client), MEMBER(I64, image, pool_id),
	      MEMBER(U64, image, size_bytes), MEMBER(U64, image, features), MEMBER(U64, image, object_size_bytes),
	      MEMBER(U64, image, stripe_unit_bytes), MEMBER(U64, image, stripe_count), MEMBER(U8, image, read_only),
	      MEMBER(STRING, image, cluster), MEMBER(STRING, image, release), MEMBER(STRING, image, pool),
	      {"namespace", MEMBER_STRING, offsetof(struct event, image.namespace_), 0, 0, 0}, MEMBER(STRING, image, name), MEMBER(STRING, image, id),
	      MEMBER(STRING, image, snapshot), MEMBER(STRING, image, prefix)),
	EVENT(CONFIG, config, MEMBER(U32, config, image), MEMBER(STRING, config, option), MEMBER(STRING, config, value)),
	EVENT(UNSEEN, unseen, MEMBER(STRING, unseen, function)),
	EVENT(TOTALS, totals, MEMBER(U64, totals, emitted), MEMBER(U64, totals, passed_through)),
	EVENT(IMAGE_CLOSED, image_closed, MEMBER(U32, image_closed, image), MEMBER(U64, image_closed, close_ns),
	      MEMBER(I32, image_closed, result)),
	EVENT(REQUEST, request, REQUEST_MEMBERS), /* schema 2 */
	EVENT(REQUEST_OPEN, request_open, REQUEST_MEMBERS, MEMBER(U64, request, age_ns)),
	EVENT(COMPLETE, complete, COMPLETE_MEMBERS, {"complete_ns", MEMBER_MOMENT, offsetof(struct event, complete.c2d_ns), 0, 0, 0}), /* schema 2 */
	EVENT(COMPLETE, complete, COMPLETE_MEMBERS, MEMBER(U64, complete, c2d_ns)), /* schema 1 */
	EVENT(REAP, reap, NUMBERS(reap, requests), NUMBERS(reap, ago_ns)), /* schema 5 */
	EVENT(LOCK_WAIT, lock_wait, WAIT_MEMBERS), /* schema 3 */
	EVENT(LOCK_WAIT_OPEN, lock_wait_open, WAIT_WORDS),
	EVENT(LOCK_WAIT_OPEN, lock_wait_open, WAIT_MEMBERS), /* schema 3 */
	EVENT(COND_WAIT, cond_wait, WAIT_MEMBERS), /* schema 3 */
	EVENT(LOCK_HOLD, lock_hold, HOLD_MEMBERS), /* schema 3 */
	EVENT(LOCK_PAIR, lock_pair, HOLD_MEMBERS), /* schema 3 */
	EVENT(LOCK_COUNTS, lock_counts, ROWS(counts, several)),
	EVENT(LOCK_COUNTS, lock_counts, COUNTS_MEMBERS, MEMBER(U64, counts.one, series)), /* schema 3 */
	EVENT(LOCK_COUNTS, lock_counts, COUNTS_MEMBERS), /* schema 2 */
	EVENT(HOLD_COUNTS, hold_counts, ROWS(counts, several)),
	EVENT(HOLD_COUNTS, hold_counts, COUNTS_MEMBERS, MEMBER(U64, counts.one, series)), /* schema 3 */
	EVENT(HOLD_COUNTS, hold_counts, COUNTS_MEMBERS), /* schema 2 */
	EVENT(LOCK_NAME, lock_name, MEMBER(U64, lock_name, lock), MEMBER(U64, lock_name, offset_bytes), MEMBER(STRING, lock_name, type)),
	EVENT(STACK, stack, MEMBER(U64, stack, stack), NUMBERS(stack, frames)),
	EVENT(MODULE, module, MEMBER(U64, module, begin), MEMBER(U64, module, end), MEMBER(U64, module, bias), MEMBER(STRING, module, path),
	      MEMBER(STRING, module, build_id)),
	EVENT(USAGE, usage, MEMBER(U32, usage, tid), MEMBER(U64, usage, cpu_ns), MEMBER(U64, usage, run_queue_ns), MEMBER(STRING, usage, name)),
	EVENT(HOST, host, MEMBER(I64, host, throttled_ns), MEMBER(I64, host, steal_ns), MEMBER(U32, host, processors),
	      MEMBER(U32, host, quota_milli)),
	EVENT(OBJECT, object, MEMBER(U64, object, object), MEMBER(STRING, object, name)),
	EVENT(OPERATION, operation, MEMBER(U64, operation, operation), MEMBER(U64, operation, client), MEMBER(I64, operation, pool_id),
	      MEMBER(U64, operation, object), MEMBER(U64, operation, methods), MEMBER(U64, operation, watch), MEMBER(U8, operation, kind),
	      MEMBER(U8, operation, synchronous), MEMBER(U8, operation, tracked)),
	EVENT(OPERATION_DONE, operation_done, MEMBER(U64, operation_done, operation), MEMBER(I32, operation_done, result),
	      MEMBER(U64, operation_done, reply_bytes)),
	EVENT(LOCK_CALL, lock_call, MEMBER(U64, lock_call, operation), MEMBER(U64, lock_call, watch), MEMBER(U64, lock_call, locker),
	      MEMBER(U8, lock_call, method), MEMBER(U8, lock_call, lock_type)),
	EVENT(JOURNAL_APPEND, journal_append, MEMBER(U64, journal_append, operation), MEMBER(U64, journal_append, tag),
	      MEMBER(U32, journal_append, append_bytes), NUMBERS(journal_append, entries), NUMBERS(journal_append, offsets_bytes),
	      NUMBERS(journal_append, lengths_bytes), NUMBERS(journal_append, kinds)),
	EVENT(NOTIFICATION, notification, MEMBER(U64, notification, operation), MEMBER(U64, notification, client),
	      MEMBER(U64, notification, object), MEMBER(U64, notification, notify_id), MEMBER(U64, notification, notifier),
	      MEMBER(U64, notification, about), MEMBER(U32, notification, what)),
	EVENT(NOTIFY_ACK, notify_ack, MEMBER(U64, notify_ack, client), MEMBER(U64, notify_ack, object), MEMBER(U64, notify_ack, notify_id),
	      MEMBER(I32, notify_ack, result), MEMBER(U8, notify_ack, answered)),
	EVENT(NOTIFY_REPLY, notify_reply, MEMBER(U64, notify_reply, operation), MEMBER(U64, notify_reply, client),
	      MEMBER(I32, notify_reply, result)),
	EVENT(WATCHING, watching, MEMBER(U64, watch, client), MEMBER(U64, watch, object), MEMBER(U64, watch, watch)),
	EVENT(WATCH_ERROR, watch_error, MEMBER(U64, watch, client), MEMBER(U64, watch, object), MEMBER(U64, watch, watch),
	      MEMBER(I32, watch, error)),
	EVENT(LOCK_ACQUIRED, lock_acquired, MEMBER(U32, lock_acquired, image)),
	EVENT(SENT, sent, MEMBER(U64, sent, client), MEMBER(U64, sent, transaction), MEMBER(I64, sent, pool_id),
	      MEMBER(U32, sent, placement_group), MEMBER(U32, sent, object_hash), MEMBER(U32, sent, flags), MEMBER(U16, sent, code),
	      MEMBER(U16, sent, extents), MEMBER(U64, sent, offset_bytes), MEMBER(U64, sent, length_bytes)), /* schema 2 */
	EVENT(THROTTLED, throttled, MEMBER(U64, throttled, bucket), MEMBER(U64, throttled, wanted), MEMBER(U64, throttled, granted)),
	EVENT(TIMER, timer, MEMBER(U64, timer, delay_ns)),
	EVENT(UNDECODED, undecoded, MEMBER(STRING, undecoded, what)),
	EVENT(BATCH, batch, NUMBERS(batch, words)),
	EVENT(WATERMARK, watermark, MEMBER(U64, watermark, until_ns)),
	{NULL, 0, {{0}}},
};
/* clang-format on */
