/*
 * Who is who in a report: processes and their threads, images, the clients that use them and their settings. Images that several
 * processes have open are one image; it knows how to tell. It does not know requests beyond the place where their statistics are kept.
 *
 * Everything handed out belongs to the registry and lives as long as it does.
 */
#ifndef RBDPROF_ANALYZER_CORE_IMAGES_H
#define RBDPROF_ANALYZER_CORE_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/hash.h"
#include "analyzer/core/health.h"
#include "analyzer/core/stats.h"
#include "analyzer/event.h"

struct thread {
	uint32_t number;        /* within the process */
	uint32_t tid;           /* 0 while not described */
	char *name;             /* owned; "" while not described */
	uint64_t first_request; /* least number of its requests whose S is in the trace; NO_REQUEST before that */
	uint64_t last_request;  /* and the greatest */
	UT_hash_handle hh;
};

#define NO_REQUEST UINT64_MAX

struct process {
	uint32_t number; /* in the report, from 0 */
	uint32_t pid;    /* 0 while not described, as the rest below */
	uint32_t schema;
	char *version;           /* owned, never NULL: of the shim */
	char *comm;              /* owned, never NULL */
	char *host;              /* owned, never NULL */
	int64_t clock_offset_ns; /* wall clock = the process's times + this */
	struct process_health health;
	struct thread *threads;      /* owned; by number */
	struct handle *handles;      /* owned; open images by their number in the process */
	uint64_t undescribed_closed; /* requests made before their image was described, of images closed since */
};

/* One setting of a client. */
struct config {
	char *option; /* owned */
	char *value;  /* owned; the last that was said */
	UT_hash_handle hh;
};

/* A librados client's use of one image: one client with the image open twice is one, with two images open it is two of these. */
struct client {
	uint64_t id;                   /* global id in its cluster */
	const struct process *process; /* the first that was seen with it */
	struct image *image;
	char *release;    /* owned: Ceph's version */
	uint64_t open_ns; /* how long the last open took; 0 when unknown */
	uint8_t read_only;
	struct config *config; /* owned; read through client_config_next() */
	struct client_stats stats;
	UT_hash_handle hh;
};

struct image {
	/* What makes it this image and no other. All owned, never NULL. */
	char *key;
	char *cluster; /* fsid */
	int64_t pool_id;
	char *namespace_;
	char *id;
	char *snapshot; /* "" for the image itself */

	/* As last described. */
	char *pool;
	char *name;
	char *prefix;
	uint64_t size_bytes;
	uint64_t features; /* RBD_FEATURE_* bits */
	uint64_t object_size_bytes;
	uint64_t stripe_unit_bytes;
	uint64_t stripe_count;

	struct client *clients; /* owned; read through image_client_next() */
	UT_hash_handle hh;
};

/* Zeroed memory is an empty one. */
struct images {
	struct process **processes; /* owned; by number, NULL where none was seen */
	size_t process_count;
	struct image *images; /* owned; by key */
};

void images_fini(struct images *images);

/* The process of that number, made if need be. NULL when memory ran out. */
struct process *images_process(struct images *images, uint32_t number);

/* The process's thread of that number, made if need be. NULL when memory ran out. */
struct thread *process_thread(struct process *process, uint32_t number);

/* The same, but NULL when it was never made. */
const struct thread *process_thread_find(const struct process *process, uint32_t number);

/* The name of the process's thread of that number; "" when it is not known. */
const char *process_thread_name(const struct process *process, uint32_t number);

/* The client behind the process's open image of that number; NULL when it was never described or is closed. */
struct client *process_client(const struct process *process, uint32_t image);

/*
 * Requests of an image that was not described (yet): `change` more of them, or fewer when they found their client after all.
 * Returns 0 or -ENOMEM.
 */
int process_undescribed_add(struct process *process, uint32_t image, int64_t change);

/* How many such requests there were: of images that stayed unknown, and of images that were described after them. */
void process_undescribed(const struct process *process, uint64_t *never, uint64_t *later);

/* Each takes the event of its name. 0, -ENOMEM, or -ENOENT when the event's image is not known. */
int images_feed_process(struct process *process, const struct event *event);
int images_feed_thread(struct process *process, const struct event *event);
int images_feed_image(struct images *images, struct process *process, const struct event *event);
int images_feed_config(struct process *process, const struct event *event);
void images_feed_closed(struct process *process, const struct event *event);

/* The client after `previous` (NULL: the first) in the order in which they were seen; NULL after the last. */
const struct client *image_client_next(const struct image *image, const struct client *previous);

/* The setting after `previous` (NULL: the first); NULL after the last. */
const struct config *client_config_next(const struct client *client, const struct config *previous);

#endif
