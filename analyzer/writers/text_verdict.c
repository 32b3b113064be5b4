/* The verdict on an image as text: what held its requests up, in a sentence; then how that is known, what to do and what it would give. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/writers/text.h"
#include "analyzer/writers/verdict_words.h"

#define LABEL_WIDTH 11

static void put_line(FILE *out, const char *label, const char *text)
{
	fprintf(out, "  %-*s", LABEL_WIDTH, label);
	put_wrapped(out, 2 + LABEL_WIDTH, 2 + LABEL_WIDTH, text);
}

/* The facts that the sentence does not tell already. */
static void put_evidence(FILE *out, const struct verdict *verdict, const char *sentence)
{
	const char *comma = "";
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	if (verdict->share_p50 >= 0) {
		fprintf(line, "%.0f %% %s on average, %.0f %% of those around their p50, %.0f %% around their p99",
			verdict->share_mean * 100, whole_words(verdict->share_of), verdict->share_p50 * 100, verdict->share_p99 * 100);
		comma = "; ";
	} else if (cause_info(verdict->cause)->least > 0) {
		fprintf(line, "%.0f %% %s", verdict->share_mean * 100, whole_words(verdict->share_of));
		comma = "; ";
	}
	for (unsigned i = 0; i < verdict->fact_count; i++) {
		const struct noted_fact *fact = &verdict->facts[i];
		char named[48];
		struct cell cell;

		snprintf(named, sizeof(named), "{%s}", fact_name(fact->fact));
		if (strstr(sentence, named))
			continue;
		fprintf(line, "%s%s: %s", comma, fact_meaning(fact->fact), fact_words(&cell, fact));
		comma = "; ";
	}
	if (!fclose(line) && *comma)
		put_line(out, "seen", text);
	free(text);
}

static void put_alternatives(FILE *out, const struct verdict *verdict)
{
	const char *comma = "";

	if (!verdict->also_possible)
		return;
	fprintf(out, "  %-*s", LABEL_WIDTH, "or");
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++) {
		if (!(verdict->also_possible >> cause & 1))
			continue;
		fprintf(out, "%s%s", comma, cause_info(cause)->name);
		comma = ", ";
	}
	fprintf(out, ": this trace cannot tell\n");
}

static void put_advice(FILE *out, const struct verdict *verdict)
{
	const char *label = "do";

	for (const struct advice *advice = cause_info(verdict->cause)->advice; advice->when != ADVISE_NEVER; advice++) {
		char *text = verdict_advises(verdict, advice) ? verdict_words(verdict, advice->text) : NULL;

		if (text) {
			put_line(out, label, text);
			label = "";
		}
		free(text);
	}
}

static void put_forecasts(FILE *out, const struct verdict *verdict)
{
	const char *label = "would give";

	for (unsigned i = 0; i < verdict->forecast_count; i++) {
		const struct forecast *made = &verdict->forecasts[i];
		struct cell low, high;
		char text[160];

		snprintf(text, sizeof(text), "%s to %s IOPS with %s", cell_number(&low, made->iops_low),
			 cell_number(&high, made->iops_high), made->what);
		put_line(out, label, text);
		label = "";
	}
}

static void put_verdict(FILE *out, const struct verdict *verdict)
{
	const struct cause_info *info = cause_info(verdict->cause);
	char *sentence = verdict_words(verdict, info->sentence), *named = NULL;

	if (sentence && asprintf(&named, "%s: %s%s", info->name, sentence, verdict->marked ? " (events were lost: see below)" : "") < 0)
		named = NULL;
	fprintf(out, "  ");
	put_wrapped(out, 2, 2, named ? named : "out of memory");
	free(named);
	free(sentence);
	put_evidence(out, verdict, info->sentence);
	put_alternatives(out, verdict);
	put_advice(out, verdict);
	put_forecasts(out, verdict);
}

void text_verdict(FILE *out, const struct report *report, const struct image *image)
{
	unsigned told = 0;

	for (size_t i = 0; i < report->verdicts->count; i++) {
		if (report->verdicts->list[i].image != image)
			continue;
		put_verdict(out, &report->verdicts->list[i]);
		told++;
	}
	if (!told)
		fprintf(out, "  no request was seen to its end\n");
}
