/*
 * What rbdprof says about itself while somebody else's program owns the terminal: one line a sentence, on standard error,
 * with the prefix "rbdprof: ". It knows no streams but that one and keeps nothing.
 */
#ifndef RBDPROF_ANALYZER_SAY_H
#define RBDPROF_ANALYZER_SAY_H

/*
 * To be called first: a descriptor of ours in the place of a closed standard stream would be written to by mistake. A command that is
 * started later finds it closed again.
 */
void say_keep_streams(void);

/* Writes one line in one piece, so that it does not mix with the lines of the program. Any thread; never fails. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
