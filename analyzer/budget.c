/* Fewer shares before small sub-buffers; powers of two, since LTTng takes no others. */
#include "analyzer/budget.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static uint64_t power_of_two_below(uint64_t bytes)
{
	uint64_t power = 1;

	while (power <= bytes / 2)
		power *= 2;
	return power;
}

uint64_t budget_least(unsigned int processors)
{
	return (BUDGET_SUBBUFFERS + 1) * BUDGET_LEAST_BYTES * processors;
}

int budget_split(struct budget *budget, uint64_t bytes, unsigned int most, unsigned int least, unsigned int processors)
{
	uint64_t rings = (uint64_t)(BUDGET_SUBBUFFERS + 1) * processors;
	unsigned int shares;
	uint64_t size = 0;

	for (shares = most; shares >= least; shares--) {
		size = power_of_two_below(bytes / shares / rings);
		if (size >= BUDGET_GOOD_BYTES || (shares == least && size >= BUDGET_LEAST_BYTES))
			break;
	}
	if (shares < least)
		return -ENOSPC;
	*budget = (struct budget){
	    .shares = shares,
	    .subbuffers = BUDGET_SUBBUFFERS,
	    .subbuffer_bytes = size,
	    .share_bytes = size * rings,
	};
	return 0;
}

int budget_parse(const char *text, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	unsigned long long number;
	unsigned int shift = 0;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	for (unsigned int u = 0; *end && units[u]; u++) {
		if (tolower((unsigned char)*end) == units[u]) {
			shift = 10 * (u + 1);
			end++;
			break;
		}
	}
	if (*end || !number || number > UINT64_MAX >> shift)
		return -EINVAL;
	*bytes = (uint64_t)number << shift;
	return 0;
}
