/* What the parts of the text report share: text.h. */
#include "analyzer/writers/text.h"

#include <string.h>

const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* The length of the text's first word in characters; *bytes is its length as it is stored. */
static int word_width(const char *text, int *bytes)
{
	int width = 0;

	/* UTF-8: bytes 10xxxxxx continue a character. */
	for (*bytes = 0; text[*bytes] && text[*bytes] != ' '; ++*bytes)
		width += ((unsigned char)text[*bytes] & 0xc0) != 0x80;
	return width;
}

void put_wrapped(FILE *out, int column, int indent, const char *text)
{
	bool first = true;

	while (*text) {
		int bytes, width = word_width(text, &bytes);

		if (!first && column + 1 + width > TEXT_WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (!first) {
			fprintf(out, " ");
			column++;
		}
		fprintf(out, "%.*s", bytes, text);
		column += width;
		text += bytes;
		text += strspn(text, " ");
		first = false;
	}
	fprintf(out, "\n");
}

void put_dist(FILE *out, const struct histogram *histogram, const char *(*cell_of)(struct cell *, double))
{
	static const double parts[] = {0.5, 0.9, 0.99, 0.999};
	struct cell cell;

	put_cell(out, TIME_WIDTH, cell_of(&cell, histogram_mean(histogram)));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_cell(out, TIME_WIDTH, cell_of(&cell, (double)histogram_percentile(histogram, parts[i])));
	put_cell(out, TIME_WIDTH, cell_of(&cell, (double)histogram->max));
	fprintf(out, "\n");
}
