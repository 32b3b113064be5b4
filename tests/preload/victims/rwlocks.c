/* Readers and writers in every variant: what readers see must hold together. */
#include "victim.h"

#define THREADS 4
#define ROUNDS  3000

static pthread_rwlock_t lock;
static long left, right, broken;

static void *work(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec until = from_now(CLOCK_REALTIME, 60000), monotonic = from_now(CLOCK_MONOTONIC, 60000);
		int result = 0;

		if ((i + (int)(intptr_t)number) % 4) {
			if (i % 3 == 0)
				result = pthread_rwlock_rdlock(&lock);
			else if (i % 3 == 1)
				result = pthread_rwlock_timedrdlock(&lock, &until);
			else
				result = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &monotonic);
			if (left != right)
				__atomic_fetch_add(&broken, 1, __ATOMIC_RELAXED);
		} else {
			if (i % 3 == 0)
				result = pthread_rwlock_wrlock(&lock);
			else if (i % 3 == 1)
				result = pthread_rwlock_timedwrlock(&lock, &until);
			else
				result = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &monotonic);
			left++;
			if (i % 500 == 0)
				sleep_ms(2);
			right++;
		}
		if (result)
			abort();
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

static void hammer(const char *name, int preference)
{
	pthread_rwlockattr_t attributes;
	pthread_t threads[THREADS];

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, preference);
	pthread_rwlock_init(&lock, &attributes);
	left = right = broken = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%s: %ld written, %ld broken\n", name, left, broken);
	pthread_rwlock_destroy(&lock);
}

static void errors(void)
{
	const struct timespec past = {0}, bad = {.tv_nsec = 1000000000};

	pthread_rwlock_init(&lock, NULL);
	printf("errors: %d", pthread_rwlock_tryrdlock(&lock));
	printf(" %d", pthread_rwlock_trywrlock(&lock));
	printf(" %d", pthread_rwlock_timedwrlock(&lock, &past));
	printf(" %d", pthread_rwlock_unlock(&lock));
	printf(" %d", pthread_rwlock_wrlock(&lock));
	printf(" %d", pthread_rwlock_wrlock(&lock));
	printf(" %d", pthread_rwlock_rdlock(&lock));
	printf(" %d", pthread_rwlock_tryrdlock(&lock));
	printf(" %d", pthread_rwlock_unlock(&lock));
	printf(" %d", pthread_rwlock_timedrdlock(&lock, &bad));
	printf(" %d\n", pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &past));
	pthread_rwlock_destroy(&lock);
}

int main(void)
{
	rbd_image_t image = open_image();

	hammer("readers first", PTHREAD_RWLOCK_PREFER_READER_NP);
	hammer("writers first", PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	errors();
	return rbd_close(image);
}
