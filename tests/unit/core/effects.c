/* A client's requests, the operations and journal entries that they become, and what lingers. */
#include "tests/unit/core/test.h"

#include "analyzer/core/effects.h"
#include "analyzer/core/operations.h"
#include "tracepoints/schema.h"

/* Objects of 4096 bytes; the hash of object 0 of this prefix is that of Ceph (layout.c). */
#define PREFIX   "rbd_data.1017716fa366"
#define OBJECT_0 0xa7a8db3b
#define READ     0x10
#define WRITE    0x20

static const struct effects_image image = {{4096, 4096, 1}, "", PREFIX};
static struct effects *effects;
static char told[4096];

static int effect(void *context, struct carried *request, uint64_t now_ns)
{
	size_t length = strlen(told);

	assert_ptr_equal(context, told);
	assert_int_equal(request->first_ns, now_ns);
	snprintf(told + length, sizeof(told) - length, "%seffect:%u@%u", length ? " " : "", (unsigned)request->s_ns, (unsigned)now_ns);
	return 0;
}

/* Told once of each request, at its first data operation. */
static void first_sent(void *context, struct carried *request)
{
	assert_ptr_equal(context, told);
	assert_int_not_equal(request->first_sent_ns, 0);
	assert_int_equal(request->sent_ns, 0);
}

static int settled(void *context, const struct carried *request)
{
	size_t length = strlen(told);

	assert_ptr_equal(context, told);
	snprintf(told + length, sizeof(told) - length, "%ssettled:%u%s", length ? " " : "", (unsigned)request->s_ns,
		 !request->journaled          ? ""
		 : carried_is_safe(request)   ? "+safe"
		 : carried_is_joined(request) ? "+joined"
					      : "-unjoined");
	return 0;
}

static int setup(void **unused)
{
	const struct effects_consumer consumer = {.context = told, .effect = effect, .sent = first_sent, .settled = settled};

	(void)unused;
	told[0] = '\0';
	effects = effects_create(&consumer);
	return effects ? 0 : -1;
}

static int teardown(void **unused)
{
	(void)unused;
	effects_destroy(effects);
	return 0;
}

static void check_told(const char *want)
{
	assert_string_equal(told, want);
	told[0] = '\0';
}

/* S is its name here. */
static struct carried *open(uint8_t kind, uint64_t s_ns, uint64_t offset, uint64_t length, int journaled)
{
	const struct effects_request request = {s_ns, offset, length, kind, 1, (uint8_t)journaled};
	struct carried *carried = effects_open(effects, &image, &request);

	assert_non_null(carried);
	return carried;
}

static void sent(uint64_t now_ns, uint32_t flags, uint32_t code, uint64_t offset, uint64_t length, uint64_t want_joins)
{
	const struct effects_operation operation = {
	    .now_ns = now_ns,
	    .object_hash = OBJECT_0,
	    .flags = flags,
	    .code = code,
	    .offset_bytes = offset,
	    .length_bytes = length,
	    .object_size_bytes = 4096,
	};
	uint64_t joins, choices;

	assert_int_equal(effects_sent(effects, &operation, &joins, &choices), 0);
	assert_int_equal(joins, want_joins);
}

static struct entry append(uint64_t now_ns, uint8_t kind, uint64_t offset, uint64_t length)
{
	struct entry entry = {.offset_bytes = offset, .length_bytes = length, .kind = kind};

	assert_int_equal(effects_entry_sent(effects, &entry, now_ns), 0);
	return entry;
}

static void done(const struct entry *entry, int32_t result, uint64_t now_ns)
{
	assert_int_equal(effects_entry_done(effects, entry, result, now_ns), 0);
}

static void test_read_and_write(void **unused)
{
	struct carried *read = open(RBDPROF_READ, 10, 0, 512, 0), *write = open(RBDPROF_WRITE, 11, 0, 512, 0);

	(void)unused;
	sent(20, WRITE, 0x2201, 0, 512, 1);
	check_told("effect:11@20");
	sent(21, READ, 0x1201, 0, 512, 1);
	check_told("effect:10@21");
	assert_int_equal(read->sent_ns, 21);
	assert_int_equal(effects_close(effects, write, 30, 0), 0);
	assert_int_equal(effects_close(effects, read, 31, 0), 0);
	check_told("settled:11 settled:10");
}

/* [4000, 4200) lies in two objects; the operation on the second is not made here, so the write lingers when it ends, and a flush settles
 * it. */
static void test_two_objects(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 4000, 200, 0), *flush;

	(void)unused;
	sent(20, WRITE, 0x2201, 4000, 96, 1);
	assert_int_equal(write->sent_ns, 20);
	assert_int_equal(effects_close(effects, write, 30, 0), 0);
	check_told("effect:10@20");
	flush = open(RBDPROF_FLUSH, 31, 0, 0, 0);
	assert_int_equal(effects_close(effects, flush, 40, 0), 0);
	check_told("settled:10 settled:31");
}

/* Acknowledged early: the operation that comes then is the old write's, not that of the later one for the same bytes. */
static void test_acknowledged_early(void **unused)
{
	struct carried *old = open(RBDPROF_WRITE, 10, 0, 512, 0), *new;

	(void)unused;
	assert_int_equal(effects_close(effects, old, 11, 0), 0);
	check_told("");
	new = open(RBDPROF_WRITE, 12, 0, 512, 0);
	sent(20, WRITE, 0x2201, 0, 512, 1);
	check_told("effect:10@20 settled:10");
	sent(21, WRITE, 0x2201, 0, 512, 1);
	check_told("effect:12@21");
	assert_int_equal(new->sent_ns, 21);
	effects_forget(effects, new);
	check_told("");
}

/* What failed and what was read from a cache expects nothing. */
static void test_no_lingering(void **unused)
{
	struct carried *failed = open(RBDPROF_WRITE, 10, 0, 512, 1), *read = open(RBDPROF_READ, 11, 0, 512, 0);

	(void)unused;
	assert_int_equal(effects_close(effects, failed, 12, 1), 0);
	assert_int_equal(effects_close(effects, read, 13, 0), 0);
	check_told("settled:10-unjoined settled:11");
	sent(20, READ, 0x1201, 0, 512, 0);
}

/* One more than may linger: the first of them goes. */
static void test_lingering_is_bounded(void **unused)
{
	(void)unused;
	for (uint64_t i = 0; i < EFFECTS_LINGERING; i++)
		assert_int_equal(effects_close(effects, open(RBDPROF_WRITE, 100 + i, 0, 512, 0), 1000000, 0), 0);
	check_told("");
	assert_int_equal(effects_close(effects, open(RBDPROF_WRITE, 99, 0, 512, 0), 1000000, 0), 0);
	check_told("settled:100");
}

/* A write of 40 bytes in entries of 16: safe when the last of them is. Its data operation cannot be sent before its entries. */
static void test_entries(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 100, 40, 1);
	struct entry first, second, third;

	(void)unused;
	sent(11, WRITE, 0x2201, 100, 40, 0);
	first = append(20, RBDPROF_ENTRY_WRITE, 100, 16);
	assert_ptr_equal(first.carried, write);
	third = append(21, RBDPROF_ENTRY_WRITE, 132, 8);
	check_told("effect:10@20");
	assert_false(carried_is_joined(write));
	second = append(22, RBDPROF_ENTRY_WRITE, 116, 16);
	assert_true(carried_is_joined(write));
	done(&third, 0, 30);
	done(&first, 0, 31);
	assert_false(carried_is_safe(write));
	done(&second, 0, 32);
	assert_true(carried_is_safe(write));
	assert_int_equal(write->safe_ns, 32);
	sent(33, WRITE, 0x2201, 100, 40, 1);
	assert_int_equal(effects_close(effects, write, 40, 0), 0);
	check_told("settled:10+safe");
}

static void test_entries_of_nobody(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 100, 40, 1);

	(void)unused;
	assert_null(append(20, RBDPROF_ENTRY_WRITE, 90, 16).carried);
	assert_null(append(20, RBDPROF_ENTRY_WRITE, 130, 16).carried);
	assert_null(append(20, RBDPROF_ENTRY_DISCARD, 100, 40).carried);
	assert_null(append(20, RBDPROF_ENTRY_FLUSH, 0, 0).carried);
	effects_forget(effects, write);
	assert_null(append(20, RBDPROF_ENTRY_WRITE, 100, 40).carried);
	check_told("");
}

/* The journal object had no room: the entry comes again, and no other request's bytes are taken for it. */
static void test_refused(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 0, 32, 1), *later = open(RBDPROF_WRITE, 11, 0, 32, 1);
	struct entry entry = append(20, RBDPROF_ENTRY_WRITE, 0, 32), other = append(21, RBDPROF_ENTRY_WRITE, 0, 32), again;

	(void)unused;
	assert_ptr_equal(other.carried, later);
	done(&entry, -75, 30);
	assert_false(carried_is_joined(write));
	again = append(31, RBDPROF_ENTRY_WRITE, 0, 32);
	assert_ptr_equal(again.carried, write);
	done(&other, 0, 32);
	done(&again, 0, 33);
	assert_int_equal(write->safe_ns, 33);
	assert_int_equal(write->entries, 1);
	assert_true(carried_is_safe(write));
}

/* Safe only after the acknowledgement; and one whose reply is lost. */
static void test_safe_after_the_end(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 0, 32, 1), *other = open(RBDPROF_WRITE, 11, 512, 32, 1);
	struct entry entry = append(20, RBDPROF_ENTRY_WRITE, 0, 32), lost = append(20, RBDPROF_ENTRY_WRITE, 512, 32);

	(void)unused;
	assert_int_equal(effects_close(effects, write, 25, 0), 0);
	assert_int_equal(effects_close(effects, other, 25, 0), 0);
	sent(28, WRITE, 0x2201, 0, 32, 1);
	sent(28, WRITE, 0x2201, 512, 32, 1);
	check_told("effect:10@20 effect:11@20");
	done(&entry, 0, 30);
	check_told("settled:10+safe");
	assert_int_equal(effects_entry_left(effects, &lost), 0);
	check_told("settled:11+joined");
}

/* A request of which nothing more is wanted, with an entry on the way. */
static void test_forgotten_with_an_entry(void **unused)
{
	struct carried *write = open(RBDPROF_WRITE, 10, 0, 32, 1);
	struct entry entry = append(20, RBDPROF_ENTRY_WRITE, 0, 32);

	(void)unused;
	effects_forget(effects, write);
	done(&entry, -75, 30);
	check_told("effect:10@20");
	assert_null(append(31, RBDPROF_ENTRY_WRITE, 0, 32).carried);
}

/* A discard is trimmed before it is journaled; one that was trimmed to nothing has nothing, and leaves nothing behind. */
static void test_discards(void **unused)
{
	struct carried *discard = open(RBDPROF_DISCARD, 10, 100, 3000, 1), *nothing = open(RBDPROF_DISCARD, 11, 100, 50, 1);
	struct entry entry = append(20, RBDPROF_ENTRY_DISCARD, 1024, 2048);

	(void)unused;
	assert_ptr_equal(entry.carried, discard);
	done(&entry, 0, 30);
	sent(31, WRITE, 0x2204, 1024, 2048, 1);
	assert_int_equal(effects_close(effects, discard, 40, 0), 0);
	assert_int_equal(effects_close(effects, nothing, 41, 0), 0);
	check_told("effect:10@20 settled:10+safe settled:11-unjoined");
}

/* A whole object is deleted, its end truncated: neither says a length. */
static void test_to_the_end_of_the_object(void **unused)
{
	struct carried *whole = open(RBDPROF_DISCARD, 10, 0, 4096, 0), *tail = open(RBDPROF_DISCARD, 11, 1024, 3072, 0);

	(void)unused;
	sent(20, WRITE, 0x2203, 1024, 0, 1);
	assert_int_equal(tail->sent_ns, 20);
	sent(21, WRITE, 0x2205, 0, 0, 1);
	assert_int_equal(whole->sent_ns, 21);
}

/* Each kind has entries of its own; zeroes can be written in three ways. */
static void test_kinds(void **unused)
{
	struct carried *same = open(RBDPROF_WRITESAME, 10, 0, 512, 1), *compare = open(RBDPROF_COMPARE_AND_WRITE, 11, 0, 512, 1);
	struct carried *zeroes = open(RBDPROF_WRITE_ZEROES, 12, 0, 600, 1), *flush = open(RBDPROF_FLUSH, 13, 0, 0, 1);

	(void)unused;
	assert_ptr_equal(append(20, RBDPROF_ENTRY_COMPARE_AND_WRITE, 0, 512).carried, compare);
	assert_ptr_equal(append(21, RBDPROF_ENTRY_WRITESAME, 0, 512).carried, same);
	assert_ptr_equal(append(22, RBDPROF_ENTRY_WRITESAME, 0, 512).carried, zeroes);
	assert_false(carried_is_joined(zeroes));
	assert_ptr_equal(append(23, RBDPROF_ENTRY_WRITE, 512, 88).carried, zeroes);
	assert_true(carried_is_joined(zeroes));
	assert_ptr_equal(append(24, RBDPROF_ENTRY_FLUSH, 0, 0).carried, flush);
	assert_null(append(25, RBDPROF_ENTRY_FLUSH, 0, 0).carried);
	assert_true(carried_is_joined(flush));
}

static void test_finish(void **unused)
{
	(void)unused;
	assert_int_equal(effects_close(effects, open(RBDPROF_WRITE, 10, 0, 512, 1), 20, 0), 0);
	open(RBDPROF_WRITE, 11, 0, 512, 0);
	assert_int_equal(effects_finish(effects), 0);
	check_told("settled:10-unjoined");
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_and_write, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_objects, setup, teardown),
		cmocka_unit_test_setup_teardown(test_acknowledged_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_lingering, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lingering_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(test_entries_of_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_safe_after_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten_with_an_entry, setup, teardown),
		cmocka_unit_test_setup_teardown(test_discards, setup, teardown),
		cmocka_unit_test_setup_teardown(test_to_the_end_of_the_object, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_finish, setup, teardown),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
