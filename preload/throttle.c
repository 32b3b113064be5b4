/* librbd's own waits: its QoS, when it grants less than was asked for, and its timers, when one is armed. */
#include "preload/real.h"
#include "preload/recorder.h"

WRAPS(bucket_get)
uint64_t bucket_get(void *bucket, uint64_t tokens)
{
	uint64_t granted = REAL(bucket_get)(bucket, tokens);

	if (granted < tokens && recorder_wants_requests())
		EMIT(throttled((uintptr_t)bucket, tokens, granted));
	return granted;
}

WRAPS(timer_add_event_after)
void *timer_add_event_after(void *timer, double seconds, void *context)
{
	if (recorder_wants_requests() && seconds >= 0 && seconds < 1e9)
		EMIT(timer((uint64_t)(seconds * 1e9)));
	return REAL(timer_add_event_after)(timer, seconds, context);
}
