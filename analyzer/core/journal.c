#include "analyzer/core/journal.h"

void journal_fini(struct journal *journal)
{
	histogram_fini(&journal->append);
	histogram_fini(&journal->after_acknowledgement);
}

int journal_entry_of_request(const struct entry *entry)
{
	switch (entry->kind) {
	case RBDPROF_ENTRY_DISCARD:
	case RBDPROF_ENTRY_WRITE:
	case RBDPROF_ENTRY_FLUSH:
	case RBDPROF_ENTRY_WRITESAME:
	case RBDPROF_ENTRY_COMPARE_AND_WRITE:
		return 1;
	default:
		return 0;
	}
}

static int append_done(struct journal *journal, const struct operation *operation)
{
	if (operation->result < 0) {
		journal->refused++;
		return 0;
	}
	if (!journal->appends++ || operation->begin_ns < journal->first_ns)
		journal->first_ns = operation->begin_ns;
	if (operation->end_ns > journal->last_ns)
		journal->last_ns = operation->end_ns;
	journal->append_bytes += operation->append_bytes;
	for (size_t i = 0; i < operation->entry_count; i++) {
		journal->entries += (uint64_t)journal_entry_of_request(&operation->entries[i]);
		journal->entries_joined += operation->entries[i].carried != NULL;
	}
	return histogram_add(&journal->append, operation->end_ns - operation->begin_ns);
}

int journal_operation_done(struct journal *journal, const struct operation *operation)
{
	if (operation_calls(operation, RBDPROF_METHOD_journal_append))
		return append_done(journal, operation);
	if (operation->result < 0)
		return 0;
	journal->commits += (uint64_t)operation_calls(operation, RBDPROF_METHOD_journal_client_commit);
	journal->tags += (uint64_t)operation_calls(operation, RBDPROF_METHOD_journal_tag_create);
	if (operation->object == OBJECT_JOURNAL_DATA && operation_calls(operation, RBDPROF_METHOD_osd_read)) {
		journal->replay_reads++;
		journal->replay_bytes += operation->reply_bytes;
	}
	return 0;
}
