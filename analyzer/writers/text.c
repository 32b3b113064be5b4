/*
 * The report as text for a terminal, at most 140 columns: the recording, each image with its clients, the contended locks, and how
 * far all of it can be trusted. No table is printed that would be empty.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "analyzer/writers/cells.h"
#include "analyzer/writers/report.h"

#define LOCKS_MAX    20
#define COMMAND_MAX  126 /* characters of the command that are shown */
#define PROBLEMS_MAX 20

/* Widths of the columns of both tables of distributions. */
#define NAME_WIDTH 40
#define TIME_WIDTH 9

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void put_recordings(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->recording_count; i++) {
		const struct recording *recording = &report->recordings[i];
		time_t begin = (time_t)(recording->begin_ns / 1000000000);
		struct cell cell;
		struct tm tm;

		fprintf(out, "Recording %s\n", recording->folder);
		if (recording->command)
			fprintf(out, "  command    %.*s%s\n", COMMAND_MAX, recording->command,
				strlen(recording->command) > COMMAND_MAX ? "…" : "");
		if (recording->begin_ns && localtime_r(&begin, &tm)) {
			char stamp[64];

			strftime(stamp, sizeof(stamp), "%F %T %Z", &tm);
			fprintf(out, "  recorded   %s, for %s", stamp, cell_ns(&cell, (double)(recording->end_ns - recording->begin_ns)));
			if (recording->status >= 0)
				fprintf(out, ", exit status %d", recording->status);
			fprintf(out, "\n");
		}
		if (recording->stopped_early)
			fprintf(out, "  the recording was %s\n", recording->stopped_early);
		if (recording->processes_refused > 0)
			fprintf(out, "  %lld process%s wanted to be traced and could not be: buffers were in use by others\n",
				(long long)recording->processes_refused, recording->processes_refused == 1 ? "" : "es");
	}
}

static void put_processes(FILE *out, const struct report *report)
{
	const struct trace_summary *summary = model_trace(report->model);
	struct cell cell;

	for (const struct process *p = model_process_next(report->model, NULL); p; p = model_process_next(report->model, p)) {
		fprintf(out, "  process    %s, pid %u, on %s\n", *p->comm ? p->comm : "(not described)", p->pid,
			*p->host ? p->host : "(unknown host)");
	}
	if (summary->events > 0)
		fprintf(out, "  events     over %s\n", cell_ns(&cell, (double)(summary->end_wall_ns - summary->begin_wall_ns)));
}

static void put_dist(FILE *out, const struct histogram *histogram)
{
	static const double parts[] = {0.5, 0.9, 0.99, 0.999};
	struct cell cell;

	put_cell(out, TIME_WIDTH, cell_ns(&cell, histogram_mean(histogram)));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)histogram_percentile(histogram, parts[i])));
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)histogram->max));
	fprintf(out, "\n");
}

/* A row of the table of one kind: what is timed, its share of the total, and the distribution. */
static void put_time(FILE *out, const char *name, const char *meaning, double share, const struct histogram *histogram)
{
	struct cell cell;
	char label[80];

	snprintf(label, sizeof(label), "%-8s %s", name, meaning);
	fprintf(out, "    ");
	put_cell(out, -NAME_WIDTH, label);
	put_cell(out, 9, share >= 0 ? cell_share(&cell, share) : "");
	put_dist(out, histogram);
}

static void put_kind(FILE *out, const char *name, const struct kind_stats *kind)
{
	static const char *const meanings[] = {"QoS",
					       "exclusive lock",
					       "journal",
					       "librbd's own work and queues",
					       "network and OSDs",
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

	fprintf(out, "    %-*s%9s%9s%9s%9s%9s%9s%9s\n", NAME_WIDTH, "time of one request", "of total", "mean", "p50", "p90", "p99", "p99.9",
		"max");
	after = total > 0 ? kind_stats_share(kind, PHASE_C2D) + kind_stats_share(kind, PHASE_D2A) : -1;
	put_time(out, "latency", "call to librbd's completion", after < 0 ? -1 : 1 - after, &kind->latency);
	/* When nothing below the latency could be told apart, `other` is all of it and says nothing. */
	for (int i = 0; i < PHASE_OTHER; i++)
		divided = divided || kind->phases[i].count > 0;
	for (int i = 0; i <= PHASE_OTHER && divided; i++) {
		char indented[16];

		snprintf(indented, sizeof(indented), "  %s", phase_name(i));
		if (kind->phases[i].count > 0)
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

static void put_client(FILE *out, const struct client *client)
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
	for (int i = 0; i < RBDPROF_KIND_COUNT; i++)
		if (client->stats.kinds[i])
			put_kind(out, names[i], client->stats.kinds[i]);
}

static void put_image(FILE *out, const struct image *image)
{
	const struct client *client = image_client_next(image, NULL);
	uint64_t left = image->features;
	const char *name, *comma = "";
	struct cell cell;

	fprintf(out, "\nImage %s/%s%s%s%s%s, %s", image->pool, image->namespace_, *image->namespace_ ? "/" : "", image->name,
		*image->snapshot ? "@" : "", image->snapshot, cell_bytes(&cell, (double)image->size_bytes));
	fprintf(out, " in objects of %s", cell_bytes(&cell, (double)image->object_size_bytes));
	if (image->stripe_count > 1)
		fprintf(out, ", striped over %llu by %s", (unsigned long long)image->stripe_count,
			cell_bytes(&cell, (double)image->stripe_unit_bytes));
	fprintf(out, "\n  features   ");
	while ((name = feature_next(&left))) {
		fprintf(out, "%s%s", comma, name);
		comma = ", ";
	}
	fprintf(out, "%s\n", *comma ? "" : "none");
	fprintf(out, "  cluster    %s\n", image->cluster);
	if (client && *client->release)
		fprintf(out, "  Ceph       %s\n", client->release);
	for (; client; client = image_client_next(image, client))
		put_client(out, client);
}

/* The locks of a trace, conditions apart from the rest: most waiting for those is waiting for work. */
static void put_locks(FILE *out, const struct report *report, bool conditions)
{
	static const char *const kinds[] = {"mutex", "rwlock, reading", "rwlock, writing", "condition"};
	unsigned int count = 0, shown = 0;
	struct cell cell;

	for (const struct lock *lock = model_lock_next(report->model, NULL); lock; lock = model_lock_next(report->model, lock))
		count += (lock->key.kind == RBDPROF_COND) == conditions;
	if (count == 0) {
		if (!conditions)
			fprintf(out, "\nContended locks: none\n");
		return;
	}
	fprintf(out, "\n%s, by time waited (%u of %u%s)\n",
		conditions ? "Waits on condition variables, mostly for work" : "Contended locks", count < LOCKS_MAX ? count : LOCKS_MAX,
		count, conditions ? "" : "; how often they were free when asked for is not known");
	fprintf(out, "  %-18s  %-15s%9s%9s%10s%9s%9s%9s%9s%9s  %s\n", "address", "kind", "waits", "failed", "waited", "mean", "p50", "p90",
		"p99", "max", "mostly in thread");
	for (const struct lock *lock = model_lock_next(report->model, NULL); lock && shown < LOCKS_MAX;
	     lock = model_lock_next(report->model, lock)) {
		const struct lock_waiter *waiter = lock_waiter_next(lock, NULL);
		const char *thread = waiter ? process_thread_name(lock->process, (uint32_t)waiter->key.thread) : "";

		if ((lock->key.kind == RBDPROF_COND) != conditions)
			continue;
		shown++;
		fprintf(out, "  0x%-16llx  %-15s%9llu%9llu ", (unsigned long long)lock->key.address, kinds[lock->key.kind],
			(unsigned long long)(lock->wait.count + lock->failed.count), (unsigned long long)lock->failed.count);
		put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)(lock->wait.sum + lock->failed.sum)));
		put_cell(out, TIME_WIDTH, lock->wait.count ? cell_ns(&cell, histogram_mean(&lock->wait)) : "");
		put_cell(out, TIME_WIDTH, lock->wait.count ? cell_ns(&cell, (double)histogram_percentile(&lock->wait, 0.5)) : "");
		put_cell(out, TIME_WIDTH, lock->wait.count ? cell_ns(&cell, (double)histogram_percentile(&lock->wait, 0.9)) : "");
		put_cell(out, TIME_WIDTH, lock->wait.count ? cell_ns(&cell, (double)histogram_percentile(&lock->wait, 0.99)) : "");
		put_cell(out, TIME_WIDTH, lock->wait.count ? cell_ns(&cell, (double)lock->wait.max) : "");
		fprintf(out, "  %s\n", *thread ? thread : "?");
	}
}

static void put_health(FILE *out, const struct report *report)
{
	const struct trace_summary *summary = model_trace(report->model);
	const struct unseen *unseen = model_unseen_next(report->model, NULL);
	uint64_t anomalies = report_anomalies(report);
	const char *comma = ": ";
	unsigned int count = 0;

	fprintf(out, "\nHow far to trust this\n");
	fprintf(out, "  events     %llu read, %lld lost, %llu unaccounted for, %llu call%s not recorded\n",
		(unsigned long long)summary->events, (long long)summary->lost_events, (unsigned long long)summary->unaccounted_events,
		(unsigned long long)summary->passed_through, plural(summary->passed_through));
	if (summary->unmatched)
		fprintf(out, "             %llu completed request%s counted nowhere, since the event of their call was lost\n",
			(unsigned long long)summary->unmatched, plural(summary->unmatched));
	if (summary->before_recording)
		fprintf(out, "             %llu request%s made before the recording began and not counted\n",
			(unsigned long long)summary->before_recording, plural(summary->before_recording));
	if (report->unknown_events)
		fprintf(out, "             %llu of kinds that this rbdprof does not know, left out: the recording is a newer version's\n",
			(unsigned long long)report->unknown_events);

	fprintf(out, "  anomalies  %llu", (unsigned long long)anomalies);
	for (int i = 0; i < ANOMALY_COUNT; i++) {
		if (summary->anomalies[i] == 0)
			continue;
		fprintf(out, "%s%s %llu", comma, anomaly_name(i), (unsigned long long)summary->anomalies[i]);
		comma = ", ";
	}
	if (report->missing_fields) {
		fprintf(out, "%smissing_field %llu", comma, (unsigned long long)report->missing_fields);
		comma = ", ";
	}
	if (report->problem_count)
		fprintf(out, "%sunreadable %zu", comma, report->problem_count);
	fprintf(out, "\n");
	for (size_t i = 0; i < report->problem_count && i < PROBLEMS_MAX; i++)
		fprintf(out, "             %s\n", report->problems[i]);
	if (report->problem_count > PROBLEMS_MAX)
		fprintf(out, "             and %zu more like these\n", report->problem_count - PROBLEMS_MAX);

	for (; unseen; unseen = model_unseen_next(report->model, unseen))
		count++;
	fprintf(out, "  not seen   %u function%s", count, plural(count));
	comma = ": ";
	for (unseen = model_unseen_next(report->model, NULL); unseen; unseen = model_unseen_next(report->model, unseen)) {
		fprintf(out, "%s%s", comma, unseen->function);
		comma = ", ";
	}
	fprintf(out, "\n");
}

int text_write(FILE *out, const struct report *report)
{
	put_recordings(out, report);
	put_processes(out, report);
	for (const struct image *image = model_image_next(report->model, NULL); image; image = model_image_next(report->model, image))
		if (report_image_wanted(report, image))
			put_image(out, image);
	put_locks(out, report, false);
	put_locks(out, report, true);
	put_health(out, report);
	return ferror(out) ? -EIO : 0;
}
