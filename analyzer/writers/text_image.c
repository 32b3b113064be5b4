/* An image as text: what it is, its verdict, its parts, and each client's requests by kind. */
#include "analyzer/writers/text.h"

#define NAME_WIDTH 40 /* of the tables of requests */

/* A row of the table of one kind: what is timed, its share of the total, and the distribution. */
static void put_time(FILE *out, const char *name, const char *meaning, double share, const struct histogram *histogram)
{
	struct cell cell;
	char label[80];

	snprintf(label, sizeof(label), "%-8s %s", name, meaning);
	fprintf(out, "    ");
	put_cell(out, -NAME_WIDTH, label);
	put_cell(out, 9, share >= 0 ? cell_share(&cell, share) : "");
	put_dist(out, histogram, cell_ns);
}

static void put_kind(FILE *out, const char *name, const struct kind_stats *kind)
{
	static const char *const meanings[] = {"limits (QoS)",
					       "waiting for the exclusive lock",
					       "until its journal entry is safe",
					       "librbd's own work and queues",
					       "network, OSDs and the way back",
					       "not told apart",
					       "the program's callback",
					       "until the program looked"};
	double total = (double)kind->total.sum, iops = kind_stats_iops(kind), after;
	bool divided = false;
	struct cell cell, more;

	fprintf(out, "\n    %s: %llu completed, %llu failed", name, (unsigned long long)kind->completed, (unsigned long long)kind->failed);
	/* One request has no rate, and its distribution is one number. */
	if (kind->completed == 1 && kind->latency.count == 1) {
		fprintf(out, ", latency %s", cell_ns(&cell, (double)kind->latency.sum));
		if (kind->total.count == 1)
			fprintf(out, ", total %s", cell_ns(&cell, (double)kind->total.sum));
		fprintf(out, "\n");
		return;
	}
	if (iops > 0) {
		fprintf(out, ", %s IOPS", cell_number(&cell, iops));
		if (kind->bytes > 0)
			fprintf(out, ", %s/s, %s each on average", cell_bytes(&cell, (double)kind->bytes * iops / (double)kind->completed),
				cell_bytes(&more, (double)kind->bytes / (double)(kind->completed - kind->failed)));
	}
	fprintf(out, "\n");
	if (kind->irregular > 0)
		fprintf(out, "    %llu of them in no distribution: their moments contradict each other\n",
			(unsigned long long)kind->irregular);
	if (kind->latency.count == 0)
		return;

	fprintf(out, "    %-*s%*s%s\n", NAME_WIDTH, "time of one request", TIME_WIDTH, "of total", DIST_HEAD);
	after = total > 0 ? kind_stats_share(kind, PHASE_C2D) + kind_stats_share(kind, PHASE_D2A) : -1;
	put_time(out, "latency", "call to librbd's completion", after < 0 ? -1 : 1 - after, &kind->latency);
	/* When nothing below the latency could be told apart, `other` is all of it and says nothing. */
	for (int i = 0; i < PHASE_OTHER; i++)
		divided = divided || kind->phases[i].count > 0;
	for (int i = 0; i <= PHASE_OTHER && divided; i++) {
		char indented[16];

		snprintf(indented, sizeof(indented), "  %s", phase_name(i));
		/* Nothing was held there: no row. */
		if (kind->phases[i].sum > 0)
			put_time(out, indented, meanings[i], kind_stats_share(kind, i), &kind->phases[i]);
	}
	for (int i = PHASE_C2D; i <= PHASE_D2A; i++)
		if (kind->phases[i].count > 0)
			put_time(out, phase_name(i), meanings[i], kind_stats_share(kind, i), &kind->phases[i]);
	if (kind->total.count > 0)
		put_time(out, "total", "call until the program looked", 1, &kind->total);
	if (kind->total.count < kind->latency.count)
		fprintf(out, "    the program had not looked at %llu of them when the recording ended: these are in latency only\n",
			(unsigned long long)(kind->latency.count - kind->total.count));
}

/* What tells a raw device in a guest, which is never flushed, from a file system on it. A flush that the recording found in flight may have
 * been complete before the first event. */
static void put_cache(FILE *out, const struct claims *claims, uint64_t begin_ns)
{
	struct cell cell;

	if (claims->flushed_ns)
		fprintf(out, "    cache: first flush seen %s after the trace began",
			cell_ns(&cell, claims->flushed_ns > begin_ns ? (double)(claims->flushed_ns - begin_ns) : 0));
	else if (claims->flushed)
		fprintf(out, "    cache: no flush seen, but there was one before");
	else
		fprintf(out, "    cache: no flush yet, so that it writes through");
	fprintf(out, "; %llu of %llu writes complete before anything was sent for them\n", (unsigned long long)claims->early,
		(unsigned long long)(claims->early + claims->late));
}

static void put_client(FILE *out, const struct client *client, uint64_t begin_ns)
{
	static const char *const names[] = {
#define KIND(upper, lower) #lower,
	    RBDPROF_KINDS(KIND)
#undef KIND
	};
	uint64_t most = client_stats_in_flight_max(&client->stats);
	struct cell cell;

	fprintf(out, "\n  Client %llu (%s, pid %u)", (unsigned long long)client->id, *client->process->comm ? client->process->comm : "?",
		client->process->pid);
	if (client->open_ns)
		fprintf(out, ", opened in %s", cell_ns(&cell, (double)client->open_ns));
	if (client->read_only)
		fprintf(out, " read-only");
	if (most == 0) {
		fprintf(out, ": made no request\n");
		return;
	}
	fprintf(out, ": in flight %s mean, %llu max", cell_number(&cell, client_stats_in_flight_mean(&client->stats)),
		(unsigned long long)most);
	if (client->stats.open_requests)
		fprintf(out, ", %llu still open at the end", (unsigned long long)client->stats.open_requests);
	fprintf(out, "\n");
	if (client->claims.cached)
		put_cache(out, &client->claims, begin_ns);
	for (int i = 0; i < RBDPROF_KIND_COUNT; i++)
		if (client->stats.kinds[i])
			put_kind(out, names[i], client->stats.kinds[i]);
}

void text_image(FILE *out, const struct report *report, const struct image *image)
{
	const struct client *client = image_client_next(image, NULL);
	uint64_t left = image->features;
	const char *name, *comma = "";
	char path[IMAGE_PATH_BYTES];
	struct cell cell;

	fprintf(out, "\nImage %s%s%s, %s", report_image_path(path, image), *image->snapshot ? "@" : "", image->snapshot,
		cell_bytes(&cell, (double)image->size_bytes));
	fprintf(out, " in objects of %s", cell_bytes(&cell, (double)image->object_size_bytes));
	if (image->stripe_count > 1)
		fprintf(out, ", striped over %llu by %s", (unsigned long long)image->stripe_count,
			cell_bytes(&cell, (double)image->stripe_unit_bytes));
	fprintf(out, "\n");
	text_verdict(out, report, image);
	fprintf(out, "  features   ");
	while ((name = feature_next(&left))) {
		fprintf(out, "%s%s", comma, name);
		comma = ", ";
	}
	fprintf(out, "%s%s\n", *comma ? "" : "none", image_has(image, IMAGE_EXCLUSIVE_LOCK) ? "" : " (no exclusive lock)");
	fprintf(out, "  cluster    %s\n", image->cluster);
	if (client && *client->release)
		fprintf(out, "  Ceph       %s\n", client->release);
	text_ownership(out, report, image);
	text_journal(out, image);
	for (; client; client = image_client_next(image, client))
		put_client(out, client, model_begin_ns(report->model));
	text_placement(out, report, image);
}
