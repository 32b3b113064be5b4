/* Saying everything again. */
#include "preload/said.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "preload/images.h"
#include "preload/reaps.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "preload/unseen.h"

#define AGAIN_NS 1000000000u

static uint64_t due_ns; /* 0: at once */

static void say_all(void)
{
	int cancellable;

	/* A tracer that blocks may be a cancellation point, and whoever is being said would be held for ever. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	recorder_describe_again();
	EMIT(process(RBDPROF_SCHEMA, RBDPROF_VERSION, (uint32_t)getpid(), program_invocation_short_name));
	unseen_say();
	images_say();
	records_say();
	said_totals();
	pthread_setcancelstate(cancellable, NULL);
}

void said_when_due(uint64_t now_ns)
{
	uint64_t due = __atomic_load_n(&due_ns, __ATOMIC_RELAXED);

	if (now_ns < due || !__atomic_compare_exchange_n(&due_ns, &due, now_ns + AGAIN_NS, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	say_all();
}

void said_nothing(void)
{
	if (__atomic_load_n(&due_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&due_ns, 0, __ATOMIC_RELAXED);
	reaps_say(); /* what is left of the recording before is forgotten */
}

void said_totals(void)
{
	reaps_say();
	if (recorder_wants_requests())
		EMIT(totals(recorder_emitted(), records_passed_through()));
}
