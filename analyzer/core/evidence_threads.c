/* The rules about processors: threads that are always on one, and threads that wait for one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/core/evidence.h"

/* librbd calls callbacks on threads of this name, one after the other, so all of them together do what one could. */
#define CALLBACK_THREADS "io_context_pool"

/* They are the limit when they run, or could, for so much of the time. */
#define SATURATED 0.75

/* Where no quota holds the program back, its threads wait for processors on any busy machine, and for each other (seen: 0.9 of the time
 * that they could run, with ten images on two processors that were 0.15 idle). So that is told where one thread can run nearly all the
 * time, and waits for so much of it (seen: 0.93; elsewhere threads could run for at most 0.75 of their time, and waited for 0.6 of that).
 */
#define HUNGRY 0.8

/* A thread that is always behind finds much to do each time that it runs; one that is not runs, and sleeps, more often for the same work.
 * So much more it takes of a processor (seen: 59 us a request against 33). */
#define UNHURRIED 1.8

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

int callbacks_saturate(const struct process *process, double *cpu)
{
	double waiting;

	sum_loads(process, CALLBACK_THREADS, cpu, &waiting);
	return *cpu + waiting >= SATURATED;
}

/* The thread; and whose it is where clients of several processes use the image. */
static void note_thread(struct verdict *verdict, const struct evidence *evidence, const struct process *process, const char *name)
{
	char text[VERDICT_TEXT];
	int several = 0;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next)
		several |= client->process != process;
	snprintf(text, sizeof(text), several ? "%s of pid %u" : "%s", name, process->pid);
	verdict_note_text(verdict, FACT_OF_THREAD, text);
}

int judge_one_thread(const struct evidence *evidence, struct verdict *verdict)
{
	const struct process *busiest = NULL;
	double most = 0, cpu;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next) {
		if (!callbacks_saturate(client->process, &cpu) || (busiest && cpu <= most))
			continue;
		busiest = client->process;
		most = cpu;
	}
	if (!busiest)
		return 0;
	verdict_claims(verdict, evidence, CLAIM_SATURATED);
	note_thread(verdict, evidence, busiest, CALLBACK_THREADS);
	verdict_note(verdict, FACT_OF_CPU, most);
	verdict_note(verdict, FACT_OF_C2D_P50, (double)histogram_percentile(&evidence->c2d, 0.5));
	return 1;
}

/* Whether a thread is the limit because others have the processor. */
static int is_held_back(const struct process *process)
{
	for (const struct task *task = threads_next(&process->tasks, NULL); task; task = threads_next(&process->tasks, task)) {
		double waiting = load_run_queue_share(&task->all), ready = waiting + load_cpu_share(&task->all);

		if (task->all.span_ns && ready >= SATURATED && waiting >= HUNGRY * ready)
			return 1;
	}
	return 0;
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
 * A program would need the part of the time that its threads are on a processor; what they wait for one comes on top. So of the time that
 * its requests spend where those threads have work to do, that part is lost which the threads wait of the time that they could run. Threads
 * wait side by side, and requests for OSDs meanwhile, so that can be more than there is to gain: a program that needs a quarter of the
 * processors that it may run on is four times as fast with all of them at most. In ns; 0 where nothing keeps processors from it that others
 * have. *cpu: the former part.
 */
static double lost_waiting(const struct evidence *evidence, const struct client *client, double *cpu)
{
	static const enum claimant worked_on[] = {CLAIM_CACHE, CLAIM_LIBRBD, CLAIM_NETWORK, CLAIM_CALLBACK, CLAIM_APPLICATION};
	const struct claimed claimed = {&client->claims, 0};
	const struct host_load *host = &client->process->tasks.host;
	struct band all;
	double waiting, part, sum_ns = 0;

	sum_loads(client->process, NULL, cpu, &waiting);
	if (*cpu + waiting <= 0)
		return 0;
	part = waiting / (*cpu + waiting);
	if (!host->quota_milli && (evidence->told || !is_held_back(client->process)))
		return 0;
	claims_sum(&claimed, 1, 0, 1, &all);
	for (unsigned i = 0; i < sizeof(worked_on) / sizeof(*worked_on); i++)
		sum_ns += (double)all.ns[worked_on[i]];
	sum_ns *= part;
	return host->processors ? fmin(sum_ns, fmax(1 - UNHURRIED * *cpu / host->processors, 0) * (double)all.total_ns) : sum_ns;
}

int judge_cpu_starved(const struct evidence *evidence, struct verdict *verdict)
{
	const struct process *worst = NULL;
	double sum_ns = 0, most_ns = 0, worst_cpu = 0, cpu;

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next) {
		double lost_ns = lost_waiting(evidence, client, &cpu);

		sum_ns += lost_ns;
		if (lost_ns <= most_ns)
			continue;
		most_ns = lost_ns;
		worst = client->process;
		worst_cpu = cpu;
	}
	if (!worst)
		return 0;
	verdict->share_of = WHOLE_REQUESTS;
	verdict->share_mean = sum_ns / (double)evidence->all.total_ns;
	verdict->share_p50 = verdict->share_p99 = -1;
	note_thread(verdict, evidence, worst, hungriest(worst));
	verdict_note(verdict, FACT_OF_CPU, worst_cpu);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return 1;
}
