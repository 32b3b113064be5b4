/* A report as JSON and what stands at its paths, such as images.0.clients.0.id. A path that is not there fails the test. */
#ifndef RBDPROF_TESTS_PATHS_H
#define RBDPROF_TESTS_PATHS_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/writers/report.h"

/* Writes the report of its model, with verdicts and locks, and parses it; until forget_json(). One at a time. */
void parse_json(struct report *report);
void forget_json(void);

/* The value at the path; NULL, which is null. */
struct json_object *at(const char *path);

void is_int(const char *path, int64_t wanted);
void is_near(const char *path, double wanted);
void is_text(const char *path, const char *wanted);
void is_null(const char *path);
void has_length(const char *path, size_t wanted);

#endif
