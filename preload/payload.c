/* Decoding payloads. */
#include "preload/payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "preload/recorder.h"

#define ENTRY_PREAMBLE 0x3141592653589793u
#define MOST_VERSION   32 /* of a versioned structure; Ceph's are far below: more is another format */

static bool plausible(uint8_t version)
{
	return version > 0 && version < MOST_VERSION;
}

/* The image's lock is held under the cookie "auto <handle of the watch>"; an object map's under an empty one. */
static uint64_t watch_of(const char *cookie)
{
	int error = errno;
	uint64_t watch;

	errno = 0;
	watch = strncmp(cookie, "auto ", 5) ? 0 : strtoull(cookie + 5, NULL, 10);
	if (errno)
		watch = 0; /* no handle is that large */
	errno = error;
	return watch;
}

/* An entity: its type (8: a client) and its number. */
static uint64_t entity(struct bufferlist *in)
{
	bufferlist_u8(in);
	return bufferlist_u64(in);
}

static void lock_call(uint64_t operation, enum rbdprof_method method, struct bufferlist *in)
{
	struct rbdprof_lock_call call = {.operation = operation, .method = (uint8_t)method};
	uint8_t version = bufferlist_begin(in);
	char text[64];

	bufferlist_string(in, text, sizeof(text)); /* the lock's name */
	if (method == RBDPROF_METHOD_lock_lock || method == RBDPROF_METHOD_lock_set_cookie)
		call.type = bufferlist_u8(in);
	if (method == RBDPROF_METHOD_lock_break_lock)
		call.locker = entity(in);
	bufferlist_string(in, text, sizeof(text)); /* the cookie */
	if (method == RBDPROF_METHOD_lock_set_cookie) {
		bufferlist_string(in, text, sizeof(text)); /* the tag */
		bufferlist_string(in, text, sizeof(text)); /* the new cookie */
	}
	call.watch = watch_of(text);
	if (in->failed || !plausible(version))
		EMIT(undecoded("lock call"));
	else
		EMIT(lock_call(&call));
}

/* Entries that begin with what of the image they are about. */
static bool has_range(uint32_t kind)
{
	return kind == RBDPROF_ENTRY_WRITE || kind == RBDPROF_ENTRY_DISCARD || kind == RBDPROF_ENTRY_WRITESAME ||
	       kind == RBDPROF_ENTRY_COMPARE_AND_WRITE;
}

/* One entry: what of the image it changes. Returns false when it is none, or not all of it is there. */
static bool entry(struct bufferlist *in, struct rbdprof_journal_append *append)
{
	uint64_t preamble = bufferlist_u64(in);
	uint8_t version = bufferlist_u8(in);
	uint64_t number = bufferlist_u64(in), tag = bufferlist_u64(in), offset_bytes = 0, length_bytes = 0;
	uint32_t data_bytes = bufferlist_u32(in), begin = in->at, kind, read_bytes;
	uint32_t i = append->count;

	if (preamble != ENTRY_PREAMBLE || !plausible(version))
		return false;
	if (!plausible(bufferlist_begin(in)))
		return false;
	kind = bufferlist_u32(in);
	if (has_range(kind)) {
		offset_bytes = bufferlist_u64(in);
		length_bytes = bufferlist_u64(in);
	}
	read_bytes = in->at - begin;
	in->at = begin;
	bufferlist_skip(in, (uint64_t)data_bytes + 4); /* and the checksum */
	if (in->failed || read_bytes > data_bytes)
		return false;
	if (!i)
		append->tag = tag;
	append->entries[i] = number;
	append->kinds[i] = kind < 255 ? (uint8_t)kind : 255;
	append->offsets_bytes[i] = offset_bytes;
	append->lengths_bytes[i] = length_bytes;
	append->count++;
	return true;
}

/* All that is left are entries, append_bytes of them. */
static void entries(uint64_t operation, struct bufferlist *in, uint32_t append_bytes)
{
	struct rbdprof_journal_append append = {.operation = operation, .append_bytes = append_bytes};
	bool whole = !in->failed && append_bytes <= in->length - in->at;

	while (!in->failed && in->at < in->length) {
		if (!entry(in, &append)) {
			whole = false;
			break;
		}
		if (append.count == RBDPROF_ENTRIES_AT_ONCE) {
			EMIT(journal_append(&append));
			append.count = 0;
			append.append_bytes = 0; /* told once */
		}
	}
	if (append.count)
		EMIT(journal_append(&append));
	if (!whole)
		EMIT(undecoded("journal entry"));
}

static void journal_append(uint64_t operation, struct bufferlist *in)
{
	bufferlist_u64(in); /* the size at which the object is full */
	entries(operation, in, bufferlist_u32(in));
}

void payload_entries(uint64_t operation, const void *list, enum bufferlist_age age)
{
	struct bufferlist in = bufferlist_read(list, age);

	entries(operation, &in, in.length);
}

void payload_call(uint64_t operation, enum rbdprof_method method, const void *list, enum bufferlist_age age)
{
	struct bufferlist in;

	switch (method) {
	case RBDPROF_METHOD_lock_lock:
	case RBDPROF_METHOD_lock_unlock:
	case RBDPROF_METHOD_lock_break_lock:
	case RBDPROF_METHOD_lock_set_cookie:
		in = bufferlist_read(list, age);
		lock_call(operation, method, &in);
		break;
	case RBDPROF_METHOD_journal_append:
		in = bufferlist_read(list, age);
		journal_append(operation, &in);
		break;
	default:
		break;
	}
}

bool payload_notification(struct rbdprof_notification_is *is, const void *payload, enum bufferlist_age age)
{
	struct bufferlist in = bufferlist_read(payload, age);
	uint8_t version = bufferlist_begin(&in);

	is->what = bufferlist_u32(&in);
	is->about = is->what <= RBDPROF_REQUEST_LOCK ? bufferlist_u64(&in) : 0;
	if (in.failed || !plausible(version)) {
		EMIT(undecoded("notification"));
		return false;
	}
	return true;
}

/* One answer: who gave it, through which watch, and what it says; empty when it says nothing. Returns its result. */
static int32_t reply(struct bufferlist *in, uint64_t *client)
{
	uint32_t length, begin;
	int32_t result;

	*client = bufferlist_u64(in);
	bufferlist_u64(in);
	length = bufferlist_u32(in);
	begin = in->at;
	if (!length)
		return 0;
	bufferlist_begin(in);
	result = (int32_t)bufferlist_u32(in);
	if (in->at - begin > length)
		in->failed = true; /* the result is another's bytes */
	in->at = begin;
	bufferlist_skip(in, length);
	return result;
}

/* Reads all answers, and says those that matter. Returns whether all could be read. */
static bool replies(uint64_t operation, struct bufferlist in, bool say)
{
	uint64_t client;

	for (uint32_t answers = bufferlist_u32(&in); !in.failed && answers; answers--) {
		int32_t result = reply(&in, &client);

		if (say && result < 0)
			EMIT(notify_reply(operation, client, result));
	}
	for (uint32_t missed = bufferlist_u32(&in); !in.failed && missed; missed--) {
		client = bufferlist_u64(&in);
		bufferlist_u64(&in);
		if (say)
			EMIT(notify_reply(operation, client, -ETIMEDOUT));
	}
	return !in.failed;
}

/* Nothing marks an answer as one: only that all of them can be read tells that the first are what they seem. */
void payload_replies(uint64_t operation, const void *list, enum bufferlist_age age)
{
	struct bufferlist in = bufferlist_read(list, age);

	if (!in.length)
		return;
	if (replies(operation, in, false))
		replies(operation, in, true);
	else
		EMIT(undecoded("reply to a notification"));
}

bool payload_answer(int32_t *result, const void *reply, enum bufferlist_age age)
{
	struct bufferlist in = bufferlist_read(reply, age);
	uint8_t version;

	*result = 0;
	if (!in.length)
		return false;
	version = bufferlist_begin(&in);
	*result = (int32_t)bufferlist_u32(&in);
	if (!in.failed && plausible(version))
		return true;
	*result = 0;
	EMIT(undecoded("answer to a notification"));
	return false;
}
