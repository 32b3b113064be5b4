#include "tests/unit/core/test.h"

#include "tests/unit/core/ownership_text.h"

#define MOMENTS_MAX  20000
#define REQUESTS_MAX 4000

enum verb { OPENS, CLOSES, OPERATES, HEARS, ANSWERS, USABLE, LOSES_WATCH, EFFECT, SERVED };

static const struct row {
	const char *name;
	enum verb verb;
	enum object_class object; /* OPERATES */
	enum rbdprof_operation_kind kind;
	uint64_t methods;
	uint32_t what;    /* HEARS, and notifications sent */
	uint8_t notifies; /* sent about the header */
} rows[] = {
    {"opens", OPENS, 0, 0, 0, 0, 0},
    {"closes", CLOSES, 0, 0, 0, 0, 0},
    {"get_info", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_READ, RBDPROF_METHOD_lock_get_info, 0, 0},
    {"lock", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_lock, 0, 0},
    {"unlock", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_unlock, 0, 0},
    {"break", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_break_lock, 0, 0},
    {"set_cookie", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_set_cookie, 0, 0},
    {"acquired", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_NOTIFY, 0, RBDPROF_ACQUIRED_LOCK, 1},
    {"released", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_NOTIFY, 0, RBDPROF_RELEASED_LOCK, 1},
    {"request", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_NOTIFY, 0, RBDPROF_REQUEST_LOCK, 1},
    {"refresh", OPERATES, OBJECT_HEADER, RBDPROF_OPERATION_READ, RBDPROF_METHOD_rbd_get_size, 0, 0},
    {"map_lock", OPERATES, OBJECT_MAP, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_lock, 0, 0},
    {"map_unlock", OPERATES, OBJECT_MAP, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_lock_unlock, 0, 0},
    {"journal_read", OPERATES, OBJECT_JOURNAL, RBDPROF_OPERATION_READ, RBDPROF_METHOD_journal_client_list, 0, 0},
    {"journal_commit", OPERATES, OBJECT_JOURNAL, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_journal_client_commit, 0, 0},
    {"journal_notify", OPERATES, OBJECT_JOURNAL, RBDPROF_OPERATION_NOTIFY, 0, 0, 0},
    {"tag_create", OPERATES, OBJECT_JOURNAL, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_journal_tag_create, 0, 0},
    {"append", OPERATES, OBJECT_JOURNAL_DATA, RBDPROF_OPERATION_WRITE, RBDPROF_METHOD_journal_append, 0, 0},
    {"replay_read", OPERATES, OBJECT_JOURNAL_DATA, RBDPROF_OPERATION_READ, RBDPROF_METHOD_osd_read, 0, 0},
    {"unwatch", OPERATES, OBJECT_OTHER, RBDPROF_OPERATION_UNWATCH, 0, 0, 0},
    {"hears_acquired", HEARS, 0, 0, 0, RBDPROF_ACQUIRED_LOCK, 0},
    {"hears_released", HEARS, 0, 0, 0, RBDPROF_RELEASED_LOCK, 0},
    {"hears_request", HEARS, 0, 0, 0, RBDPROF_REQUEST_LOCK, 0},
    {"answers", ANSWERS, 0, 0, 0, 0, 0},
    {"usable", USABLE, 0, 0, 0, 0, 0},
    {"loses_watch", LOSES_WATCH, 0, 0, 0, 0, 0},
    {"effect", EFFECT, 0, 0, 0, 0, 0},
    {"served", SERVED, 0, 0, 0, 0, 0},
};

static struct moment {
	uint64_t at_ns;
	size_t line;
	const struct row *row;
	uint64_t client, about, bytes, c_ns, request;
	int32_t result;
	int done;
	struct operation operation;
} moments[MOMENTS_MAX];

static int by_time(const void *a, const void *b)
{
	const struct moment *one = a, *other = b;

	if (one->at_ns != other->at_ns)
		return one->at_ns < other->at_ns ? -1 : 1;
	return one->line < other->line ? -1 : one->line > other->line;
}

static const struct row *find_row(const char *verb)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, verb))
			return &rows[i];
	fail_msg("no verb %s", verb);
	return NULL;
}

static void parse_word(struct moment *moment, uint64_t *until_ns, const char *word)
{
	const char *value = strchr(word, '=');

	assert_non_null(value);
	value++;
	if (!strncmp(word, "until=", 6))
		*until_ns = strtoull(value, NULL, 10);
	else if (!strncmp(word, "result=", 7))
		moment->result = atoi(value);
	else if (!strncmp(word, "about=", 6))
		moment->about = strtoull(value, NULL, 10);
	else if (!strncmp(word, "bytes=", 6))
		moment->bytes = strtoull(value, NULL, 10);
	else if (!strncmp(word, "c=", 2))
		moment->c_ns = strtoull(value, NULL, 10);
	else if (!strncmp(word, "request=", 8))
		moment->request = strtoull(value, NULL, 10);
	else
		fail_msg("no word %s", word);
}

/* Writes one line's moments behind the `count` that are there; returns their number now. */
static size_t parse_line(char *line, size_t number, size_t count)
{
	struct moment *moment = &moments[count];
	uint64_t until_ns = 0;
	char *rest = line, *word;

	assert_in_range(count + 2, 0, MOMENTS_MAX);
	*moment = (struct moment){.line = number};
	moment->at_ns = strtoull(rest, &rest, 10);
	moment->client = strtoull(rest, &rest, 10);
	word = strtok_r(rest, " ", &rest);
	assert_non_null(word);
	moment->row = find_row(word);
	while ((word = strtok_r(NULL, " ", &rest)))
		parse_word(moment, &until_ns, word);
	moment->operation = (struct operation){.key = {.number = number + 1},
					       .client = moment->client,
					       .object = moment->row->object,
					       .kind = (uint8_t)moment->row->kind,
					       .methods = moment->row->methods,
					       .begin_ns = moment->at_ns,
					       .lock_watch = moment->row->object == OBJECT_HEADER,
					       .lock_locker = moment->about,
					       .notifies = moment->row->notifies,
					       .what = moment->row->what};
	if (!until_ns)
		return count + 1;
	moments[count + 1] = *moment;
	moment = &moments[count + 1];
	moment->at_ns = until_ns;
	moment->done = 1;
	moment->operation.end_ns = until_ns;
	moment->operation.result = moment->result;
	moment->operation.reply_bytes = moment->bytes;
	return count + 2;
}

static int feed(struct ownership *ownership, const struct moment *moment, uint64_t *tenures)
{
	uint64_t client = moment->client, now_ns = moment->at_ns;

	switch (moment->row->verb) {
	case OPENS:
		return ownership_opened(ownership, client, now_ns);
	case CLOSES:
		return ownership_closed(ownership, client, now_ns);
	case OPERATES:
		return moment->done ? ownership_operation_done(ownership, &moment->operation)
				    : ownership_operation_begun(ownership, &moment->operation);
	case HEARS:
		return ownership_notified(ownership, client, moment->row->what, moment->about, now_ns);
	case ANSWERS:
		return ownership_answered(ownership, client, moment->result, now_ns);
	case USABLE:
		return ownership_usable(ownership, client, now_ns);
	case LOSES_WATCH:
		return ownership_watch_lost(ownership, client, moment->result, now_ns);
	case EFFECT:
		assert_in_range(moment->request, 0, REQUESTS_MAX - 1);
		tenures[moment->request] = ownership_effect(ownership, client, now_ns);
		return 0;
	case SERVED:
		return ownership_served(ownership, tenures[moment->request], moment->c_ns ? moment->c_ns : now_ns, moment->bytes);
	}
	return -EINVAL;
}

int ownership_text_try(struct ownership *ownership, const char *text, uint64_t begin_ns, uint64_t end_ns)
{
	static uint64_t tenures[REQUESTS_MAX];
	size_t count = 0, number = 0;
	char line[256];
	int status = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		assert_in_range(length, 0, sizeof(line) - 1);
		memcpy(line, text, length);
		line[length] = '\0';
		if (length)
			count = parse_line(line, number++, count);
		text += length + (text[length] == '\n');
	}
	qsort(moments, count, sizeof(*moments), by_time);
	for (size_t i = 0; !status && i < count; i++)
		status = feed(ownership, &moments[i], tenures);
	return status ? status : ownership_finish(ownership, begin_ns, end_ns);
}

static struct ownership *owned;

const struct ownership_result *ownership_text_result(const char *text, uint64_t begin_ns, uint64_t end_ns)
{
	const struct ownership_result *result;

	owned = ownership_create();
	assert_non_null(owned);
	assert_int_equal(ownership_text_try(owned, text, begin_ns, end_ns), 0);
	result = ownership_result(owned);
	if (result) {
		uint64_t all = result->unowned_ns + result->unknown_ns, steps = 0;

		/* What always holds. */
		for (uint32_t i = 0; i < result->owner_count; i++)
			all += result->owners[i].owned_ns;
		assert_int_equal(all, result->span_ns);
		assert_int_equal(result->span_ns, end_ns - begin_ns);
		for (unsigned step = 0; step < STEP_COUNT; step++)
			steps += result->steps[step].sum;
		assert_int_equal(steps, result->handover.sum);
		assert_int_equal(result->handovers, result->tenures ? result->tenures - 1 : 0);
	}
	return result;
}

void ownership_text_done(void)
{
	ownership_destroy(owned);
	owned = NULL;
}

uint64_t ownership_text_owned(const struct ownership_result *result, uint64_t client)
{
	for (uint32_t i = 0; i < result->owner_count; i++)
		if (result->owners[i].client == client)
			return result->owners[i].owned_ns;
	return 0;
}
