/* The lines, and what processes and commands have in common. */
#include "analyzer/checkup.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "analyzer/functions.h"

void checkup_say(struct checkup *checkup, enum checkup_level level, const char *about, const char *format, ...)
{
	static const char *const words[] = {[CHECKUP_OK] = "ok", [CHECKUP_NOTE] = "note", [CHECKUP_BLIND] = "BLIND"};
	va_list arguments;

	checkup->blind += level == CHECKUP_BLIND;
	fprintf(checkup->out, "%-5s  %-16s ", words[level], about);
	va_start(arguments, format);
	vfprintf(checkup->out, format, arguments);
	va_end(arguments);
	fputc('\n', checkup->out);
}

void checkup_librbd(struct checkup *checkup, const char *path, const char *readable)
{
	struct functions_seen seen;
	int result = functions_compare(&seen, readable);

	if (result)
		checkup_say(checkup, CHECKUP_NOTE, "functions", "cannot read %s: %s", path, strerror(-result));
	else if (seen.missing)
		checkup_say(checkup, CHECKUP_BLIND, "functions", "%s lacks %u that the library needs, %s first: it stands aside", path,
			    seen.missing, seen.first_missing);
	else if (seen.unseen)
		checkup_say(checkup, CHECKUP_NOTE, "functions",
			    "%s has %u that the library does not know, %s first: their calls are not seen", path, seen.unseen,
			    seen.first_unseen);
	else
		checkup_say(checkup, CHECKUP_OK, "functions", "all of the C interface of %s that move data are seen", path);
}
