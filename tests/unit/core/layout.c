/* Where bytes of an image lie, and the names' hashes. The hashes are what Ceph 16.2.15 says: `ceph osd map POOL NAME [NAMESPACE]`. */
#include "tests/unit/core/test.h"

#include "analyzer/core/layout.h"

static void test_hash(void **unused)
{
	static const struct {
		const char *name;
		uint32_t hash;
	} cases[] = {
	    {"a", 0x29eec818},
	    {"abcdefghijk", 0xe52b8e4c},   /* 11 bytes: all but the lowest of the last word */
	    {"abcdefghijkl", 0x0b1b3ea5},  /* 12: one round and nothing left */
	    {"abcdefghijklm", 0x3122b031}, /* 13 */
	    {"rbd_header.1017716fa366", 0x6ece1bf2},
	    {"journal_data.1.1017716fa366.16", 0x2a6b8283},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(layout_hash(cases[i].name, strlen(cases[i].name)), cases[i].hash);
}

static void test_object_hash(void **unused)
{
	char much[400];

	(void)unused;
	assert_int_equal(layout_object_hash("", "rbd_data.1017716fa366", 0), 0xa7a8db3b);
	assert_int_equal(layout_object_hash("", "rbd_data.1017716fa366", 0x2a), 0xc6237b0f);
	assert_int_equal(layout_object_hash("space", "rbd_data.1017716fa366", 1), 0x73d3bf86);
	/* The old format has 12 digits. */
	assert_int_equal(layout_object_hash("", "rb.0.1234.6b8b4567", 12), 0x299ff1b0);
	/* Longer than anything the shim says. */
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	assert_int_equal(layout_object_hash("", much, 1), 0);
}

static void test_valid(void **unused)
{
	(void)unused;
	assert_true(layout_valid(&(struct layout){4096, 4096, 1}));
	assert_true(layout_valid(&(struct layout){4096, 1024, 3}));
	assert_false(layout_valid(&(struct layout){0, 0, 0}));
	assert_false(layout_valid(&(struct layout){4096, 1000, 3}));
	assert_false(layout_valid(&(struct layout){4096, 1024, 0}));
}

static void check(const struct layout *layout, uint64_t offset, uint64_t length, uint64_t object, uint64_t within, uint64_t part)
{
	struct extent extent = layout_extent(layout, offset, length);

	assert_int_equal(extent.object, object);
	assert_int_equal(extent.offset_bytes, within);
	assert_int_equal(extent.length_bytes, part);
}

static void test_one_object_a_set(void **unused)
{
	const struct layout plain = {4096, 4096, 1}, units = {4096, 1024, 1};

	(void)unused;
	check(&plain, 0, 10, 0, 0, 10);
	check(&plain, 4095, 10, 0, 4095, 1);
	check(&plain, 4096, 5000, 1, 0, 4096);
	/* The stripe unit does not matter then. */
	check(&units, 4095, 10, 0, 4095, 1);
	check(&units, 8192 + 100, 5000, 2, 100, 3996);
}

/*
 * Objects of 4 units of 10 bytes, three a set; units 0 to 11 are in set 0:
 *	object 0: 0 3 6 9    object 1: 1 4 7 10    object 2: 2 5 8 11
 */
static void test_striped(void **unused)
{
	const struct layout striped = {40, 10, 3};

	(void)unused;
	check(&striped, 0, 100, 0, 0, 10);
	check(&striped, 15, 100, 1, 5, 5);
	check(&striped, 20, 3, 2, 0, 3);
	check(&striped, 30, 100, 0, 10, 10);
	check(&striped, 119, 1, 2, 39, 1);
	/* Unit 12 begins the second set, and unit 17 is the second of its last object. */
	check(&striped, 120, 100, 3, 0, 10);
	check(&striped, 178, 100, 5, 18, 2);
}

/* Every byte of an image of three sets is in one place of one object, and none twice. */
static void test_no_byte_twice(void **unused)
{
	const struct layout striped = {40, 10, 3};
	uint8_t seen[9][40] = {{0}};

	(void)unused;
	for (uint64_t at = 0; at < 360;) {
		struct extent extent = layout_extent(&striped, at, 360 - at);

		for (uint64_t i = 0; i < extent.length_bytes; i++)
			assert_int_equal(seen[extent.object][extent.offset_bytes + i]++, 0);
		at += extent.length_bytes;
	}
	for (size_t object = 0; object < 9; object++)
		for (size_t i = 0; i < 40; i++)
			assert_int_equal(seen[object][i], 1);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_object_hash),
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_one_object_a_set),
		cmocka_unit_test(test_striped),
		cmocka_unit_test(test_no_byte_twice),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
