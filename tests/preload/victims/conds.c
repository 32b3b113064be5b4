/* Condition variables: a queue between threads, waits of all kinds, timeouts, and threads cancelled while they wait. */
#include "victim.h"

#define ITEMS 3000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queued, cleaned, waiting;
static long sum;

static void wait_for(pthread_cond_t *cond, int way)
{
	struct timespec until = from_now(CLOCK_REALTIME, 60000), monotonic = from_now(CLOCK_MONOTONIC, 60000);
	int result;

	if (way % 3 == 0)
		result = pthread_cond_wait(cond, &mutex);
	else if (way % 3 == 1)
		result = pthread_cond_timedwait(cond, &mutex, &until);
	else
		result = pthread_cond_clockwait(cond, &mutex, CLOCK_MONOTONIC, &monotonic);
	if (result)
		abort();
}

static void *consume(void *unused)
{
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (!queued)
			wait_for(&filled, i);
		sum += queued;
		queued = 0;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void unlock(void *unused)
{
	(void)unused;
	cleaned++;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *way)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	waiting++;
	for (;;)
		wait_for(&filled, (int)(intptr_t)way);
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	rbd_image_t image = open_image();
	struct timespec past = {0};
	pthread_t threads[6];

	pthread_create(&threads[0], NULL, consume, NULL);
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (queued)
			wait_for(&emptied, i);
		queued = i;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&mutex);
	}
	pthread_join(threads[0], NULL);
	printf("sum: %ld\n", sum);

	pthread_mutex_lock(&mutex);
	printf("timeouts: %d", pthread_cond_timedwait(&filled, &mutex, &past));
	printf(" %d", pthread_cond_clockwait(&filled, &mutex, CLOCK_MONOTONIC, &past));
	past.tv_nsec = -1;
	printf(" %d", pthread_cond_timedwait(&filled, &mutex, &past));
	printf(" %d\n", pthread_cond_clockwait(&filled, &mutex, CLOCK_THREAD_CPUTIME_ID, &past));
	pthread_mutex_unlock(&mutex);

	for (int i = 0; i < 6; i++)
		pthread_create(&threads[i], NULL, wait_for_ever, (void *)(intptr_t)i);
	for (int all = 0; !all; sleep_ms(1)) {
		pthread_mutex_lock(&mutex);
		all = waiting == 6;
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 6; i++) {
		void *result;

		pthread_cancel(threads[i]);
		pthread_join(threads[i], &result);
		printf("cancelled: %d, cleaned %d, free %d\n", result == PTHREAD_CANCELED, cleaned, pthread_mutex_trylock(&mutex) == 0);
		pthread_mutex_unlock(&mutex);
	}
	return rbd_close(image);
}
