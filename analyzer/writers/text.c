/*
 * The report as text for a terminal, at most 140 columns: the recording, each image with its clients, the contended locks, and how
 * far all of it can be trusted. No table is printed that would be empty.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "analyzer/writers/text.h"

#define COMMAND_MAX  126 /* characters of the command that are shown */
#define PROBLEMS_MAX 20

static void put_recordings(FILE *out, const struct report *report)
{
	for (size_t i = 0; i < report->recording_count; i++) {
		const struct recording *recording = &report->recordings[i];
		time_t begin = (time_t)(recording->begin_ns / 1000000000);
		struct cell cell;
		struct tm tm;

		fprintf(out, "Recording %s\n", recording->folder);
		if (recording->command)
			fprintf(out, "  %-10s %.*s%s\n", recording->attached ? "attached" : "command", COMMAND_MAX, recording->command,
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

/* What crossed the boundary below librbd and could not be told for certain. */
static void put_boundary(FILE *out, const struct report *report)
{
	const struct undecoded *undecoded = model_undecoded_next(report->model, NULL);
	uint64_t carrying = 0, other = 0, resent = 0, ambiguous = 0, count = 0;
	const char *comma = ": ";

	for (const struct image *image = model_image_next(report->model, NULL); image; image = model_image_next(report->model, image)) {
		if (!report_image_wanted(report, image))
			continue;
		carrying += image->operations;
		other += image->unmatched_operations;
		resent += image->resent;
		ambiguous += image->ambiguous_joins;
	}
	fprintf(out, "  operations %llu carry requests, %llu carry none (replay, copy-up …), %llu sent again, %llu joined ambiguously\n",
		(unsigned long long)carrying, (unsigned long long)other, (unsigned long long)resent, (unsigned long long)ambiguous);

	for (const struct undecoded *u = undecoded; u; u = model_undecoded_next(report->model, u))
		count += u->count;
	fprintf(out, "  undecoded  %llu payload%s", (unsigned long long)count, plural(count));
	for (; undecoded; undecoded = model_undecoded_next(report->model, undecoded)) {
		fprintf(out, "%s%s %llu", comma, undecoded->what, (unsigned long long)undecoded->count);
		comma = ", ";
	}
	fprintf(out, "\n");
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
	if (summary->untracked_operations)
		fprintf(out, "             %llu operation%s of librados whose reply was not recorded\n",
			(unsigned long long)summary->untracked_operations, plural(summary->untracked_operations));
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

	put_boundary(out, report);
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
			text_image(out, report, image);
	text_locks(out, report);
	text_threads(out, report);
	put_health(out, report);
	return ferror(out) ? -EIO : 0;
}
