#include "analyzer/writers/cells.h"

#include <math.h>
#include <stdlib.h>

/* How many decimals leave three significant digits. */
static int decimals(double number)
{
	if (number >= 99.95)
		return 0;
	return number >= 9.995 ? 1 : 2;
}

const char *cell_ns(struct cell *cell, double ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};

	/* A little below the unit already, where rounding to three digits would reach it. */
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns >= units[i].ns * (i == 0 ? 10 : 0.9995)) {
			snprintf(cell->text, sizeof(cell->text), "%.*f %s", decimals(ns / units[i].ns), ns / units[i].ns, units[i].unit);
			return cell->text;
		}
	}
	snprintf(cell->text, sizeof(cell->text), "%.0f ns", ns);
	return cell->text;
}

const char *cell_bytes(struct cell *cell, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}
	snprintf(cell->text, sizeof(cell->text), "%.*f %s", bytes == floor(bytes) ? 0 : decimals(bytes), bytes, units[unit]);
	return cell->text;
}

const char *cell_number(struct cell *cell, double number)
{
	if (number > 0 && number < 0.995)
		snprintf(cell->text, sizeof(cell->text), "%.3g", number);
	else
		snprintf(cell->text, sizeof(cell->text), "%.*f", decimals(number), number);
	return cell->text;
}

const char *cell_share(struct cell *cell, double share)
{
	snprintf(cell->text, sizeof(cell->text), "%.1f %%", share * 100);
	return cell->text;
}

void put_cell(FILE *out, int width, const char *text)
{
	int wanted = abs(width), length = 0, bytes = 0, cut = 0;

	/* UTF-8: bytes 10xxxxxx continue a character. */
	for (; text[bytes]; bytes++) {
		if (((unsigned char)text[bytes] & 0xc0) == 0x80)
			continue;
		if (length == wanted - 1)
			cut = bytes;
		length++;
	}
	if (length > wanted) {
		fprintf(out, "%.*s…", cut, text);
		return;
	}
	fprintf(out, "%*s%s%*s", width > 0 ? wanted - length : 0, "", text, width < 0 ? wanted - length : 0, "");
}
