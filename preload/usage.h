/* Saying what each thread of the process had of the processors so far. The flusher only. */
#ifndef RBDPROF_PRELOAD_USAGE_H
#define RBDPROF_PRELOAD_USAGE_H

/* Says every thread's but the tracer's and the flusher's own. */
void usage_say(void);

#endif
