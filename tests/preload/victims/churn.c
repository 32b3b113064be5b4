/* Threads that come and go, each of which takes a lock and makes a request. */
#include "victim.h"

#define THREADS 2000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static rbd_image_t image;
static int counter;

static void *live(void *unused)
{
	char data[512];

	pthread_mutex_lock(&mutex);
	counter++;
	pthread_mutex_unlock(&mutex);
	if (rbd_read(image, 0, sizeof(data), data) != sizeof(data))
		abort();
	return unused;
}

int main(void)
{
	image = open_image();
	for (int i = 0; i < THREADS; i += 4) {
		pthread_t threads[4];

		for (int j = 0; j < 4; j++)
			if (pthread_create(&threads[j], NULL, live, NULL))
				abort();
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
	}
	printf("lived: %d\n", counter);
	return rbd_close(image);
}
