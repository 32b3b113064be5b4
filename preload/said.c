/* Saying everything again. */
#include "preload/said.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "preload/images.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "preload/unseen.h"

#define SOON_NS  10000000u
#define AGAIN_NS 1000000000u

static uint64_t due_ns;   /* 0: at once */
static uint64_t begun_ns; /* when it was last due at once */

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
	uint64_t due = __atomic_load_n(&due_ns, __ATOMIC_RELAXED), after_ns;

	if (now_ns < due)
		return;
	after_ns = due ? now_ns - __atomic_load_n(&begun_ns, __ATOMIC_RELAXED) : SOON_NS;
	if (after_ns > AGAIN_NS)
		after_ns = AGAIN_NS;
	if (!__atomic_compare_exchange_n(&due_ns, &due, now_ns + after_ns, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	if (!due)
		__atomic_store_n(&begun_ns, now_ns, __ATOMIC_RELAXED);
	say_all();
}

void said_nothing(void)
{
	if (__atomic_load_n(&due_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&due_ns, 0, __ATOMIC_RELAXED);
}

void said_totals(void)
{
	if (recorder_wants_requests())
		EMIT(totals(recorder_emitted(), records_passed_through()));
}
