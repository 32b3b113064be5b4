/*
 * What a client's requests on an image become: data operations that carry them, and journal entries that hold them. It joins both to
 * requests by the bytes that they are about, and knows for each request when the first of them was sent, when the last data operation was,
 * and when its last entry was safe. It knows no events, and not what a request is beyond its kind and range.
 *
 * A request that librbd completes before its operations and entries were sent (acknowledged early, by a cache) lingers until they come, so
 * that they are not taken for those of a later request for the same bytes. Memory is that of the requests in flight and of at most
 * EFFECTS_LINGERING others.
 */
#ifndef RBDPROF_ANALYZER_CORE_EFFECTS_H
#define RBDPROF_ANALYZER_CORE_EFFECTS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/core/entries.h"
#include "analyzer/core/layout.h"
#include "analyzer/core/pieces.h"

#define EFFECTS_LINGERING 4096

struct entry;
struct placement_group;

/* A request and what became of it. Times in ns; 0: it has not happened. */
struct carried {
	/* As it was made. */
	uint64_t s_ns;
	uint64_t length_bytes;
	uint8_t kind;      /* enum rbdprof_kind */
	uint8_t whole;     /* its effects are in the trace from S on */
	uint8_t journaled; /* the journal has to hold it, and shows */

	/* Its effects. */
	uint64_t first_ns;             /* the first entry or data operation was sent */
	uint64_t sent_ns;              /* the last data operation was, so far */
	uint64_t first_sent_ns;        /* and the first */
	uint64_t resent_ns;            /* one of them was sent once more, so far */
	uint64_t object;               /* number of the first object that it is about, once one was sent */
	uint8_t copied;                /* bytes of it were sent in two operations, one after the other, as copy-up does */
	struct placement_group *group; /* where that one went */
	uint32_t entries;
	uint32_t entries_safe;
	uint64_t safe_ns; /* the last entry was safe, so far */

	/* The consumer's, 0 at first. */
	uint64_t usable_ns; /* its client's lock became usable after S, before its first effect */
	uint64_t wanted_ns; /* its client began to ask for that lock */
	uint64_t tenure;    /* in which that was; 0: none */
	uint8_t throttled;  /* QoS held something up between S and then */
	uint8_t followed;   /* its object's queue knows it */
	uint8_t copies;     /* it is the first write to its object after a snapshot */

	/* Its end. */
	uint64_t c_ns;
	uint8_t closed;
	uint8_t failed;

	/* The module's own. */
	uint8_t waiting; /* in the queue of those that expect entries */
	uint8_t lingering;
	uint8_t forgotten;
	uint8_t reviewed;
	uint32_t appending;   /* entries that are sent and not safe */
	uint64_t sequence;    /* in the order of making */
	struct range *ranges; /* not held by an entry yet */
	struct piece *pieces;
	struct carried *queue_next, *queue_previous;
	struct carried *linger_next, *linger_previous;
	struct carried *review_next;
};

/* What becomes of requests. Each returns 0 or a negative errno. */
struct effects_consumer {
	void *context;
	int (*effect)(void *context, struct carried *request, uint64_t now_ns); /* first_ns was set */
	void (*sent)(void *context, struct carried *request);                   /* first_sent_ns and object were set */
	int (*settled)(void *context, const struct carried *request); /* closed, and nothing more will become of it; it is gone then */
};

/* Where the image's bytes lie; borrowed. */
struct effects_image {
	struct layout layout;
	const char *namespace_;
	const char *prefix;
};

/* A request as it is made. */
struct effects_request {
	uint64_t s_ns;
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint8_t kind;
	uint8_t whole;
	uint8_t journaled;
};

/* A data operation as it is sent. */
struct effects_operation {
	uint64_t now_ns;
	struct placement_group *group; /* where it goes; kept with the requests that it carries */
	uint32_t object_hash;
	uint32_t flags; /* RADOS: 0x10 read, 0x20 write */
	uint32_t code;  /* CEPH_OSD_OP_* */
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint64_t object_size_bytes;
};

struct effects; /* of one client's use of one image */

/* NULL when memory ran out. */
struct effects *effects_create(const struct effects_consumer *consumer);

/* Forgets all without a word to the consumer. NULL is fine. */
void effects_destroy(struct effects *effects);

/* A request is made. The result is the module's, and is given back with effects_close() or effects_forget(). NULL when memory ran out. */
struct carried *effects_open(struct effects *effects, const struct effects_image *image, const struct effects_request *request);

/*
 * A data operation is handed to the network. *joins: how many requests' parts it carries; *choices: how many of these joins could have been
 * made to another request as well. Returns 0, -ENOMEM, or what the consumer returned.
 */
int effects_sent(struct effects *effects, const struct effects_operation *operation, uint64_t *joins, uint64_t *choices);

/* An operation that was sent before is sent once more. Returns how many requests it carries, or what the consumer returned. */
int effects_resent(struct effects *effects, const struct effects_operation *operation);

/*
 * A journal entry is sent: entry->carried becomes the request that it belongs to, NULL if there is none. Each that is not NULL is given
 * back with effects_entry_done() or effects_entry_left(). Returns 0, or what the consumer returned.
 */
int effects_entry_sent(struct effects *effects, struct entry *entry, uint64_t now_ns);

/* It is safe; or refused (result below 0), and will be sent again elsewhere. Returns 0, -ENOMEM, or what the consumer returned. */
int effects_entry_done(struct effects *effects, const struct entry *entry, int32_t result, uint64_t now_ns);

/* Its end will not be told. */
int effects_entry_left(struct effects *effects, const struct entry *entry);

/* librbd completed the request. A flush that did not fail settles what lingers from before it. Returns as effects_entry_done(). */
int effects_close(struct effects *effects, struct carried *request, uint64_t c_ns, int failed);

/* What becomes of the request does not matter. */
void effects_forget(struct effects *effects, struct carried *request);

/* No more will come: settles all that lingers. Requests in flight are forgotten. Returns what the consumer returned. */
int effects_finish(struct effects *effects);

/* 1 when entries hold all of the request and all of them were safe. */
int carried_is_safe(const struct carried *request);

/* 1 when entries hold all of the request; of a discard and a flush, when there is one. */
int carried_is_joined(const struct carried *request);

#endif
