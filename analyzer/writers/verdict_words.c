#include "analyzer/writers/verdict_words.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/report.h"

const char *fact_words(struct cell *cell, const struct noted_fact *fact)
{
	switch (fact_unit(fact->fact)) {
	case FACT_NS:
		return cell_ns(cell, fact->value);
	case FACT_COUNT:
		snprintf(cell->text, sizeof(cell->text), "%.0f", fact->value);
		return cell->text;
	case FACT_NUMBER:
		return cell_number(cell, fact->value);
	case FACT_SHARE:
		snprintf(cell->text, sizeof(cell->text), "%.0f %%", fact->value * 100);
		return cell->text;
	case FACT_BYTES:
		return cell_bytes(cell, fact->value);
	case FACT_STEP:
		snprintf(cell->text, sizeof(cell->text), "%s", report_step_words((enum handover_step)fact->number));
		return cell->text;
	case FACT_ID:
		snprintf(cell->text, sizeof(cell->text), "%llu", (unsigned long long)fact->number);
		return cell->text;
	case FACT_ADDRESS:
		if (*fact->text)
			snprintf(cell->text, sizeof(cell->text), "%s", fact->text);
		else
			snprintf(cell->text, sizeof(cell->text), "0x%llx", (unsigned long long)fact->number);
		return cell->text;
	default:
		snprintf(cell->text, sizeof(cell->text), "%s", fact->text);
		return cell->text;
	}
}

/* The fact of that name, of `length` characters, in words. */
static void put_fact(FILE *out, const struct verdict *verdict, const char *name, size_t length)
{
	struct cell cell;

	if (length == strlen("share") && !strncmp(name, "share", length)) {
		fprintf(out, "%.0f %%", verdict->share_mean * 100);
		return;
	}
	for (unsigned i = 0; i < verdict->fact_count; i++) {
		const char *known = fact_name(verdict->facts[i].fact);

		if (strlen(known) != length || strncmp(known, name, length) != 0)
			continue;
		fputs(fact_words(&cell, &verdict->facts[i]), out);
		return;
	}
	fputs("?", out);
}

char *verdict_words(const struct verdict *verdict, const char *text)
{
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	while (*text) {
		size_t plain = strcspn(text, "{"), length;

		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		length = strcspn(text, "}");
		put_fact(out, verdict, text + 1, length - 1);
		text += length + 1;
	}
	if (!fclose(out))
		return words;
	free(words);
	return NULL;
}

int verdict_advises(const struct verdict *verdict, const struct advice *advice)
{
	return advice->when == ADVISE_ALWAYS || verdict->advise >> advice->when & 1;
}

const char *whole_name(enum whole whole)
{
	static const char *const names[] = {"requests", "submitters", "wall"};

	return names[whole];
}

const char *whole_words(enum whole whole)
{
	static const char *const words[] = {"of the requests' time", "of the time of the threads that submit", "of the time of the load"};

	return words[whole];
}
