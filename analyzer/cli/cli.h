/*
 * The verbs of the rbdprof command, one file each. A verb gets its own arguments: argv[0] is its name. It returns the exit status.
 * This knows their names and first lines of help, nothing of what they do.
 */
#ifndef RBDPROF_ANALYZER_CLI_CLI_H
#define RBDPROF_ANALYZER_CLI_CLI_H

/* VERB(name, what it does) */
#define VERBS(VERB)                                                                                                                        \
	VERB(record, "run a command and record what librbd does in it")                                                                    \
	VERB(attach, "record what librbd does in processes that run already")                                                              \
	VERB(doctor, "say what a recording would see, and what not and why")                                                               \
	VERB(report, "say where the time of a recording's requests went")                                                                  \
	VERB(export, "print a recording in the form of another program, such as a flame graph's")

#define VERB(name, help) int verb_##name(int argc, char **argv);
VERBS(VERB)
#undef VERB

#endif
