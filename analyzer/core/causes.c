#include "analyzer/core/causes.h"

#define CAUSE(upper, judge, name, least, sentence, needs, mistaken, reference, ...)                                                        \
	static const struct advice advice_##upper[] = {__VA_ARGS__, {ADVISE_NEVER, 0}};
#include "analyzer/core/causes.def"
#undef CAUSE

static const struct cause_info causes[] = {
#define CAUSE(upper, judge, name, least, sentence, needs, mistaken, reference, ...)                                                        \
	[CAUSE_##upper] = {name, least, sentence, advice_##upper},
#include "analyzer/core/causes.def"
#undef CAUSE
};

const struct cause_info *cause_info(enum cause cause)
{
	return &causes[cause];
}
