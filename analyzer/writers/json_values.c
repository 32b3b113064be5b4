#include "analyzer/writers/json_values.h"

#include <math.h>
#include <stdio.h>

void put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

void put_text(struct json_object *object, const char *key, const char *value)
{
	put(object, key, value ? json_object_new_string(value) : NULL);
}

void put_count(struct json_object *object, const char *key, uint64_t value)
{
	put(object, key, json_object_new_uint64(value));
}

void put_known(struct json_object *object, const char *key, uint64_t value)
{
	put(object, key, value ? json_object_new_uint64(value) : NULL);
}

struct json_object *number(double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.12g", value);
	return json_object_new_double_s(value, text);
}

static struct json_object *dist_with(const struct histogram *histogram, struct json_object *mean)
{
	struct json_object *object = json_object_new_object();

	put_count(object, "count", histogram->count);
	put(object, "mean", mean);
	put_count(object, "p50", histogram_percentile(histogram, 0.5));
	put_count(object, "p90", histogram_percentile(histogram, 0.9));
	put_count(object, "p99", histogram_percentile(histogram, 0.99));
	put_count(object, "p999", histogram_percentile(histogram, 0.999));
	put_count(object, "max", histogram->max);
	return object;
}

struct json_object *dist(const struct histogram *histogram)
{
	if (histogram->count == 0)
		return NULL;
	return dist_with(histogram, json_object_new_uint64((uint64_t)llround(histogram_mean(histogram))));
}

struct json_object *dist_of_counts(const struct histogram *histogram)
{
	return histogram->count ? dist_with(histogram, number(histogram_mean(histogram))) : NULL;
}
