/*
 * An emitter for tests of the boundary below librbd: it remembers every event of the boundary, in order, and hands the others to heard.h's.
 * Any thread may emit. Each of its functions spoils errno, as a tracer may.
 */
#ifndef RBDPROF_TESTS_BELOW_H
#define RBDPROF_TESTS_BELOW_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/emit.h"

#define BELOW_MOST 512 /* events that are remembered; further ones are only counted */

enum below_what {
	BELOW_OBJECT,
	BELOW_OPERATION,
	BELOW_OPERATION_DONE,
	BELOW_LOCK_CALL,
	BELOW_JOURNAL_APPEND,
	BELOW_NOTIFICATION,
	BELOW_NOTIFY_ACK,
	BELOW_NOTIFY_REPLY,
	BELOW_WATCHING,
	BELOW_WATCH_ERROR,
	BELOW_LOCK_ACQUIRED,
	BELOW_SENT,
	BELOW_THROTTLED,
	BELOW_TIMER,
	BELOW_UNDECODED,
	BELOW_KINDS
};

struct below_event {
	enum below_what what;
	union {
		struct {
			uint64_t object;
			char name[128];
		} object;
		struct rbdprof_operation operation;
		struct {
			uint64_t operation, reply_bytes;
			int32_t result;
		} done;
		struct rbdprof_lock_call lock_call;
		struct rbdprof_journal_append append;
		struct rbdprof_notification_is notification;
		struct {
			uint64_t client, object, notify_id;
			int32_t result;
			uint8_t answered;
		} ack;
		struct {
			uint64_t operation, client;
			int32_t result;
		} reply;
		struct {
			uint64_t client, object, watch;
			int32_t error;
		} watch;
		uint32_t image;
		struct rbdprof_sent sent;
		struct {
			uint64_t bucket, wanted, granted;
		} throttled;
		uint64_t delay_ns;
		char undecoded[64];
	} is;
};

extern struct below {
	int count[BELOW_KINDS];
	int events;
	struct below_event event[BELOW_MOST];
} below;

/* Installs the emitter, with somebody recording or nobody, and forgets what was heard. */
void below_start(bool recording);

/* Forgets what was heard; whether somebody records stays as it is. */
void below_forget(void);

/* The n-th event of a kind, from 0; fails the test when there are not so many. */
const struct below_event *below_nth(enum below_what what, int n);

/* The place of the n-th event of a kind among all. */
int below_place(enum below_what what, int n);

#endif
