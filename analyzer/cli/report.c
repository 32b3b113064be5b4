/*
 * `rbdprof report`: from recordings to a report on standard output. The order is: find the traces, read them into the model, let go of
 * the files, write. Everything that is not the report goes to standard error.
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/reading.h"
#include "analyzer/cli/view.h"

static const char help[] =
    "usage: rbdprof report [--format text|json] [--image NAME] [--baseline TRACE] [--osdmap FILE] [--strict] [OPTIONS] [TRACE…]\n"
    "\n"
    "Says where the time of a recording's requests went. TRACE is a folder written by rbdprof record, or any folder with CTF\n"
    "traces of rbdprof's events; several are reported as one. Without TRACE: the newest recording in the current folder.\n"
    "\n"
    "  -f, --format FORM     text (default) or json\n"
    "  -i, --image NAME      only this image, and the locks of programs that use it: NAME, POOL/NAME or POOL/NAMESPACE/NAME\n"
    "  -b, --baseline TRACE  a recording of a time when all was well: how long network and OSDs took then\n"
    "      --osdmap FILE     names the OSDs of placement groups: what ceph pg dump pgs_brief -f json wrote\n"
    "      --strict          exit status 4 when events were lost\n" VIEW_HELP
    "      --sort COLUMN     contended locks by this column, the greatest first; without it by time waited\n"
    "  -h, --help\n"
    "\n"
    "Exit status: 0; 1 when nothing could be read; 2 for wrong usage; 3 when no librbd image was opened; 4 with --strict.\n";

struct options {
	int (*write)(FILE *out, const struct report *report);
	const char *image;
	char *baseline;     /* NULL: none */
	const char *osdmap; /* the same */
	struct lock_view locks;
	bool strict;
};

static int write_report(struct reading *reading, const struct options *options, const struct baseline *baseline, const struct osdmap *osds)
{
	struct verdicts verdicts;
	struct report report = {.verdicts = &verdicts, .osds = osds, .image = options->image, .locks = options->locks};
	const struct trace_summary *summary = model_trace(reading->model);
	int status = reading_report(reading, &report), err;

	if (status)
		return status;
	err = verdicts_build(&verdicts, reading->model, baseline);
	if (!err) {
		report_name_locks(&verdicts, report.locks.rows);
		err = options->write(stdout, &report);
	}
	verdicts_fini(&verdicts);
	if (!err && fflush(stdout) == EOF)
		err = -errno;
	if (err) {
		fprintf(stderr, "rbdprof: cannot write the report: %s\n", strerror(-err));
		return EXIT_FAILED;
	}
	if (options->strict && (summary->lost_events != 0 || summary->unaccounted_events > 0)) {
		fprintf(stderr, "rbdprof: %lld events were lost and %llu are unaccounted for (--strict)\n", (long long)summary->lost_events,
			(unsigned long long)summary->unaccounted_events);
		return EXIT_LOST;
	}
	return 0;
}

/* Reads the baseline, of which only how long network and OSDs took is wanted. Returns 0 or an exit status. */
static int read_baseline(char *name, struct baseline *baseline)
{
	struct reading reading = {0};
	int status = reading_open(&reading, &name, 1);

	if (!status)
		status = reading_run(&reading);
	if (!status)
		baseline_of(reading.model, baseline);
	reading_fini(&reading);
	return status;
}

static int report_on(struct reading *reading, const struct options *options, const struct osdmap *osds)
{
	struct baseline baseline;
	int status = options->baseline ? read_baseline(options->baseline, &baseline) : 0;

	if (!status)
		status = reading_run(reading);
	return status ? status : write_report(reading, options, options->baseline ? &baseline : NULL, osds);
}

static int report_with_osds(struct reading *reading, const struct options *options)
{
	const char *why;
	struct osdmap *osds = options->osdmap ? osdmap_read(options->osdmap, &why) : NULL;
	int status;

	if (options->osdmap && !osds) {
		fprintf(stderr, "rbdprof: cannot read %s: %s\n", options->osdmap, why);
		return EXIT_FAILED;
	}
	status = report_on(reading, options, osds);
	osdmap_free(osds);
	return status;
}

static int usage(void)
{
	fprintf(
	    stderr,
	    "usage: rbdprof report [--format text|json] [--image NAME] [--baseline TRACE] [--osdmap FILE] [--strict] [OPTIONS] [TRACE…]   "
	    "(--help tells more)\n");
	return EXIT_USAGE;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"image", required_argument, NULL, 'i'},
	    {"baseline", required_argument, NULL, 'b'},
	    {"strict", no_argument, NULL, 's'},
	    {"osdmap", required_argument, NULL, 'o'},
	    {"sort", required_argument, NULL, 'S'},
	    VIEW_OPTIONS,
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
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
		case 'o':
			options->osdmap = optarg;
			break;
		case 's':
			options->strict = true;
			break;
		case 'S':
			if (!view_sort(&options->locks, optarg))
				break;
			return usage();
		case VIEW_MIN_WAIT:
		case VIEW_THREAD:
			if (!view_option(&options->locks, option, optarg))
				break;
			return usage();
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
	int status = parse(argc, argv, &options);

	if (status >= 0)
		return status;
	status = reading_open(&reading, argv + optind, (size_t)(argc - optind));
	if (status == EXIT_USAGE)
		usage();
	if (!status)
		status = report_with_osds(&reading, &options);
	reading_fini(&reading);
	return status;
}
