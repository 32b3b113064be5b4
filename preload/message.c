/*
 * Data operations as they go to the network: librbd writes a message's trace section once for each, when all that says where it goes is in
 * its front already. Requests travel through code that is not exported; this is where they can be seen.
 */
#include <malloc.h>
#include <string.h>

#include "preload/bufferlist.h"
#include "preload/real.h"
#include "preload/recorder.h"

/* ceph_msg_header within a Message, the same from 16 to 18. */
enum { TRANSACTION = 32, TYPE = 40, VERSION = 44, SOURCE_TYPE = 60, SOURCE = 61, HEADER_END = 69 };
enum { OSD_OPERATION = 42, FRONT_VERSION = 8, CLIENT = 8 };

/* CEPH_OSD_OP_*: what moves an object's data. */
static bool moves_data(uint16_t code)
{
	switch (code) {
	case 0x1201: /* read */
	case 0x1205: /* sparse read */
	case 0x1220: /* compare extent */
	case 0x2201: /* write */
	case 0x2202: /* write full */
	case 0x2203: /* truncate */
	case 0x2204: /* zero */
	case 0x2205: /* delete */
	case 0x220d: /* create */
	case 0x2226: /* write the same */
		return true;
	default:
		return false;
	}
}

static uint64_t word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * The operations of a message are a small vector of two places inside it: a pointer to its own next-but-two word, a count of at most two, and
 * the number two. Nothing else in a message looks like that; it is searched for once and then checked each time. More than two lie in a
 * block of their own, and the last number is how many have room there. An operation begins with its code (16 bits), flags (32), and for
 * an extent offset and length (64 each), packed.
 */
enum { MOST_SEARCHED = 1024, FIRST_SEARCHED = 256, OPERATION_BYTES = 152, MOST_OPERATIONS = 64 };

static bool operations_at(const char *message, size_t at)
{
	return word_at(message + at) == (uintptr_t)(message + at + 24) && word_at(message + at + 8) <= 2 && word_at(message + at + 16) == 2;
}

/* The first of the message's operations, whose place is known; NULL when that is not what is there. */
static const char *operations_of(const char *message, size_t at, uint64_t *count)
{
	void *block = (void *)(uintptr_t)word_at(message + at);
	uint64_t room = word_at(message + at + 16);

	*count = word_at(message + at + 8);
	if (operations_at(message, at))
		return block;
	if (!block || room <= 2 || room > MOST_OPERATIONS || *count > room || malloc_usable_size(block) < room * OPERATION_BYTES)
		return NULL;
	return block;
}

static size_t find_operations(const void *message)
{
	size_t size = malloc_usable_size((void *)message);

	if (size > MOST_SEARCHED)
		size = MOST_SEARCHED;
	for (size_t at = FIRST_SEARCHED; at + 24 + OPERATION_BYTES <= size; at += 8)
		if (operations_at(message, at))
			return at;
	return 0;
}

static void read_extents(struct rbdprof_sent *sent, const char *message)
{
	static size_t learned; /* 0: not yet */
	size_t at = __atomic_load_n(&learned, __ATOMIC_RELAXED);
	uint64_t end = 0, count;
	const char *operations;

	if (!at) {
		at = find_operations(message);
		__atomic_store_n(&learned, at, __ATOMIC_RELAXED);
	}
	operations = at ? operations_of(message, at, &count) : NULL;
	for (uint64_t i = 0; operations && i < count; i++) {
		const char *operation = operations + i * OPERATION_BYTES;
		uint64_t offset = word_at(operation + 6), length = word_at(operation + 14);
		uint16_t code;

		memcpy(&code, operation, sizeof(code));
		if (!moves_data(code))
			continue;
		if (!sent->extents++) {
			sent->code = code;
			sent->offset_bytes = offset;
		}
		end = offset + length > end ? offset + length : end;
	}
	sent->length_bytes = sent->extents ? end - sent->offset_bytes : 0;
}

/* The front so far: the placement group and its shard, the hash of the object's name, the map's epoch, flags, and the request's id. */
static bool read_front(struct rbdprof_sent *sent, const void *payload)
{
	struct bufferlist in = bufferlist_read(payload, BUFFERLIST_15);
	uint8_t version = bufferlist_begin(&in), group_version = bufferlist_u8(&in);

	sent->pool_id = (int64_t)bufferlist_u64(&in);
	sent->placement_group = bufferlist_u32(&in);
	bufferlist_skip(&in, 5); /* what was once preferred, and the shard */
	sent->object_hash = bufferlist_u32(&in);
	bufferlist_u32(&in);
	sent->flags = bufferlist_u32(&in);
	return !in.failed && version == 1 && group_version == 1;
}

static void say(const char *message, const void *payload)
{
	struct rbdprof_sent sent = {0};
	uint16_t type, version;

	memcpy(&type, message + TYPE, sizeof(type));
	memcpy(&version, message + VERSION, sizeof(version));
	if (type != OSD_OPERATION)
		return;
	if (version != FRONT_VERSION || message[SOURCE_TYPE] != CLIENT || !read_front(&sent, payload)) {
		EMIT(undecoded("OSD operation"));
		return;
	}
	sent.client = word_at(message + SOURCE);
	sent.transaction = word_at(message + TRANSACTION);
	read_extents(&sent, message);
	/* Calls, watches and notifications are told where librbd makes them. */
	if (sent.extents)
		EMIT(sent(&sent));
}

WRAPS(message_encode_trace)
void message_encode_trace(const void *message, void *payload, uint64_t features)
{
	if (recorder_wants_requests())
		say(message, payload);
	REAL(message_encode_trace)(message, payload, features);
}
