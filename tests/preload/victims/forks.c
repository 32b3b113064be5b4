/* fork() while other threads take locks: children that do nothing, that open an image of their own, and that end by _exit and by exit. */
#include <sys/wait.h>

#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static void *take_and_let_go(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static int read_once(rbd_image_t image)
{
	char data[512];

	return rbd_read(image, 0, sizeof(data), data) == sizeof(data) ? 0 : 1;
}

int main(void)
{
	rbd_image_t image = open_image();
	pthread_t threads[2];
	int result = read_once(image);

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_and_let_go, NULL);
	fflush(stdout);
	for (int i = 0; i < 20; i++) {
		int status = 0;
		pid_t child = fork();

		if (!child) {
			if (i % 4 == 1) {
				rbd_image_t own = open_image();

				result |= read_once(own);
				result |= rbd_close(own);
			}
			if (i % 2)
				exit(result ? 99 : i);
			_exit(i);
		}
		waitpid(child, &status, 0);
		printf("child %d: %d\n", i, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
		fflush(stdout);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	result |= read_once(image);
	return result | rbd_close(image);
}
