/* The emitter that remembers what is said of the boundary. */
#include "below.h"

#include "test.h"

#include "heard.h"
#include "preload/recorder.h"
#include "preload/said.h"

struct below below;

static bool busy; /* a lock that is no pthread's: those are the shim's too */

/* The event to fill in; one of its own when all are used up. */
static struct below_event *enter(enum below_what what)
{
	static struct below_event spare;
	struct below_event *event;

	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		;
	below.count[what]++;
	event = below.events < BELOW_MOST ? &below.event[below.events++] : &spare;
	memset(event, 0, sizeof(*event));
	event->what = what;
	return event;
}

static void leave(void)
{
	__atomic_clear(&busy, __ATOMIC_RELEASE);
	errno = EDOM;
}

static void hear_object(uint64_t object, const char *name)
{
	struct below_event *event = enter(BELOW_OBJECT);

	event->is.object.object = object;
	strncat(event->is.object.name, name, sizeof(event->is.object.name) - 1);
	leave();
}

static void hear_operation(const struct rbdprof_operation *operation)
{
	enter(BELOW_OPERATION)->is.operation = *operation;
	leave();
}

static void hear_operation_done(uint64_t operation, int32_t result, uint64_t reply_bytes)
{
	struct below_event *event = enter(BELOW_OPERATION_DONE);

	event->is.done.operation = operation;
	event->is.done.result = result;
	event->is.done.reply_bytes = reply_bytes;
	leave();
}

static void hear_lock_call(const struct rbdprof_lock_call *call)
{
	enter(BELOW_LOCK_CALL)->is.lock_call = *call;
	leave();
}

static void hear_journal_append(const struct rbdprof_journal_append *append)
{
	enter(BELOW_JOURNAL_APPEND)->is.append = *append;
	leave();
}

static void hear_notification(const struct rbdprof_notification_is *notification)
{
	enter(BELOW_NOTIFICATION)->is.notification = *notification;
	leave();
}

static void hear_notify_ack(uint64_t client, uint64_t object, uint64_t notify_id, int32_t result, uint8_t answered)
{
	struct below_event *event = enter(BELOW_NOTIFY_ACK);

	event->is.ack.client = client;
	event->is.ack.object = object;
	event->is.ack.notify_id = notify_id;
	event->is.ack.result = result;
	event->is.ack.answered = answered;
	leave();
}

static void hear_notify_reply(uint64_t operation, uint64_t client, int32_t result)
{
	struct below_event *event = enter(BELOW_NOTIFY_REPLY);

	event->is.reply.operation = operation;
	event->is.reply.client = client;
	event->is.reply.result = result;
	leave();
}

static void hear_watching(uint64_t client, uint64_t object, uint64_t watch)
{
	struct below_event *event = enter(BELOW_WATCHING);

	event->is.watch.client = client;
	event->is.watch.object = object;
	event->is.watch.watch = watch;
	leave();
}

static void hear_watch_error(uint64_t client, uint64_t object, uint64_t watch, int32_t error)
{
	struct below_event *event = enter(BELOW_WATCH_ERROR);

	event->is.watch.client = client;
	event->is.watch.object = object;
	event->is.watch.watch = watch;
	event->is.watch.error = error;
	leave();
}

static void hear_lock_acquired(uint32_t image)
{
	enter(BELOW_LOCK_ACQUIRED)->is.image = image;
	leave();
}

static void hear_sent(const struct rbdprof_sent *sent)
{
	enter(BELOW_SENT)->is.sent = *sent;
	leave();
}

static void hear_throttled(uint64_t bucket, uint64_t wanted, uint64_t granted)
{
	struct below_event *event = enter(BELOW_THROTTLED);

	event->is.throttled.bucket = bucket;
	event->is.throttled.wanted = wanted;
	event->is.throttled.granted = granted;
	leave();
}

static void hear_timer(uint64_t delay_ns)
{
	enter(BELOW_TIMER)->is.delay_ns = delay_ns;
	leave();
}

static void hear_undecoded(const char *what)
{
	struct below_event *event = enter(BELOW_UNDECODED);

	strncat(event->is.undecoded, what, sizeof(event->is.undecoded) - 1);
	leave();
}

void below_start(bool recording)
{
	static struct rbdprof_emitter emitter;

	heard_start(false);
	emitter = heard_emitter;
	emitter.object = hear_object;
	emitter.operation = hear_operation;
	emitter.operation_done = hear_operation_done;
	emitter.lock_call = hear_lock_call;
	emitter.journal_append = hear_journal_append;
	emitter.notification = hear_notification;
	emitter.notify_ack = hear_notify_ack;
	emitter.notify_reply = hear_notify_reply;
	emitter.watching = hear_watching;
	emitter.watch_error = hear_watch_error;
	emitter.lock_acquired = hear_lock_acquired;
	emitter.sent = hear_sent;
	emitter.throttled = hear_throttled;
	emitter.timer = hear_timer;
	emitter.undecoded = hear_undecoded;
	recorder_install(&emitter);
	said_nothing();
	below_forget();
	heard_requests = recording;
}

void below_forget(void)
{
	memset(&below, 0, sizeof(below));
}

int below_place(enum below_what what, int n)
{
	int place = 0;

	for (; place < below.events; place++)
		if (below.event[place].what == what && !n--)
			return place;
	fail_msg("only %d events of kind %d", below.count[what], what);
	return 0;
}

const struct below_event *below_nth(enum below_what what, int n)
{
	return &below.event[below_place(what, n)];
}
