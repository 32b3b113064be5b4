/*
 * Every way of calling librbd and of learning that a request is complete, with counts that are known beforehand.
 *
 *   ways WAY POOL IMAGE N      issues N requests (of each kind that the way has), 8 in flight at most
 *   ways --list                the ways
 *
 * Prints one line "KIND REQUESTS BYTES FAILED" for every kind, as counted at the calls themselves (a request that fails moves no
 * bytes), and nothing else, so that the output of two runs can be compared. Exits with 1 as soon as librbd answers otherwise than it has
 * to. It knows nothing of rbdprof.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <rbd/librbd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* SECTOR is all that one compare-and-write may carry on Ceph 16. */
enum { DEPTH = 8, BLOCK = 4096, SECTOR = 512, SPAN = 16 << 20 };
enum kind { READ, WRITE, DISCARD, WRITE_ZEROES, WRITESAME, COMPARE_AND_WRITE, FLUSH, INVALIDATE_CACHE, KINDS };

static const char *const kind_names[KINDS] = {"read",  "write",           "discard", "write_zeroes", "writesame", "compare_and_write",
					      "flush", "invalidate_cache"};

static rados_ioctx_t pool;
static const char *image_name;
static rbd_image_t image;
static char data[DEPTH][2 * BLOCK];
static atomic_long requests[KINDS], bytes[KINDS], failed[KINDS];

#define MUST(condition)                                                                                                                    \
	do {                                                                                                                               \
		if (!(condition)) {                                                                                                        \
			fprintf(stderr, "ways: line %d: %s does not hold\n", __LINE__, #condition);                                        \
			exit(1);                                                                                                           \
		}                                                                                                                          \
	} while (0)

static void count(enum kind kind, long length)
{
	requests[kind]++;
	bytes[kind] += length;
}

static uint64_t place(int i)
{
	return (uint64_t)i * BLOCK % SPAN;
}

/* Submit request i of a mixed stream: every fourth writes. */
static void submit(int i, rbd_completion_t completion)
{
	if (i % 4 == 3) {
		count(WRITE, BLOCK);
		MUST(rbd_aio_write(image, place(i), BLOCK, data[i % DEPTH], completion) == 0);
	} else {
		count(READ, BLOCK);
		MUST(rbd_aio_read(image, place(i), BLOCK, data[i % DEPTH], completion) == 0);
	}
}

/* What request i must return: a read its length, a write 0. */
static ssize_t due(int i)
{
	return i % 4 == 3 ? 0 : BLOCK;
}

/* --- learning that it is complete ------------------------------------------------------------------------------------------ */

enum look { WAIT, IS_COMPLETE, GET_RETURN_VALUE };

static void quiet_callback(rbd_completion_t completion, void *arg)
{
	(void)completion;
	atomic_fetch_add((atomic_int *)arg, 1);
}

/* Batches of DEPTH; with a callback that says nothing but that it was called, or with none. Looked at so long after the last was submitted. */
static void batches(int n, enum look look, bool with_callback, unsigned int late_us)
{
	for (int done = 0; done < n; done += DEPTH) {
		rbd_completion_t completions[DEPTH];
		atomic_int called = 0;
		int batch = n - done < DEPTH ? n - done : DEPTH;

		for (int i = 0; i < batch; i++) {
			MUST(rbd_aio_create_completion(&called, with_callback ? quiet_callback : NULL, &completions[i]) == 0);
			submit(done + i, completions[i]);
		}
		while (look == GET_RETURN_VALUE && called < batch)
			usleep(100);
		usleep(late_us);
		for (int i = 0; i < batch; i++) {
			if (look == WAIT)
				MUST(rbd_aio_wait_for_complete(completions[i]) == 0);
			while (look == IS_COMPLETE && !rbd_aio_is_complete(completions[i]))
				usleep(20);
			MUST(rbd_aio_get_return_value(completions[i]) == due(done + i));
			MUST(rbd_aio_get_arg(completions[i]) == &called);
			rbd_aio_release(completions[i]);
		}
		while (with_callback && called < batch)
			usleep(20);
	}
}

static void way_wait(int n)
{
	batches(n, WAIT, false, 0);
}

/* The program sleeps 20 ms between its calls and its looks. */
static void way_late(int n)
{
	batches(n, WAIT, false, 20000);
}

static void way_wait_callback(int n)
{
	batches(n, WAIT, true, 0);
}

static void way_is_complete(int n)
{
	batches(n, IS_COMPLETE, false, 0);
}

static void way_get_return_value(int n)
{
	batches(n, GET_RETURN_VALUE, true, 0);
}

static atomic_int in_flight;

static void releasing_callback(rbd_completion_t completion, void *arg)
{
	MUST(rbd_aio_get_arg(completion) == arg);
	MUST(rbd_aio_get_return_value(completion) == due((int)(intptr_t)arg));
	rbd_aio_release(completion);
	in_flight--;
}

static void way_callback(int n)
{
	for (int i = 0; i < n; i++) {
		rbd_completion_t completion;

		while (in_flight >= DEPTH)
			usleep(20);
		in_flight++;
		MUST(rbd_aio_create_completion((void *)(intptr_t)i, releasing_callback, &completion) == 0);
		submit(i, completion);
	}
	while (in_flight)
		usleep(20);
}

static void forgetful_callback(rbd_completion_t completion, void *arg)
{
	(void)completion;
	(void)arg;
	in_flight--;
}

/* The completion is released right after the call, long before its callback runs: nobody ever looks. */
static void way_release_early(int n)
{
	for (int i = 0; i < n; i++) {
		rbd_completion_t completion;

		while (in_flight >= DEPTH)
			usleep(20);
		in_flight++;
		MUST(rbd_aio_create_completion(NULL, forgetful_callback, &completion) == 0);
		submit(i, completion);
		rbd_aio_release(completion);
	}
	while (in_flight)
		usleep(20);
}

/* An event descriptor and rbd_poll_io_events, which hands over several completions at a time. */
static void way_poll(int n)
{
	int events = eventfd(0, 0), submitted = 0, reaped = 0;

	MUST(events >= 0 && rbd_set_image_notification(image, events, EVENT_TYPE_EVENTFD) == 0);
	while (reaped < n) {
		struct pollfd ready = {.fd = events, .events = POLLIN};
		rbd_completion_t completions[DEPTH];
		uint64_t value;
		int got;

		for (; submitted < n && submitted - reaped < DEPTH; submitted++) {
			MUST(rbd_aio_create_completion((void *)(intptr_t)submitted, NULL, &completions[0]) == 0);
			submit(submitted, completions[0]);
		}
		MUST(poll(&ready, 1, -1) == 1 && read(events, &value, sizeof(value)) == sizeof(value));
		got = rbd_poll_io_events(image, completions, DEPTH);
		MUST(got >= 0);
		for (int i = 0; i < got; i++, reaped++) {
			MUST(rbd_aio_get_return_value(completions[i]) == due((int)(intptr_t)rbd_aio_get_arg(completions[i])));
			rbd_aio_release(completions[i]);
		}
	}
	close(events);
}

/* --- the calls -------------------------------------------------------------------------------------------------------------- */

static ssize_t finished(rbd_completion_t completion)
{
	ssize_t result;

	MUST(rbd_aio_wait_for_complete(completion) == 0);
	result = rbd_aio_get_return_value(completion);
	rbd_aio_release(completion);
	return result;
}

#define AIO(kind, length, expected, call)                                                                                                  \
	do {                                                                                                                               \
		rbd_completion_t c;                                                                                                        \
		MUST(rbd_aio_create_completion(NULL, NULL, &c) == 0);                                                                      \
		count(kind, length);                                                                                                       \
		MUST((call) == 0);                                                                                                         \
		MUST(finished(c) == (expected));                                                                                           \
	} while (0)

static void way_calls(int n)
{
	struct iovec iov[2] = {{data[1], BLOCK}, {data[2], BLOCK}};

	for (int i = 0; i < n; i++) {
		uint64_t off = place(2 * i), mismatch;

		memset(data[1], 'a' + i % 26, BLOCK);
		memset(data[2], 'b' + i % 25, BLOCK);
		AIO(WRITE, 2 * BLOCK, 0, rbd_aio_writev(image, iov, 2, off, c));
		memcpy(data[0], data[1], BLOCK);
		memset(data[1], 0, BLOCK);
		AIO(READ, 2 * BLOCK, 2 * BLOCK, rbd_aio_readv(image, iov, 2, off, c));
		MUST(memcmp(data[0], data[1], BLOCK) == 0);
		AIO(READ, BLOCK, BLOCK, rbd_aio_read2(image, off, BLOCK, data[3], c, 0));
		AIO(WRITE, BLOCK, 0, rbd_aio_write2(image, off, BLOCK, data[1], c, 0));
		AIO(COMPARE_AND_WRITE, SECTOR, 0, rbd_aio_compare_and_write(image, off, SECTOR, data[1], data[2], c, &mismatch, 0));
		AIO(WRITESAME, 4 * BLOCK, 0, rbd_aio_writesame(image, off, 4 * BLOCK, data[1], BLOCK, c, 0));
		AIO(WRITE_ZEROES, BLOCK, 0, rbd_aio_write_zeroes(image, off, BLOCK, c, 0, 0));
		AIO(DISCARD, BLOCK, 0, rbd_aio_discard(image, off, BLOCK, c));
		AIO(FLUSH, 0, 0, rbd_aio_flush(image, c));
	}
}

/* rbd_compare_and_write that finds something else: the request fails, and the caller learns where. */
static void way_mismatch(int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t off = place(i), mismatch = 0;

		memset(data[1], 'x', BLOCK);
		memset(data[2], 'x', BLOCK);
		data[2][256] = 'y';
		count(WRITE, BLOCK);
		MUST(rbd_write(image, off, BLOCK, data[1]) == BLOCK);
		count(COMPARE_AND_WRITE, 0);
		failed[COMPARE_AND_WRITE]++;
		MUST(rbd_compare_and_write(image, off, SECTOR, data[2], data[1], &mismatch, 0) == -EILSEQ);
		MUST(mismatch == 256);
		failed[COMPARE_AND_WRITE]++;
		AIO(COMPARE_AND_WRITE, 0, -EILSEQ, rbd_aio_compare_and_write(image, off, SECTOR, data[2], data[1], c, &mismatch, 0));
	}
}

static int add_length(uint64_t off, size_t length, const char *buffer, void *arg)
{
	(void)off;
	(void)buffer;
	*(uint64_t *)arg += length;
	return 0;
}

static void way_synchronous(int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t off = place(i), mismatch, seen = 0;

		memset(data[1], 'a' + i % 26, BLOCK);
		count(WRITE, BLOCK);
		MUST(rbd_write(image, off, BLOCK, data[1]) == BLOCK);
		count(WRITE, BLOCK);
		MUST(rbd_write2(image, off, BLOCK, data[1], 0) == BLOCK);
		count(READ, BLOCK);
		MUST(rbd_read(image, off, BLOCK, data[2]) == BLOCK && memcmp(data[1], data[2], BLOCK) == 0);
		count(READ, BLOCK);
		MUST(rbd_read2(image, off, BLOCK, data[2], 0) == BLOCK);
		count(COMPARE_AND_WRITE, SECTOR);
		MUST(rbd_compare_and_write(image, off, SECTOR, data[1], data[2], &mismatch, 0) == SECTOR);
		count(READ, 4 * BLOCK);
		MUST(rbd_read_iterate2(image, off, 4 * BLOCK, add_length, &seen) == 0 && seen == 4 * BLOCK);
		count(READ, 2 * BLOCK);
		MUST(rbd_read_iterate(image, off, 2 * BLOCK, add_length, &seen) == 2 * BLOCK && seen == 6 * BLOCK);
		count(WRITESAME, 4 * BLOCK);
		MUST(rbd_writesame(image, off, 4 * BLOCK, data[1], BLOCK, 0) == 4 * BLOCK);
		count(WRITE_ZEROES, BLOCK);
		MUST(rbd_write_zeroes(image, off, BLOCK, 0, 0) == BLOCK);
		count(DISCARD, BLOCK);
		MUST(rbd_discard(image, off, BLOCK) == BLOCK);
		count(FLUSH, 0);
		MUST(rbd_flush(image) == 0);
		count(INVALIDATE_CACHE, 0);
		MUST(rbd_invalidate_cache(image) == 0);
	}
}

/* --- opening, threads, processes --------------------------------------------------------------------------------------------- */

static void read_once(rbd_image_t from)
{
	count(READ, BLOCK);
	MUST(rbd_read(from, 0, BLOCK, data[0]) == BLOCK);
}

/* Eight ways of opening and two of closing; one read of each image. */
static void way_open(int n)
{
	char id[64];

	MUST(rbd_get_id(image, id, sizeof(id)) == 0);
	for (int i = 0; i < n; i++) {
		rbd_image_t images[8];
		rbd_completion_t c[8];

		MUST(rbd_open(pool, image_name, &images[0], NULL) == 0);
		MUST(rbd_open_by_id(pool, id, &images[1], NULL) == 0);
		MUST(rbd_open_read_only(pool, image_name, &images[2], NULL) == 0);
		MUST(rbd_open_by_id_read_only(pool, id, &images[3], NULL) == 0);
		for (int k = 4; k < 8; k++)
			MUST(rbd_aio_create_completion(NULL, NULL, &c[k]) == 0);
		MUST(rbd_aio_open(pool, image_name, &images[4], NULL, c[4]) == 0);
		MUST(rbd_aio_open_by_id(pool, id, &images[5], NULL, c[5]) == 0);
		MUST(rbd_aio_open_read_only(pool, image_name, &images[6], NULL, c[6]) == 0);
		MUST(rbd_aio_open_by_id_read_only(pool, id, &images[7], NULL, c[7]) == 0);
		for (int k = 4; k < 8; k++)
			MUST(finished(c[k]) == 0);
		for (int k = 0; k < 8; k++)
			read_once(images[k]);
		for (int k = 0; k < 4; k++)
			MUST(rbd_close(images[k]) == 0);
		for (int k = 4; k < 8; k++) {
			MUST(rbd_aio_create_completion(NULL, NULL, &c[k]) == 0);
			MUST(rbd_aio_close(images[k], c[k]) == 0);
			MUST(finished(c[k]) == 0);
		}
	}
}

static void *some_requests(void *arg)
{
	batches(*(int *)arg, WAIT, true, 0);
	return NULL;
}

static void way_threads(int n)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		MUST(pthread_create(&threads[i], NULL, some_requests, &n) == 0);
	for (int i = 0; i < 4; i++)
		MUST(pthread_join(threads[i], NULL) == 0);
}

/* A child without exec between two halves of the work: librbd cannot be used in it, and it leaves at once. */
static void way_fork(int n)
{
	pid_t child;
	int status;

	batches(n / 2, WAIT, true, 0);
	child = fork();
	MUST(child >= 0);
	if (child == 0)
		_exit(3);
	batches(n - n / 2, WAIT, true, 0);
	MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static const struct {
	const char *name;
	void (*run)(int n);
} ways[] = {
    {"wait", way_wait},
    {"late", way_late},
    {"wait-callback", way_wait_callback},
    {"is-complete", way_is_complete},
    {"get-return-value", way_get_return_value},
    {"callback", way_callback},
    {"release-early", way_release_early},
    {"poll", way_poll},
    {"calls", way_calls},
    {"mismatch", way_mismatch},
    {"synchronous", way_synchronous},
    {"open", way_open},
    {"threads", way_threads},
    {"fork", way_fork},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

int main(int argc, char **argv)
{
	rados_t cluster;
	int way = 0;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (int i = 0; i < WAYS; i++)
			puts(ways[i].name);
		return 0;
	}
	while (argc == 5 && way < WAYS && strcmp(ways[way].name, argv[1]))
		way++;
	if (argc != 5 || way == WAYS) {
		fprintf(stderr, "usage: ways WAY POOL IMAGE N | ways --list\n");
		return 2;
	}
	image_name = argv[3];
	MUST(rados_create(&cluster, "admin") == 0 && rados_conf_read_file(cluster, NULL) == 0 && rados_connect(cluster) == 0);
	MUST(rados_ioctx_create(cluster, argv[2], &pool) == 0 && rbd_open(pool, image_name, &image, NULL) == 0);
	ways[way].run(atoi(argv[4]));
	MUST(rbd_close(image) == 0);
	rados_ioctx_destroy(pool);
	rados_shutdown(cluster);
	for (int kind = 0; kind < KINDS; kind++)
		if (requests[kind])
			printf("%s %ld %ld %ld\n", kind_names[kind], (long)requests[kind], (long)bytes[kind], (long)failed[kind]);
	return 0;
}
