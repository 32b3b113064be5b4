/* Who owned an image's exclusive lock, as text: tenures, handovers and their anatomy, owners over time, incidents. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/summary.h"
#include "analyzer/writers/text.h"

#define NAME_WIDTH    62 /* of both tables */
#define OWNERS_MAX    12 /* that are listed and drawn */
#define INCIDENTS_MAX 20 /* lines */
#define LABEL_WIDTH   10 /* of a client's number beside the drawing: with its margins and the slices no wider than a line may be */
#define TICKS         4

static void put_head(FILE *out, const char *name, const char *second, const char *third)
{
	fprintf(out, "\n    %-*s%*s%*s%s\n", NAME_WIDTH, name, TIME_WIDTH, second, TIME_WIDTH, third, DIST_HEAD);
}

static void put_row(FILE *out, const char *label, uint64_t count, double share, const struct histogram *histogram,
		    const char *(*cell_of)(struct cell *, double))
{
	struct cell cell;

	fprintf(out, "    ");
	put_cell(out, -NAME_WIDTH, label);
	fprintf(out, "%*llu", TIME_WIDTH, (unsigned long long)count);
	put_cell(out, TIME_WIDTH, share < 0 ? "" : cell_share(&cell, share));
	put_dist(out, histogram, cell_of);
}

/* A client as its number and what it is. Returns `text`. */
static const char *owner_text(char text[80], const struct image *image, uint64_t id)
{
	const struct client *client = image_client_next(image, NULL);

	while (client && client->id != id)
		client = image_client_next(image, client);
	if (client)
		snprintf(text, 80, "%llu (%s, pid %u)", (unsigned long long)id, *client->process->comm ? client->process->comm : "?",
			 client->process->pid);
	else
		snprintf(text, 80, "%llu (not traced)", (unsigned long long)id);
	return text;
}

static void put_counts(FILE *out, const struct ownership_result *ownership)
{
	uint64_t span_ns = ownership->serving_ns + ownership->handover.sum;
	struct cell cell, more;

	fprintf(out, "\n  Exclusive lock: %llu tenure%s of %u client%s", (unsigned long long)ownership->tenures, plural(ownership->tenures),
		ownership->owner_count, plural(ownership->owner_count));
	if (ownership->handovers)
		fprintf(out, ", %llu handover%s (%s a second; %llu back to the same client)", (unsigned long long)ownership->handovers,
			plural(ownership->handovers), cell_number(&cell, ownership_handovers_per_s(ownership)),
			(unsigned long long)ownership->reacquired);
	fprintf(out, ", %llu refused attempt%s\n", (unsigned long long)ownership->failed_attempts, plural(ownership->failed_attempts));
	if (ownership->handover.count)
		fprintf(out, "    of the time between the first completion and the last, %s is serving requests and %s is handing over\n",
			cell_share(&cell, (double)ownership->serving_ns / (double)span_ns),
			cell_share(&more, (double)ownership->handover.sum / (double)span_ns));
}

/* A single tenure has no distribution. */
static void put_single(FILE *out, const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;
	const struct owner *owner = ownership->owners;
	struct cell cell, more;
	char label[80];

	if (ownership->owner_count == 0 || ownership->span_ns == 0)
		return;
	fprintf(out, "    client %s owned it for %s, %s of the recording", owner_text(label, image, owner->client),
		cell_ns(&cell, (double)owner->owned_ns), cell_share(&more, (double)owner->owned_ns / (double)ownership->span_ns));
	if (ownership->tenure_requests.count)
		fprintf(out, ", and completed %llu request%s under it (%s)", (unsigned long long)ownership->tenure_requests.sum,
			plural(ownership->tenure_requests.sum), cell_bytes(&cell, (double)ownership->tenure_bytes.sum));
	fprintf(out, "\n");
}

/* Tenures and handovers as distributions. */
static void put_lengths(FILE *out, const struct ownership_result *ownership)
{
	const struct {
		const char *label;
		const struct histogram *histogram;
		const char *(*cell_of)(struct cell *, double);
	} rows[] = {
	    {"tenure     lock.lock granted until lock.unlock", &ownership->tenure, cell_ns},
	    {"  asked    usable until another client asks for it", &ownership->tenure_until_asked, cell_ns},
	    {"  drain    from then until lock.unlock", &ownership->tenure_drain, cell_ns},
	    {"  requests complete in one tenure", &ownership->tenure_requests, cell_number},
	    {"  bytes    of these requests", &ownership->tenure_bytes, cell_bytes},
	    {"handover   last completion until the next owner's first", &ownership->handover, cell_ns},
	};
	bool headed = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].histogram->count == 0)
			continue;
		if (!headed)
			put_head(out, "tenures and handovers", "count", "");
		headed = true;
		put_row(out, rows[i].label, rows[i].histogram->count, -1, rows[i].histogram, rows[i].cell_of);
	}
}

static void put_anatomy(FILE *out, const struct ownership_result *ownership)
{
	if (ownership->handover.sum == 0)
		return;
	put_head(out, "what a handover is made of", "seen in", "of total");
	for (int step = 0; step < STEP_COUNT; step++) {
		const struct histogram *histogram = &ownership->steps[step];
		char label[100];

		if (histogram->sum == 0)
			continue;
		snprintf(label, sizeof(label), "%-17s%s", handover_step_name(step), report_step_meaning(step));
		put_row(out, label, histogram->count - histogram_zeros(histogram), summary_step_share(ownership, step), histogram, cell_ns);
	}
}

static void put_owned(FILE *out, const char *label, uint64_t ns, uint64_t span_ns, const char *rest)
{
	struct cell cell;

	fprintf(out, "    ");
	put_cell(out, -30, label);
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)ns));
	put_cell(out, 14, cell_share(&cell, (double)ns / (double)span_ns));
	fprintf(out, "%s\n", rest);
}

static void put_owners(FILE *out, const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;

	if (ownership->span_ns == 0)
		return;
	fprintf(out, "\n    %-30s%*s%14s%*s\n", "owner", TIME_WIDTH, "time", "of recording", TIME_WIDTH, "tenures");
	for (uint32_t i = 0; i < ownership->owner_count && i < OWNERS_MAX; i++) {
		const struct owner *owner = &ownership->owners[i];
		char label[80], tenures[40];

		snprintf(tenures, sizeof(tenures), "%*llu", TIME_WIDTH, (unsigned long long)owner->tenures);
		put_owned(out, owner_text(label, image, owner->client), owner->owned_ns, ownership->span_ns, tenures);
	}
	if (ownership->owner_count > OWNERS_MAX)
		fprintf(out, "    and %u others\n", ownership->owner_count - OWNERS_MAX);
	if (ownership->unowned_ns)
		put_owned(out, "nobody", ownership->unowned_ns, ownership->span_ns, "");
	if (ownership->unknown_ns)
		put_owned(out, "not known", ownership->unknown_ns, ownership->span_ns, "");
}

/* A line of the drawing; nothing is printed after its last mark. */
static void put_line(FILE *out, const char *label, const struct ownership_result *ownership, uint64_t owner)
{
	int blanks = 0;

	fprintf(out, "    ");
	put_cell(out, LABEL_WIDTH, label);
	fprintf(out, "  ");
	for (int i = 0; i < OWNERSHIP_SLICES; i++) {
		if (ownership->slices[i] != owner) {
			blanks++;
			continue;
		}
		fprintf(out, "%*s█", blanks, "");
		blanks = 0;
	}
	fprintf(out, "\n");
}

static bool has_slice(const struct ownership_result *ownership, uint64_t owner)
{
	for (int i = 0; i < OWNERSHIP_SLICES; i++)
		if (ownership->slices[i] == owner)
			return true;
	return false;
}

static void put_axis(FILE *out, uint64_t span_ns)
{
	const int width = OWNERSHIP_SLICES / TICKS;
	struct cell cell;
	char tick[80];

	fprintf(out, "    %*s", LABEL_WIDTH + 2, "");
	for (int i = 0; i < TICKS; i++) {
		snprintf(tick, sizeof(tick), "|%s", i == 0 ? "0" : cell_ns(&cell, (double)span_ns * i / TICKS));
		put_cell(out, i + 1 < TICKS ? -width : -width / 2, tick);
	}
	snprintf(tick, sizeof(tick), "%s|", cell_ns(&cell, (double)span_ns));
	put_cell(out, width - width / 2, tick);
	fprintf(out, "\n");
}

/* Who had most of each slice of the recording. */
static void put_timeline(FILE *out, const struct ownership_result *ownership)
{
	struct cell cell;
	char label[24];

	if (ownership->span_ns == 0)
		return;
	fprintf(out, "\n    who owned it most, in steps of %s\n", cell_ns(&cell, (double)ownership->span_ns / OWNERSHIP_SLICES));
	for (uint32_t i = 0; i < ownership->owner_count && i < OWNERS_MAX; i++) {
		snprintf(label, sizeof(label), "%llu", (unsigned long long)ownership->owners[i].client);
		put_line(out, label, ownership, ownership->owners[i].client);
	}
	if (has_slice(ownership, 0))
		put_line(out, "nobody", ownership, 0);
	if (has_slice(ownership, UINT64_MAX))
		put_line(out, "not known", ownership, UINT64_MAX);
	put_axis(out, ownership->span_ns);
}

/* What happened, without its length. */
static void put_incident(FILE *out, const struct incident *incident)
{
	char other[40] = "a client that is not known";

	if (incident->other)
		snprintf(other, sizeof(other), "client %llu", (unsigned long long)incident->other);
	if (incident->client)
		fprintf(out, "client %llu", (unsigned long long)incident->client);
	else
		fprintf(out, "a client that is not known");
	switch (incident->kind) {
	case INCIDENT_BREAK:
		fprintf(out, " broke the lock of %s", other);
		break;
	case INCIDENT_WATCH_LOST:
		fprintf(out, " lost its watch on the image");
		break;
	case INCIDENT_REFUSED:
		fprintf(out, " asked for the lock and was refused by %s", other);
		break;
	case INCIDENT_REQUEST_TIMEOUT:
		fprintf(out, " asked for the lock and not everybody answered in time");
		if (incident->other)
			fprintf(out, ", with the lock at %s", other);
		break;
	case INCIDENT_NOTIFY_TIMEOUT:
		fprintf(out, " told the others something and not everybody answered in time");
		break;
	}
	if (incident->error)
		fprintf(out, ": %s", strerror(-incident->error));
}

static bool is_alike(const struct incident *one, const struct incident *other)
{
	return one->kind == other->kind && one->client == other->client && one->other == other->other && one->error == other->error;
}

/* A row of `count` incidents that are alike, as a line. */
static void put_row_of_incidents(FILE *out, const struct incident *first, uint32_t count, uint64_t begin_ns)
{
	const int column = 6 + 3 + (TIME_WIDTH - 1) + 2;
	uint64_t waited_ns = 0;
	struct cell cell;
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (first[i].waited_ns > waited_ns)
			waited_ns = first[i].waited_ns;
	put_incident(line, first);
	if (waited_ns)
		fprintf(line, ", after %s%s", count > 1 ? "up to " : "", cell_ns(&cell, (double)waited_ns));
	if (count > 1)
		fprintf(line, "; %u times until %s", count, cell_ns(&cell, (double)(first[count - 1].at_ns - begin_ns)));
	fprintf(out, "      at ");
	put_cell(out, TIME_WIDTH - 1, cell_ns(&cell, (double)(first->at_ns - begin_ns)));
	fprintf(out, "  ");
	if (!fclose(line))
		put_wrapped(out, column, column, text);
	free(text);
}

/* Incidents in the order of their times. */
static void put_incidents(FILE *out, const struct ownership_result *ownership, uint64_t begin_ns)
{
	uint64_t all =
	    ownership->breaks + ownership->watches_lost + ownership->refusals + ownership->request_timeouts + ownership->notify_timeouts;
	uint32_t next = 0;

	if (all == 0) {
		fprintf(out, "    incidents: none (locks broken, watches lost, requests for it refused or not answered)\n");
		return;
	}
	fprintf(out, "    incidents: %llu broken, %llu watch%s lost, %llu refused, %llu not answered by all in time\n",
		(unsigned long long)ownership->breaks, (unsigned long long)ownership->watches_lost,
		ownership->watches_lost == 1 ? "" : "es", (unsigned long long)ownership->refusals,
		(unsigned long long)(ownership->request_timeouts + ownership->notify_timeouts));
	for (int line = 0; line < INCIDENTS_MAX && next < ownership->incident_count; line++) {
		const struct incident *first = &ownership->incidents[next];
		uint32_t count = 0;

		while (next + count < ownership->incident_count && is_alike(first, first + count))
			count++;
		put_row_of_incidents(out, first, count, begin_ns);
		next += count;
	}
	if (next < all)
		fprintf(out, "      and %llu later\n", (unsigned long long)(all - next));
}

void text_ownership(FILE *out, const struct report *report, const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;

	if (!ownership)
		return;
	put_counts(out, ownership);
	if (ownership->tenures == 1) {
		put_single(out, image);
	} else {
		put_lengths(out, ownership);
		put_anatomy(out, ownership);
		put_owners(out, image);
		put_timeline(out, ownership);
		fprintf(out, "\n");
	}
	put_incidents(out, ownership, model_begin_ns(report->model));
}
