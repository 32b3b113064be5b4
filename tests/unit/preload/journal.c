/* Entries of an image's journal as they are appended: any number of them, of every kind, cut off anywhere, and with wrong bytes. */
#include "test.h"

#include "below.h"
#include "buffers.h"
#include "preload/payload.h"

#define OPERATION 79u
#define TAG       3
#define FIRST     1000 /* the first entry's number */
#define UNKNOWN   300  /* a kind that no Ceph has */

static int setup(void **state)
{
	(void)state;
	below_start(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	below_start(false);
	return 0;
}

/* Entry i is of this kind, about this much of the image. */
static uint32_t kind_of(uint32_t i)
{
	static const uint32_t kinds[] = {RBDPROF_ENTRY_WRITE,
					 RBDPROF_ENTRY_DISCARD,
					 RBDPROF_ENTRY_FLUSH,
					 UNKNOWN,
					 RBDPROF_ENTRY_WRITESAME,
					 7,
					 RBDPROF_ENTRY_COMPARE_AND_WRITE};

	return kinds[i % (sizeof(kinds) / sizeof(kinds[0]))];
}

static bool has_range(uint32_t kind)
{
	return kind != RBDPROF_ENTRY_FLUSH && kind != UNKNOWN && kind != 7;
}

static uint64_t offset_of(uint32_t i)
{
	return has_range(kind_of(i)) ? UINT64_C(0x100000000) + i * 4096 : 0;
}

static uint64_t length_of(uint32_t i)
{
	return has_range(kind_of(i)) ? 512 + i : 0;
}

static void put_entry(struct bytes *to, uint32_t i)
{
	struct bytes data = {0};
	size_t begin = put_begin(&data, 5);

	put(&data, kind_of(i), 4);
	if (has_range(kind_of(i))) {
		put(&data, offset_of(i), 8);
		put(&data, length_of(i), 8);
	}
	for (uint32_t j = 0; j < i % 5; j++)
		put(&data, 0xff, 1); /* the data */
	put_end(&data, begin);
	put(to, UINT64_C(0x3141592653589793), 8);
	put(to, 1, 1);
	put(to, FIRST + i, 8);
	put(to, TAG, 8);
	put(to, data.length, 4);
	put_bytes(to, data.at, data.length);
	put(to, 0xdeadbeef, 4); /* the checksum */
}

/* The bytes of so many entries, from `first` on; ends[i]: where entry i ends, NULL: not asked for. */
static struct bytes append_of(uint32_t count, size_t *ends)
{
	struct bytes in = {0};
	size_t begin;

	put(&in, 16777216, 8);
	begin = in.length;
	put(&in, 0, 4);
	for (uint32_t i = 0; i < count; i++) {
		put_entry(&in, i);
		if (ends)
			ends[i] = in.length;
	}
	put_end(&in, begin);
	return in;
}

/* What was heard, in however many events, are the first entries, as they are. Returns how many. */
static uint32_t assert_first_entries(void)
{
	uint32_t i = 0;

	for (int n = 0; n < below.count[BELOW_JOURNAL_APPEND]; n++) {
		const struct rbdprof_journal_append *is = &below_nth(BELOW_JOURNAL_APPEND, n)->is.append;

		assert_in_range(is->count, 1, RBDPROF_ENTRIES_AT_ONCE);
		assert_int_equal(is->operation, OPERATION);
		assert_int_equal(is->tag, TAG);
		for (uint32_t j = 0; j < is->count; j++, i++) {
			assert_int_equal(is->entries[j], FIRST + i);
			assert_int_equal(is->kinds[j], kind_of(i) == UNKNOWN ? 255 : kind_of(i));
			assert_int_equal(is->offsets_bytes[j], offset_of(i));
			assert_int_equal(is->lengths_bytes[j], length_of(i));
		}
	}
	return i;
}

static void any_number_of_entries(void **state)
{
	static const struct {
		uint32_t entries;
		int events; /* of 64 each */
	} cases[] = {{1, 1}, {63, 1}, {64, 1}, {65, 2}, {128, 2}, {200, 4}};
	static const size_t segments[] = {0, 1, 13, 64, 4096};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes in = append_of(cases[i].entries, NULL);

		for (size_t j = 0; j < sizeof(segments) / sizeof(segments[0]); j++) {
			below_forget();
			errno = EXDEV;
			payload_call(OPERATION, RBDPROF_METHOD_journal_append, buffer_of(in.at, in.length, segments[j]), BUFFERLIST_15);
			assert_int_equal(errno, EXDEV);
			assert_int_equal(below.events, cases[i].events);
			assert_int_equal(below.count[BELOW_JOURNAL_APPEND], cases[i].events);
			assert_int_equal(assert_first_entries(), cases[i].entries);
			/* All bytes are told once. */
			for (int n = 0; n < cases[i].events; n++)
				assert_int_equal(below_nth(BELOW_JOURNAL_APPEND, n)->is.append.append_bytes, n ? 0 : in.length - 12);
		}
	}
}

/* As Ceph 14 appends them: the entries alone, without the head of the class's method. */
static void entries_without_a_head(void **state)
{
	enum { HEAD_BYTES = 12, ENTRIES = 5 };
	struct bytes in = append_of(ENTRIES, NULL);

	(void)state;
	payload_entries(OPERATION, buffer_of(in.at + HEAD_BYTES, in.length - HEAD_BYTES, 7), BUFFERLIST_15);
	assert_int_equal(below.events, 1);
	assert_int_equal(assert_first_entries(), ENTRIES);
	assert_int_equal(below_nth(BELOW_JOURNAL_APPEND, 0)->is.append.append_bytes, in.length - HEAD_BYTES);
}

static void nothing_appended_says_nothing(void **state)
{
	struct bytes in = append_of(0, NULL);

	(void)state;
	payload_call(OPERATION, RBDPROF_METHOD_journal_append, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	assert_int_equal(below.events, 0);
}

/* The entries that are there whole are said, and that something is missing. None is made up from a part. */
static void entries_cut_off_anywhere(void **state)
{
	size_t ends[8];
	struct bytes in = append_of(8, ends);

	(void)state;
	for (size_t cut = 0; cut < in.length; cut++) {
		uint32_t whole = 0;

		while (whole < 8 && ends[whole] <= cut)
			whole++;
		below_forget();
		payload_call(OPERATION, RBDPROF_METHOD_journal_append, buffer_of(in.at, cut, cut % 6), BUFFERLIST_15);
		assert_int_equal(below.count[BELOW_UNDECODED], 1);
		assert_string_equal(below_nth(BELOW_UNDECODED, 0)->is.undecoded, "journal entry");
		assert_int_equal(assert_first_entries(), whole);
	}
}

/* An entry whose length does not hold what its kind needs must not borrow it from the next one. */
static void entry_too_short_for_its_range(void **state)
{
	struct bytes in = {0};

	(void)state;
	put(&in, 16777216, 8);
	put(&in, 8 + 1 + 8 + 8 + 4 + 10 + 4 + 64, 4);
	put(&in, UINT64_C(0x3141592653589793), 8);
	put(&in, 1, 1), put(&in, FIRST, 8), put(&in, TAG, 8);
	put(&in, 10, 4); /* a head and a kind */
	put(&in, 5, 1), put(&in, 1, 1), put(&in, 4, 4), put(&in, RBDPROF_ENTRY_WRITE, 4);
	put(&in, 0xdeadbeef, 4);
	for (int i = 0; i < 8; i++)
		put(&in, UINT64_MAX, 8);
	payload_call(OPERATION, RBDPROF_METHOD_journal_append, buffer_of(in.at, in.length, 0), BUFFERLIST_15);
	assert_int_equal(below.count[BELOW_JOURNAL_APPEND], 0);
	assert_int_equal(below.count[BELOW_UNDECODED], 1);
}

static void entries_with_wrong_bytes(void **state)
{
	struct bytes in = append_of(8, NULL);

	(void)state;
	for (size_t bit = 0; bit < 8 * in.length; bit++) {
		uint32_t entries = 0;

		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
		below_forget();
		payload_call(OPERATION, RBDPROF_METHOD_journal_append, buffer_of(in.at, in.length, bit % 17), BUFFERLIST_15);
		for (int n = 0; n < below.count[BELOW_JOURNAL_APPEND]; n++)
			entries += below_nth(BELOW_JOURNAL_APPEND, n)->is.append.count;
		assert_true(entries <= 8);
		assert_true(entries == 8 || below.count[BELOW_UNDECODED] == 1);
		in.at[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(any_number_of_entries),         TEST(entries_without_a_head), TEST(nothing_appended_says_nothing), TEST(entries_cut_off_anywhere),
	    TEST(entry_too_short_for_its_range), TEST(entries_with_wrong_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
