/*
 * Which OSDs serve a placement group, from a file that `ceph pg dump pgs_brief -f json` wrote. It knows that file's shape in Ceph 14 to 20
 * and nothing of traces.
 */
#ifndef RBDPROF_ANALYZER_OSDMAP_H
#define RBDPROF_ANALYZER_OSDMAP_H

#include <stddef.h>
#include <stdint.h>

struct osdmap;

/* Reads the file; osdmap_free() the result. NULL, and *why a sentence without the file's name (static), when it cannot be read or is
 * something else. */
struct osdmap *osdmap_read(const char *path, const char **why);
void osdmap_free(struct osdmap *map);

/* The OSDs on which the group ("1.2f") acts, its primary first; valid as long as the map. *count is 0 when the map is NULL or does not have
 * the group. */
const int32_t *osdmap_acting(const struct osdmap *map, const char *group, size_t *count);

#endif
