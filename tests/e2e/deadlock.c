/*
 * Two threads that wait for each other's mutex until the program is killed.   deadlock POOL IMAGE SECONDS
 *
 * `left` holds left_lock and asks for right_lock (ask_right), `right` the other way round (ask_left). Kills itself SECONDS after both have
 * been waiting. It knows nothing of rbdprof.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <rbd/librbd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT __attribute__((noipa)) /* its name is looked for */

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER, right_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_hold;

KEPT void ask_right(void)
{
	pthread_mutex_lock(&right_lock);
	abort();
}

KEPT void ask_left(void)
{
	pthread_mutex_lock(&left_lock);
	abort();
}

static void *run_left(void *unused)
{
	pthread_setname_np(pthread_self(), "left");
	pthread_mutex_lock(&left_lock);
	pthread_barrier_wait(&both_hold);
	ask_right();
	return unused;
}

static void *run_right(void *unused)
{
	pthread_setname_np(pthread_self(), "right");
	pthread_mutex_lock(&right_lock);
	pthread_barrier_wait(&both_hold);
	ask_left();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	rados_ioctx_t pool;
	rbd_image_t image;
	rados_t cluster;

	if (argc != 4 || rados_create(&cluster, "admin") || rados_conf_read_file(cluster, getenv("CEPH_CONF")) || rados_connect(cluster) ||
	    rados_ioctx_create(cluster, argv[1], &pool) || rbd_open(pool, argv[2], &image, NULL)) {
		fprintf(stderr, "deadlock: cannot open the image\n");
		return 1;
	}
	pthread_barrier_init(&both_hold, NULL, 3);
	pthread_create(&threads[0], NULL, run_left, NULL);
	pthread_create(&threads[1], NULL, run_right, NULL);
	pthread_barrier_wait(&both_hold);
	sleep((unsigned int)atoi(argv[3]));
	raise(SIGKILL);
	return 1;
}
