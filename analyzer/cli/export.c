/* `rbdprof export`: what was recorded, for the tools that people already use. It knows their names; a writer knows the form. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/reading.h"
#include "analyzer/cli/view.h"

static const struct format {
	const char *name;
	int (*write)(FILE *out, const struct report *report);
	const char *help;
} formats[] = {
    {"folded", folded_write, "time waited for locks, a stack a line, in µs: for flame graphs (flamegraph.pl, speedscope)"},
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

static const char help[] =
    "usage: rbdprof export --format FORM [--image NAME] [OPTIONS] [TRACE…]\n"
    "\n"
    "Prints a recording in another program's form on standard output. TRACE as for rbdprof report.\n"
    "\n"
    "  -f, --format FORM     below\n"
    "  -i, --image NAME      only locks of programs that use this image: NAME, POOL/NAME or POOL/NAMESPACE/NAME\n" VIEW_HELP
    "  -h, --help\n"
    "\n"
    "Forms:\n";

struct options {
	const struct format *format;
	const char *image;
	struct lock_view locks;
};

static int usage(void)
{
	fprintf(stderr, "usage: rbdprof export --format FORM [--image NAME] [OPTIONS] [TRACE…]   (--help tells more)\n");
	return EXIT_USAGE;
}

static void put_help(void)
{
	fputs(help, stdout);
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		printf("  %-10s %s\n", formats[i].name, formats[i].help);
	printf("\nExit status: 0; 1 when nothing could be read; 2 for wrong usage; 3 when no librbd image was opened.\n");
}

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	fprintf(stderr, "rbdprof: there is no format '%s'; there are", name);
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		fprintf(stderr, " %s", formats[i].name);
	fprintf(stderr, "\n");
	return NULL;
}

/* Returns -1 to go on, else an exit status. */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"image", required_argument, NULL, 'i'},
	    VIEW_OPTIONS,
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":f:i:h", known, NULL)) != -1) {
		switch (option) {
		case 'f':
			options->format = find_format(optarg);
			if (options->format)
				break;
			return usage();
		case 'i':
			options->image = optarg;
			break;
		case VIEW_MIN_WAIT:
		case VIEW_THREAD:
			if (view_option(&options->locks, option, optarg))
				return usage();
			break;
		case 'h':
			put_help();
			return 0;
		default:
			fprintf(stderr, option == ':' ? "rbdprof: %s needs a value\n" : "rbdprof: unknown option %s\n", argv[optind - 1]);
			return usage();
		}
	}
	if (options->format)
		return -1;
	fprintf(stderr, "rbdprof: --format is not given\n");
	return usage();
}

static int write_export(struct reading *reading, const struct options *options)
{
	struct report report = {.image = options->image, .locks = options->locks};
	int status = reading_report(reading, &report), err;

	if (status)
		return status;
	err = options->format->write(stdout, &report);
	if (!err && fflush(stdout) == EOF)
		err = -errno;
	if (!err)
		return 0;
	fprintf(stderr, "rbdprof: cannot write: %s\n", strerror(-err));
	return EXIT_FAILED;
}

int verb_export(int argc, char **argv)
{
	struct options options = {0};
	struct reading reading = {0};
	int status = parse(argc, argv, &options);

	if (status >= 0)
		return status;
	status = reading_open(&reading, argv + optind, (size_t)(argc - optind));
	if (status == EXIT_USAGE)
		usage();
	if (!status)
		status = reading_run(&reading);
	if (!status)
		status = write_export(&reading, &options);
	reading_fini(&reading);
	return status;
}
