/* Saying what keeps the processors from the process: its control group's quota, the hypervisor, the processors it may run on. The flusher
 * only. */
#ifndef RBDPROF_PRELOAD_HOST_H
#define RBDPROF_PRELOAD_HOST_H

void host_say(void);

#endif
