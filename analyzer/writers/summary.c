#include "analyzer/writers/summary.h"

double summary_step_share(const struct ownership_result *ownership, enum handover_step step)
{
	return ownership->handover.sum ? (double)ownership->steps[step].sum / (double)ownership->handover.sum : 0;
}

double summary_appends_per_s(const struct journal *journal)
{
	return journal->appends > 1 ? (double)journal->appends * 1e9 / (double)(journal->last_ns - journal->first_ns) : 0;
}

uint64_t summary_replay_bytes(unsigned replay_class)
{
	if (replay_class + 1 >= OWNERSHIP_REPLAY_CLASSES)
		return UINT64_MAX;
	return replay_class ? UINT64_C(1) << (19 + replay_class) : 0;
}

bool summary_has_journal(const struct image *image)
{
	const struct journal *journal = &image->journal;

	return image_has(image, IMAGE_JOURNALING) &&
	       (journal->appends || journal->refused || journal->commits || journal->tags || journal->replay_reads);
}
