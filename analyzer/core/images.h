/*
 * Who is who in a report: processes and their threads, images, the clients that use them and their settings. Images that several
 * processes have open are one image; it knows how to tell. It does not know requests and operations beyond the places where what becomes
 * of them is kept.
 *
 * Everything handed out belongs to the registry and lives as long as it does.
 */
#ifndef RBDPROF_ANALYZER_CORE_IMAGES_H
#define RBDPROF_ANALYZER_CORE_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/claims.h"
#include "analyzer/core/code.h"
#include "analyzer/core/delays.h"
#include "analyzer/core/effects.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/health.h"
#include "analyzer/core/journal.h"
#include "analyzer/core/objects.h"
#include "analyzer/core/ownership.h"
#include "analyzer/core/placement.h"
#include "analyzer/core/stats.h"
#include "analyzer/core/threads.h"
#include "analyzer/core/users.h"
#include "analyzer/event.h"

struct thread {
	uint32_t number;        /* within the process */
	uint32_t tid;           /* 0 while not described */
	char *name;             /* owned; "" while not described */
	uint64_t first_request; /* least number of its requests whose S is in the trace; NO_REQUEST before that */
	uint64_t last_request;  /* and the greatest */
	uint64_t first_s_ns;    /* when the first and the last request were made whose S is in the trace; 0: none was */
	uint64_t last_s_ns;
	struct task *task; /* the process's; NULL while not described */
	uint8_t serves;    /* it makes no requests and was met inside Ceph's libraries: it works for all */
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
	struct thread *threads; /* owned; by number */
	struct threads tasks;   /* the same and others by the kernel's id, with what they had of the processors */
	struct code code;       /* where its addresses belong */
	struct delays delays;   /* of its requests, by locks */
	struct handle *handles; /* owned; open images by their number in the process */
	struct users users;     /* its librados clients */
	const char *cluster;    /* an image's: of the first that was described; NULL before that */
	uint8_t crossing;       /* something was seen that crosses the boundary below librbd */
	uint8_t sending;        /* a data operation was seen to be sent; where none ever is, N cannot be seen (Ceph 20 sends in another way) */
	uint8_t hidden;         /* bits 1 << moment: those that its recording cannot show */
	uint8_t lock_untold;    /* its recording cannot show when the lock becomes usable */
	uint64_t *throttling;   /* owned; the buckets of QoS before which requests queue */
	size_t throttling_count;
	uint64_t throttled_ns;       /* when that last changed; 0: never */
	uint64_t undescribed_closed; /* requests made before their image was described, of images closed since */
};

/* One setting of a client. */
struct config {
	char *option; /* owned */
	char *value;  /* owned; the last that was said */
	UT_hash_handle hh;
};

/* Unanswered requests for the lock that are remembered. */
#define REQUESTS_KEPT 16

/* A librados client's use of one image: one client with the image open twice is one, with two images open it is two of these. */
struct client {
	uint64_t id;                   /* global id in its cluster */
	const struct process *process; /* the first that was seen with it */
	struct image *image;
	char *release;    /* owned: Ceph's version */
	uint64_t open_ns; /* how long the last open took; 0 when unknown */
	uint8_t read_only;
	uint32_t handles;      /* how often the image is open */
	struct config *config; /* owned; read through client_config_next() */
	struct client_stats stats;
	struct claims claims;
	struct objects *objects;           /* owned; NULL before its first data operation */
	struct effects *effects;           /* owned; of its requests; NULL before the first */
	uint64_t requested[REQUESTS_KEPT]; /* numbers of the last notifications that asked it for the lock; 0: none */
	uint32_t requested_next;           /* place of the next one */
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

	/* Of the image itself, not of a snapshot. */
	struct ownership *ownership;                 /* owned; NULL without an exclusive lock */
	const struct ownership_result *ownership_is; /* after model_finish(); NULL: the lock was never in use */
	struct journal journal;
	struct coverage notifying; /* a client told the others something about its lock or header, and somebody did not answer in time */
	struct coverage asking;    /* a client waits for an answer of the owner */
	struct coverage silent;    /* a client asked the owner for the lock, and that did not answer in time */
	struct placement_groups placement_groups;

	/* Data operations and the requests that they carry. */
	uint64_t operations;           /* that carry requests */
	uint64_t resent;               /* sent again; they count nowhere else */
	uint64_t unmatched_operations; /* that carry no request: replay, readahead, maintenance … */
	uint64_t ambiguous_joins;      /* that could as well have carried another request for the same bytes */
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
struct thread *process_thread_known(struct process *process, uint32_t number);
const struct thread *process_thread_find(const struct process *process, uint32_t number);

/* 1 when events of the process are known to be missing: by the tracer's word, or by the shim's count. */
int process_is_lossy(const struct process *process);

/* The client behind the process's open image of that number; NULL when it was never described or is closed. */
struct client *process_client(const struct process *process, uint32_t image);

/* Notes that requests queue before a bucket of QoS, or do so no more. Returns 0 or -ENOMEM. */
int process_throttled(struct process *process, uint64_t bucket, int queues, uint64_t now_ns);

/*
 * The image (not a snapshot of it) that an object of the process's client belongs to: an image that this client has open, else one of the
 * process's cluster. The pool decides between images of the same id. NULL: none was described.
 */
struct image *images_find(const struct images *images, struct process *process, uint64_t client, int64_t pool_id, const char *id);

/* The client's use of the image; NULL when it was never described. */
struct client *image_client(const struct image *image, uint64_t id);

/* 1 when the image has the feature (a bit of RBD_FEATURE_*) and is not a snapshot. */
int image_has(const struct image *image, uint64_t feature);
#define IMAGE_EXCLUSIVE_LOCK (UINT64_C(1) << 2)
#define IMAGE_JOURNALING     (UINT64_C(1) << 6)

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
int images_feed_config(struct process *process, const struct event *event);

/* The same. *opened is the client for which the image is open from now on, NULL when that was known. */
int images_feed_image(struct images *images, struct process *process, const struct event *event, struct client **opened);

/* Returns the client that has the image open no more; NULL when it has, or when it was not known. */
struct client *images_feed_closed(struct process *process, const struct event *event);

/* The client after `previous` (NULL: the first) in the order in which they were seen; NULL after the last. */
const struct client *image_client_next(const struct image *image, const struct client *previous);

/* The client's setting of that name; "" when it is not known. */
const char *client_setting(const struct client *client, const char *option);

/* 1 when the client's setting of that name is known to be true. */
int client_is_set(const struct client *client, const char *option);

/* The setting after `previous` (NULL: the first); NULL after the last. */
const struct config *client_config_next(const struct client *client, const struct config *previous);

#endif
