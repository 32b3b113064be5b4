/*
 * Data operations as they go to the network: librbd (librados, on Ceph 14) writes a message's trace section once for each, when all that
 * says where it goes is in its front already. Requests travel through code that is not exported; this is where they can be seen.
 */
#include <endian.h>
#include <malloc.h>
#include <string.h>

#include "preload/bufferlist.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/said.h"

/* ceph_msg_header within a Message, the same from 14 to 18. */
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
 * Where the operations of a message are is searched for once and then checked each time. Since Ceph 16 they are a small vector of two
 * places inside it: a pointer to its own next-but-two word, a count of at most two, and the number two; nothing else in a message looks like
 * that. More than two lie in a block of their own, and the last number is how many have room there. Before, they are a vector: three
 * pointers, to the first, behind the last, and behind the room for more, a whole number of operations apart. An operation begins with its
 * code (16 bits), flags (32), and for an extent offset and length (64 each), packed; two buffers make the rest of it large.
 */
enum { MOST_SEARCHED = 1024, FIRST_SEARCHED = 256, MOST_OPERATIONS = 64 };
static const uint64_t operation_bytes[BUFFERLIST_AGES] = {[BUFFERLIST_15] = 152, [BUFFERLIST_14] = 232};

/* The operations of one message. */
struct operations {
	const char *first; /* NULL: not found */
	uint64_t count;
	uint64_t bytes; /* of each */
};

/* What an allocator gives, with room for so much: aligned, in a process's half of the addresses, and not next to NULL. */
static bool is_block(uint64_t address, uint64_t bytes)
{
	return !(address & 15) && address >> 16 && !(address >> 47) && malloc_usable_size((void *)(uintptr_t)address) >= bytes;
}

static bool small_vector_at(const char *at)
{
	return word_at(at) == (uintptr_t)(at + 24) && word_at(at + 8) <= 2 && word_at(at + 16) == 2;
}

/* The small vector there, whose place is known. */
static struct operations small_vector(const char *at, uint64_t bytes)
{
	struct operations is = {(const char *)(uintptr_t)word_at(at), word_at(at + 8), bytes};
	uint64_t room = word_at(at + 16);

	if (small_vector_at(at))
		return is;
	if (room <= 2 || room > MOST_OPERATIONS || is.count > room || !is_block((uintptr_t)is.first, room * bytes))
		is.first = NULL;
	return is;
}

static bool is_code(const char *operation)
{
	uint16_t code;

	memcpy(&code, operation, sizeof(code));
	return (code & 0xf000) == 0x1000 || (code & 0xf000) == 0x2000; /* it reads, or it writes */
}

/* A plain vector there, if that is what it is. */
static struct operations plain_vector(const char *at, uint64_t bytes)
{
	uint64_t first = word_at(at), used = word_at(at + 8) - first, room = word_at(at + 16) - first;
	struct operations is = {NULL, used / bytes, bytes};

	if (!used || used > room || room > MOST_OPERATIONS * bytes || used % bytes || room % bytes)
		return is;
	if (is_block(first, room) && is_code((const char *)(uintptr_t)first))
		is.first = (const char *)(uintptr_t)first;
	return is;
}

/* The place of a message's operations within it, and above PLAIN if they are a plain vector there; 0: not found. */
enum { PLAIN = 1 << 16 };

static uint32_t find_operations(const char *message, uint64_t bytes)
{
	size_t size = malloc_usable_size((void *)message);

	if (size > MOST_SEARCHED)
		size = MOST_SEARCHED;
	for (uint32_t at = FIRST_SEARCHED; at + 24 + bytes <= size; at += 8)
		if (small_vector_at(message + at))
			return at;
	for (uint32_t at = FIRST_SEARCHED; at + 24 <= size; at += 8)
		if (plain_vector(message + at, bytes).first)
			return at | PLAIN;
	return 0;
}

static struct operations operations_of(const char *message, enum bufferlist_age age)
{
	static uint32_t learned[BUFFERLIST_AGES]; /* 0: not yet */
	uint32_t place = __atomic_load_n(&learned[age], __ATOMIC_RELAXED);

	if (!place) {
		place = find_operations(message, operation_bytes[age]);
		__atomic_store_n(&learned[age], place, __ATOMIC_RELAXED);
	}
	if (!place)
		return (struct operations){0};
	return place & PLAIN ? plain_vector(message + (place & ~PLAIN), operation_bytes[age]) :
			       small_vector(message + place, operation_bytes[age]);
}

/* What its operations move, from the lowest to the highest, for they come in any order. False when they cannot be found. */
static bool read_extents(struct rbdprof_sent *sent, const char *message, enum bufferlist_age age)
{
	struct operations operations = operations_of(message, age);
	uint64_t begin = UINT64_MAX, end = 0;

	for (uint64_t i = 0; operations.first && i < operations.count; i++) {
		const char *operation = operations.first + i * operations.bytes;
		uint64_t offset = word_at(operation + 6), length = word_at(operation + 14);
		uint16_t code;

		memcpy(&code, operation, sizeof(code));
		if (!moves_data(code))
			continue;
		if (!sent->extents++)
			sent->code = code;
		begin = offset < begin ? offset : begin;
		end = offset + length > end ? offset + length : end;
	}
	sent->offset_bytes = sent->extents ? begin : 0;
	sent->length_bytes = sent->extents ? end - begin : 0;
	return operations.first;
}

/* The front so far as it is read, at once: the placement group and its shard, the hash of the object's name, the map's epoch, and flags. */
struct __attribute__((packed)) front {
	uint8_t version, compatible;
	uint32_t length;
	uint8_t group_version;
	uint64_t pool;
	uint32_t placement_group;
	int32_t preferred; /* once */
	uint8_t shard;
	uint32_t object_hash, epoch, flags;
};

static bool read_front(struct rbdprof_sent *sent, const void *payload, enum bufferlist_age age)
{
	struct bufferlist in = bufferlist_read(payload, age);
	struct front front;

	bufferlist_bytes(&in, &front, sizeof(front));
	if (in.failed || front.version != 1 || front.group_version != 1)
		return false;
	sent->pool_id = (int64_t)le64toh(front.pool);
	sent->placement_group = le32toh(front.placement_group);
	sent->object_hash = le32toh(front.object_hash);
	sent->flags = le32toh(front.flags);
	return true;
}

static void say(const char *message, const void *payload, enum bufferlist_age age)
{
	struct rbdprof_sent sent = {0};
	uint16_t type, version;

	memcpy(&type, message + TYPE, sizeof(type));
	memcpy(&version, message + VERSION, sizeof(version));
	if (type != OSD_OPERATION)
		return;
	if (version != FRONT_VERSION || message[SOURCE_TYPE] != CLIENT || !read_front(&sent, payload, age) || !read_extents(&sent, message, age)) {
		EMIT(undecoded("OSD operation"));
		return;
	}
	sent.client = word_at(message + SOURCE);
	sent.transaction = word_at(message + TRANSACTION);
	/* Calls, watches and notifications are told where librbd makes them. A watch is renewed while no request comes, or none completes. */
	if (sent.extents)
		EMIT(sent(&sent));
	else
		said_when_due(recorder_now_ns());
}

WRAPS(message_encode_trace)
void message_encode_trace(const void *message, void *payload, uint64_t features)
{
	if (recorder_wants_requests())
		say(message, payload, BUFFERLIST_15);
	REAL(message_encode_trace)(message, payload, features);
}

/* Ceph 14's librbd leaves its data operations to librados too: then they come from there. */
WRAPS(message_encode_trace_14)
void message_encode_trace_14(const void *message, void *payload, uint64_t features)
{
	if (recorder_wants_requests())
		say(message, payload, BUFFERLIST_14);
	REAL(message_encode_trace_14)(message, payload, features);
}
