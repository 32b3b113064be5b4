/* The rules about what happens in the client: limits, the program, its threads and locks, librbd's own work, its cache. */
#include <stdlib.h>

#include "analyzer/core/evidence.h"

#define BIT(cause) (UINT64_C(1) << CAUSE_##cause)

/* A queue that is never deeper than this is shallow. */
#define SHALLOW 2

/* So many requests tell something about a program's depth. */
#define ENOUGH 50

/* The setting of a limit that is not 0, and its value. */
static const char *limit_of(const struct evidence *evidence, double *limit)
{
	static const char *const options[] = {"rbd_qos_iops_limit", "rbd_qos_read_iops_limit", "rbd_qos_write_iops_limit",
					      "rbd_qos_bps_limit",  "rbd_qos_read_bps_limit",  "rbd_qos_write_bps_limit"};

	for (const struct client *client = evidence->image->clients; client; client = client->hh.next) {
		for (unsigned i = 0; i < sizeof(options) / sizeof(*options); i++) {
			*limit = atof(client_setting(client, options[i]));
			if (*limit > 0)
				return options[i];
		}
	}
	return NULL;
}

int judge_qos(const struct evidence *evidence, struct verdict *verdict)
{
	double limit;
	const char *option = limit_of(evidence, &limit);

	verdict_claims(verdict, evidence, CLAIM_QOS);
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	verdict_note(verdict, FACT_OF_IN_FLIGHT, evidence->in_flight);
	verdict_advise(verdict, option ? ADVISE_LIMIT : ADVISE_NO_LIMIT);
	if (option) {
		verdict_note_text(verdict, FACT_OF_LIMIT_OPTION, option);
		verdict_note(verdict, FACT_OF_LIMIT, limit);
	}
	return 1;
}

int judge_callback_slow(const struct evidence *evidence, struct verdict *verdict)
{
	verdict_claims(verdict, evidence, CLAIM_CALLBACK);
	verdict_note(verdict, FACT_OF_C2D_P50, (double)histogram_percentile(&evidence->c2d, 0.5));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	for (const struct client *client = evidence->image->clients; client; client = client->hh.next) {
		double cpu;

		/* Where nothing is known of the threads. */
		if (!callbacks_saturate(client->process, &cpu) && cpu <= 0)
			verdict->also_possible |= BIT(ONE_THREAD);
	}
	return 1;
}

int judge_reap_late(const struct evidence *evidence, struct verdict *verdict)
{
	verdict_claims(verdict, evidence, CLAIM_APPLICATION);
	verdict_note(verdict, FACT_OF_D2A_P50, (double)histogram_percentile(&evidence->d2a, 0.5));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return 1;
}

int judge_librbd(const struct evidence *evidence, struct verdict *verdict)
{
	verdict_claims(verdict, evidence, CLAIM_LIBRBD);
	verdict_note(verdict, FACT_OF_IN_FLIGHT, evidence->in_flight);
	verdict->also_possible |= BIT(CPU_STARVED) | BIT(ONE_THREAD);
	return 1;
}

int judge_queue_shallow(const struct evidence *evidence, struct verdict *verdict)
{
	if (evidence->told || evidence->in_flight_max > SHALLOW || evidence->completed < ENOUGH)
		return 0;
	verdict->share_of = WHOLE_WALL;
	verdict->share_mean = 1 - evidence->idle;
	verdict->share_p50 = verdict->share_p99 = -1;
	verdict_note_number(verdict, FACT_OF_IN_FLIGHT_MAX, evidence->in_flight_max);
	verdict_note(verdict, FACT_OF_LATENCY_P50, (double)histogram_percentile(&evidence->total, 0.5));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	verdict_note(verdict, FACT_OF_N2C_SHARE, evidence_share(evidence, CLAIM_NETWORK));
	return 1;
}

int judge_application_idle(const struct evidence *evidence, struct verdict *verdict)
{
	if (evidence->told || evidence->completed < ENOUGH)
		return 0;
	verdict->share_of = WHOLE_WALL;
	verdict->share_mean = evidence->idle;
	verdict->share_p50 = verdict->share_p99 = -1;
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	verdict_note(verdict, FACT_OF_LATENCY_P50, (double)histogram_percentile(&evidence->total, 0.5));
	return 1;
}

int judge_healthy(const struct evidence *evidence, struct verdict *verdict)
{
	if (evidence->told || !evidence->completed)
		return 0;
	verdict->share_of = WHOLE_REQUESTS;
	verdict->share_p50 = verdict->share_p99 = -1;
	verdict_note(verdict, FACT_OF_N2C_SHARE, evidence_share(evidence, CLAIM_NETWORK));
	verdict_note(verdict, FACT_OF_N2C_P50, (double)histogram_percentile(&evidence->n2c, 0.5));
	verdict_note(verdict, FACT_OF_N2C_P99, (double)histogram_percentile(&evidence->n2c, 0.99));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	verdict_note(verdict, FACT_OF_IN_FLIGHT, evidence->in_flight);
	return 1;
}

int judge_writethrough(const struct evidence *evidence, struct verdict *verdict)
{
	verdict_claims(verdict, evidence, CLAIM_WRITETHROUGH);
	verdict_note(verdict, FACT_OF_N2C_P50, (double)histogram_percentile(&evidence->n2c, 0.5));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return verdict->share_mean > 0;
}

/* --- Threads and their locks. ------------------------------------------------------------------------------------------- */

static uint64_t submitters_of(const struct process *process)
{
	uint64_t count = 0;

	for (const struct thread *thread = process->threads; thread; thread = thread->hh.next)
		count += thread->first_request != NO_REQUEST;
	return count;
}

static int has_process(const struct image *image, const struct process *process)
{
	for (const struct client *client = image->clients; client; client = client->hh.next)
		if (client->process == process)
			return 1;
	return 0;
}

/* The part of requests' time that something held them up, other than doing them. */
static double held_up(const struct evidence *evidence)
{
	static const enum claimant holding[] = {CLAIM_QOS,       CLAIM_REFUSED,    CLAIM_NOTIFY,  CLAIM_LOCK_SILENT,
						CLAIM_LOCK_PEER, CLAIM_LOCK_TAKEN, CLAIM_REFRESH, CLAIM_OBJECT_MAP,
						CLAIM_COPYUP,    CLAIM_RESENT,     CLAIM_STALLED, CLAIM_JOURNAL};
	double sum = 0;

	for (unsigned i = 0; i < sizeof(holding) / sizeof(*holding); i++)
		sum += evidence_share(evidence, holding[i]);
	return sum;
}

int judge_application_mutex(const struct evidence *evidence, struct verdict *verdict)
{
	const struct lock *worst = NULL;
	double worst_share = 0;

	for (const struct lock *lock = model_lock_next(evidence->model, NULL); lock; lock = model_lock_next(evidence->model, lock)) {
		uint64_t submitters = submitters_of(lock->process);
		double share;

		if (lock->key.kind == RBDPROF_COND || submitters < 2 || evidence->span_ns <= 0 ||
		    !has_process(evidence->image, lock->process))
			continue;
		share = (double)lock_submitters_ns(lock) / ((double)submitters * evidence->span_ns);
		if (share <= worst_share)
			continue;
		worst = lock;
		worst_share = share;
	}
	if (!worst)
		return 0;
	/* One request at a time: the lock is held meanwhile, and who waits for it waits for what holds the request up. */
	if (evidence->in_flight_max <= 1)
		worst_share *= 1 - held_up(evidence);
	verdict->share_of = WHOLE_SUBMITTERS;
	verdict->share_mean = worst_share < 1 ? worst_share : 1;
	verdict->share_p50 = verdict->share_p99 = -1;
	verdict_note_number(verdict, FACT_OF_LOCK, worst->key.address);
	verdict_note_number(verdict, FACT_OF_SUBMITTERS, submitters_of(worst->process));
	verdict_note_number(verdict, FACT_OF_LOCK_WAITS, worst->contention->wait.count + worst->contention->failed.count);
	verdict_note(verdict, FACT_OF_LOCK_WAIT_P50, (double)histogram_percentile(&worst->contention->wait, 0.5));
	verdict_note(verdict, FACT_OF_IOPS, evidence->iops);
	return 1;
}
