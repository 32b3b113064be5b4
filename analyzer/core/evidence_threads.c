/* The rules about processors: threads that are always on one, and threads that wait for one. */
#include <string.h>

#include "analyzer/core/evidence.h"

/* librbd calls callbacks on threads of this name, one after the other, so all of them together do what one could. */
#define CALLBACK_THREADS "io_context_pool"

/* They are the limit when they run, or could, for so much of the time. */
#define SATURATED 0.75

/* Where no quota holds the program back, its threads wait for processors on any busy machine; so much of it is told. */
#define HUNGRY 0.9

static const struct process *process_of(const struct evidence *evidence)
{
	const struct client *client = image_client_next(evidence->image, NULL);

	return client ? client->process : NULL;
}

/* Parts of the time that all threads of that name (NULL: all threads) were on a processor, and waited for one. */
static void sum_loads(const struct process *process, const char *name, double *cpu, double *waiting)
{
	*cpu = *waiting = 0;
	for (const struct task *task = threads_next(&process->tasks, NULL); task; task = threads_next(&process->tasks, task)) {
		if (!task->all.span_ns || (name && strcmp(task->name, name) != 0))
			continue;
		*cpu += load_cpu_share(&task->all);
		*waiting += load_run_queue_share(&task->all);
	}
}

int callbacks_saturate(const struct evidence *evidence, double *cpu)
{
	const struct process *process = process_of(evidence);
	double waiting = 0;

	*cpu = 0;
	if (process)
		sum_loads(process, CALLBACK_THREADS, cpu, &waiting);
	return *cpu + waiting >= SATURATED;
}

int judge_one_thread(const struct evidence *evidence, struct verdict *verdict)
{
	double cpu;

	if (!callbacks_saturate(evidence, &cpu))
		return 0;
	verdict_claims(verdict, evidence, CLAIM_CALLBACK);
	verdict_note_text(verdict, FACT_OF_THREAD, CALLBACK_THREADS);
	verdict_note(verdict, FACT_OF_CPU, cpu);
	verdict_note(verdict, FACT_OF_C2D_P50, (double)histogram_percentile(&evidence->c2d, 0.5));
	return 1;
}

/* The thread that waited for a processor most. */
static const char *hungriest(const struct process *process)
{
	const struct task *most = NULL;

	for (const struct task *task = threads_next(&process->tasks, NULL); task; task = threads_next(&process->tasks, task))
		if (task->all.span_ns && (!most || load_run_queue_share(&task->all) > load_run_queue_share(&most->all)))
			most = task;
	return most ? most->name : "";
}

/*
 * The program would need the part of the time that its threads are on a processor; what they wait for one comes on top. So of the time that
 * requests spend where those threads have work to do, that part is lost which the threads wait of the time that they could run.
 */
int judge_cpu_starved(const struct evidence *evidence, struct verdict *verdict)
{
	static const enum claimant worked_on[] = {CLAIM_LIBRBD, CLAIM_NETWORK, CLAIM_CALLBACK, CLAIM_APPLICATION};
	const struct process *process = process_of(evidence);
	double cpu = 0, waiting = 0, share = 0, part;

	if (process)
		sum_loads(process, NULL, &cpu, &waiting);
	if (cpu + waiting <= 0)
		return 0;
	part = waiting / (cpu + waiting);
	if (!process->tasks.host.quota_milli && (evidence->told || part < HUNGRY))
		return 0;
	for (unsigned i = 0; i < sizeof(worked_on) / sizeof(*worked_on); i++)
		share += evidence_share(evidence, worked_on[i]);
	verdict->share_of = WHOLE_REQUESTS;
	verdict->share_mean = part * share;
	verdict->share_p50 = verdict->share_p99 = -1;
	verdict_note_text(verdict, FACT_OF_THREAD, hungriest(process));
	verdict_note(verdict, FACT_OF_CPU, cpu);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return 1;
}
