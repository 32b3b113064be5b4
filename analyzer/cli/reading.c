#include "analyzer/cli/reading.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ctrl-C while reading: the shadow of a torn trace has to be removed. */
static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
	interrupted = number;
}

static double seconds_since(const struct timespec *begun)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

static void wipe_progress(struct reading *reading)
{
	if (reading->progress_shown)
		fprintf(stderr, "\r\033[K");
	reading->progress_shown = false;
}

static void show_progress(struct reading *reading)
{
	double now_s = seconds_since(&reading->begun);

	if (!reading->progress || now_s < 1 || now_s - reading->shown_at_s < 0.2)
		return;
	fprintf(stderr, "\rrbdprof: reading, %.1f million events so far\033[K", (double)source_counts(reading->source)->events / 1e6);
	reading->progress_shown = true;
	reading->shown_at_s = now_s;
}

static int take_event(void *user, const struct event *event)
{
	struct reading *reading = user;

	if (reading->until_look-- == 0) {
		reading->until_look = 50000;
		if (interrupted)
			return -EINTR;
		show_progress(reading);
	}
	return model_feed(reading->model, event);
}

/* Keeps the sentence for the report and says it at once. */
static void take_problem(void *user, const char *sentence)
{
	struct reading *reading = user;
	char **grown = realloc(reading->problems, (reading->problem_count + 1) * sizeof(*grown));
	char *kept = strdup(sentence);

	wipe_progress(reading);
	fprintf(stderr, "rbdprof: %s\n", sentence);
	if (grown)
		reading->problems = grown;
	if (grown && kept)
		grown[reading->problem_count++] = kept;
	else
		free(kept);
}

static int find_recordings(struct reading *reading, char **names, size_t count)
{
	reading->recordings = calloc(count, sizeof(*reading->recordings));
	if (!reading->recordings) {
		fprintf(stderr, "rbdprof: out of memory\n");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		struct recording *recording = &reading->recordings[reading->recording_count];
		int err = recording_init(recording, names[i]);

		if (err && err != -EBADMSG) {
			fprintf(stderr, "rbdprof: cannot read the recording %s: %s\n", names[i], strerror(-err));
			return EXIT_FAILED;
		}
		reading->recording_count++;
		if (err == -EBADMSG)
			fprintf(stderr, "rbdprof: %s/" RECORDING_NOTE " is not understood; going on without it\n", names[i]);
		if (recording->trace_count == 0 && !recording->noted) {
			fprintf(stderr, "rbdprof: %s is no recording: it has neither a CTF trace below it nor a file " RECORDING_NOTE "\n",
				names[i]);
			return EXIT_FAILED;
		}
	}
	return 0;
}

/* Was the same folder reached by an earlier argument as well? Its events must not count twice. */
static bool is_repeated(const struct reading *reading, size_t recording, const char *trace)
{
	for (size_t r = 0; r < recording; r++)
		for (size_t t = 0; t < reading->recordings[r].trace_count; t++)
			if (strcmp(reading->recordings[r].traces[t], trace) == 0)
				return true;
	return false;
}

static int read_traces(struct reading *reading)
{
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &reading->begun);
	reading->progress = isatty(STDERR_FILENO);
	for (size_t r = 0; !err && r < reading->recording_count; r++)
		for (size_t t = 0; !err && t < reading->recordings[r].trace_count; t++)
			if (!is_repeated(reading, r, reading->recordings[r].traces[t]))
				err = source_add(reading->source, reading->recordings[r].traces[t]);
	if (!err)
		err = source_run(reading->source);
	if (!err)
		err = model_finish(reading->model);
	wipe_progress(reading);
	return err;
}

int reading_open(struct reading *reading, char **names, size_t count)
{
	if (count > 0)
		return find_recordings(reading, names, count);
	reading->newest = recording_newest(".");
	if (reading->newest)
		return find_recordings(reading, &reading->newest, 1);
	fprintf(stderr, "rbdprof: no recording in the current folder; name one, or make one with rbdprof record\n");
	return EXIT_USAGE;
}

int reading_run(struct reading *reading)
{
	const struct source_handler handler = {reading, take_event, take_problem};
	const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESETHAND};
	const char *why;
	int err;

	reading->source = source_create(&handler, &why);
	if (!reading->source) {
		fprintf(stderr, "rbdprof: %s\n", why);
		return EXIT_FAILED;
	}
	reading->model = model_create();
	if (!reading->model) {
		source_destroy(reading->source);
		fprintf(stderr, "rbdprof: out of memory\n");
		return EXIT_FAILED;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	err = read_traces(reading);
	reading->counts = *source_counts(reading->source);
	source_destroy(reading->source);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (err == -EINTR)
		return 128 + interrupted;
	if (err) {
		fprintf(stderr, "rbdprof: cannot read on: %s\n", strerror(-err));
		return EXIT_FAILED;
	}
	return 0;
}

/* No image in all that was read: says which of the two reasons it is. */
static int no_image(const struct reading *reading)
{
	if (reading->problem_count > 0) {
		fprintf(stderr, "rbdprof: no image could be read from what is left of the recording\n");
		return EXIT_FAILED;
	}
	fprintf(
	    stderr,
	    "rbdprof: no librbd image was opened in this recording: nothing to report. It sees programs that load librbd as a shared "
	    "library,\n"
	    "as fio, QEMU and the rbd command do. The kernel's client (/dev/rbd0, rbd map) is not librbd, and a statically linked or\n"
	    "setuid program cannot be seen.\n");
	return EXIT_NO_LIBRBD;
}

/* With --image: is there such an image? Says which there are if not. */
static bool has_image(const struct report *report)
{
	const struct image *image = NULL;
	char path[IMAGE_PATH_BYTES];

	while ((image = model_image_next(report->model, image)))
		if (report_image_wanted(report, image))
			return true;
	fprintf(stderr, "rbdprof: no image '%s' in this recording; it has", report->image);
	while ((image = model_image_next(report->model, image)))
		fprintf(stderr, " %s", report_image_path(path, image));
	fprintf(stderr, "\n");
	return false;
}

/* Names the contended locks and makes their rows. */
static int name_locks(struct reading *reading, struct lock_view *view)
{
	struct lock_namer namer = {.name = names_lock};

	reading->names = names_create();
	namer.context = reading->names;
	if (!reading->names || names_learn(reading->names, reading->model) || lock_rows_build(&reading->rows, reading->model, &namer)) {
		fprintf(stderr, "rbdprof: out of memory\n");
		return EXIT_FAILED;
	}
	view->rows = &reading->rows;
	view->names = reading->names;
	return 0;
}

int reading_report(struct reading *reading, struct report *report)
{
	report->model = reading->model;
	report->recordings = reading->recordings;
	report->recording_count = reading->recording_count;
	report->problems = (const char *const *)reading->problems;
	report->problem_count = reading->problem_count;
	report->unknown_events = reading->counts.unknown_events;
	report->missing_fields = reading->counts.missing_fields;
	if (model_trace(reading->model)->images == 0)
		return no_image(reading);
	if (report->image && !has_image(report))
		return EXIT_FAILED;
	return name_locks(reading, &report->locks);
}

void reading_fini(struct reading *reading)
{
	lock_rows_fini(&reading->rows);
	names_destroy(reading->names);
	model_destroy(reading->model);
	for (size_t i = 0; i < reading->recording_count; i++)
		recording_fini(&reading->recordings[i]);
	for (size_t i = 0; i < reading->problem_count; i++)
		free(reading->problems[i]);
	free(reading->recordings);
	free(reading->problems);
	free(reading->newest);
}
