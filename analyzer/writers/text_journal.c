/* What an image's journal did and cost, as text. */
#include "analyzer/writers/summary.h"
#include "analyzer/writers/text.h"

#define NAME_WIDTH  62
#define CLASS_WIDTH 28

/* From this part of the handovers' time on, replay is worth advice … */
#define REPLAY_MATTERS 0.25
/* … where more is read back than four objects of 1 MiB hold: the class above 4 MiB. */
#define REPLAY_LARGE 4

static void put_counts(FILE *out, const struct journal *journal)
{
	struct cell cell, more;

	fprintf(out, "\n  Journal: %llu append%s", (unsigned long long)journal->appends, plural(journal->appends));
	if (journal->appends) {
		double per_s = summary_appends_per_s(journal);

		if (per_s > 0)
			fprintf(out, ", %s a second", cell_number(&cell, per_s));
		if (journal->writes)
			fprintf(out, ", %s a write", cell_number(&cell, (double)journal->appends / (double)journal->writes));
		fprintf(out, ", %s each on average, %s in all", cell_bytes(&cell, (double)(journal->append_bytes / journal->appends)),
			cell_bytes(&more, (double)journal->append_bytes));
	}
	fprintf(out, "\n");
	if (journal->entries || journal->writes)
		fprintf(out, "    %llu entr%s of requests, %llu joined to theirs; %llu of %llu write%s without all of %s entries\n",
			(unsigned long long)journal->entries, journal->entries == 1 ? "y" : "ies",
			(unsigned long long)journal->entries_joined, (unsigned long long)journal->writes_unjoined,
			(unsigned long long)journal->writes, plural(journal->writes), journal->writes == 1 ? "its" : "their");
	fprintf(out, "    %llu commit%s, %llu tag%s", (unsigned long long)journal->commits, plural(journal->commits),
		(unsigned long long)journal->tags, plural(journal->tags));
	if (journal->refused)
		fprintf(out, ", %llu append%s repeated elsewhere since a journal object was full", (unsigned long long)journal->refused,
			plural(journal->refused));
	fprintf(out, "\n");
	if (journal->replay_reads)
		fprintf(out, "    replay: %s read back in %llu read%s\n", cell_bytes(&cell, (double)journal->replay_bytes),
			(unsigned long long)journal->replay_reads, plural(journal->replay_reads));
}

static void put_times(FILE *out, const struct journal *journal)
{
	const struct {
		const char *label;
		const struct histogram *histogram;
	} rows[] = {
	    {"append   journal.append, until it is safe", &journal->append},
	    {"late     acknowledged request until its entries are safe", &journal->after_acknowledgement},
	};
	bool headed = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].histogram->count == 0)
			continue;
		if (!headed)
			fprintf(out, "\n    %-*s%*s%*s%s\n", NAME_WIDTH, "journal", TIME_WIDTH, "count", TIME_WIDTH, "", DIST_HEAD);
		headed = true;
		fprintf(out, "    ");
		put_cell(out, -NAME_WIDTH, rows[i].label);
		fprintf(out, "%*llu%*s", TIME_WIDTH, (unsigned long long)rows[i].histogram->count, TIME_WIDTH, "");
		put_dist(out, rows[i].histogram, cell_ns);
	}
}

/* The class's bytes in words. */
static const char *class_text(char text[64], unsigned which)
{
	struct cell low, high;

	if (which == 0)
		snprintf(text, 64, "nothing");
	else if (which == 1)
		snprintf(text, 64, "up to 1 MiB");
	else if (which + 1 == OWNERSHIP_REPLAY_CLASSES)
		snprintf(text, 64, "more than %s", cell_bytes(&low, (double)summary_replay_bytes(which - 1)));
	else
		snprintf(text, 64, "%s to %s", cell_bytes(&low, (double)summary_replay_bytes(which - 1)),
			 cell_bytes(&high, (double)summary_replay_bytes(which)));
	return text;
}

static void put_class_times(FILE *out, const struct histogram *histogram)
{
	struct cell cell;

	put_cell(out, TIME_WIDTH, cell_ns(&cell, histogram_mean(histogram)));
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)histogram_percentile(histogram, 0.5)));
	put_cell(out, TIME_WIDTH, cell_ns(&cell, (double)histogram->max));
}

/* Handovers by how much of the journal was read back in them: the more, the longer. */
static void put_classes(FILE *out, const struct ownership_result *ownership)
{
	fprintf(out, "\n    %*s  %27s  %27s\n", CLASS_WIDTH + TIME_WIDTH, "", "time of replay", "of the whole handover");
	fprintf(out, "    %-*s%*s  %9s%9s%9s  %9s%9s%9s\n", CLASS_WIDTH, "read back by the new owner", TIME_WIDTH, "handovers", "mean",
		"p50", "max", "mean", "p50", "max");
	for (unsigned i = 0; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		const struct replay_class *class = &ownership->replay[i];
		char text[64];

		if (class->handovers == 0)
			continue;
		fprintf(out, "    ");
		put_cell(out, -CLASS_WIDTH, class_text(text, i));
		fprintf(out, "%*llu  ", TIME_WIDTH, (unsigned long long)class->handovers);
		put_class_times(out, &class->replay);
		fprintf(out, "  ");
		put_class_times(out, &class->handover);
		fprintf(out, "\n");
	}
}

static void put_advice(FILE *out, const struct image *image)
{
	fprintf(
	    out,
	    "    Each new owner reads the journal's current objects as a whole, however little of them it needs. Smaller objects keep that "
	    "short:\n"
	    "      a new image      rbd create --journal-object-size 1M ...\n"
	    "      this one         rbd feature disable %s/%s journaling, then\n"
	    "      when not in use  rbd feature enable %s/%s journaling --journal-object-size 1M\n",
	    image->pool, image->name, image->pool, image->name);
}

static void put_replay(FILE *out, const struct image *image)
{
	const struct ownership_result *ownership = image->ownership_is;
	uint64_t any = 0, large = 0;

	for (unsigned i = 1; i < OWNERSHIP_REPLAY_CLASSES; i++) {
		any += ownership->replay[i].handovers;
		large += i >= REPLAY_LARGE ? ownership->replay[i].handovers : 0;
	}
	if (any)
		put_classes(out, ownership);
	if (large && summary_step_share(ownership, STEP_REPLAY) >= REPLAY_MATTERS)
		put_advice(out, image);
}

void text_journal(FILE *out, const struct image *image)
{
	if (!summary_has_journal(image))
		return;
	put_counts(out, &image->journal);
	put_times(out, &image->journal);
	if (image->ownership_is)
		put_replay(out, image);
}
