/* Processor time and run-queue delay, by the scheduler's own account. */
#include "preload/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "preload/flusher.h"
#include "preload/proc.h"
#include "preload/recorder.h"
#include "preload/tracer.h"

static bool is_ours(const char *name)
{
	return !strcmp(name, FLUSHER_NAME) || tracer_named(name);
}

static void say_thread(uint32_t tid)
{
	char path[64], text[128], name[16];
	uint64_t cpu_ns, run_queue_ns;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	if (!proc_thread_name(tid, name) || is_ours(name) || proc_read(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64, &cpu_ns, &run_queue_ns) != 2)
		return;
	EMIT_ALONE(usage(tid, cpu_ns, run_queue_ns, name));
}

void usage_say(void)
{
	proc_each_thread(say_thread);
}
