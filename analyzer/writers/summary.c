#include "analyzer/writers/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"

/* A phase smaller than this part of the requests' time is not worth a word in the sentence. */
#define SMALL 0.05

/* All requests of an image together. */
struct shares {
	double total_ns;            /* Σ total */
	double phases[PHASE_COUNT]; /* parts of it */
	double journal;             /* l2j's part of the total of those requests that the journal has to hold; 0: none were seen */
};

double summary_handovers_per_s(const struct ownership_result *ownership)
{
	uint64_t span_ns = ownership->handover.count ? ownership->serving_ns + ownership->handover.sum : ownership->span_ns;

	return span_ns ? (double)ownership->handovers * 1e9 / (double)span_ns : 0;
}

double summary_step_share(const struct ownership_result *ownership, enum handover_step step)
{
	return ownership->handover.sum ? (double)ownership->steps[step].sum / (double)ownership->handover.sum : 0;
}

double summary_appends_per_s(const struct journal *journal)
{
	return journal->appends > 1 ? (double)journal->appends * 1e9 / (double)(journal->last_ns - journal->first_ns) : 0;
}

uint64_t summary_replay_bytes(unsigned replay_class)
{
	if (replay_class + 1 >= OWNERSHIP_REPLAY_CLASSES)
		return UINT64_MAX;
	return replay_class ? UINT64_C(1) << (19 + replay_class) : 0;
}

bool summary_sees_below(const struct image *image)
{
	for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client))
		if (client->process->crossing)
			return true;
	return false;
}

bool summary_has_journal(const struct image *image)
{
	const struct journal *journal = &image->journal;

	return image_has(image, IMAGE_JOURNALING) &&
	       (journal->appends || journal->refused || journal->commits || journal->tags || journal->replay_reads);
}

static bool is_journaled(int kind)
{
	return kind == RBDPROF_WRITE || kind == RBDPROF_DISCARD || kind == RBDPROF_WRITE_ZEROES || kind == RBDPROF_WRITESAME ||
	       kind == RBDPROF_COMPARE_AND_WRITE;
}

static struct shares shares_of(const struct image *image)
{
	struct shares shares = {0};
	double writes_ns = 0;

	for (const struct client *client = image_client_next(image, NULL); client; client = image_client_next(image, client)) {
		for (int i = 0; i < RBDPROF_KIND_COUNT; i++) {
			const struct kind_stats *kind = client->stats.kinds[i];

			if (!kind)
				continue;
			shares.total_ns += (double)kind->total.sum;
			for (int phase = 0; phase < PHASE_COUNT; phase++)
				shares.phases[phase] += (double)kind->phases[phase].sum;
			if (!is_journaled(i))
				continue;
			writes_ns += (double)kind->total.sum;
			shares.journal += (double)kind->phases[PHASE_L2J].sum;
		}
	}
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		shares.phases[phase] /= shares.total_ns > 0 ? shares.total_ns : 1;
	shares.journal /= writes_ns > 0 ? writes_ns : 1;
	return shares;
}

/* Clients that took it from each other, and what that cost. */
static void put_contest(FILE *out, const struct ownership_result *ownership, double waiting)
{
	int largest = 0;
	double per_s = summary_handovers_per_s(ownership);
	struct cell cell;

	fprintf(out, "%u clients took the exclusive lock from each other ", ownership->owner_count);
	if (per_s >= 1)
		fprintf(out, "%s times a second", cell_number(&cell, per_s));
	else
		fprintf(out, "%llu times in %s", (unsigned long long)ownership->handovers, cell_ns(&cell, (double)ownership->span_ns));
	fprintf(out, "; waiting for it is %.0f %% of their requests' time", waiting * 100);
	if (ownership->handover.count == 0)
		return;
	for (int step = 1; step < STEP_COUNT; step++)
		if (ownership->steps[step].sum > ownership->steps[largest].sum)
			largest = step;
	fprintf(out, "; one handover takes %s (p50)", cell_ns(&cell, (double)histogram_percentile(&ownership->handover, 0.5)));
	if (ownership->steps[largest].sum > 0)
		fprintf(out, ", and %s is %.0f %% of their time", report_step_words(largest), summary_step_share(ownership, largest) * 100);
}

static void put_lock(FILE *out, const struct image *image, double waiting)
{
	const struct ownership_result *ownership = image->ownership_is;

	if (!image_has(image, IMAGE_EXCLUSIVE_LOCK)) {
		fprintf(out, "no exclusive lock");
		return;
	}
	if (!ownership) {
		fprintf(out, summary_sees_below(image) ? "nobody used the exclusive lock" : "the exclusive lock was not observed");
		return;
	}
	if (ownership->owner_count > 1 && ownership->handovers - ownership->reacquired >= ownership->owner_count) {
		put_contest(out, ownership, waiting);
		return;
	}
	if (ownership->owner_count > 1)
		fprintf(out, "%u clients owned the exclusive lock one after the other", ownership->owner_count);
	else if (ownership->owner_count == 0)
		fprintf(out, "no client got the exclusive lock");
	else if (ownership->handovers > 0)
		fprintf(out, "one client owned the exclusive lock, and got it back %llu time%s", (unsigned long long)ownership->handovers,
			ownership->handovers == 1 ? "" : "s");
	else
		fprintf(out, "one client owned the exclusive lock%s", ownership->refusals || ownership->breaks ? "" : " all the time");
	/* A single owner waits for nobody: what takes long is the acquisition, with the journal's replay in it. */
	if (waiting >= SMALL)
		fprintf(out, "; %s it is %.0f %% of the requests' time", ownership->tenures == 1 ? "acquiring" : "waiting for",
			waiting * 100);
}

static void put_incidents(FILE *out, const struct ownership_result *ownership)
{
	uint64_t waited_ns = 0;
	struct cell cell;

	for (uint32_t i = 0; i < ownership->incident_count; i++)
		if (ownership->incidents[i].kind == INCIDENT_BREAK && ownership->incidents[i].waited_ns > waited_ns)
			waited_ns = ownership->incidents[i].waited_ns;
	if (ownership->breaks == 1)
		fprintf(out, "; the lock was broken once");
	else if (ownership->breaks)
		fprintf(out, "; the lock was broken %llu times", (unsigned long long)ownership->breaks);
	if (waited_ns)
		fprintf(out, ", after %s%s of waiting", ownership->breaks > 1 ? "up to " : "", cell_ns(&cell, (double)waited_ns));
	if (ownership->refusals)
		fprintf(out, "; %llu request%s for the lock %s refused", (unsigned long long)ownership->refusals,
			ownership->refusals == 1 ? "" : "s", ownership->refusals == 1 ? "was" : "were");
}

/* What took most of the requests' time besides lock and journal. */
static void put_largest(FILE *out, const struct shares *shares)
{
	static const char *const subjects[] = {
	    [PHASE_S2Q] = "limits (QoS) are",
	    [PHASE_J2N] = "librbd's own work and queues are",
	    [PHASE_N2C] = "network and OSDs are",
	    [PHASE_OTHER] = "what could not be told apart is",
	    [PHASE_C2D] = "the program's callbacks are",
	    [PHASE_D2A] = "the time until the program looked is",
	};
	int largest = PHASE_OTHER;

	for (int phase = 0; phase < PHASE_COUNT; phase++)
		if (subjects[phase] && shares->phases[phase] > shares->phases[largest])
			largest = phase;
	if (shares->phases[largest] >= SMALL)
		fprintf(out, "; %s %.0f %% of the requests' time", subjects[largest], shares->phases[largest] * 100);
}

char *summary_sentence(const struct image *image)
{
	struct shares shares = shares_of(image);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_lock(out, image, shares.phases[PHASE_Q2L]);
	if (image->ownership_is)
		put_incidents(out, image->ownership_is);
	if (shares.journal >= SMALL)
		fprintf(out, "; the journal is %.0f %% of the writes' time", shares.journal * 100);
	if (shares.total_ns == 0)
		fprintf(out, "; no request was seen to its end");
	/* Where most is waiting for the lock, how the rest is divided does not matter. */
	if (shares.phases[PHASE_Q2L] < 0.5)
		put_largest(out, &shares);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
