/*
 * One event of a trace as the core sees it: plain numbers and strings, with no trace library behind them. decode.c makes
 * events out of what babeltrace2 reads; unit tests make them out of text. What each event means, and when it is emitted
 * relative to the real call, is told in docs/events.md; the numbers come from tracepoints/schema.h.
 *
 * Strings belong to the reader and live until the next event is read: the core copies what it keeps.
 */
#ifndef RBDPROF_ANALYZER_EVENT_H
#define RBDPROF_ANALYZER_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "tracepoints/schema.h"

enum event_type {
	EVENT_PROCESS,      /* a process describes itself */
	EVENT_THREAD,       /* a thread has a number and a name */
	EVENT_IMAGE,        /* an image is open */
	EVENT_CONFIG,       /* one of its client's settings */
	EVENT_UNSEEN,       /* a function of this librbd whose calls are not in the trace */
	EVENT_TOTALS,       /* how many events the process emitted so far */
	EVENT_IMAGE_CLOSED,
	EVENT_REQUEST,      /* S */
	EVENT_REQUEST_OPEN, /* a request that was made before the recording began, or is said again; age_ns after S */
	EVENT_COMPLETE,     /* D; c2d_ns before it: C */
	EVENT_REAP,         /* A of one or more requests */
	EVENT_LOCK_WAIT,    /* a contended acquisition is over */
	EVENT_LOCK_WAIT_OPEN, /* one is not over yet, wait_ns after it began; said again while it lasts */
	EVENT_COND_WAIT,    /* a wait on a condition variable is over */
	EVENT_LOCK_HOLD,    /* a hold that others waited for is over */
	EVENT_LOCK_PAIR,    /* any hold is over */
	EVENT_LOCK_COUNTS,  /* what a thread did with each of some locks so far; some holds were timed */
	EVENT_HOLD_COUNTS,  /* the same; all holds were timed */
	EVENT_LOCK_NAME,    /* the object that a lock lies in, as inferred from its run-time type */
	EVENT_STACK,        /* a stack's number has frames */
	EVENT_MODULE,       /* where code of a file lies */
	EVENT_USAGE,        /* what a thread had of the processors so far */
	EVENT_HOST,         /* what keeps processors from the process */
	EVENT_OBJECT,         /* a RADOS object's number has a name */
	EVENT_OPERATION,      /* an operation is about to be sent through librados; what it carries was told just before */
	EVENT_OPERATION_DONE, /* its reply is here */
	EVENT_LOCK_CALL,      /* it calls the lock class */
	EVENT_JOURNAL_APPEND, /* it appends entries to a journal */
	EVENT_NOTIFICATION,   /* clients tell each other something about an image's header: sent or received */
	EVENT_NOTIFY_ACK,     /* the answer to one that was received */
	EVENT_NOTIFY_REPLY,   /* of a notification that was sent: one client refused it, or did not answer in time */
	EVENT_WATCHING,       /* a watch is established */
	EVENT_WATCH_ERROR,    /* a watch is lost */
	EVENT_LOCK_ACQUIRED,  /* the image's exclusive lock is usable for requests */
	EVENT_SENT,           /* a data operation is handed to the network */
	EVENT_THROTTLED,      /* QoS granted less than was asked for, or all of it again */
	EVENT_TIMER,          /* librbd arms a timer */
	EVENT_UNDECODED,      /* a payload that the shim could not read */
	EVENT_LOST,         /* made by the reader: the tracer dropped events */
	EVENT_BATCH,        /* kept by the reader: records, which it hands out as the events that they are */
	EVENT_WATERMARK,    /* kept by the reader: records with an earlier moment than until_ns have all been told */
};

/* What one thread did with one lock so far. */
struct event_counts {
	uint64_t lock;
	uint64_t series; /* 0: not told */
	uint64_t acquisitions;
	uint64_t contended;
	uint64_t wait_ns;
	uint64_t holds; /* timed ones */
	uint64_t hold_ns;
	uint32_t thread;
	uint8_t kind;
};

/* Every number as in tracepoints/emit.h, which documents units and ranges. */
struct event {
	enum event_type type;
	uint32_t process; /* number of the process within the report, from 0; threads, images and requests are numbered per process */
	uint64_t time_ns; /* monotonic clock of the host */
	union {
		struct {
			uint32_t schema;
			uint32_t pid;
			const char *version;
			const char *comm;
			const char *host;
			int64_t clock_offset_ns; /* wall clock = time_ns + this; the reader's knowledge, not the event's */
		} process_is;
		struct {
			uint32_t thread;
			uint32_t tid;
			const char *name;
		} thread;
		struct {
			uint32_t image;
			uint64_t open_ns;
			uint64_t client;
			int64_t pool_id;
			uint64_t size_bytes;
			uint64_t features;
			uint64_t object_size_bytes;
			uint64_t stripe_unit_bytes;
			uint64_t stripe_count;
			uint8_t read_only;
			const char *cluster;
			const char *release;
			const char *pool;
			const char *namespace_;
			const char *name;
			const char *id;
			const char *snapshot;
			const char *prefix;
		} image;
		struct {
			uint32_t image;
			const char *option;
			const char *value;
		} config;
		struct {
			const char *function;
		} unseen;
		struct {
			uint64_t emitted;
			uint64_t passed_through;
		} totals;
		struct {
			uint32_t image;
			int32_t result;
			uint64_t close_ns;
		} image_closed;
		struct {
			uint64_t request;
			uint64_t offset_bytes;
			uint64_t length_bytes;
			uint64_t age_ns; /* REQUEST: 0 */
			uint32_t image;
			uint8_t kind;
			uint8_t flags;
		} request;
		struct {
			uint64_t request;
			int64_t result;
			uint64_t c2d_ns;
			uint32_t thread;
			uint8_t looked; /* the application had looked by D: no REAP follows */
		} complete;
		struct {
			const uint64_t *requests; /* NULL: there is one */
			const uint64_t *ago_ns;   /* each A was so long before the event */
			size_t count;             /* of each of these */
			uint64_t one;
		} reap;
		struct {
			uint64_t lock;
			uint64_t mutex;
			uint64_t caller;
			uint64_t wait_ns;
			uint64_t request; /* whose call of librbd the thread was in; 0: none */
			uint64_t stack;   /* 0: not taken */
			uint32_t thread;
			uint32_t holder; /* kernel thread id; 0: not known */
			int32_t result;
			uint8_t kind;
		} wait;
		struct {
			uint64_t lock;
			uint64_t caller;  /* of the release */
			uint64_t hold_ns; /* LOCK_HOLD: from the first waiter's arrival; LOCK_PAIR: from the acquisition */
			uint64_t ago_ns;  /* released that long before the event */
			uint32_t thread;
			uint8_t kind;
		} hold;
		struct {
			const struct event_counts *several; /* told at once; NULL: one is: */
			size_t count;                       /* of the former */
			struct event_counts one;
		} counts;
		struct {
			uint64_t lock;
			uint64_t offset_bytes; /* of the lock within the object */
			const char *type;      /* mangled, as in a type_info */
		} lock_name;
		struct {
			uint64_t stack;
			const uint64_t *frames; /* return addresses, the innermost first */
			size_t count;
		} stack;
		struct {
			uint64_t begin;
			uint64_t end;
			uint64_t bias; /* address = bias + the address in the file */
			const char *path;
			const char *build_id; /* hexadecimal; "": none */
		} module;
		struct {
			uint32_t tid;
			uint64_t cpu_ns;
			uint64_t run_queue_ns;
			const char *name;
		} usage;
		struct {
			int64_t throttled_ns; /* -1: not known */
			int64_t steal_ns;     /* -1: not known */
			uint32_t processors;
			uint32_t quota_milli; /* 0: none */
		} host;
		struct {
			uint64_t object;
			const char *name;
		} object;
		struct {
			uint64_t operation;
			uint64_t client;
			int64_t pool_id;
			uint64_t object;
			uint64_t methods;
			uint64_t watch;
			uint8_t kind;
			uint8_t synchronous;
			uint8_t tracked;
		} operation;
		struct {
			uint64_t operation;
			int32_t result;
			uint64_t reply_bytes;
		} operation_done;
		struct {
			uint64_t operation;
			uint64_t watch;
			uint64_t locker;
			uint8_t method;
			uint8_t lock_type;
		} lock_call;
		struct {
			uint64_t operation;
			uint64_t tag;
			uint32_t append_bytes;
			size_t count; /* of each of these */
			const uint64_t *entries;
			const uint64_t *offsets_bytes;
			const uint64_t *lengths_bytes;
			const uint64_t *kinds; /* enum rbdprof_entry */
		} journal_append;
		struct {
			uint64_t operation; /* 0: received */
			uint64_t client;
			uint64_t object;
			uint64_t notify_id;
			uint64_t notifier;
			uint64_t about;
			uint32_t what; /* enum rbdprof_notification */
		} notification;
		struct {
			uint64_t client;
			uint64_t object;
			uint64_t notify_id;
			int32_t result;
			uint8_t answered; /* 0: the answer was empty */
		} notify_ack;
		struct {
			uint64_t operation;
			uint64_t client; /* who answered, or did not */
			int32_t result;  /* negative errno */
		} notify_reply;
		struct {
			uint64_t client;
			uint64_t object;
			uint64_t watch;
			int32_t error; /* WATCHING: 0 */
		} watch;
		struct {
			uint32_t image;
		} lock_acquired;
		struct {
			uint64_t client;
			uint64_t transaction;
			int64_t pool_id;
			uint32_t placement_group;
			uint32_t object_hash;
			uint32_t flags;
			uint16_t code;
			uint16_t extents;
			uint64_t offset_bytes;
			uint64_t length_bytes;
		} sent;
		struct {
			uint64_t bucket;
			uint64_t wanted;
			uint64_t granted;
		} throttled;
		struct {
			uint64_t delay_ns;
		} timer;
		struct {
			const char *what;
		} undecoded;
		struct {
			uint64_t begin_ns; /* the interval in which they were dropped ends at the event's time */
			uint64_t events;
		} lost;
		struct {
			const uint64_t *words; /* records, one after the other */
			size_t count;          /* of words */
		} batch;
		struct {
			uint64_t until_ns;
		} watermark;
	};
};

#endif
