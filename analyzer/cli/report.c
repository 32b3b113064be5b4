/*
 * `rbdprof report`: from recordings to a report on standard output. The order is: find the traces, read them into the model, let go of
 * the files, write. Everything that is not the report goes to standard error.
 */
#include "analyzer/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/core/model.h"
#include "analyzer/recording.h"
#include "analyzer/source.h"
#include "analyzer/writers/report.h"

enum { FAILED = 1, WRONG_USAGE = 2, NO_LIBRBD = 3, LOST = 4 };

static const char help[] =
    "usage: rbdprof report [--format text|json] [--image NAME] [--baseline TRACE] [--strict] [TRACE…]\n"
    "\n"
    "Says where the time of a recording's requests went. TRACE is a folder written by rbdprof record, or any folder with CTF\n"
    "traces of rbdprof's events; several are reported as one. Without TRACE: the newest recording in the current folder.\n"
    "\n"
    "  -f, --format FORM  text (default) or json\n"
    "  -i, --image NAME   only this image: NAME, POOL/NAME or POOL/NAMESPACE/NAME\n"
    "  -b, --baseline TRACE  a recording of a time when all was well: how long network and OSDs took then\n"
    "      --strict       exit status 4 when events were lost\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0; 1 when nothing could be read; 2 for wrong usage; 3 when no librbd image was opened; 4 with --strict.\n";

struct reading {
	struct source *source;
	struct model *model;
	struct recording *recordings;
	size_t recording_count;
	char **problems; /* owned */
	size_t problem_count;
	bool progress;       /* standard error is a terminal */
	bool progress_shown; /* there is a line to be wiped */
	uint32_t until_look; /* events until the clock is looked at again */
	struct timespec begun;
	double shown_at_s;
};

struct options {
	int (*write)(FILE *out, const struct report *report);
	const char *image;
	char *baseline; /* NULL: none */
	bool strict;
};

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

/* Looks into the folders that were named. Returns 0 or an exit status, having said why. */
static int find_recordings(struct reading *reading, char **names, size_t count)
{
	reading->recordings = calloc(count, sizeof(*reading->recordings));
	if (!reading->recordings) {
		fprintf(stderr, "rbdprof: out of memory\n");
		return FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		struct recording *recording = &reading->recordings[reading->recording_count];
		int err = recording_init(recording, names[i]);

		if (err && err != -EBADMSG) {
			fprintf(stderr, "rbdprof: cannot read the recording %s: %s\n", names[i], strerror(-err));
			return FAILED;
		}
		reading->recording_count++;
		if (err == -EBADMSG)
			fprintf(stderr, "rbdprof: %s/" RECORDING_NOTE " is not understood; going on without it\n", names[i]);
		if (recording->trace_count == 0 && !recording->noted) {
			fprintf(stderr, "rbdprof: %s is no recording: it has neither a CTF trace below it nor a file " RECORDING_NOTE "\n",
				names[i]);
			return FAILED;
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

/* No image in all that was read: says which of the two reasons it is. */
static int no_image(const struct reading *reading)
{
	if (reading->problem_count > 0) {
		fprintf(stderr, "rbdprof: no image could be read from what is left of the recording\n");
		return FAILED;
	}
	fprintf(
	    stderr,
	    "rbdprof: no librbd image was opened in this recording: nothing to report. It sees programs that load librbd as a shared "
	    "library and\n"
	    "call its C functions, as fio and QEMU do. The rbd command uses the C++ functions, the kernel's client (/dev/rbd0, rbd map)\n"
	    "is not librbd, and a statically linked or setuid program cannot be seen.\n");
	return NO_LIBRBD;
}

/* With --image: is there such an image? Says which there are if not. */
static bool has_image(const struct report *report)
{
	const struct image *image = NULL;

	while ((image = model_image_next(report->model, image)))
		if (report_image_wanted(report, image))
			return true;
	fprintf(stderr, "rbdprof: no image '%s' in this recording; it has", report->image);
	while ((image = model_image_next(report->model, image)))
		fprintf(stderr, " %s/%s%s%s", image->pool, image->namespace_, *image->namespace_ ? "/" : "", image->name);
	fprintf(stderr, "\n");
	return false;
}

/* baseline: NULL where none was given. */
static int write_report(const struct reading *reading, const struct options *options, const struct source_counts *counts,
			const struct baseline *baseline)
{
	struct verdicts verdicts;
	const struct report report = {
	    .model = reading->model,
	    .verdicts = &verdicts,
	    .recordings = reading->recordings,
	    .recording_count = reading->recording_count,
	    .image = options->image,
	    .problems = (const char *const *)reading->problems,
	    .problem_count = reading->problem_count,
	    .unknown_events = counts->unknown_events,
	    .missing_fields = counts->missing_fields,
	};
	const struct trace_summary *summary = model_trace(reading->model);
	int err;

	if (summary->images == 0)
		return no_image(reading);
	if (options->image && !has_image(&report))
		return FAILED;
	err = verdicts_build(&verdicts, reading->model, baseline);
	if (!err)
		err = options->write(stdout, &report);
	verdicts_fini(&verdicts);
	if (!err && fflush(stdout) == EOF)
		err = -errno;
	if (err) {
		fprintf(stderr, "rbdprof: cannot write the report: %s\n", strerror(-err));
		return FAILED;
	}
	if (options->strict && (summary->lost_events != 0 || summary->unaccounted_events > 0)) {
		fprintf(stderr, "rbdprof: %lld events were lost and %llu are unaccounted for (--strict)\n", (long long)summary->lost_events,
			(unsigned long long)summary->unaccounted_events);
		return LOST;
	}
	return 0;
}

/* Makes a finished model of the recordings. Returns 0 or an exit status, having said why. */
static int read_recordings(struct reading *reading, struct source_counts *counts)
{
	const struct source_handler handler = {reading, take_event, take_problem};
	const struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESETHAND};
	const char *why;
	int err;

	reading->source = source_create(&handler, &why);
	if (!reading->source) {
		fprintf(stderr, "rbdprof: %s\n", why);
		return FAILED;
	}
	reading->model = model_create();
	if (!reading->model) {
		source_destroy(reading->source);
		fprintf(stderr, "rbdprof: out of memory\n");
		return FAILED;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	err = read_traces(reading);
	*counts = *source_counts(reading->source);
	source_destroy(reading->source);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (err == -EINTR)
		return 128 + interrupted;
	if (err) {
		fprintf(stderr, "rbdprof: cannot read on: %s\n", strerror(-err));
		return FAILED;
	}
	return 0;
}

static void reading_fini(struct reading *reading)
{
	model_destroy(reading->model);
	for (size_t i = 0; i < reading->recording_count; i++)
		recording_fini(&reading->recordings[i]);
	for (size_t i = 0; i < reading->problem_count; i++)
		free(reading->problems[i]);
	free(reading->recordings);
	free(reading->problems);
}

/* Reads the baseline, of which only how long network and OSDs took is wanted. Returns as read_recordings(). */
static int read_baseline(char *name, struct baseline *baseline)
{
	struct reading reading = {0};
	struct source_counts counts;
	int status = find_recordings(&reading, &name, 1);

	if (!status)
		status = read_recordings(&reading, &counts);
	if (!status)
		baseline_of(reading.model, baseline);
	reading_fini(&reading);
	return status;
}

static int report_on(struct reading *reading, const struct options *options)
{
	struct source_counts counts;
	struct baseline baseline;
	int status = options->baseline ? read_baseline(options->baseline, &baseline) : 0;

	if (!status)
		status = read_recordings(reading, &counts);
	return status ? status : write_report(reading, options, &counts, options->baseline ? &baseline : NULL);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: rbdprof report [--format text|json] [--image NAME] [--baseline TRACE] [--strict] [TRACE…]   (--help tells more)\n");
	return WRONG_USAGE;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
	    {"format", required_argument, NULL, 'f'}, {"image", required_argument, NULL, 'i'}, {"baseline", required_argument, NULL, 'b'},
	    {"strict", no_argument, NULL, 's'},       {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":f:i:b:h", known, NULL)) != -1) {
		switch (option) {
		case 'f':
			options->write = strcmp(optarg, "json") == 0 ? json_write : strcmp(optarg, "text") == 0 ? text_write : NULL;
			if (options->write)
				break;
			fprintf(stderr, "rbdprof: there is no format '%s'\n", optarg);
			return usage();
		case 'i':
			options->image = optarg;
			break;
		case 'b':
			options->baseline = optarg;
			break;
		case 's':
			options->strict = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fprintf(stderr, option == ':' ? "rbdprof: %s needs a value\n" : "rbdprof: unknown option %s\n", argv[optind - 1]);
			return usage();
		}
	}
	return -1;
}

int verb_report(int argc, char **argv)
{
	struct options options = {.write = text_write};
	struct reading reading = {0};
	char *newest = NULL, **names;
	int status = parse(argc, argv, &options);

	if (status >= 0)
		return status;
	names = argv + optind;
	if (optind == argc) {
		newest = recording_newest(".");
		if (!newest) {
			fprintf(stderr, "rbdprof: no recording in the current folder; name one, or make one with rbdprof record\n");
			return usage();
		}
		names = &newest;
	}
	status = find_recordings(&reading, names, newest ? 1 : (size_t)(argc - optind));
	if (!status)
		status = report_on(&reading, &options);

	reading_fini(&reading);
	free(newest);
	return status;
}
