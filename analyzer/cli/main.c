/* rbdprof VERB …: finds the verb and hands over to it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/cli.h"

#define WRONG_USAGE 2

static const struct {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
} verbs[] = {
#define VERB(name, help) {#name, help, verb_##name},
    VERBS(VERB)
#undef VERB
};

#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static void put_help(FILE *out)
{
	fprintf(out, "usage: rbdprof VERB [OPTIONS] …\n"
		     "\n"
		     "Says why a librbd workload is slow. Record a run, then read the report:\n"
		     "\n"
		     "  rbdprof record -o DIR -- fio --ioengine=rbd …\n"
		     "  rbdprof report DIR\n"
		     "\n"
		     "Or record what runs already, if it was started with the library preloaded:\n"
		     "\n"
		     "  rbdprof attach -p PID --for 30 -o DIR\n"
		     "\n"
		     "Verbs:\n");
	for (size_t i = 0; i < VERB_COUNT; i++)
		fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].help);
	fprintf(out, "\n"
		     "rbdprof VERB --help tells a verb's options; rbdprof --version the version. The manual page is rbdprof(1).\n");
}

/* The number of insertions, deletions and changes that lead from one word to the other; words of up to 31 letters, else 32. */
static unsigned int distance(const char *from, const char *to)
{
	size_t width = strlen(to), row[32];

	if (width > 31 || strlen(from) > 31)
		return 32;
	for (size_t i = 0; i <= width; i++)
		row[i] = i;
	for (size_t f = 0; from[f]; f++) {
		size_t corner = row[0];

		row[0] = f + 1;
		for (size_t t = 0; t < width; t++) {
			size_t change = corner + (from[f] != to[t]), less = 1 + (row[t] < row[t + 1] ? row[t] : row[t + 1]);

			corner = row[t + 1];
			row[t + 1] = change < less ? change : less;
		}
	}
	return (unsigned int)row[width];
}

static int unknown_verb(const char *word)
{
	const char *nearest = NULL;
	unsigned int least = 3;

	for (size_t i = 0; i < VERB_COUNT; i++) {
		unsigned int far = distance(word, verbs[i].name);

		if (strncmp(word, verbs[i].name, strlen(word)) == 0)
			far = 0;
		if (far < least) {
			least = far;
			nearest = verbs[i].name;
		}
	}
	fprintf(stderr, "rbdprof: there is no verb '%s'", word);
	if (nearest)
		fprintf(stderr, "; do you mean '%s'?\n", nearest);
	else
		fprintf(stderr, "; rbdprof --help lists them\n");
	return WRONG_USAGE;
}

static int run_verb(int argc, char **argv)
{
	for (size_t i = 0; i < VERB_COUNT; i++)
		if (strcmp(argv[0], verbs[i].name) == 0)
			return verbs[i].run(argc, argv);
	return unknown_verb(argv[0]);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		put_help(stderr);
		return WRONG_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("rbdprof %s\n", RBDPROF_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "help") == 0 && argc > 2) {
		char option[] = "--help", *asked[] = {argv[2], option, NULL};

		return run_verb(2, asked);
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		put_help(stdout);
		return 0;
	}
	if (argv[1][0] == '-') {
		fprintf(stderr, "rbdprof: unknown option '%s'; options follow the verb, and rbdprof --help lists the verbs\n", argv[1]);
		return WRONG_USAGE;
	}
	return run_verb(argc - 1, argv + 1);
}
