/*
 * A librbd application that is slow for a reason of its own, or, with a pause of 0, is not.
 *
 *   load WAY POOL IMAGE SECONDS DEPTH PAUSE_US SEED
 *     plain      writes, each after the pause; the callback only notes that it was called
 *     flushed    the same after one flush
 *     sleep      reads; the callback sleeps for the pause
 *     compute    reads; the callback computes for the pause
 *     late       reads; completions are looked at only once in a pause, by the thread that submits
 *     unwatched  reads without a callback: DEPTH are submitted, the pause goes by, all are waited for
 *     mutex      writes from eight threads, each submitting, and before that sleeping for the pause, under one mutex
 *     nested     blocking writes from four threads, each under one mutex
 *
 * Prints one JSON object, as counted and timed by itself: completed and failed requests, how long it ran, the sum over all requests
 * from the call until it looked, and the time that its submitting threads had and spent waiting for its mutex. It knows nothing of
 * rbdprof.
 */
#include <pthread.h>
#include <rbd/librbd.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, SPAN = 64 << 20, MOST_THREADS = 8, MOST_DEPTH = 256 };

struct submitter;

/* A request in flight, or a place for one. */
struct slot {
	struct submitter *owner;
	rbd_completion_t completion;
	uint64_t begin_ns;
	enum { FREE, BUSY, DONE } _Atomic state;
	char data[BLOCK];
};

/* A thread with its own share of the depth, so that handing out slots needs no lock. */
struct submitter {
	pthread_t thread;
	struct slot *slots;
	int depth;
	unsigned int seed;
	sem_t ready; /* one for each slot that is free, or done where completions are looked at */
	uint64_t waited_ns, lived_ns;
};

static rbd_image_t image;
static unsigned int pause_us;
static volatile uint64_t end_ns;
static struct slot slots[MOST_DEPTH];
static struct submitter submitters[MOST_THREADS];
static atomic_ulong completed, failed, total_ns;
static pthread_mutex_t submission = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what)
{
	fprintf(stderr, "load: cannot %s\n", what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t somewhere(struct submitter *s)
{
	return (uint64_t)(rand_r(&s->seed) % (SPAN / BLOCK)) * BLOCK;
}

static void account(int64_t result, uint64_t begin_ns)
{
	total_ns += now_ns() - begin_ns;
	if (result < 0)
		failed++;
	else
		completed++;
}

/* The application has looked at the slot's request and is done with it. */
static void look(struct slot *slot)
{
	account(rbd_aio_get_return_value(slot->completion), slot->begin_ns);
	rbd_aio_release(slot->completion);
	slot->state = FREE;
}

static void submit(struct submitter *s, struct slot *slot, bool writing, rbd_callback_t callback)
{
	int result;

	slot->owner = s;
	slot->state = BUSY;
	if (rbd_aio_create_completion(slot, callback, &slot->completion))
		die("make a completion");
	slot->begin_ns = now_ns();
	result = writing ? rbd_aio_write(image, somewhere(s), BLOCK, slot->data, slot->completion)
			 : rbd_aio_read(image, somewhere(s), BLOCK, slot->data, slot->completion);
	if (result)
		die("submit");
}

static struct slot *free_slot(struct submitter *s)
{
	sem_wait(&s->ready);
	for (int i = 0;; i = (i + 1) % s->depth)
		if (s->slots[i].state == FREE)
			return &s->slots[i];
}

static void finish(struct slot *slot)
{
	struct submitter *owner = slot->owner;

	look(slot);
	sem_post(&owner->ready);
}

static void quick_callback(rbd_completion_t completion, void *arg)
{
	(void)completion;
	finish(arg);
}

static void sleeping_callback(rbd_completion_t completion, void *arg)
{
	(void)completion;
	if (pause_us)
		usleep(pause_us);
	finish(arg);
}

static void computing_callback(rbd_completion_t completion, void *arg)
{
	uint64_t until_ns = now_ns() + pause_us * 1000ull;

	(void)completion;
	while (now_ns() < until_ns)
		;
	finish(arg);
}

static void noting_callback(rbd_completion_t completion, void *arg)
{
	struct slot *slot = arg;

	(void)completion;
	slot->state = DONE;
	sem_post(&slot->owner->ready);
}

/* --- the ways: what one submitting thread does until the time is over ------------------------------------------------------- */

static void drain(struct submitter *s)
{
	for (int i = 0; i < s->depth; i++)
		sem_wait(&s->ready);
}

static void stream(struct submitter *s, rbd_callback_t callback)
{
	while (now_ns() < end_ns)
		submit(s, free_slot(s), false, callback);
	drain(s);
}

static void way_plain(struct submitter *s)
{
	while (now_ns() < end_ns) {
		if (pause_us)
			usleep(pause_us);
		submit(s, free_slot(s), true, quick_callback);
	}
	drain(s);
}

static void way_flushed(struct submitter *s)
{
	if (rbd_flush(image))
		die("flush");
	way_plain(s);
}

static void way_sleep(struct submitter *s)
{
	stream(s, sleeping_callback);
}

static void way_compute(struct submitter *s)
{
	stream(s, computing_callback);
}

/* ready counts those that are done; it is waited for only when there is no pause to wait out. */
static void way_late(struct submitter *s)
{
	int busy = s->depth;

	for (int i = 0; i < s->depth; i++) {
		sem_wait(&s->ready);
		submit(s, &s->slots[i], false, noting_callback);
	}
	while (busy) {
		if (pause_us)
			usleep(pause_us);
		else
			sem_wait(&s->ready);
		for (int i = 0; i < s->depth; i++) {
			if (s->slots[i].state != DONE)
				continue;
			look(&s->slots[i]);
			if (now_ns() < end_ns)
				submit(s, &s->slots[i], false, noting_callback);
			else
				busy--;
		}
	}
}

static void way_unwatched(struct submitter *s)
{
	while (now_ns() < end_ns) {
		for (int i = 0; i < s->depth; i++)
			submit(s, &s->slots[i], false, NULL);
		if (pause_us)
			usleep(pause_us);
		for (int i = 0; i < s->depth; i++) {
			rbd_aio_wait_for_complete(s->slots[i].completion);
			look(&s->slots[i]);
		}
	}
}

static void lock_submission(struct submitter *s)
{
	uint64_t begin_ns = now_ns();

	pthread_mutex_lock(&submission);
	s->waited_ns += now_ns() - begin_ns;
}

static void way_mutex(struct submitter *s)
{
	while (now_ns() < end_ns) {
		struct slot *slot = free_slot(s);

		lock_submission(s);
		if (pause_us)
			usleep(pause_us);
		submit(s, slot, true, quick_callback);
		pthread_mutex_unlock(&submission);
	}
	drain(s);
}

static void way_nested(struct submitter *s)
{
	while (now_ns() < end_ns) {
		uint64_t begin_ns;
		ssize_t result;

		lock_submission(s);
		begin_ns = now_ns();
		result = rbd_write(image, somewhere(s), BLOCK, s->slots[0].data);
		account(result, begin_ns);
		pthread_mutex_unlock(&submission);
	}
}

static const struct way {
	const char *name;
	int threads;
	void (*run)(struct submitter *s);
} ways[] = {
    {"plain", 1, way_plain}, {"flushed", 1, way_flushed},     {"sleep", 1, way_sleep}, {"compute", 1, way_compute},
    {"late", 1, way_late},   {"unwatched", 1, way_unwatched}, {"mutex", 8, way_mutex}, {"nested", 4, way_nested},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static const struct way *way;

static void *run(void *arg)
{
	struct submitter *s = arg;
	uint64_t begin_ns = now_ns();

	way->run(s);
	s->lived_ns = now_ns() - begin_ns;
	return NULL;
}

static void start(int n, int depth, unsigned int seed)
{
	struct submitter *s = &submitters[n];

	s->depth = depth / way->threads;
	s->slots = &slots[n * s->depth];
	s->seed = seed * MOST_THREADS + n;
	sem_init(&s->ready, 0, s->depth);
	if (pthread_create(&s->thread, NULL, run, s))
		die("start a thread");
}

static void end_now(int signal)
{
	(void)signal;
	end_ns = 0;
}

int main(int argc, char **argv)
{
	uint64_t begin_ns, waited_ns = 0, lived_ns = 0;
	rados_ioctx_t pool;
	rados_t cluster;
	int depth;

	for (way = ways; argc == 8 && way < ways + WAYS && strcmp(way->name, argv[1]);)
		way++;
	depth = argc == 8 ? atoi(argv[5]) : 0;
	if (argc != 8 || way == ways + WAYS || depth < way->threads || depth > MOST_DEPTH) {
		fprintf(stderr, "usage: load WAY POOL IMAGE SECONDS DEPTH PAUSE_US SEED\n");
		return 2;
	}
	if (rados_create(&cluster, "admin") || rados_conf_read_file(cluster, NULL) || rados_conf_parse_env(cluster, NULL) ||
	    rados_connect(cluster) || rados_ioctx_create(cluster, argv[2], &pool) || rbd_open(pool, argv[3], &image, NULL))
		die("open the image");
	pause_us = atoi(argv[6]);
	begin_ns = now_ns();
	end_ns = begin_ns + atof(argv[4]) * 1e9;
	signal(SIGTERM, end_now); /* its locks are given up, then */
	for (int i = 0; i < way->threads; i++)
		start(i, depth, atoi(argv[7]));
	for (int i = 0; i < way->threads; i++) {
		pthread_join(submitters[i].thread, NULL);
		waited_ns += submitters[i].waited_ns;
		lived_ns += submitters[i].lived_ns;
	}
	printf("{\"completed\": %lu, \"failed\": %lu, \"ran_ns\": %lu, \"total_ns\": %lu, \"waited_ns\": %lu, \"submitters_ns\": %lu}\n",
	       completed, failed, now_ns() - begin_ns, total_ns, waited_ns, lived_ns);
	rbd_close(image);
	rados_ioctx_destroy(pool);
	rados_shutdown(cluster);
	return 0;
}
