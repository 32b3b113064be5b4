/* Which counters belong to which image, and the moments at which they count. */
#include "preload/counters.h"

#include <string.h>

#include "preload/real.h"
#include "preload/recorder.h"

#define MOST_COUNTERS 1024 /* groups of counters, one an open image */
#define MOMENTS       1024 /* completions that wait for their callback */
#define PREFIX        "librbd-" /* what the name of an image's group begins with */
#define NAME_BYTES    48        /* of the rest, "<id>-<pool>-<image>": as much as holds the id */

/* What librbd counts completions by; requests of some kinds share one. */
enum queue { READS, WRITES, DISCARDS, FLUSHES, SAMES, COMPARES, QUEUES };

static const uint8_t queue_of[RBDPROF_KIND_COUNT] = {
	[RBDPROF_READ] = READS,          [RBDPROF_WRITE] = WRITES,    [RBDPROF_DISCARD] = DISCARDS,          [RBDPROF_WRITE_ZEROES] = DISCARDS,
	[RBDPROF_WRITESAME] = SAMES,     [RBDPROF_FLUSH] = FLUSHES,   [RBDPROF_COMPARE_AND_WRITE] = COMPARES, [RBDPROF_INVALIDATE_CACHE] = QUEUES,
};

/* The indexes of an image's counters, found by the names under which they are registered; −1: not registered yet. */
static int latency_index[QUEUES] = {-1, -1, -1, -1, -1, -1};
static int lock_acquired_index = -1;

static struct group {
	void *counters; /* librbd's; NULL: free; UNFINISHED: being filled in */
	void *cct;      /* the client's context */
	uint32_t image; /* its number; 0: not known yet */
	char name[NAME_BYTES];
	pthread_mutex_t mutex; /* over the queues */
	struct {
		uint64_t counted, asked;
		uint64_t moment_ns[MOMENTS];
	} queues[QUEUES];
} groups[MOST_COUNTERS]; /* zero pages until used */
static uint32_t high_water;
#define UNFINISHED ((void *)groups) /* no address of librbd's */

/* The group that this thread is building: librbd makes a builder, registers every counter, and creates the group, all in one go. */
static __thread struct {
	void *builder;
	void *cct;
	char name[NAME_BYTES];
} building __attribute__((tls_model("initial-exec")));

static void begin_group(void *builder, void *cct, const struct cxx_string *name)
{
	building.builder = NULL;
	if (recorder_enabled() && !strncmp(name->data, PREFIX, strlen(PREFIX))) {
		building.builder = builder;
		building.cct = cct;
		building.name[0] = '\0';
		strncat(building.name, name->data + strlen(PREFIX), sizeof(building.name) - 1);
	}
}

WRAPS(counters_builder)
void counters_builder(void *builder, void *cct, const struct cxx_string *name, int first, int last)
{
	begin_group(builder, cct, name);
	REAL(counters_builder)(builder, cct, name, first, last);
}

WRAPS(counters_builder_14)
void counters_builder_14(void *builder, void *cct, const struct cxx_string *name, int first, int last)
{
	begin_group(builder, cct, name);
	REAL(counters_builder_14)(builder, cct, name, first, last);
}

static void learn_time(const void *builder, int index, const char *name)
{
	if (building.builder == builder && !strcmp(name, "lock_acquired_time"))
		__atomic_store_n(&lock_acquired_index, index, __ATOMIC_RELAXED);
}

WRAPS(counters_add_time)
void counters_add_time(void *builder, int index, const char *name, const char *description, const char *nick, int priority)
{
	learn_time(builder, index, name);
	REAL(counters_add_time)(builder, index, name, description, nick, priority);
}

WRAPS(counters_add_time_14)
void counters_add_time_14(void *builder, int index, const char *name, const char *description, const char *nick, int priority)
{
	learn_time(builder, index, name);
	REAL(counters_add_time_14)(builder, index, name, description, nick, priority);
}

static void learn_time_avg(const void *builder, int index, const char *name)
{
	static const char *const names[QUEUES] = {"rd_latency", "wr_latency", "discard_latency", "flush_latency", "ws_latency", "cmp_latency"};

	for (int i = 0; building.builder == builder && i < QUEUES; i++)
		if (!strcmp(name, names[i]))
			__atomic_store_n(&latency_index[i], index, __ATOMIC_RELAXED);
}

WRAPS(counters_add_time_avg)
void counters_add_time_avg(void *builder, int index, const char *name, const char *description, const char *nick, int priority)
{
	learn_time_avg(builder, index, name);
	REAL(counters_add_time_avg)(builder, index, name, description, nick, priority);
}

WRAPS(counters_add_time_avg_14)
void counters_add_time_avg_14(void *builder, int index, const char *name, const char *description, const char *nick, int priority)
{
	learn_time_avg(builder, index, name);
	REAL(counters_add_time_avg_14)(builder, index, name, description, nick, priority);
}

static void note(void *counters)
{
	for (uint32_t i = 0; i < MOST_COUNTERS; i++) {
		struct group *g = &groups[i];
		uint32_t seen = __atomic_load_n(&high_water, __ATOMIC_RELAXED);
		void *none = NULL;

		if (!__atomic_compare_exchange_n(&g->counters, &none, UNFINISHED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		g->cct = building.cct;
		g->image = 0;
		strcpy(g->name, building.name);
		g->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
		for (int q = 0; q < QUEUES; q++)
			g->queues[q].counted = g->queues[q].asked = 0;
		__atomic_store_n(&g->counters, counters, __ATOMIC_RELEASE);
		while (seen <= i && !__atomic_compare_exchange_n(&high_water, &seen, i + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return;
	}
}

static void *end_group(const void *builder, void *counters)
{
	if (building.builder == builder)
		note(counters);
	building.builder = NULL;
	return counters;
}

WRAPS(counters_create)
void *counters_create(void *builder)
{
	return end_group(builder, REAL(counters_create)(builder));
}

WRAPS(counters_create_14)
void *counters_create_14(void *builder)
{
	return end_group(builder, REAL(counters_create_14)(builder));
}

static struct group *find(const void *counters)
{
	uint32_t end = __atomic_load_n(&high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++)
		if (__atomic_load_n(&groups[i].counters, __ATOMIC_ACQUIRE) == counters)
			return &groups[i];
	return NULL;
}

static void forget(const void *counters)
{
	struct group *g = find(counters);

	if (g)
		__atomic_store_n(&g->counters, NULL, __ATOMIC_RELEASE);
}

WRAPS(counters_destroy)
void counters_destroy(void *counters)
{
	forget(counters);
	REAL(counters_destroy)(counters);
}

WRAPS(counters_destroy_14)
void counters_destroy_14(void *counters)
{
	forget(counters);
	REAL(counters_destroy_14)(counters);
}

/* The number of the image that the group belongs to; 0 while it is not open yet. */
static uint32_t image_of(struct group *g)
{
	if (!__atomic_load_n(&g->image, __ATOMIC_RELAXED))
		__atomic_store_n(&g->image, images_link(g->cct, g->name, g), __ATOMIC_RELAXED);
	return g->image;
}

void counters_image_opened(void)
{
	uint32_t end = __atomic_load_n(&high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < end; i++) {
		const void *counters = __atomic_load_n(&groups[i].counters, __ATOMIC_ACQUIRE);

		if (counters && counters != UNFINISHED)
			image_of(&groups[i]);
	}
}

static void noted(const void *counters, int index)
{
	if (index == __atomic_load_n(&lock_acquired_index, __ATOMIC_RELAXED) && recorder_wants_requests()) {
		struct group *g = find(counters);

		if (g && image_of(g))
			EMIT(lock_acquired(g->image));
	}
}

WRAPS(counters_tset)
void counters_tset(void *counters, int index, uint64_t time)
{
	noted(counters, index);
	REAL(counters_tset)(counters, index, time);
}

WRAPS(counters_tset_14)
void counters_tset_14(void *counters, int index, uint64_t time)
{
	noted(counters, index);
	REAL(counters_tset_14)(counters, index, time);
}

static void count(struct group *g, int q)
{
	uint64_t now_ns = recorder_now_ns();

	REAL(pthread_mutex_lock)(&g->mutex);
	g->queues[q].moment_ns[g->queues[q].counted++ % MOMENTS] = now_ns;
	REAL(pthread_mutex_unlock)(&g->mutex);
}

static void counted(const void *counters, int index)
{
	struct group *g;
	int q = 0;

	if (!recorder_wants_requests())
		return;
	while (q < QUEUES && index != latency_index[q])
		q++;
	g = q < QUEUES ? find(counters) : NULL;
	if (g && image_of(g))
		count(g, q);
}

WRAPS(counters_tinc)
void counters_tinc(void *counters, int index, uint64_t elapsed_ns)
{
	counted(counters, index);
	REAL(counters_tinc)(counters, index, elapsed_ns);
}

WRAPS(counters_tinc_14)
void counters_tinc_14(void *counters, int index, uint64_t elapsed_ns)
{
	counted(counters, index);
	REAL(counters_tinc_14)(counters, index, elapsed_ns);
}

uint64_t counters_completed_ns(const struct image *image, uint32_t number, uint8_t kind, uint64_t start_ns)
{
	struct group *g = images_group(image, number);
	int q = queue_of[kind];
	uint64_t moment_ns = 0;

	if (!g || q == QUEUES || __atomic_load_n(&g->image, __ATOMIC_RELAXED) != number)
		return 0;
	REAL(pthread_mutex_lock)(&g->mutex);
	/* Older moments belong to requests that librbd made itself, or that were not recorded. */
	while (g->queues[q].asked < g->queues[q].counted && moment_ns < start_ns) {
		uint64_t at = g->queues[q].asked++;

		if (g->queues[q].counted - at > MOMENTS)
			break; /* overwritten: its callback waited behind too many others */
		moment_ns = g->queues[q].moment_ns[at % MOMENTS];
	}
	REAL(pthread_mutex_unlock)(&g->mutex);
	return moment_ns < start_ns ? 0 : moment_ns;
}
