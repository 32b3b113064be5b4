#include "tests/unit/core/test.h"

#include "tests/unit/analyzer/paths.h"
#include "tests/unit/analyzer/rows.h"

static struct json_object *root;

struct json_object *at(const char *path)
{
	struct json_object *value = root;
	char copy[256], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((key = strsep(&rest, "."))) {
		if (json_object_is_type(value, json_type_array)) {
			size_t index = strtoul(key, NULL, 10);

			if (index >= json_object_array_length(value))
				fail_msg("%s: no element %s", path, key);
			value = json_object_array_get_idx(value, index);
		} else if (!json_object_object_get_ex(value, key, &value)) {
			fail_msg("%s: no key %s", path, key);
		}
	}
	return value;
}

void is_int(const char *path, int64_t wanted)
{
	if (!json_object_is_type(at(path), json_type_int) || json_object_get_int64(at(path)) != wanted)
		fail_msg("%s is %s, not %lld", path, json_object_to_json_string(at(path)), (long long)wanted);
}

void is_near(const char *path, double wanted)
{
	if (fabs(json_object_get_double(at(path)) - wanted) > 1e-9 * fabs(wanted))
		fail_msg("%s is %s, not %.12g", path, json_object_to_json_string(at(path)), wanted);
}

void is_text(const char *path, const char *wanted)
{
	assert_true(json_object_is_type(at(path), json_type_string));
	assert_string_equal(json_object_get_string(at(path)), wanted);
}

void is_null(const char *path)
{
	if (at(path))
		fail_msg("%s is %s, not null", path, json_object_to_json_string(at(path)));
}

void has_length(const char *path, size_t wanted)
{
	assert_true(json_object_is_type(at(path), json_type_array));
	assert_int_equal(json_object_array_length(at(path)), wanted);
}

void parse_json(struct report *report)
{
	char *text = rows_write(report, json_write);

	json_object_put(root);
	root = json_tokener_parse(text);
	free(text);
	assert_non_null(root);
}

void forget_json(void)
{
	json_object_put(root);
	root = NULL;
}
