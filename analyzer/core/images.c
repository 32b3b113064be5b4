#include "analyzer/core/images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open image of a process: its number there, and who that is. */
struct handle {
	uint32_t image;
	struct client *client; /* NULL while not described */
	int64_t undescribed;   /* requests made before it was */
	UT_hash_handle hh;
};

/* Makes *text a copy of `with`. A failure leaves it as it was. */
static int replace(char **text, const char *with)
{
	char *copy;

	if (*text && !strcmp(*text, with))
		return 0;
	copy = strdup(with);
	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

static void process_destroy(struct process *process)
{
	struct thread *thread, *next_thread;
	struct handle *handle, *next_handle;

	if (!process)
		return;
	HASH_ITER(hh, process->threads, thread, next_thread)
	{
		HASH_DEL(process->threads, thread);
		free(thread->name);
		free(thread);
	}
	HASH_ITER(hh, process->handles, handle, next_handle)
	{
		HASH_DEL(process->handles, handle);
		free(handle);
	}
	threads_fini(&process->tasks);
	code_fini(&process->code);
	delays_fini(&process->delays);
	users_fini(&process->users);
	process_health_fini(&process->health);
	free(process->throttling);
	free(process->version);
	free(process->comm);
	free(process->host);
	free(process);
}

static void client_destroy(struct client *client)
{
	struct config *config, *next;

	HASH_ITER(hh, client->config, config, next)
	{
		HASH_DEL(client->config, config);
		free(config->option);
		free(config->value);
		free(config);
	}
	stats_fini(&client->stats);
	claims_fini(&client->claims);
	free(client->objects);
	effects_destroy(client->effects);
	free(client->release);
	free(client);
}

static void image_destroy(struct image *image)
{
	struct client *client, *next;

	HASH_ITER(hh, image->clients, client, next)
	{
		HASH_DEL(image->clients, client);
		client_destroy(client);
	}
	ownership_destroy(image->ownership);
	journal_fini(&image->journal);
	coverage_fini(&image->notifying);
	coverage_fini(&image->asking);
	coverage_fini(&image->silent);
	placement_groups_fini(&image->placement_groups);
	free(image->key);
	free(image->cluster);
	free(image->namespace_);
	free(image->id);
	free(image->snapshot);
	free(image->pool);
	free(image->name);
	free(image->prefix);
	free(image);
}

void images_fini(struct images *images)
{
	struct image *image, *next;

	HASH_ITER(hh, images->images, image, next)
	{
		HASH_DEL(images->images, image);
		image_destroy(image);
	}
	for (size_t i = 0; i < images->process_count; i++)
		process_destroy(images->processes[i]);
	free(images->processes);
	*images = (struct images){0};
}

static struct process *process_create(uint32_t number)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->number = number;
	if (replace(&process->version, "") || replace(&process->comm, "") || replace(&process->host, "")) {
		process_destroy(process);
		return NULL;
	}
	return process;
}

struct process *images_process(struct images *images, uint32_t number)
{
	if (number >= images->process_count) {
		struct process **grown = realloc(images->processes, ((size_t)number + 1) * sizeof(struct process *));

		if (!grown)
			return NULL;
		for (size_t i = images->process_count; i <= number; i++)
			grown[i] = NULL;
		images->processes = grown;
		images->process_count = (size_t)number + 1;
	}
	if (!images->processes[number])
		images->processes[number] = process_create(number);
	return images->processes[number];
}

static struct thread *find_thread(const struct process *process, uint32_t number)
{
	struct thread *thread;

	HASH_FIND(hh, process->threads, &number, sizeof(number), thread);
	return thread;
}

struct thread *process_thread(struct process *process, uint32_t number)
{
	struct thread *thread = find_thread(process, number);

	if (thread)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->number = number;
	thread->first_request = NO_REQUEST;
	if (!replace(&thread->name, "")) {
		HASH_ADD(hh, process->threads, number, sizeof(thread->number), thread);
		if (!hash_failed(thread))
			return thread;
	}
	free(thread->name);
	free(thread);
	return NULL;
}

struct thread *process_thread_known(struct process *process, uint32_t number)
{
	return find_thread(process, number);
}

const struct thread *process_thread_find(const struct process *process, uint32_t number)
{
	return find_thread(process, number);
}

int process_is_lossy(const struct process *process)
{
	return process->health.lost_count || process_health_unaccounted(&process->health, HASH_COUNT(process->threads));
}

static struct handle *find_handle(const struct process *process, uint32_t image)
{
	struct handle *handle;

	HASH_FIND(hh, process->handles, &image, sizeof(image), handle);
	return handle;
}

struct client *process_client(const struct process *process, uint32_t image)
{
	const struct handle *handle = find_handle(process, image);

	return handle ? handle->client : NULL;
}

int process_throttled(struct process *process, uint64_t bucket, int queues, uint64_t now_ns)
{
	size_t i = 0;

	process->throttled_ns = now_ns;
	while (i < process->throttling_count && process->throttling[i] != bucket)
		i++;
	if (queues && i == process->throttling_count) {
		uint64_t *grown = realloc(process->throttling, (i + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		process->throttling = grown;
		process->throttling[process->throttling_count++] = bucket;
	} else if (!queues && i < process->throttling_count) {
		process->throttling[i] = process->throttling[--process->throttling_count];
	}
	return 0;
}

struct image *images_find(const struct images *images, struct process *process, uint64_t client, int64_t pool_id, const char *id)
{
	struct image *found = NULL;
	struct user *user = users_find(&process->users, client);

	for (size_t i = 0; user && i < user->client_count; i++) {
		struct image *image = user->clients[i]->image;

		if (!*image->snapshot && !strcmp(image->id, id) && (!found || image->pool_id == pool_id))
			found = image;
	}
	if (found || !process->cluster)
		return found;
	for (struct image *image = images->images; image; image = image->hh.next)
		if (!*image->snapshot && !strcmp(image->id, id) && !strcmp(image->cluster, process->cluster) &&
		    (!found || image->pool_id == pool_id))
			found = image;
	return found;
}

int image_has(const struct image *image, uint64_t feature)
{
	return !*image->snapshot && (image->features & feature);
}

int images_feed_process(struct process *process, const struct event *event)
{
	process->pid = event->process_is.pid;
	process->schema = event->process_is.schema;
	process->clock_offset_ns = event->process_is.clock_offset_ns;
	if (replace(&process->version, event->process_is.version) || replace(&process->comm, event->process_is.comm) ||
	    replace(&process->host, event->process_is.host))
		return -ENOMEM;
	return 0;
}

int images_feed_thread(struct process *process, const struct event *event)
{
	struct thread *thread = process_thread(process, event->thread.thread);

	if (!thread)
		return -ENOMEM;
	thread->tid = event->thread.tid;
	thread->task = threads_name(&process->tasks, event->thread.tid, event->thread.name);
	return thread->task ? replace(&thread->name, event->thread.name) : -ENOMEM;
}

/* The image's identity as one string; its parts cannot contain the separator. An image of the old format has no id, only a name. */
static char *key_of(const struct event *event)
{
	const char *id = *event->image.id ? event->image.id : event->image.name;
	char *key;

	if (asprintf(&key, "%s\n%" PRId64 "\n%s\n%s\n%s", event->image.cluster, event->image.pool_id, event->image.namespace_, id,
		     event->image.snapshot) < 0)
		return NULL;
	return key;
}

/* What can change while the image is known. */
static int describe(struct image *image, const struct event *event)
{
	image->size_bytes = event->image.size_bytes;
	image->features = event->image.features;
	image->object_size_bytes = event->image.object_size_bytes;
	image->stripe_unit_bytes = event->image.stripe_unit_bytes;
	image->stripe_count = event->image.stripe_count;
	if (replace(&image->pool, event->image.pool) || replace(&image->name, event->image.name) ||
	    replace(&image->prefix, event->image.prefix))
		return -ENOMEM;
	return 0;
}

/* Takes the key. */
static struct image *image_create(char *key, const struct event *event)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image) {
		free(key);
		return NULL;
	}
	image->key = key;
	image->pool_id = event->image.pool_id;
	if (replace(&image->cluster, event->image.cluster) || replace(&image->namespace_, event->image.namespace_) ||
	    replace(&image->id, event->image.id) || replace(&image->snapshot, event->image.snapshot) || describe(image, event)) {
		image_destroy(image);
		return NULL;
	}
	return image;
}

static struct image *image_get(struct images *images, const struct event *event)
{
	char *key = key_of(event);
	struct image *image;

	if (!key)
		return NULL;
	HASH_FIND_STR(images->images, key, image);
	if (image) {
		free(key);
		return describe(image, event) ? NULL : image;
	}
	image = image_create(key, event);
	if (!image)
		return NULL;
	HASH_ADD_KEYPTR(hh, images->images, image->key, strlen(image->key), image);
	if (hash_failed(image)) {
		image_destroy(image);
		return NULL;
	}
	return image;
}

struct client *image_client(const struct image *image, uint64_t id)
{
	struct client *client;

	HASH_FIND_BYHASHVALUE(hh, image->clients, &id, sizeof(id), hash_numbers(id, 0), client);
	return client;
}

static struct client *client_get(struct image *image, const struct process *process, const struct event *event)
{
	struct client *client = image_client(image, event->image.client);

	if (client)
		return client;
	client = calloc(1, sizeof(*client));
	if (!client)
		return NULL;
	client->id = event->image.client;
	client->process = process;
	client->image = image;
	if (!replace(&client->release, "")) {
		HASH_ADD_KEYPTR_BYHASHVALUE(hh, image->clients, &client->id, sizeof(client->id), hash_numbers(client->id, 0), client);
		if (!hash_failed(client))
			return client;
	}
	client_destroy(client);
	return NULL;
}

static struct handle *handle_get(struct process *process, uint32_t image)
{
	struct handle *handle = find_handle(process, image);

	if (handle)
		return handle;
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		return NULL;
	handle->image = image;
	HASH_ADD(hh, process->handles, image, sizeof(handle->image), handle);
	if (hash_failed(handle)) {
		free(handle);
		return NULL;
	}
	return handle;
}

int process_undescribed_add(struct process *process, uint32_t image, int64_t change)
{
	struct handle *handle = handle_get(process, image);

	if (!handle)
		return -ENOMEM;
	handle->undescribed += change;
	return 0;
}

void process_undescribed(const struct process *process, uint64_t *never, uint64_t *later)
{
	const struct handle *handle;

	*never = 0;
	*later = process->undescribed_closed;
	for (handle = process->handles; handle; handle = handle->hh.next)
		*(handle->client ? later : never) += (uint64_t)handle->undescribed;
}

int images_feed_image(struct images *images, struct process *process, const struct event *event, struct client **opened)
{
	struct image *image = image_get(images, event);
	struct client *client = image ? client_get(image, process, event) : NULL;
	struct handle *handle = client ? handle_get(process, event->image.image) : NULL;
	struct user *user = handle ? users_get(&process->users, client->id) : NULL;

	*opened = NULL;
	if (!user || user_add(user, client))
		return -ENOMEM;
	if (handle->client != client) {
		client->handles++;
		*opened = client;
	}
	handle->client = client;
	if (!process->cluster)
		process->cluster = image->cluster;
	client->open_ns = event->image.open_ns;
	client->read_only = event->image.read_only;
	return replace(&client->release, event->image.release);
}

int images_feed_config(struct process *process, const struct event *event)
{
	struct client *client = process_client(process, event->config.image);
	struct config *config;

	if (!client)
		return -ENOENT;
	HASH_FIND_STR(client->config, event->config.option, config);
	if (config)
		return replace(&config->value, event->config.value);
	config = calloc(1, sizeof(*config));
	if (!config)
		return -ENOMEM;
	if (!replace(&config->option, event->config.option) && !replace(&config->value, event->config.value)) {
		HASH_ADD_KEYPTR(hh, client->config, config->option, strlen(config->option), config);
		if (!hash_failed(config))
			return 0;
	}
	free(config->option);
	free(config->value);
	free(config);
	return -ENOMEM;
}

struct client *images_feed_closed(struct process *process, const struct event *event)
{
	struct handle *handle = find_handle(process, event->image_closed.image);
	struct client *client = handle ? handle->client : NULL;

	/* Numbers are not used again, so the program that opens images all day costs no memory. One never described stays, to be counted.
	 */
	if (!client)
		return NULL;
	process->undescribed_closed += (uint64_t)handle->undescribed;
	HASH_DEL(process->handles, handle);
	free(handle);
	return --client->handles ? NULL : client;
}

const struct client *image_client_next(const struct image *image, const struct client *previous)
{
	return previous ? previous->hh.next : image->clients;
}

const struct config *client_config_next(const struct client *client, const struct config *previous)
{
	return previous ? previous->hh.next : client->config;
}

const char *client_setting(const struct client *client, const char *option)
{
	const struct config *config;

	HASH_FIND_STR(client->config, option, config);
	return config ? config->value : "";
}

int client_is_set(const struct client *client, const char *option)
{
	return !strcmp(client_setting(client, option), "true");
}
