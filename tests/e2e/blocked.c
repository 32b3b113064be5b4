/*
 * An application whose threads wait for each other's mutexes, with an answer that is known by construction.
 *
 *   blocked POOL IMAGE SECONDS
 *
 * The thread `third` holds inner_lock for 3 ms at a time (hold_inner). The thread `keeper` holds kept_lock while it writes, sleeps 5 ms,
 * and takes inner_lock in between (keep). The thread `asker` takes kept_lock (ask) and then writes. Prints one JSON object, as counted and
 * timed by itself: how often kept_lock was taken, how long asker waited for it, and how many writes were made. It knows nothing of rbdprof.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <rbd/librbd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline)) /* its name is looked for */

enum { BLOCK = 4096, BLOCKS = 1024 };

static rbd_image_t image;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER, inner_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t end_ns, asked_ns, asked, kept, held, writes[2];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void write_block(int who)
{
	static char data[BLOCK];

	if (rbd_write(image, (writes[who] * 2 + (uint64_t)who) % BLOCKS * BLOCK, BLOCK, data) != BLOCK)
		exit(1);
	writes[who]++;
}

KEPT void hold_inner(void)
{
	pthread_mutex_lock(&inner_lock);
	usleep(3000);
	pthread_mutex_unlock(&inner_lock);
	held++; /* else the last call returned to the caller of this function */
}

KEPT void keep(void)
{
	pthread_mutex_lock(&kept_lock);
	usleep(5000);
	pthread_mutex_lock(&inner_lock);
	pthread_mutex_unlock(&inner_lock);
	write_block(0);
	pthread_mutex_unlock(&kept_lock);
	kept++; /* as above */
}

KEPT void ask(void)
{
	uint64_t begin_ns = now_ns();

	pthread_mutex_lock(&kept_lock);
	asked_ns += now_ns() - begin_ns;
	asked++;
	pthread_mutex_unlock(&kept_lock);
	write_block(1);
}

static void *run_third(void *unused)
{
	pthread_setname_np(pthread_self(), "third");
	while (now_ns() < end_ns) {
		hold_inner();
		usleep(200);
	}
	return unused;
}

static void *run_keeper(void *unused)
{
	pthread_setname_np(pthread_self(), "keeper");
	while (now_ns() < end_ns) {
		keep();
		usleep(1000);
	}
	return unused;
}

static void *run_asker(void *unused)
{
	pthread_setname_np(pthread_self(), "asker");
	while (now_ns() < end_ns)
		ask();
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const runs[])(void *) = {run_third, run_keeper, run_asker};
	pthread_t threads[3];
	rados_ioctx_t pool;
	rados_t cluster;

	if (argc != 4 || rados_create(&cluster, "admin") || rados_conf_read_file(cluster, getenv("CEPH_CONF")) || rados_connect(cluster) ||
	    rados_ioctx_create(cluster, argv[1], &pool) || rbd_open(pool, argv[2], &image, NULL)) {
		fprintf(stderr, "blocked: cannot open the image\n");
		return 1;
	}
	end_ns = now_ns() + (uint64_t)atoi(argv[3]) * 1000000000;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, runs[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	rbd_close(image);
	rados_ioctx_destroy(pool);
	rados_shutdown(cluster);
	printf("{\"acquisitions\": %llu, \"asked\": %llu, \"asked_ns\": %llu, \"writes\": %llu}\n", (unsigned long long)(kept + asked),
	       (unsigned long long)asked, (unsigned long long)asked_ns, (unsigned long long)(writes[0] + writes[1]));
	return 0;
}
