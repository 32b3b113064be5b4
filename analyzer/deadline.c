/* A thread a call; the last of the two to leave frees the record between them. */
#include "analyzer/deadline.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct call {
	pthread_mutex_t mutex;
	pthread_cond_t over;
	int (*call)(void *data);
	void *data;
	int result;
	bool done;
	bool abandoned;
};

uint64_t deadline_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void deadline_sleep_ms(unsigned int ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void forget(struct call *c)
{
	pthread_cond_destroy(&c->over);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

static void *run(void *argument)
{
	struct call *c = argument;
	int result = c->call(c->data);
	bool abandoned;

	pthread_mutex_lock(&c->mutex);
	c->result = result;
	c->done = true;
	abandoned = c->abandoned;
	pthread_cond_signal(&c->over);
	pthread_mutex_unlock(&c->mutex);
	if (abandoned)
		forget(c);
	return NULL;
}

int deadline_call(int (*call)(void *data), void *data, unsigned int ms)
{
	struct call *c = calloc(1, sizeof(*c));
	pthread_condattr_t attributes;
	struct timespec end;
	pthread_t thread;
	int result;

	if (!c)
		return -ENOMEM;
	c->call = call;
	c->data = data;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&c->over, &attributes);
	pthread_condattr_destroy(&attributes);

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += (long)(ms % 1000) * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	result = -pthread_create(&thread, NULL, run, c);
	if (result) {
		forget(c);
		return result;
	}
	pthread_mutex_lock(&c->mutex);
	while (!c->done && pthread_cond_timedwait(&c->over, &c->mutex, &end) != ETIMEDOUT)
		;
	if (!c->done) {
		c->abandoned = true;
		pthread_detach(thread);
		pthread_mutex_unlock(&c->mutex);
		return -ETIMEDOUT;
	}
	result = c->result;
	pthread_mutex_unlock(&c->mutex);
	pthread_join(thread, NULL);
	forget(c);
	return result;
}
