#include "analyzer/core/evidence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Requests "around" the p50 and the p99 of their time. */
#define P50_FROM 0.40
#define P50_TO   0.60
#define P99_FROM 0.98
#define P99_TO   0.995

static int changes_data(unsigned kind)
{
	return kind != RBDPROF_READ && kind != RBDPROF_FLUSH && kind != RBDPROF_INVALIDATE_CACHE;
}

static int add_kind(struct evidence *evidence, const struct kind_stats *kind, unsigned which)
{
	evidence->completed += kind->completed;
	evidence->failed += kind->failed;
	if (changes_data(which))
		evidence->writes += kind->completed;
	if (histogram_merge(&evidence->total, &kind->total) || histogram_merge(&evidence->n2c, &kind->phases[PHASE_N2C]) ||
	    histogram_merge(&evidence->c2d, &kind->phases[PHASE_C2D]) || histogram_merge(&evidence->d2a, &kind->phases[PHASE_D2A]))
		return -ENOMEM;
	return 0;
}

static int add_client(struct evidence *evidence, const struct client *client, uint64_t *first_ns, uint64_t *last_ns)
{
	const struct client_stats *stats = &client->stats;
	uint64_t most = client_stats_in_flight_max(stats);
	double idle = stalls_idle_share(&client->claims.stalls);
	int status = 0;

	for (unsigned kind = 0; kind < RBDPROF_KIND_COUNT && !status; kind++)
		if (stats->kinds[kind])
			status = add_kind(evidence, stats->kinds[kind], kind);
	if (!stats->begun)
		return status;
	if (stats->first_s_ns < *first_ns)
		*first_ns = stats->first_s_ns;
	if (stats->last_c_ns > *last_ns)
		*last_ns = stats->last_c_ns;
	if (most > evidence->in_flight_max)
		evidence->in_flight_max = most;
	if (idle < evidence->idle)
		evidence->idle = idle;
	return status;
}

/*
 * A request stands behind the appends of others, at the OSDs and in librbd. Where those can do no more, appends have the part of its time
 * that they are of what is outstanding there. The wait for its own is in that part: only what goes beyond it is APPENDS'.
 */
static void share_with_appends(struct band *band, double appends_part)
{
	uint64_t librbd_ns = band->ns[CLAIM_LIBRBD], network_ns = band->ns[CLAIM_NETWORK], journal_ns = band->ns[CLAIM_JOURNAL];
	uint64_t part_ns = (uint64_t)(appends_part * (double)(journal_ns + librbd_ns + network_ns)), beyond_ns, of_librbd_ns;

	if (part_ns <= journal_ns)
		return;
	beyond_ns = part_ns - journal_ns;
	of_librbd_ns = (uint64_t)((double)beyond_ns * (double)librbd_ns / (double)(librbd_ns + network_ns));
	band->ns[CLAIM_LIBRBD] -= of_librbd_ns;
	band->ns[CLAIM_NETWORK] -= beyond_ns - of_librbd_ns;
	band->ns[CLAIM_APPENDS] += beyond_ns;
}

/* The part of what is outstanding at the OSDs that is appends to the journal, but for a request's own. */
static double appends_part(const struct evidence *evidence)
{
	double appends_ns = (double)evidence->image->journal.append.sum;

	if (appends_ns <= 0 || evidence->in_flight <= 1)
		return 0;
	return appends_ns / (appends_ns + (double)evidence->n2c.sum) * (1 - 1 / evidence->in_flight);
}

static void gather_claims(struct evidence *evidence, const struct claimed *claims, unsigned count)
{
	double part = appends_part(evidence);

	claims_sum(claims, count, 0, 1, &evidence->all);
	claims_sum(claims, count, P50_FROM, P50_TO, &evidence->p50);
	claims_sum(claims, count, P99_FROM, P99_TO, &evidence->p99);
	share_with_appends(&evidence->all, part);
	share_with_appends(&evidence->p50, part);
	share_with_appends(&evidence->p99, part);
}

int evidence_gather(struct evidence *evidence, const struct model *model, const struct image *image, const struct baseline *baseline)
{
	struct claimed *claims = calloc(HASH_COUNT(image->clients) + 1, sizeof(*claims));
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	double sum_ns = 0, cpu;
	unsigned count = 0;
	int status = claims ? 0 : -ENOMEM;

	*evidence = (struct evidence){.model = model, .image = image, .baseline = baseline, .begin_ns = model_begin_ns(model), .idle = 1};
	for (const struct client *client = image->clients; client && !status; client = client->hh.next) {
		claims[count++] = (struct claimed){&client->claims, callbacks_saturate(client->process, &cpu)};
		sum_ns += (double)client->stats.in_flight.sum_ns;
		status = add_client(evidence, client, &first_ns, &last_ns);
	}
	evidence->span_ns = last_ns > first_ns ? (double)(last_ns - first_ns) : 0;
	if (evidence->span_ns > 0) {
		evidence->iops = (double)evidence->completed * 1e9 / evidence->span_ns;
		evidence->in_flight = sum_ns / evidence->span_ns;
	}
	if (!status)
		gather_claims(evidence, claims, count);
	free(claims);
	return status;
}

void evidence_fini(struct evidence *evidence)
{
	histogram_fini(&evidence->total);
	histogram_fini(&evidence->n2c);
	histogram_fini(&evidence->c2d);
	histogram_fini(&evidence->d2a);
}

static double share_in(const struct band *band, enum claimant claimant)
{
	return band->total_ns ? (double)band->ns[claimant] / (double)band->total_ns : 0;
}

double evidence_share(const struct evidence *evidence, enum claimant claimant)
{
	return share_in(&evidence->all, claimant);
}

void verdict_claims(struct verdict *verdict, const struct evidence *evidence, enum claimant claimant)
{
	verdict->share_of = WHOLE_REQUESTS;
	verdict->share_mean = share_in(&evidence->all, claimant);
	verdict->share_p50 = share_in(&evidence->p50, claimant);
	verdict->share_p99 = share_in(&evidence->p99, claimant);
}

void verdict_claims_also(struct verdict *verdict, const struct evidence *evidence, enum claimant claimant)
{
	verdict->share_mean += share_in(&evidence->all, claimant);
	verdict->share_p50 += share_in(&evidence->p50, claimant);
	verdict->share_p99 += share_in(&evidence->p99, claimant);
}

static struct noted_fact *next_fact(struct verdict *verdict, enum fact fact)
{
	struct noted_fact *noted;

	if (verdict->fact_count == VERDICT_FACTS)
		return NULL;
	noted = &verdict->facts[verdict->fact_count++];
	*noted = (struct noted_fact){.fact = fact};
	return noted;
}

void verdict_note(struct verdict *verdict, enum fact fact, double value)
{
	struct noted_fact *noted = next_fact(verdict, fact);

	if (noted)
		noted->value = value;
}

void verdict_note_number(struct verdict *verdict, enum fact fact, uint64_t number)
{
	struct noted_fact *noted = next_fact(verdict, fact);

	if (!noted)
		return;
	noted->number = number;
	noted->value = (double)number;
}

void verdict_note_text(struct verdict *verdict, enum fact fact, const char *text)
{
	struct noted_fact *noted = next_fact(verdict, fact);

	if (noted)
		snprintf(noted->text, sizeof(noted->text), "%s", text);
}

void verdict_advise(struct verdict *verdict, enum advise_when when)
{
	verdict->advise |= UINT64_C(1) << when;
}
