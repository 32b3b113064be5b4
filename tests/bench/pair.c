/*
 * What locking and unlocking a mutex costs in a program that has an image open: ns of the calling threads' processor time a pair.
 *
 *   pair POOL IMAGE PAIRS
 *
 * Threads lock and unlock in slices of PAIRS pairs in all, several slices of each kind, and the fastest one counts, since whatever else
 * the machine does only adds. The threads sleep between slices, so that a tracer can empty its buffers. librbd's own threads make the
 * process one of many, in which glibc's locks are atomic. Where every lock has to be waited for, two threads share a processor, and each
 * leaves it to the other while it holds the lock. Prints a JSON object: the costs by kind, and all pairs made. It knows nothing of rbdprof.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <rbd/librbd.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SLICES = 7, MOST_THREADS = 8, MOST_LOCKS = 512, PAUSE_NS = 20000000, CONTENDED_PART = 50 /* of PAIRS: they take so much longer */ };

/* Locks of different threads share no cache line. */
static struct lock {
	pthread_mutex_t mutex;
} __attribute__((aligned(64))) locks[MOST_THREADS][MOST_LOCKS];

static const struct kind {
	const char *name;
	int threads, locks; /* of each thread */
	bool contended;     /* all take the first one's */
} kinds[] = {
    {"1 thread", 1, 1, false},
    {"2 threads", 2, 1, false},
    {"8 threads", 8, 1, false},
    {"2 threads with 512 locks each", 2, 512, false},
    {"2 threads and one contended lock", 2, 1, true},
};

static const struct kind *kind;
static long pairs; /* of each thread in a slice */
static pthread_barrier_t begin;
static double cost_ns[MOST_THREADS][SLICES];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void run_contended(pthread_mutex_t *mutex)
{
	for (long i = 0; i < pairs; i++) {
		pthread_mutex_lock(mutex);
		sched_yield();
		pthread_mutex_unlock(mutex);
	}
}

static void run_slice(struct lock *mine)
{
	for (long i = 0, at = 0; i < pairs; i++, at = at + 1 < kind->locks ? at + 1 : 0) {
		pthread_mutex_lock(&mine[at].mutex);
		pthread_mutex_unlock(&mine[at].mutex);
	}
}

static void *run(void *costs)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	long thread = (double(*)[SLICES])costs - cost_ns;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (kind->contended)
		pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	for (int i = 0; i < SLICES; i++) {
		double begun_ns;

		nanosleep(&pause, NULL);
		pthread_barrier_wait(&begin);
		begun_ns = now_ns();
		if (kind->contended)
			run_contended(&locks[0][0].mutex);
		else
			run_slice(locks[thread]);
		cost_ns[thread][i] = now_ns() - begun_ns;
	}
	return costs;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* What a pair costs all threads in the fastest slice. */
static double measure(long pairs_in_all)
{
	pthread_t threads[MOST_THREADS];
	double sums_ns[SLICES] = {0};

	pairs = pairs_in_all / kind->threads / (kind->contended ? CONTENDED_PART : 1);
	pthread_barrier_init(&begin, NULL, (unsigned int)kind->threads);
	for (int i = 0; i < kind->threads; i++)
		if (pthread_create(&threads[i], NULL, run, cost_ns[i]))
			abort();
	for (int i = 0; i < kind->threads; i++) {
		pthread_join(threads[i], NULL);
		for (int slice = 0; slice < SLICES; slice++)
			sums_ns[slice] += cost_ns[i][slice];
	}
	pthread_barrier_destroy(&begin);
	qsort(sums_ns, SLICES, sizeof(sums_ns[0]), compare);
	return sums_ns[0] / (double)(pairs * kind->threads);
}

int main(int argc, char **argv)
{
	rados_ioctx_t pool;
	rbd_image_t image;
	rados_t cluster;
	long made = 0;

	if (argc != 4 || rados_create(&cluster, "admin") || rados_conf_read_file(cluster, getenv("CEPH_CONF")) || rados_connect(cluster) ||
	    rados_ioctx_create(cluster, argv[1], &pool) || rbd_open(pool, argv[2], &image, NULL)) {
		fprintf(stderr, "pair: cannot open the image\n");
		return 1;
	}
	for (int i = 0; i < MOST_THREADS; i++)
		for (int j = 0; j < MOST_LOCKS; j++)
			pthread_mutex_init(&locks[i][j].mutex, NULL);
	printf("{\"ns\": {");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kind = &kinds[i];
		printf("%s\"%s\": %.3f", i ? ", " : "", kind->name, measure(atol(argv[3])));
		made += pairs * kind->threads * SLICES;
	}
	printf("}, \"pairs\": %ld}\n", made);
	rbd_close(image);
	rados_ioctx_destroy(pool);
	rados_shutdown(cluster);
	return 0;
}
