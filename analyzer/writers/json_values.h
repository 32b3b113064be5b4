/* Values of the JSON report, and the parts of it that fill files of their own. Only the json*.c files include it. */
#ifndef RBDPROF_ANALYZER_WRITERS_JSON_VALUES_H
#define RBDPROF_ANALYZER_WRITERS_JSON_VALUES_H

#include <json-c/json.h>

#include "analyzer/core/images.h"
#include "analyzer/writers/report.h"

/* Each adds one key; the object takes the value over. NULL is null. */
void put(struct json_object *object, const char *key, struct json_object *value);
void put_text(struct json_object *object, const char *key, const char *value);
void put_count(struct json_object *object, const char *key, uint64_t value);

/* 0 stands for "not known" in the core where nothing can be 0: then it is null. */
void put_known(struct json_object *object, const char *key, uint64_t value);

/* A number of twelve digits. */
struct json_object *number(double value);

/* A distribution of whole numbers, mostly ns; NULL of an empty one. Of counts and sizes the mean has decimals. */
struct json_object *dist(const struct histogram *histogram);
struct json_object *dist_of_counts(const struct histogram *histogram);

/* The verdicts on all images that the report is about. */
struct json_object *json_verdict(const struct report *report);

/* Contended locks, threads, and what the processes may have of the processors. Never NULL. */
struct json_object *json_locks(const struct report *report);
struct json_object *json_threads(const struct report *report);
struct json_object *json_processes(const struct report *report);

/* --- Parts of an image; each is NULL where there is nothing to tell. ---------------------------------------------------- */

struct json_object *json_ownership(const struct image *image);
struct json_object *json_journal(const struct image *image);
struct json_object *json_objects(const struct image *image);
struct json_object *json_placement_groups(const struct report *report, const struct image *image); /* never NULL */

#endif
