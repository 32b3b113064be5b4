/*
 * Locks that nobody else wants: each way to take one has a function hammer_WAY that takes and lets go a lock as often as the argument says,
 * in a process of two threads. Right before and after it, the thread asks the kernel for its process group, which nothing else here does,
 * so that whoever watches system calls sees where they are.
 */
#include <sys/syscall.h>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct timespec later;
static long rounds;

/* A function of its own in every build, so that it can be told by its name. */
#define HAMMER(way, acquire, release)                                                                                                      \
	static __attribute__((noipa)) void hammer_##way(void)                                                                              \
	{                                                                                                                                  \
		for (long i = 0; i < rounds; i++) {                                                                                        \
			if (acquire)                                                                                                       \
				abort();                                                                                                   \
			release;                                                                                                           \
		}                                                                                                                          \
	}

HAMMER(lock, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
HAMMER(trylock, pthread_mutex_trylock(&mutex), pthread_mutex_unlock(&mutex))
HAMMER(timedlock, pthread_mutex_timedlock(&mutex, &later), pthread_mutex_unlock(&mutex))
HAMMER(recursive, pthread_mutex_lock(&recursive), pthread_mutex_unlock(&recursive))
HAMMER(rdlock, pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock))
HAMMER(wrlock, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
HAMMER(signal, pthread_cond_signal(&cond), (void)0)

static void (*const hammers[])(void) = {
    hammer_lock, hammer_trylock, hammer_timedlock, hammer_recursive, hammer_rdlock, hammer_wrlock, hammer_signal,
};

/* A thread's first lock of a recording makes it known. */
static void become_known(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void mark(void)
{
	syscall(SYS_getpgid, 0);
}

static void *run(void *unused)
{
	become_known();
	for (size_t i = 0; i < sizeof(hammers) / sizeof(hammers[0]); i++) {
		mark();
		hammers[i]();
		mark();
	}
	return unused;
}

int main(int argc, char **argv)
{
	rbd_image_t image;
	pthread_t thread;

	if (argc != 2)
		return 2;
	image = open_image();
	rounds = atol(argv[1]);
	later = from_now(CLOCK_REALTIME, 600000);
	if (pthread_create(&thread, NULL, run, NULL))
		abort();
	pthread_join(thread, NULL);
	return rbd_close(image);
}
