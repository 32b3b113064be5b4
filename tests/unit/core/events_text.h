/*
 * Events written as text, one a line, for the core's tests:
 *
 *	100 p0 request request=1:1 image=1 kind=write offset_bytes=0 length_bytes=4096
 *
 * is time (ns), process, type, then the event's own fields in any order; what is not given is 0 or "". A request's and an operation's
 * number is thread:count; methods are class.method, joined by a plus; lists have commas. Empty lines and lines that begin with # are skipped. A line that makes no sense fails the test.
 */
#ifndef RBDPROF_TESTS_EVENTS_TEXT_H
#define RBDPROF_TESTS_EVENTS_TEXT_H

#include "analyzer/core/model.h"
#include "analyzer/event.h"

/* An image 1 of client 4001, in process 0 from time 1 on; most tests begin with it. */
#define TEXT_IMAGE                                                                                                                         \
	"1 p0 process schema=1 pid=77 version=0.1.0 comm=fio host=alpha\n"                                                                 \
	"1 p0 image image=1 client=4001 cluster=c1 pool_id=2 pool=rbd name=one id=10ab size_bytes=1048576 features=61\n"

/* The number of a thread's count-th request. */
#define REQUEST(thread, count) ((uint64_t)(thread) << RBDPROF_THREAD_SHIFT | (count))

/* Calls `take` with each event; stops when it returns other than 0, and returns that. */
int events_text_each(const char *text, int (*take)(void *context, const struct event *event), void *context);

/* The first event of the text; its strings live until the next event is made. */
struct event events_text_one(const char *text);

/* A finished model of these events; the caller destroys it. */
struct model *events_text_model(const char *text);

#endif
