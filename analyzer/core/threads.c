#include "analyzer/core/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Samples are a second apart, more or less. */
#define SECOND_NS UINT64_C(900000000)

#define SATURATED 0.85 /* of the time */
#define STARVED   0.2

void threads_fini(struct threads *threads)
{
	struct thread_name *name, *next_name;
	struct task *next;

	HASH_CLEAR(hh, threads->by_tid);
	for (struct task *task = threads->first; task; task = next) {
		next = task->next;
		free(task);
	}
	HASH_ITER(hh, threads->names, name, next_name)
	{
		HASH_DEL(threads->names, name);
		free(name->text);
		free(name);
	}
	*threads = (struct threads){0};
}

struct task *threads_find(const struct threads *threads, uint32_t tid)
{
	struct task *task;

	HASH_FIND(hh, threads->by_tid, &tid, sizeof(tid), task);
	return task;
}

static struct task *task_create(struct threads *threads, uint32_t tid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	task->name = "";
	HASH_ADD(hh, threads->by_tid, tid, sizeof(task->tid), task);
	if (hash_failed(task)) {
		free(task);
		return NULL;
	}
	*(threads->last ? &threads->last->next : &threads->first) = task;
	threads->last = task;
	return task;
}

struct task *threads_get(struct threads *threads, uint32_t tid)
{
	struct task *task = threads_find(threads, tid);

	return task ? task : task_create(threads, tid);
}

/* The one pointer of that name; NULL when memory ran out. */
static const char *name_get(struct threads *threads, const char *text)
{
	struct thread_name *name;

	HASH_FIND_STR(threads->names, text, name);
	if (name)
		return name->text;
	name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	name->text = strdup(text);
	if (name->text) {
		HASH_ADD_KEYPTR(hh, threads->names, name->text, strlen(name->text), name);
		if (!hash_failed(name))
			return name->text;
	}
	free(name->text);
	free(name);
	return NULL;
}

/* One that has no name (any more) keeps the one it had. */
static int rename_task(struct threads *threads, struct task *task, const char *text)
{
	const char *name = *text && strcmp(task->name, text) ? name_get(threads, text) : task->name;

	if (!name)
		return -ENOMEM;
	task->name = name;
	return 0;
}

struct task *threads_name(struct threads *threads, uint32_t tid, const char *name)
{
	struct task *task = threads_get(threads, tid);

	return task && !rename_task(threads, task, name) ? task : NULL;
}

double load_cpu_share(const struct load *load)
{
	return load->span_ns ? (double)load->cpu_ns / (double)load->span_ns : -1;
}

double load_run_queue_share(const struct load *load)
{
	return load->span_ns ? (double)load->run_queue_ns / (double)load->span_ns : -1;
}

/* The pieces add up to seconds; of these the extreme ones are kept. */
static void fill_second(struct task *task, uint64_t begin_ns, const struct load *piece)
{
	struct load *second = &task->second;

	if (!second->span_ns)
		second->begin_ns = begin_ns;
	second->span_ns += piece->span_ns;
	second->cpu_ns += piece->cpu_ns;
	second->run_queue_ns += piece->run_queue_ns;
	if (second->span_ns < SECOND_NS)
		return;
	if (load_cpu_share(second) > load_cpu_share(&task->busiest))
		task->busiest = *second;
	if (load_run_queue_share(second) > load_run_queue_share(&task->hungriest))
		task->hungriest = *second;
	*second = (struct load){0};
}

int threads_feed_usage(struct threads *threads, const struct event *event)
{
	struct task *task = threads_get(threads, event->usage.tid);

	if (task && (event->usage.cpu_ns < task->cpu_ns || event->usage.run_queue_ns < task->run_queue_ns)) {
		HASH_DEL(threads->by_tid, task);
		task = task_create(threads, event->usage.tid);
	}
	if (!task || rename_task(threads, task, event->usage.name))
		return -ENOMEM;
	if (task->samples++) {
		uint64_t last_ns = task->all.begin_ns + task->all.span_ns;
		struct load piece = {
		    .span_ns = event->time_ns > last_ns ? event->time_ns - last_ns : 0,
		    .cpu_ns = event->usage.cpu_ns - task->cpu_ns,
		    .run_queue_ns = event->usage.run_queue_ns - task->run_queue_ns,
		};

		task->all.span_ns += piece.span_ns;
		task->all.cpu_ns += piece.cpu_ns;
		task->all.run_queue_ns += piece.run_queue_ns;
		fill_second(task, last_ns, &piece);
	} else {
		task->all.begin_ns = event->time_ns;
	}
	task->cpu_ns = event->usage.cpu_ns;
	task->run_queue_ns = event->usage.run_queue_ns;
	return 0;
}

void threads_feed_host(struct threads *threads, const struct event *event)
{
	struct host_load *host = &threads->host;

	if (!host->samples++) {
		host->first_ns = event->time_ns;
		host->first_throttled_ns = event->host.throttled_ns;
		host->first_steal_ns = event->host.steal_ns;
	}
	host->last_ns = event->time_ns;
	/* A process that moves to another group begins its sum anew: then nothing is known. */
	host->throttled_ns = host->first_throttled_ns < 0 || event->host.throttled_ns < host->first_throttled_ns
				 ? -1
				 : event->host.throttled_ns - host->first_throttled_ns;
	host->steal_ns =
	    host->first_steal_ns < 0 || event->host.steal_ns < host->first_steal_ns ? -1 : event->host.steal_ns - host->first_steal_ns;
	host->processors = event->host.processors;
	host->quota_milli = event->host.quota_milli;
}

const struct task *threads_next(const struct threads *threads, const struct task *previous)
{
	return previous ? previous->next : threads->first;
}

double threads_cpu_share(const struct threads *threads, const char *name)
{
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	struct load sum = {0};

	for (const struct task *task = threads->first; task; task = task->next) {
		const struct load *all = &task->all;

		if (!all->span_ns || strcmp(task->name, name))
			continue;
		sum.cpu_ns += all->cpu_ns;
		begin_ns = all->begin_ns < begin_ns ? all->begin_ns : begin_ns;
		end_ns = all->begin_ns + all->span_ns > end_ns ? all->begin_ns + all->span_ns : end_ns;
	}
	sum.span_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
	return load_cpu_share(&sum);
}

enum pressure load_pressure(const struct load *load)
{
	double cpu = load_cpu_share(load), waiting = load_run_queue_share(load);

	if (cpu + waiting < SATURATED)
		return PRESSURE_NONE;
	return waiting >= STARVED ? PRESSURE_STARVED : PRESSURE_SATURATED;
}

static double share_of(const struct host_load *host, int64_t ns)
{
	double whole_ns = (double)(host->last_ns - host->first_ns) * host->processors;

	return ns < 0 || whole_ns <= 0 ? -1 : (double)ns / whole_ns;
}

double host_throttled_share(const struct host_load *host)
{
	return share_of(host, host->throttled_ns);
}

double host_steal_share(const struct host_load *host)
{
	return share_of(host, host->steal_ns);
}
