/* Completions' records and the moments of requests. */
#include "preload/record.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/counters.h"
#include "preload/flusher.h"
#include "preload/images.h"
#include "preload/pool.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/said.h"

#define MOST_RECORDS 65536

/*
 * A record's life. With a callback it is free again once RETURNED and RELEASED are both set, in either order and on any two
 * threads; without one, once released. A completion with a callback that is released unused keeps its record for ever: a function
 * that is not interposed may have taken it, and its callback may still come.
 */
enum record_state {
	RETURNED = 1, /* the callback has returned, or will never come */
	RELEASED = 2,
	DONE = 4,       /* D is past */
	LOOKED = 8,     /* the application looked before D */
	CLOSED = 16,    /* A has been said, or nobody will ask for it */
	IN_FLIGHT = 32, /* submitted and said, D not past */
	SAYING = 64     /* another thread says it again just now: it cannot end meanwhile */
};

static struct record records[MOST_RECORDS];
_Static_assert(offsetof(struct record, request.offset_bytes) <= 64, "a request's end needs its number, image and kind");
static struct pool pool = POOL(records);
static uint64_t passed_through;

void record_pass_through(void)
{
	__atomic_fetch_add(&passed_through, 1, __ATOMIC_RELAXED);
}

uint64_t records_passed_through(void)
{
	return __atomic_load_n(&passed_through, __ATOMIC_RELAXED);
}

static uint32_t set(struct record *record, uint32_t bits)
{
	return __atomic_fetch_or(&record->state, bits, __ATOMIC_ACQ_REL);
}

static void give_back(struct record *record)
{
	__atomic_store_n(&record->state, 0, __ATOMIC_RELEASE);
	pool_give_back(&pool, record);
}

struct record *record_create(rbd_callback_t callback, void *arg)
{
	struct record *record = pool_take(&pool);

	if (!record)
		return NULL;
	record->callback = callback;
	record->arg = arg;
	record->use = RECORD_UNUSED;
	record->notifies = false;
	return record;
}

void record_claim(struct record *record, enum record_use use)
{
	__atomic_store_n(&record->state, 0, __ATOMIC_RELAXED);
	record->use = use;
}

void record_cancel(struct record *record)
{
	give_back(record);
}

struct record *record_from_arg(void *arg)
{
	struct record *record = arg;

	return record >= records && record < records + MOST_RECORDS ? record : NULL;
}

struct record *record_find(rbd_completion_t completion)
{
	return record_from_arg(ASK(aio_get_arg, completion));
}

static void number(struct record *record, struct image *image, uint8_t kind, uint8_t flags, uint64_t offset_bytes, uint64_t length_bytes)
{
	uint64_t thread = recorder_thread_number();

	record_claim(record, RECORD_REQUEST);
	record->start_ns = recorder_now_ns();
	record->image = image;
	record->notifies = images_notifies(image);
	record->request = (struct rbdprof_request){
	    .request = thread << RBDPROF_THREAD_SHIFT | ++recorder_thread.requests,
	    .image = images_number(image),
	    .kind = kind,
	    .flags = flags,
	    .offset_bytes = offset_bytes,
	    .length_bytes = length_bytes,
	};
	if (recorder_wants_requests()) {
		said_when_due(record->start_ns);
		flusher_ensure();
		EMIT(request(&record->request, record->start_ns));
	} else {
		said_nothing();
	}
	__atomic_store_n(&record->state, IN_FLIGHT, __ATOMIC_RELEASE); /* nobody else has it before the real call */
}

void record_submit(struct record *record, struct image *image, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes)
{
	number(record, image, kind, record->callback ? 0 : RBDPROF_NO_CALLBACK, offset_bytes, length_bytes);
}

/* How a request ended. */
struct ending {
	uint64_t complete_ns; /* C */
	int64_t result;
};

static void say_complete(uint64_t request, const struct ending *ending, bool looked)
{
	if (!recorder_wants_requests())
		return;
	EMIT(complete(request, recorder_thread_number(), ending->result, ending->complete_ns, looked));
	said_when_due(ending->complete_ns); /* after it: the event's time is D. C is near enough to know that a second has passed */
}

/* The record's state once nobody is saying it, which takes as long as one event. The wait is made by number, for it must not be a
 * cancellation point. */
static uint32_t unsaid(const struct record *record)
{
	const struct timespec pause = {.tv_nsec = 10000};
	uint32_t state = __atomic_load_n(&record->state, __ATOMIC_ACQUIRE);
	int error = errno;

	while (state & SAYING) {
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
		state = __atomic_load_n(&record->state, __ATOMIC_ACQUIRE);
	}
	errno = error;
	return state;
}

/* From here on the record is not said again as open: behind its end it would stay open for the reader. */
static void land(struct record *record)
{
	uint32_t state = unsaid(record);

	while (
	    !__atomic_compare_exchange_n(&record->state, &state, state & ~(uint32_t)IN_FLIGHT, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		state = unsaid(record);
}

/*
 * D is past: the application's callback has returned, or something else has shown that the request is complete. Lands it, and sets these
 * bits too. Returns the record's state; with RETURNED among the bits the record is only ours still if that has RELEASED.
 */
static uint32_t done(struct record *record, const struct ending *ending, uint32_t bits)
{
	uint64_t request = record->use == RECORD_REQUEST ? record->request.request : 0;
	bool notifies = record->notifies;
	uint32_t state = unsaid(record), wanted;

	/* A look inside the callback is one at D, unless the application asks rbd_poll_io_events for what is complete. */
	for (;;) {
		wanted = (state & ~(uint32_t)IN_FLIGHT) | DONE | bits;
		if ((state & LOOKED) && !notifies)
			wanted |= CLOSED;
		if (__atomic_compare_exchange_n(&record->state, &state, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			break;
		state = unsaid(record);
	}
	if (request)
		say_complete(request, ending, wanted & CLOSED);
	return wanted;
}

/* An image is open or closed as soon as librbd says so, before the application can use it. */
static void finish_image(struct record *record, int64_t result)
{
	uint64_t took_ns = recorder_now_ns() - record->start_ns;

	if (record->use == RECORD_OPEN && result >= 0) {
		images_opened(*record->open_handle, record->open_pool, record->open_snapshot, record->open_read_only, took_ns);
		counters_image_opened();
	} else if (record->use == RECORD_CLOSE) {
		images_closed(record->close_image, took_ns, (int32_t)result);
	}
}

/* C by librbd's own count, where that can be tied; else now. */
static uint64_t completed_ns(const struct record *record)
{
	uint64_t moment_ns = 0;

	if (record->use == RECORD_REQUEST && recorder_wants_requests())
		moment_ns = counters_completed_ns(record->image, record->request.image, record->request.kind, record->start_ns);
	return moment_ns ? moment_ns : recorder_now_ns();
}

struct callback {
	struct record *record;
	struct ending ending;
};

static void return_from_callback(const struct callback *callback)
{
	struct record *record = callback->record;

	if (!(done(record, &callback->ending, RETURNED) & RELEASED))
		return;
	if (record->use != RECORD_UNUSED)
		ASK(aio_release, record->completion);
	give_back(record);
}

void record_callback(rbd_completion_t completion, void *arg)
{
	struct record *record = arg;
	/* Also when the application's callback leaves by an exception or by cancellation. */
	struct callback callback __attribute__((cleanup(return_from_callback))) = {record, {completed_ns(record), 0}};

	if (record->use != RECORD_UNUSED) /* else its handle may be gone */
		callback.ending.result = ASK(aio_get_return_value, completion);
	finish_image(record, callback.ending.result);
	record->callback(completion, record->arg);
}

void record_refused(struct record *record, int64_t result)
{
	const struct ending ending = {recorder_now_ns(), result};

	done(record, &ending, CLOSED | RETURNED);
}

uint64_t record_look(struct record *record, rbd_completion_t completion)
{
	uint32_t state = __atomic_load_n(&record->state, __ATOMIC_ACQUIRE), looked;
	struct ending ending;

	if (state & CLOSED)
		return 0;
	/* Before D it is only noted, and D says the rest; without a callback this is the first we hear of D. */
	do
		looked = state | LOOKED | (!record->callback || (state & DONE) ? CLOSED : 0);
	while (!__atomic_compare_exchange_n(&record->state, &state, looked, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	if (!(looked & CLOSED) || (state & CLOSED) || record->use == RECORD_UNUSED)
		return 0;
	if (record->callback)
		return record->use == RECORD_REQUEST ? record->request.request : 0;
	ending = (struct ending){completed_ns(record), ASK(aio_get_return_value, completion)};
	finish_image(record, ending.result);
	done(record, &ending, CLOSED);
	return 0;
}

void record_reap(uint64_t request, uint64_t looked_ns)
{
	if (recorder_wants_requests())
		EMIT(reap(request, looked_ns));
}

void record_release(struct record *record, rbd_completion_t completion)
{
	if (!record->callback) {
		land(record); /* when nobody looked, its end will never be seen */
		ASK(aio_release, completion);
		give_back(record);
	} else if (record->use == RECORD_UNUSED) {
		ASK(aio_release, completion);
		if (set(record, RELEASED) & RETURNED)
			give_back(record);
	} else {
		/* librbd deletes the handle at once, and the callback has yet to ask it for the result: who comes last releases. */
		record->completion = completion;
		if (!(set(record, RELEASED) & RETURNED))
			return;
		ASK(aio_release, completion);
		give_back(record);
	}
}

struct record *record_begin_synchronous(struct image *image, uint8_t kind, uint64_t offset_bytes, uint64_t length_bytes)
{
	struct record *record = record_create(NULL, NULL);

	if (record)
		number(record, image, kind, RBDPROF_SYNCHRONOUS, offset_bytes, length_bytes);
	else
		record_pass_through();
	return record;
}

void record_end_synchronous(struct record *record, int64_t result)
{
	const struct ending ending = {completed_ns(record), result};

	done(record, &ending, CLOSED);
	give_back(record);
}

/* Keeps the end of a request that is in flight away. */
static bool hold(struct record *record)
{
	uint32_t state = __atomic_load_n(&record->state, __ATOMIC_RELAXED);

	while ((state & (IN_FLIGHT | SAYING)) == IN_FLIGHT)
		if (__atomic_compare_exchange_n(&record->state, &state, state | SAYING, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

void records_say(void)
{
	uint32_t end = __atomic_load_n(&pool.fresh, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		struct record *record = &records[i];

		if (!hold(record))
			continue;
		EMIT(request_open(&record->request, recorder_now_ns() - record->start_ns));
		__atomic_fetch_and(&record->state, ~(uint32_t)SAYING, __ATOMIC_RELEASE);
	}
}

void records_reset(void)
{
	for (uint32_t i = 0; i < pool.fresh; i++)
		records[i].state &= ~(uint32_t)(IN_FLIGHT | SAYING);
	passed_through = 0;
}
