/* Saying contended acquisitions. */
#include "preload/contended.h"

#include "preload/tracer.h"

void contended_say(uint8_t kind, const void *lock, const void *caller, uint64_t begin_ns, int result)
{
	struct rbdprof_lock_wait wait = {
		.lock = (uintptr_t)lock,
		.caller = (uintptr_t)caller,
		.wait_ns = recorder_now_ns() - begin_ns,
		.result = result,
		.kind = kind,
	};

	if (result == EDEADLK)
		return; /* nobody was waited for */
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* who saw the tracer's word sees its addresses: pairs with recorder_install() */
	/* The tracer may hold a lock of its own here that emitting takes. */
	if (tracer_owns(caller))
		return;
	wait.thread = recorder_thread_number();
	EMIT(lock_wait(&wait));
}
