/* Placement groups and their OSDs, as Ceph's dumps tell. */
#include "tests/unit/core/test.h"

#include <unistd.h>

#include "analyzer/osdmap.h"

static char path[] = "/tmp/rbdprof-test-XXXXXX";
static struct osdmap *map;
static const char *why;

static int setup(void **unused)
{
	(void)unused;
	close(mkstemp(path));
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	osdmap_free(map);
	unlink(path);
	strcpy(path + strlen(path) - 6, "XXXXXX");
	return 0;
}

static void read_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	map = osdmap_read(path, &why);
}

static void check(const char *group, const char *want)
{
	char got[64] = "";
	size_t count;
	const int32_t *osds = osdmap_acting(map, group, &count);

	for (size_t i = 0; i < count; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%d", i ? " " : "", osds[i]);
	assert_string_equal(got, want);
}

/* The primary is not always the first, and where an OSD is missing Ceph writes 2^31 - 1. */
static void test_object(void **unused)
{
	(void)unused;
	read_text("{\"pg_ready\": true, \"pg_stats\": [\n"
		  "{\"pgid\": \"1.0\", \"state\": \"active+clean\", \"up\": [3, 0, 2], \"acting\": [3, 0, 2], \"up_primary\": 3, "
		  "\"acting_primary\": 3},\n"
		  "{\"pgid\": \"1.1\", \"acting\": [3, 0, 2], \"acting_primary\": 2},\n"
		  "{\"pgid\": \"2.1f\", \"acting\": [2147483647, 4], \"acting_primary\": 4}]}\n");
	assert_non_null(map);
	check("1.0", "3 0 2");
	check("1.1", "2 3 0");
	check("2.1f", "4");
	check("2.1e", "");
}

static void test_array(void **unused)
{
	(void)unused;
	read_text("[{\"pgid\": \"1.0\", \"acting\": [0]}]");
	assert_non_null(map);
	check("1.0", "0");
}

static void refuse(const char *text)
{
	read_text(text);
	assert_null(map);
	assert_non_null(strstr(why, "ceph pg dump pgs_brief"));
}

static void test_something_else(void **unused)
{
	(void)unused;
	refuse("");
	refuse("PG_STAT STATE UP");
	refuse("{\"epoch\": 7, \"osds\": []}");
	refuse("[]");
	refuse("[{\"pgid\": \"1.0\"}]");
	refuse("[{\"pgid\": \"1.0\", \"acting\": [0]}, 7]");
}

static void test_no_file(void **unused)
{
	(void)unused;
	unlink(path);
	map = osdmap_read(path, &why);
	assert_null(map);
	assert_non_null(strstr(why, "No such file"));
	check("1.0", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_object, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_array, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_something_else, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_no_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
