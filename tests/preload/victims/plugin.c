/* A plugin that brings librbd with a scope of its own, as QEMU's block driver does, and takes locks. */
#include "victim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

int plugin_run(void);
int plugin_run(void)
{
	char data[512] = "";
	rbd_image_t image = open_image();
	rbd_completion_t completion;
	ssize_t result;

	pthread_mutex_lock(&mutex);
	pthread_rwlock_rdlock(&rwlock);
	rbd_aio_create_completion(NULL, NULL, &completion);
	rbd_aio_read(image, 0, sizeof(data), data, completion);
	rbd_aio_wait_for_complete(completion);
	result = rbd_aio_get_return_value(completion) + rbd_read(image, 0, sizeof(data), data);
	rbd_aio_release(completion);
	pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&mutex);
	return rbd_close(image) ? -1 : (int)result;
}
