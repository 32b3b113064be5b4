#include "analyzer/core/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/core/images.h"

/* A watch of a process and what it watches: its end names the handle only. */
struct watch {
	struct {
		uint64_t handle;
		uint64_t process;
	} key;
	uint64_t object;
	UT_hash_handle hh;
};

struct operations {
	struct operations_consumer consumer;
	struct operation *table;
	struct operation *spare; /* chained through hh.next; each keeps its room for entries */
	struct object *objects;
	struct watch *watches;
};

int operation_calls(const struct operation *operation, enum rbdprof_method method)
{
	for (uint64_t left = operation->methods; left; left >>= 8)
		if ((left & 255) == method)
			return 1;
	return 0;
}

struct operations *operations_create(const struct operations_consumer *consumer)
{
	struct operations *operations = calloc(1, sizeof(*operations));

	if (operations)
		operations->consumer = *consumer;
	return operations;
}

static void operation_destroy(struct operation *operation)
{
	free(operation->entries);
	free(operation);
}

void operations_destroy(struct operations *operations)
{
	struct operation *operation, *next;
	struct object *object, *next_object;
	struct watch *watch, *next_watch;

	if (!operations)
		return;
	HASH_ITER(hh, operations->table, operation, next)
	{
		HASH_DEL(operations->table, operation);
		operation_destroy(operation);
	}
	while ((operation = operations->spare)) {
		operations->spare = operation->hh.next;
		operation_destroy(operation);
	}
	HASH_ITER(hh, operations->objects, object, next_object)
	{
		HASH_DEL(operations->objects, object);
		free(object);
	}
	HASH_ITER(hh, operations->watches, watch, next_watch)
	{
		HASH_DEL(operations->watches, watch);
		free(watch);
	}
	free(operations);
}

static struct object *find_object(const struct operations *operations, uint64_t process, uint64_t number)
{
	struct object sought = {.key = {number, process}}, *object;

	HASH_FIND_BYHASHVALUE(hh, operations->objects, &sought.key, sizeof(sought.key), hash_numbers(number, process), object);
	return object;
}

const struct object *operations_object(const struct operations *operations, uint32_t process, uint64_t number)
{
	return find_object(operations, process, number);
}

/* What follows the prefix, or NULL when the name begins otherwise. */
static const char *after(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) ? NULL : name + length;
}

static void keep_id(struct object *object, const char *id, size_t length)
{
	if (!length || length >= sizeof(object->image_id)) {
		object->object = OBJECT_OTHER;
		return;
	}
	memcpy(object->image_id, id, length);
	object->image_id[length] = '\0';
}

/* Of an image: <prefix><image id>. Its journal's data: <prefix><pool>.<image id>.<number>; an id has no dot. */
static void understand(struct object *object, const char *name)
{
	static const struct {
		const char *prefix;
		enum object_class object;
	} classes[] = {
	    {"rbd_header.", OBJECT_HEADER},
	    {"rbd_object_map.", OBJECT_MAP},
	    {"journal.", OBJECT_JOURNAL},
	    {"journal_data.", OBJECT_JOURNAL_DATA},
	};
	const char *rest = NULL;
	char *end;

	object->object = OBJECT_OTHER;
	object->pool_id = -1;
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes) && !rest; i++) {
		rest = after(name, classes[i].prefix);
		if (rest)
			object->object = classes[i].object;
	}
	if (!rest)
		return;
	if (object->object == OBJECT_JOURNAL_DATA) {
		object->pool_id = strtoll(rest, &end, 10);
		rest = *end == '.' ? end + 1 : "";
	}
	/* An object map of a snapshot has the snapshot's number behind the id. */
	keep_id(object, rest, strcspn(rest, "."));
}

static int feed_object(struct operations *operations, const struct event *event)
{
	struct object *object = find_object(operations, event->process, event->object.object);

	if (object)
		return 0; /* said again */
	object = calloc(1, sizeof(*object));
	if (!object)
		return -ENOMEM;
	object->key.number = event->object.object;
	object->key.process = event->process;
	understand(object, event->object.name);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, operations->objects, &object->key, sizeof(object->key),
				    hash_numbers(object->key.number, event->process), object);
	if (!hash_failed(object))
		return 0;
	free(object);
	return -ENOMEM;
}

static struct watch *find_watch(const struct operations *operations, uint64_t process, uint64_t handle)
{
	struct watch sought = {.key = {handle, process}}, *watch;

	HASH_FIND(hh, operations->watches, &sought.key, sizeof(sought.key), watch);
	return watch;
}

static int feed_watching(struct operations *operations, const struct event *event)
{
	struct watch *watch = find_watch(operations, event->process, event->watch.watch);

	if (watch) {
		watch->object = event->watch.object;
		return 0;
	}
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -ENOMEM;
	watch->key.handle = event->watch.watch;
	watch->key.process = event->process;
	watch->object = event->watch.object;
	HASH_ADD(hh, operations->watches, key, sizeof(watch->key), watch);
	if (!hash_failed(watch))
		return 0;
	free(watch);
	return -ENOMEM;
}

/* The object whose watch ends; 0 when its begin was not seen. */
static uint64_t unwatch(struct operations *operations, const struct event *event)
{
	struct watch *watch = find_watch(operations, event->process, event->operation.watch);
	uint64_t object;

	if (!watch)
		return 0;
	object = watch->object;
	HASH_DEL(operations->watches, watch);
	free(watch);
	return object;
}

static struct operation *find(const struct operations *operations, uint64_t process, uint64_t number)
{
	struct operation sought = {.key = {number, process}}, *operation;

	HASH_FIND_BYHASHVALUE(hh, operations->table, &sought.key, sizeof(sought.key), hash_numbers(number, process), operation);
	return operation;
}

static struct operation *take_spare(struct operations *operations)
{
	struct operation *operation = operations->spare;
	struct entry *entries;
	size_t room;

	if (!operation)
		return calloc(1, sizeof(*operation));
	operations->spare = operation->hh.next;
	entries = operation->entries;
	room = operation->entry_room;
	*operation = (struct operation){.entries = entries, .entry_room = room};
	return operation;
}

static void give_spare(struct operations *operations, struct operation *operation)
{
	operation->hh.next = operations->spare;
	operations->spare = operation;
}

/* The operation of that number, made if need be. */
static struct operation *get(struct operations *operations, struct process *process, const struct event *event, uint64_t number)
{
	struct operation *operation = find(operations, event->process, number);

	if (operation)
		return operation;
	operation = take_spare(operations);
	if (!operation)
		return NULL;
	operation->key.number = number;
	operation->key.process = event->process;
	operation->process = process;
	operation->seen_ns = event->time_ns;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, operations->table, &operation->key, sizeof(operation->key), hash_numbers(number, event->process),
				    operation);
	if (!hash_failed(operation))
		return operation;
	give_spare(operations, operation);
	return NULL;
}

static void forget(struct operations *operations, struct operation *operation)
{
	HASH_DEL(operations->table, operation);
	give_spare(operations, operation);
}

static int begin(struct operations *operations, struct operation *operation)
{
	operation->begun = 1;
	return operations->consumer.begun(operations->consumer.context, operation);
}

static int leave(struct operations *operations, struct operation *operation)
{
	int status = operation->begun ? operations->consumer.left(operations->consumer.context, operation) : 0;

	forget(operations, operation);
	return status;
}

static int feed_lock_call(struct operations *operations, struct process *process, const struct event *event)
{
	struct operation *operation = get(operations, process, event, event->lock_call.operation);

	if (!operation)
		return -ENOMEM;
	operation->lock_watch = event->lock_call.watch;
	operation->lock_locker = event->lock_call.locker;
	operation->lock_type = event->lock_call.lock_type;
	return 0;
}

/* One append can be told in several events. */
static int feed_journal_append(struct operations *operations, struct process *process, const struct event *event)
{
	struct operation *operation = get(operations, process, event, event->journal_append.operation);
	size_t count = event->journal_append.count, end;

	if (!operation)
		return -ENOMEM;
	end = operation->entry_count + count;
	if (end > operation->entry_room) {
		struct entry *grown = realloc(operation->entries, end * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		operation->entries = grown;
		operation->entry_room = end;
	}
	if (!operation->entry_count)
		operation->tag = event->journal_append.tag;
	operation->append_bytes += event->journal_append.append_bytes;
	for (size_t i = 0; i < count; i++)
		operation->entries[operation->entry_count++] = (struct entry){
		    .number = event->journal_append.entries[i],
		    .offset_bytes = event->journal_append.offsets_bytes[i],
		    .length_bytes = event->journal_append.lengths_bytes[i],
		    .kind = (uint8_t)event->journal_append.kinds[i],
		};
	return 0;
}

/* What a notification says about an image's header is told after the operation; it begins then. */
static int waits_for_notification(const struct operation *operation)
{
	return operation->kind == RBDPROF_OPERATION_NOTIFY && operation->object == OBJECT_HEADER;
}

static int feed_operation(struct operations *operations, struct process *process, const struct event *event)
{
	struct operation *operation = get(operations, process, event, event->operation.operation);
	uint64_t number = event->operation.object;
	const struct object *object;
	int status;

	if (!operation)
		return -ENOMEM;
	if (operation->begin_ns)
		return 0;
	if (event->operation.kind == RBDPROF_OPERATION_UNWATCH && !number)
		number = unwatch(operations, event);
	object = find_object(operations, event->process, number);
	operation->client = event->operation.client;
	operation->pool_id = event->operation.pool_id;
	operation->methods = event->operation.methods;
	operation->kind = event->operation.kind;
	operation->begin_ns = event->time_ns;
	operation->tracked = event->operation.tracked;
	process->health.untracked_operations += !operation->tracked;
	if (object) {
		operation->object = object->object;
		strcpy(operation->image_id, object->image_id);
		if (object->pool_id >= 0)
			operation->pool_id = object->pool_id;
	}
	if (waits_for_notification(operation))
		return 0;
	status = begin(operations, operation);
	return status || operation->tracked ? status : leave(operations, operation);
}

static int feed_notification(struct operations *operations, const struct event *event)
{
	struct operation *operation =
	    event->notification.operation ? find(operations, event->process, event->notification.operation) : NULL;
	int status;

	if (!operation || !operation->begin_ns || operation->begun)
		return 0;
	operation->notifies = 1;
	operation->what = event->notification.what;
	status = begin(operations, operation);
	return status || operation->tracked ? status : leave(operations, operation);
}

static int feed_reply(struct operations *operations, const struct event *event)
{
	struct operation *operation = find(operations, event->process, event->notify_reply.operation);

	if (!operation)
		return 0;
	if (event->notify_reply.result == -ETIMEDOUT) {
		operation->silent = event->notify_reply.client;
	} else {
		operation->refuser = event->notify_reply.client;
		operation->refusal = event->notify_reply.result;
	}
	return 0;
}

static int feed_done(struct operations *operations, const struct event *event)
{
	struct operation *operation = find(operations, event->process, event->operation_done.operation);
	int status = 0;

	if (!operation || !operation->begin_ns)
		return 0;
	if (!operation->begun)
		status = begin(operations, operation);
	operation->end_ns = event->time_ns;
	operation->result = event->operation_done.result;
	operation->reply_bytes = event->operation_done.reply_bytes;
	if (!status)
		status = operations->consumer.done(operations->consumer.context, operation);
	forget(operations, operation);
	return status;
}

int operations_feed(struct operations *operations, struct process *process, const struct event *event)
{
	switch (event->type) {
	case EVENT_OBJECT:
		return feed_object(operations, event);
	case EVENT_WATCHING:
		return feed_watching(operations, event);
	case EVENT_LOCK_CALL:
		return feed_lock_call(operations, process, event);
	case EVENT_JOURNAL_APPEND:
		return feed_journal_append(operations, process, event);
	case EVENT_OPERATION:
		return feed_operation(operations, process, event);
	case EVENT_NOTIFICATION:
		return feed_notification(operations, event);
	case EVENT_NOTIFY_REPLY:
		return feed_reply(operations, event);
	case EVENT_OPERATION_DONE:
		return feed_done(operations, event);
	default:
		return 0;
	}
}

int operations_sweep(struct operations *operations, const struct process *process, uint64_t before_ns, int lossy)
{
	struct operation *operation, *next;
	int status = 0;

	HASH_ITER(hh, operations->table, operation, next)
	{
		if (!status && operation->process == process && operation->seen_ns < before_ns &&
		    (lossy || !operation->begin_ns || !operation->tracked))
			status = leave(operations, operation);
	}
	return status;
}

int operations_finish(struct operations *operations)
{
	struct operation *operation, *next;
	int status = 0;

	HASH_ITER(hh, operations->table, operation, next)
	{
		if (!status)
			status = leave(operations, operation);
	}
	return status;
}
