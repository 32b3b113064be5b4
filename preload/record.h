/*
 * What the shim remembers of a completion, from its creation until both its callback has returned and it was released: the request
 * behind it, its moments, and what the application gave with it. Records come from one pool that never grows. It knows
 * the life of a completion; it calls librbd only to ask a completion's state.
 */
#ifndef RBDPROF_PRELOAD_RECORD_H
#define RBDPROF_PRELOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rbd/librbd.h>

#include "tracepoints/emit.h"

struct image;

enum record_use {
	RECORD_UNUSED, /* nothing was submitted that we know of */
	RECORD_REQUEST,
	RECORD_OPEN,
	RECORD_CLOSE,
};

/*
 * The thread that completes a request is another than the one that makes it, and each cache line that both touch travels there and back:
 * what the end of a request needs is in the first one.
 */
struct record {
	uint32_t link;           /* the pool's */
	uint32_t state;          /* bits of enum record_state */
	rbd_callback_t callback; /* the application's; NULL: none */
	void *arg;               /* the application's */
	uint64_t start_ns;       /* S, or when opening or closing began */
	struct image *image;     /* of the request, while it was submitted */
	uint8_t use;             /* enum record_use */
	bool notifies;           /* the application polls for completions of this image */
	struct rbdprof_request request;
	rbd_completion_t completion; /* once released before its callback returned */
	/* RECORD_OPEN: what the call was given. RECORD_CLOSE: the number of the image. */
	rbd_image_t *open_handle;
	rados_ioctx_t open_pool;
	char open_snapshot[128];
	bool open_read_only;
	uint32_t close_image;
} __attribute__((aligned(64)));

/* A record for a completion about to be created; NULL when the pool is empty: what is submitted with the completion is counted. */
struct record *record_create(rbd_callback_t callback, void *arg);

/* The creation failed. */
void record_cancel(struct record *record);

/* The record behind a completion; NULL when it was passed through. */
struct record *record_find(rbd_completion_t completion);

/* The record that a completion was given for its argument; NULL when that is the application's. */
struct record *record_from_arg(void *arg);

/* Before the real call: the completion will carry this. Forgets an earlier call that was refused. */
void record_claim(struct record *record, enum record_use use);

/* Before the real call: this completion carries a request. Says it, if somebody records. image may not be NULL. */
void record_submit(struct record *record, struct image *image, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes);

/* After the real call returned an error: no callback will come. */
void record_refused(struct record *record, int64_t result);

/* The callback that librbd is given for every completion whose creator gave one. arg: the record. */
void record_callback(rbd_completion_t completion, void *arg);

/* The application looked at a completion that librbd has completed: returned by wait_for_complete or poll_io_events, is_complete was 1.
 * Returns the number of a request whose A this is and has not been said, 0 otherwise. */
uint64_t record_look(struct record *record, rbd_completion_t completion);

/* Says A of a request. */
void record_reap(uint64_t request, uint64_t looked_ns);

/* The application is done with the completion: releases it, now or when its callback has returned. */
void record_release(struct record *record, rbd_completion_t completion);

/* A blocking call, from S to its return: the record belongs to the call alone. NULL when the pool is empty, which is counted. */
struct record *record_begin_synchronous(struct image *image, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes);
void record_end_synchronous(struct record *record, int64_t result);

/* Counts a call that the shim let through unseen. */
void record_pass_through(void);

/* Says every request in flight again; counts calls let through. */
void records_say(void);
uint64_t records_passed_through(void);

/* In a child of fork(): nothing that its parent has in flight will ever complete here. */
void records_reset(void);

#endif
