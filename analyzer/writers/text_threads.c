/* Threads as text: what each had of the processors, which are the limit and which are starved, and what kept processors from a process. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/lock_columns.h"
#include "analyzer/writers/text.h"

#define THREADS_MAX 16

/* What uses and wants less is not told one by one. */
#define IDLE 0.01

/* Threads of one name are told together when they are one worker's worth. */
#define TOGETHER 0.85

static double wanted_share(const struct task *task)
{
	return load_cpu_share(&task->all) + load_run_queue_share(&task->all);
}

static int by_share(const void *a, const void *b)
{
	double first = wanted_share(*(const struct task *const *)a), second = wanted_share(*(const struct task *const *)b);

	return (first < second) - (first > second);
}

static void put_share(FILE *out, double share)
{
	struct cell cell;

	put_cell(out, TIME_WIDTH + 2, share < 0 ? "" : cell_share(&cell, share));
}

static const char *note_of(const struct task *task)
{
	switch (load_pressure(&task->all)) {
	case PRESSURE_SATURATED:
		return "  saturated";
	case PRESSURE_STARVED:
		return "  starved: it waits for a processor";
	default:
		break;
	}
	if (load_pressure(&task->busiest) == PRESSURE_SATURATED)
		return "  saturated for a second";
	return load_pressure(&task->hungriest) == PRESSURE_STARVED ? "  starved for a second" : "";
}

static void put_task(FILE *out, const struct task *task)
{
	fprintf(out, "    ");
	put_cell(out, -16, *task->name ? task->name : "?");
	fprintf(out, "%9u", task->tid);
	put_share(out, load_cpu_share(&task->all));
	put_share(out, load_run_queue_share(&task->all));
	put_share(out, load_cpu_share(&task->busiest));
	put_share(out, load_run_queue_share(&task->hungriest));
	fprintf(out, "%s\n", note_of(task));
}

static void put_host(FILE *out, const struct process *process)
{
	const struct host_load *host = &process->tasks.host;
	double throttled = host_throttled_share(host), stolen = host_steal_share(host);
	struct cell cell;

	if (!host->samples)
		return;
	fprintf(out, "    may run on %u processor%s", host->processors, plural(host->processors));
	if (host->quota_milli)
		fprintf(out, ", its group on %s together", cell_number(&cell, host->quota_milli / 1000.0));
	fprintf(out, "; of their time its group was throttled ");
	fprintf(out, throttled < 0 ? "(not known)" : "%s", cell_share(&cell, throttled));
	fprintf(out, " and the hypervisor took ");
	fprintf(out, stolen < 0 ? "(not known)\n" : "%s\n", cell_share(&cell, stolen));
}

/* Workers of one name that take turns. */
static void put_together(FILE *out, const struct process *process, const struct task *task)
{
	double share = threads_cpu_share(&process->tasks, task->name);
	uint64_t count = 0;
	struct cell cell;

	for (const struct task *other = threads_next(&process->tasks, NULL); other; other = threads_next(&process->tasks, other)) {
		if (other->name != task->name)
			continue;
		if (!count++ && other != task)
			return; /* told with the first of them */
	}
	if (count > 1 && share >= TOGETHER && *task->name)
		fprintf(out, "    %s: %llu threads together had %s of a processor\n", task->name, (unsigned long long)count,
			cell_share(&cell, share));
}

static void put_process(FILE *out, const struct report *report, const struct process *process)
{
	const struct task **tasks, *task = NULL;
	size_t all = 0, found = 0;

	while ((task = threads_next(&process->tasks, task)))
		all++;
	tasks = calloc(all + 1, sizeof(struct task *));
	if (!tasks)
		return;
	while ((task = threads_next(&process->tasks, task)))
		if (task->all.span_ns && (wanted_share(task) >= IDLE || report->locks.thread) && report_thread_wanted(report, task->name))
			tasks[found++] = task;
	qsort(tasks, found, sizeof(struct task *), by_share);
	if (found) {
		fprintf(out, "\nThreads of %s, pid %u (%zu of %zu%s)\n", *process->comm ? process->comm : "?", process->pid,
			found < THREADS_MAX ? found : THREADS_MAX, all, report->locks.thread ? "" : "; the others did next to nothing");
		fprintf(out, "    thread                tid  processor    waiting  at most, in one second\n");
	}
	for (size_t i = 0; i < found && i < THREADS_MAX; i++)
		put_task(out, tasks[i]);
	for (task = threads_next(&process->tasks, NULL); found && task; task = threads_next(&process->tasks, task))
		put_together(out, process, task);
	if (found)
		put_host(out, process);
	free(tasks);
}

void text_threads(FILE *out, const struct report *report)
{
	for (const struct process *p = model_process_next(report->model, NULL); p; p = model_process_next(report->model, p))
		put_process(out, report, p);
}
