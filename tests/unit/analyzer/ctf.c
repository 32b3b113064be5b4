#include "tests/unit/core/test.h"

#include <sys/stat.h>

#include "tests/unit/analyzer/ctf.h"
#include "tracepoints/schema.h"

enum { PROCESS, REQUEST, REAP, UNKNOWN, LACKING, FOREIGN, COMPLETE_2, COMPLETE_1, SENT_2 = 11, COUNTS_2, COUNTS_3, WAIT_3 = 16, HOLD_3, COUNTS, BATCH = 21, WATERMARK, SENSELESS = 999 };

static const char declarations[] = "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
				   "typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
				   "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
				   "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
				   "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
				   "typealias integer { size = 64; align = 8; signed = true; } := i64;\n";

static const char events[] =
    "event { name = \"rbdprof:process\"; id = 0; stream_id = 0; fields := struct { u32 schema; u32 pid; string version; string comm; }; "
    "};\n"
    "event { name = \"rbdprof:request\"; id = 1; stream_id = 0; fields := struct { u64 request; u32 image; u8 kind; u8 flags;\n"
    "	u64 offset_bytes; u64 length_bytes; }; };\n"
    "event { name = \"rbdprof:reap\"; id = 2; stream_id = 0; fields := struct { u32 length; u64 requests[length]; u32 times; u64 ago_ns[times]; }; };\n"
    "event { name = \"rbdprof:of_tomorrow\"; id = 3; stream_id = 0; fields := struct { u64 what; }; };\n"
    "event { name = \"rbdprof:totals\"; id = 4; stream_id = 0; fields := struct { u64 emitted; }; };\n"
    "event { name = \"other:event\"; id = 5; stream_id = 0; fields := struct { u64 what; }; };\n"
    "event { name = \"rbdprof:complete\"; id = 6; stream_id = 0; fields := struct { u64 request; u32 thread; i64 result; u64 complete_ns;\n"
    "	u8 looked; }; };\n"
    "event { name = \"rbdprof:complete\"; id = 7; stream_id = 0; fields := struct { u64 request; u32 thread; i64 result; u64 c2d_ns;\n"
    "	u8 looked; }; };\n"
    "event { name = \"rbdprof:request\"; id = 8; stream_id = 0; fields := struct { u64 words[4]; }; };\n"
    "event { name = \"rbdprof:complete\"; id = 9; stream_id = 0; fields := struct { u64 words[4]; }; };\n"
    "event { name = \"rbdprof:sent\"; id = 10; stream_id = 0; fields := struct { u64 words[7]; }; };\n"
    "event { name = \"rbdprof:sent\"; id = 11; stream_id = 0; fields := struct { u64 client; u64 transaction; i64 pool_id;\n"
    "	u32 placement_group; u32 object_hash; u32 flags; u16 code; u16 extents; u64 offset_bytes; u64 length_bytes; }; };\n"
    "event { name = \"rbdprof:lock_counts\"; id = 12; stream_id = 0; fields := struct { u64 lock; u64 acquisitions; u64 contended; u64 wait_ns;\n"
    "	u64 holds; u64 hold_ns; u32 thread; u8 kind; }; };\n"
    "event { name = \"rbdprof:lock_counts\"; id = 13; stream_id = 0; fields := struct { u64 lock; u64 series; u64 acquisitions; u64 contended;\n"
    "	u64 wait_ns; u64 holds; u64 hold_ns; u32 thread; u8 kind; }; };\n"
    "event { name = \"rbdprof:lock_wait\"; id = 14; stream_id = 0; fields := struct { u64 words[8]; }; };\n"
    "event { name = \"rbdprof:lock_hold\"; id = 15; stream_id = 0; fields := struct { u64 words[5]; }; };\n"
    "event { name = \"rbdprof:lock_wait\"; id = 16; stream_id = 0; fields := struct { u64 lock; u64 mutex; u64 caller; u64 wait_ns; u64 request;\n"
    "	u64 stack; u32 thread; u32 holder; i32 result; u8 kind; }; };\n"
    "event { name = \"rbdprof:lock_hold\"; id = 17; stream_id = 0; fields := struct { u64 lock; u64 caller; u64 hold_ns; u64 ago_ns; u32 thread;\n"
    "	u8 kind; }; };\n"
    "event { name = \"rbdprof:hold_counts\"; id = 18; stream_id = 0; fields := struct { u32 length; u64 words[length]; }; };\n"
    "event { name = \"rbdprof:cond_wait\"; id = 19; stream_id = 0; fields := struct { u64 words[8]; }; };\n"
    "event { name = \"rbdprof:lock_pair\"; id = 20; stream_id = 0; fields := struct { u64 words[5]; }; };\n"
    "event { name = \"rbdprof:reap\"; id = 23; stream_id = 0; fields := struct { u64 words[1]; }; };\n";

const char ctf_batches[] =
    "event { name = \"rbdprof:batch\"; id = 21; stream_id = 0; fields := struct { u32 length; u64 words[length]; }; };\n"
    "event { name = \"rbdprof:watermark\"; id = 22; stream_id = 0; fields := struct { u64 until_ns; }; };\n";

static void put_uuid(FILE *file, uint8_t byte)
{
	for (int i = 0; i < 16; i++)
		fprintf(file, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", byte);
}

void ctf_begin(const struct ctf_trace *trace)
{
	char path[300];
	FILE *file;

	assert_int_equal(mkdir(trace->folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/metadata", trace->folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "/* CTF 1.8 */\n%strace { major = 1; minor = 8; uuid = \"", declarations);
	put_uuid(file, trace->uuid);
	fprintf(
	    file,
	    "\"; byte_order = le; packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; u64 stream_instance_id; }; };\n"
	    "env { hostname = \"alpha\"; vpid = %u; procname = \"fio\"; domain = \"ust\"; tracer_name = \"lttng-ust\"; tracer_major = 2;\n"
	    "	tracer_minor = 13; };\n"
	    "clock { name = \"monotonic\"; uuid = \"",
	    trace->pid);
	put_uuid(file, trace->clock_uuid);
	fprintf(
	    file,
	    "\"; freq = 1000000000; offset_s = 0; offset = %lld; };\n"
	    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := moment;\n"
	    "stream { id = 0; packet.context := struct { moment timestamp_begin; moment timestamp_end; u64 content_size; u64 packet_size;\n"
	    "	u64 events_discarded; }; event.header := struct { u16 id; moment timestamp; }; };\n%s%s",
	    (long long)trace->clock_offset_ns, events, trace->more ? trace->more : "");
	fclose(file);
}

static void put(struct ctf_stream *stream, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		fputc((int)(value >> (8 * i) & 0xff), stream->file);
}

static void end_packet(struct ctf_stream *stream)
{
	long end = ftell(stream->file);
	uint64_t bits = (uint64_t)(end - stream->packet_at) * 8;

	fseek(stream->file, stream->packet_at + 32, SEEK_SET);
	put(stream, stream->begin_ns, 8);
	put(stream, stream->last_ns, 8);
	put(stream, bits, 8);
	put(stream, bits, 8);
	put(stream, stream->discarded, 8);
	fseek(stream->file, end, SEEK_SET);
	stream->packet_at = -1;
}

void ctf_packet(struct ctf_stream *stream)
{
	if (stream->packet_at >= 0)
		end_packet(stream);
}

void ctf_stream_begin(struct ctf_stream *stream, const struct ctf_trace *trace, const char *name)
{
	memset(stream, 0, sizeof(*stream));
	stream->trace = trace;
	stream->packet_at = -1;
	stream->instance = (uint64_t)name[strlen(name) - 1];
	snprintf(stream->path, sizeof(stream->path), "%s/%s", trace->folder, name);
	stream->file = fopen(stream->path, "w");
	assert_non_null(stream->file);
}

void ctf_stream_end(struct ctf_stream *stream)
{
	ctf_packet(stream);
	fclose(stream->file);
}

static void begin_event(struct ctf_stream *stream, uint64_t at_ns, int id)
{
	if (stream->packet_at < 0) {
		stream->packet_at = ftell(stream->file);
		put(stream, 0xc1fc1fc1, 4);
		for (int i = 0; i < 16; i++)
			put(stream, stream->trace->uuid, 1);
		put(stream, 0, 4); /* stream_id */
		put(stream, stream->instance, 8);
		for (int i = 0; i < 5; i++)
			put(stream, 0, 8); /* known when the packet ends */
		stream->begin_ns = at_ns;
	}
	stream->last_ns = at_ns;
	put(stream, (uint64_t)id, 2);
	put(stream, at_ns, 8);
}

void ctf_process(struct ctf_stream *stream, uint64_t at_ns)
{
	ctf_process_of_schema(stream, at_ns, 1);
}

void ctf_process_of_schema(struct ctf_stream *stream, uint64_t at_ns, uint32_t schema)
{
	begin_event(stream, at_ns, PROCESS);
	put(stream, schema, 4);
	put(stream, stream->trace->pid, 4);
	fwrite("0.1.0\0fio", 1, 10, stream->file);
}

void ctf_request(struct ctf_stream *stream, uint64_t at_ns, uint64_t request)
{
	begin_event(stream, at_ns, REQUEST);
	put(stream, request, 8);
	put(stream, 1, 4);    /* image */
	put(stream, 1, 1);    /* kind: write */
	put(stream, 2, 1);    /* flags */
	put(stream, 8192, 8); /* offset */
	put(stream, 4096, 8); /* length */
}

void ctf_words(struct ctf_stream *stream, uint64_t at_ns, enum ctf_worded event, const uint64_t *words)
{
	static const int counts[] = {[CTF_REQUEST] = 4, [CTF_COMPLETE] = 4, [CTF_SENT] = 7, [CTF_WAIT] = 8,
				     [CTF_HOLD] = 5,    [CTF_COND_WAIT] = 8, [CTF_PAIR] = 5, [CTF_REAP] = 1};

	begin_event(stream, at_ns, event);
	for (int i = 0; i < counts[event]; i++)
		put(stream, words[i], 8);
}

void ctf_sent_2(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, SENT_2);
	put(stream, 4200, 8); /* client */
	put(stream, 10, 8);   /* transaction */
	put(stream, (uint64_t)INT64_C(-2), 8);
	put(stream, 0x80000012, 4); /* placement group */
	put(stream, 0xfedcba97, 4); /* object's hash */
	put(stream, 0x80000010, 4); /* flags */
	put(stream, 0x1201, 2);     /* code */
	put(stream, 3, 2);          /* extents */
	put(stream, 2048, 8);       /* offset */
	put(stream, 4096, 8);       /* length */
}

void ctf_wait_3(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, WAIT_3);
	for (uint64_t i = 0; i < 6; i++)
		put(stream, 0x1000 + i, 8); /* lock, mutex, caller, wait, request, stack */
	put(stream, 5, 4);              /* thread */
	put(stream, 0x80000006, 4);     /* holder */
	put(stream, (uint64_t)INT64_C(-7), 4);
	put(stream, RBDPROF_RWLOCK_READ, 1);
}

void ctf_hold_3(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, HOLD_3);
	for (uint64_t i = 0; i < 4; i++)
		put(stream, 0x2000 + i, 8); /* lock, caller, hold, ago */
	put(stream, 0x80000008, 4);     /* thread */
	put(stream, RBDPROF_RWLOCK_WRITE, 1);
}

static void put_sequence(struct ctf_stream *stream, const uint64_t *words, uint32_t count)
{
	put(stream, count, 4);
	for (uint32_t i = 0; i < count; i++)
		put(stream, words[i], 8);
}

void ctf_counts(struct ctf_stream *stream, uint64_t at_ns, const uint64_t *words, uint32_t count)
{
	begin_event(stream, at_ns, COUNTS);
	put_sequence(stream, words, count);
}

void ctf_batch(struct ctf_stream *stream, uint64_t at_ns, const uint64_t *words, uint32_t count)
{
	begin_event(stream, at_ns, BATCH);
	put_sequence(stream, words, count);
}

void ctf_watermark(struct ctf_stream *stream, uint64_t at_ns, uint64_t until_ns)
{
	begin_event(stream, at_ns, WATERMARK);
	put(stream, until_ns, 8);
}

void ctf_counts_3(struct ctf_stream *stream, uint64_t at_ns, uint64_t series)
{
	begin_event(stream, at_ns, series ? COUNTS_3 : COUNTS_2);
	put(stream, 0x90000, 8); /* lock */
	if (series)
		put(stream, series, 8);
	put(stream, 640, 8); /* acquisitions */
	for (int i = 0; i < 4; i++)
		put(stream, 0, 8);
	put(stream, 5, 4); /* thread */
	put(stream, 0, 1); /* kind: mutex */
}

void ctf_complete(struct ctf_stream *stream, uint64_t at_ns, uint32_t schema, uint64_t request, uint64_t c_ns)
{
	begin_event(stream, at_ns, schema == 1 ? COMPLETE_1 : COMPLETE_2);
	put(stream, request, 8);
	put(stream, 3, 4); /* thread */
	put(stream, 4096, 8);
	put(stream, schema == 1 ? at_ns - c_ns : c_ns, 8);
	put(stream, 1, 1);
}

void ctf_reap(struct ctf_stream *stream, uint64_t at_ns, uint64_t first, uint64_t second)
{
	begin_event(stream, at_ns, REAP);
	put(stream, 2, 4);
	put(stream, first, 8);
	put(stream, second, 8);
	put(stream, 2, 4);
	put(stream, 30, 8); /* ns ago */
	put(stream, 20, 8);
}

void ctf_unknown(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, UNKNOWN);
	put(stream, 1, 8);
}

void ctf_lacking(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, LACKING);
	put(stream, 1, 8);
}

void ctf_foreign(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, FOREIGN);
	put(stream, 1, 8);
}

void ctf_senseless(struct ctf_stream *stream, uint64_t at_ns)
{
	begin_event(stream, at_ns, SENSELESS);
}
