/* What the text report tells of the OSDs of placement groups. Numbers: owned.h beside this file. */
#include "tests/unit/core/test.h"

#include <unistd.h>

#include "analyzer/writers/report.h"
#include "tests/unit/analyzer/owned.h"
#include "tests/unit/analyzer/rows.h"

static struct osdmap *osds;
static char *text;

static int teardown(void **unused)
{
	(void)unused;
	osdmap_free(osds);
	free(text);
	osds = NULL;
	text = NULL;
	return 0;
}

static void write_with(const char *groups, owned_change *change)
{
	char path[] = "/tmp/rbdprof-test-XXXXXX";
	struct report report = {0};
	const char *why;
	int file = mkstemp(path);

	assert_int_equal(write(file, groups, strlen(groups)), strlen(groups));
	close(file);
	osds = osdmap_read(path, &why);
	unlink(path);
	assert_non_null(osds);
	report.model = owned_model(change);
	report.osds = osds;
	text = rows_write(&report, text_write);
	owned_done();
}

/* The one group that stands out has OSDs 3 and 1. */
static void test_one(void **unused)
{
	(void)unused;
	write_with("[{\"pgid\": \"2.1f\", \"acting\": [1, 3], \"acting_primary\": 3}, {\"pgid\": \"2.0\", \"acting\": [1]}]", NULL);
	assert_non_null(strstr(text, "    n2c by group     requests      p50      p99  OSDs\n"
				     "    2.1f                   20  9.00 ms  9.00 ms  3, 1\n"
				     "    median group               4.00 ms  4.00 ms\n"
				     "\n"));
}

/* Two more of 9 and of 8 ms, and three usual ones: three of nine stand out. */
static void add_groups(struct image *image, struct ownership_result *ownership)
{
	static const struct {
		uint32_t number;
		uint64_t n2c_ns;
	} added[] = {{0x20, 9000000}, {0x21, 8000000}, {0x22, 4000000}, {0x23, 4000000}, {0x24, 4000000}};

	(void)ownership;
	for (unsigned i = 0; i < sizeof(added) / sizeof(*added); i++) {
		struct placement_group *group = placement_groups_get(&image->placement_groups, 2, added[i].number);

		assert_non_null(group);
		group->operations = 20;
		for (unsigned request = 0; request < 20; request++)
			assert_int_equal(histogram_add(&group->n2c, added[i].n2c_ns), 0);
	}
}

/* OSD 7 serves all three of them and 5 two. What the usual groups have does not count, and of OSDs that serve one nothing is told. */
static void test_common(void **unused)
{
	(void)unused;
	write_with("[{\"pgid\": \"2.1f\", \"acting\": [5, 7]}, {\"pgid\": \"2.20\", \"acting\": [7, 1]}, {\"pgid\": \"2.21\", \"acting\": "
		   "[2, 7, 5]},"
		   "{\"pgid\": \"2.22\", \"acting\": [1]}, {\"pgid\": \"2.23\", \"acting\": [1]}, {\"pgid\": \"2.24\", \"acting\": [1]}]",
		   add_groups);
	assert_non_null(strstr(text, "\n    osd.7 serves 3 of the 3 that stand out\n"));
	teardown(NULL);
	write_with("[{\"pgid\": \"2.1f\", \"acting\": [1]}, {\"pgid\": \"2.20\", \"acting\": [2]}, {\"pgid\": \"2.21\", \"acting\": [3]}]",
		   add_groups);
	assert_null(strstr(text, "that stand out"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_one, teardown),
	    cmocka_unit_test_teardown(test_common, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
