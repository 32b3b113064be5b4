/* librbd's own waits: its QoS, when it grants less than was asked for, and its timers, when one is armed. */
#include "preload/real.h"
#include "preload/recorder.h"

/*
 * Buckets that granted less than was asked for and were not asked again, each in the place of its address's remainder. Requests queue
 * before such a bucket without asking it; that it is asked again tells that the queue is empty.
 */
#define PLACES 256
static void *short_of[PLACES];

WRAPS(bucket_get)
uint64_t bucket_get(void *bucket, uint64_t tokens)
{
	uint64_t granted = REAL(bucket_get)(bucket, tokens);
	void **place = &short_of[(uintptr_t)bucket / 8 % PLACES];

	if (recorder_wants_requests() && (granted < tokens || __atomic_load_n(place, __ATOMIC_RELAXED) == bucket)) {
		__atomic_store_n(place, granted < tokens ? bucket : NULL, __ATOMIC_RELAXED);
		EMIT(throttled((uintptr_t)bucket, tokens, granted));
	}
	return granted;
}

static void armed(double seconds)
{
	if (recorder_wants_requests() && seconds >= 0 && seconds < 1e9)
		EMIT(timer((uint64_t)(seconds * 1e9)));
}

WRAPS(timer_add_event_after)
void *timer_add_event_after(void *timer, double seconds, void *context)
{
	armed(seconds);
	return REAL(timer_add_event_after)(timer, seconds, context);
}

WRAPS(timer_add_event_after_14)
void *timer_add_event_after_14(void *timer, double seconds, void *context)
{
	armed(seconds);
	return REAL(timer_add_event_after_14)(timer, seconds, context);
}
