/* Mutexes of all kinds, hammered by four threads: the counts and the return codes are the output. */
#include "victim.h"

#define THREADS 4
#define ROUNDS  5000

static pthread_mutex_t mutex;
static long counter;

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	if (pthread_mutex_init(&mutex, &attributes))
		abort();
	pthread_mutexattr_destroy(&attributes);
}

static void *hammer(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec until = from_now(CLOCK_REALTIME, 60000), monotonic = from_now(CLOCK_MONOTONIC, 60000);
		int result = 0;

		if (i % 4 == 0)
			result = pthread_mutex_lock(&mutex);
		else if (i % 4 == 1)
			result = pthread_mutex_timedlock(&mutex, &until);
		else if (i % 4 == 2)
			result = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic);
		else
			while (pthread_mutex_trylock(&mutex) == EBUSY)
				;
		if (result)
			abort();
		counter++;
		if (i % 1000 == 0)
			sleep_ms(2); /* so that others wait */
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void hammer_all(const char *name)
{
	pthread_t threads[THREADS];

	counter = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hammer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%s: %ld\n", name, counter);
	pthread_mutex_destroy(&mutex);
}

static void *die(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

static void robust(int protocol)
{
	pthread_t thread;

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, protocol);
	pthread_create(&thread, NULL, die, NULL);
	pthread_join(thread, NULL);
	printf("robust: %d", pthread_mutex_lock(&mutex));
	printf(" %d", pthread_mutex_consistent(&mutex));
	printf(" %d", pthread_mutex_unlock(&mutex));
	printf(" %d", pthread_mutex_lock(&mutex));
	printf(" %d\n", pthread_mutex_unlock(&mutex));
	pthread_mutex_destroy(&mutex);
}

static void errors(void)
{
	const struct timespec past = {0}, bad = {.tv_nsec = -1};

	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	printf("errors: %d", pthread_mutex_unlock(&mutex));
	printf(" %d", pthread_mutex_lock(&mutex));
	printf(" %d", pthread_mutex_lock(&mutex));
	printf(" %d", pthread_mutex_timedlock(&mutex, &past));
	printf(" %d", pthread_mutex_unlock(&mutex));
	printf(" %d", pthread_mutex_clocklock(&mutex, CLOCK_THREAD_CPUTIME_ID, &past));
	printf(" %d", pthread_mutex_timedlock(&mutex, &bad));
	printf(" %d\n", pthread_mutex_unlock(&mutex));
	pthread_mutex_destroy(&mutex);
	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	printf("recursive: %d", pthread_mutex_lock(&mutex));
	printf(" %d", pthread_mutex_trylock(&mutex));
	printf(" %d", pthread_mutex_lock(&mutex));
	for (int i = 0; i < 4; i++)
		printf(" %d", pthread_mutex_unlock(&mutex));
	printf("\n");
	pthread_mutex_destroy(&mutex);
}

int main(void)
{
	rbd_image_t image;

	if (errno)
		printf("errno is not 0 at the start\n");
	image = open_image();
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	hammer_all("normal");
	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	hammer_all("recursive");
	make(PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	hammer_all("adaptive");
	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_INHERIT);
	hammer_all("inheriting");
	robust(PTHREAD_PRIO_NONE);
	robust(PTHREAD_PRIO_INHERIT);
	errors();
	return rbd_close(image);
}
