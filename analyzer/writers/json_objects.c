/* How requests queue on an image's objects, as JSON. */
#include <stdio.h>

#include "analyzer/core/held.h"
#include "analyzer/writers/json_values.h"

static struct json_object *hottest(const struct image *image)
{
	struct json_object *list = json_object_new_array();
	struct object_counts hot[OBJECTS_HOTTEST];
	unsigned count = image_hottest(image, hot);

	for (unsigned i = 0; i < count; i++) {
		struct json_object *object = json_object_new_object();
		char name[96];

		snprintf(name, sizeof(name), "%s.%016llx", image->prefix, (unsigned long long)hot[i].object);
		put_text(object, "object", name);
		put_count(object, "requests", hot[i].requests);
		put(object, "queued_share",
		    hot[i].sent_to_completed_ns ? number((double)hot[i].queued_ns / (double)hot[i].sent_to_completed_ns) : NULL);
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *json_objects(const struct image *image)
{
	struct json_object *object, *in_flight;
	struct objects_sum sum;

	image_objects(image, &sum);
	if (!sum.requests)
		return NULL;
	object = json_object_new_object();
	in_flight = json_object_new_object();
	put(in_flight, "mean", number(sum.in_flight));
	put_count(in_flight, "max", sum.most);
	put(object, "in_flight", in_flight);
	put(object, "requests_each", number(sum.requests_each));
	put(object, "queued_share", number(sum.queued_share));
	put(object, "hottest", hottest(image));
	return object;
}
