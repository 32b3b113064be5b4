/*
 * ways.c for librbd's C++ interface: each of its ways of opening, of moving data and of learning that a request is complete.
 *
 *   ways_cxx WAY POOL IMAGE N
 *
 * Prints what ways prints, and exits with 1 as soon as librbd answers otherwise than it has to. It knows nothing of rbdprof.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <poll.h>
#include <rados/librados.hpp>
#include <rbd/librbd.hpp>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>

using completion = librbd::RBD::AioCompletion;

namespace
{

enum { DEPTH = 8, BLOCK = 4096, SECTOR = 512, SPAN = 16 << 20 };

struct counts {
	std::atomic<long> requests, bytes;
};

std::map<std::string, counts> counted;
librbd::RBD rbd;
librados::IoCtx pool;
const char *image_name;
librbd::Image image;

#define MUST(condition)                                                                                                                    \
	do {                                                                                                                               \
		if (!(condition)) {                                                                                                        \
			fprintf(stderr, "ways_cxx: line %d: %s does not hold\n", __LINE__, #condition);                                    \
			exit(1);                                                                                                           \
		}                                                                                                                          \
	} while (0)

void count(const char *kind, long bytes)
{
	counted[kind].requests++;
	counted[kind].bytes += bytes;
}

uint64_t place(int i)
{
	return static_cast<uint64_t>(i) * BLOCK % SPAN;
}

ceph::bufferlist filled(char with, size_t length = BLOCK)
{
	ceph::bufferlist data;

	data.append(std::string(length, with));
	return data;
}

ssize_t finished(completion *c)
{
	MUST(c->wait_for_complete() == 0);
	ssize_t result = c->get_return_value();
	c->release();
	return result;
}

/* --- learning that it is complete --- */

std::atomic<int> in_flight;

struct one {
	int number;
	ceph::bufferlist data;
};

/* Submits request i of a mixed stream: every fourth writes. */
void submit(one *o, completion *c)
{
	if (o->number % 4 == 3) {
		o->data = filled('w');
		count("write", BLOCK);
		MUST(image.aio_write(place(o->number), BLOCK, o->data, c) == 0);
	} else {
		count("read", BLOCK);
		MUST(image.aio_read(place(o->number), BLOCK, o->data, c) == 0);
	}
}

ssize_t due(const one *o)
{
	return o->number % 4 == 3 ? 0 : BLOCK;
}

void way_wait(int n)
{
	for (int i = 0; i < n; i += DEPTH) {
		int batch = n - i < DEPTH ? n - i : DEPTH;
		completion *c[DEPTH];
		one all[DEPTH];

		for (int k = 0; k < batch; k++) {
			all[k].number = i + k;
			c[k] = new completion(&all[k], nullptr);
			submit(&all[k], c[k]);
		}
		for (int k = 0; k < batch; k++) {
			while (k % 2 && !c[k]->is_complete())
				usleep(20);
			MUST(c[k]->get_arg() == &all[k]);
			MUST(finished(c[k]) == due(&all[k]));
		}
	}
}

void releasing(void *c, void *arg)
{
	completion *self = static_cast<completion *>(c);
	one *o = static_cast<one *>(arg);

	MUST(self->get_arg() == arg);
	MUST(self->get_return_value() == due(o));
	self->release();
	delete o;
	in_flight--;
}

void forgetful(void *, void *arg)
{
	delete static_cast<one *>(arg);
	in_flight--;
}

void stream(int n, void (*callback)(void *, void *), bool released)
{
	for (int i = 0; i < n; i++) {
		one *o = new one{i, {}};
		completion *c = new completion(o, callback);

		while (in_flight >= DEPTH)
			usleep(20);
		in_flight++;
		submit(o, c);
		if (released)
			c->release();
	}
	while (in_flight)
		usleep(20);
}

void way_callback(int n)
{
	stream(n, releasing, false);
}

void way_release_early(int n)
{
	stream(n, forgetful, true);
}

void way_poll(int n)
{
	int events = eventfd(0, 0), submitted = 0, reaped = 0;

	MUST(events >= 0 && image.set_image_notification(events, EVENT_TYPE_EVENTFD) == 0);
	while (reaped < n) {
		struct pollfd ready = {events, POLLIN, 0};
		completion *completions[DEPTH];
		uint64_t value;
		int got;

		for (; submitted < n && submitted - reaped < DEPTH; submitted++) {
			one *o = new one{submitted, {}};
			submit(o, new completion(o, nullptr));
		}
		MUST(poll(&ready, 1, -1) == 1 && read(events, &value, sizeof(value)) == sizeof(value));
		got = image.poll_io_events(completions, DEPTH);
		MUST(got >= 0);
		for (int i = 0; i < got; i++, reaped++) {
			one *o = static_cast<one *>(completions[i]->get_arg());

			MUST(completions[i]->get_return_value() == due(o));
			completions[i]->release();
			delete o;
		}
	}
	close(events);
}

/* --- the calls --- */

#define AIO(kind, length, expected, call)                                                                                                  \
	do {                                                                                                                               \
		completion *c = new completion(nullptr, nullptr);                                                                          \
		count(kind, length);                                                                                                       \
		MUST((call) == 0);                                                                                                         \
		MUST(finished(c) == (expected));                                                                                           \
	} while (0)

void way_calls(int n)
{
	for (int i = 0; i < n; i++) {
		ceph::bufferlist a = filled('a'), b = filled('b'), sector_a = filled('a', SECTOR), sector_b = filled('b', SECTOR), seen, again;
		uint64_t off = place(4 * i), mismatch;

		AIO("write", BLOCK, 0, image.aio_write(off, BLOCK, b, c));
		AIO("write", BLOCK, 0, image.aio_write2(off, BLOCK, a, c, 0));
		AIO("read", BLOCK, BLOCK, image.aio_read(off, BLOCK, seen, c));
		AIO("read", BLOCK, BLOCK, image.aio_read2(off, BLOCK, again, c, 0));
		MUST(seen.length() == BLOCK && !memcmp(seen.c_str(), a.c_str(), BLOCK) && again.length() == BLOCK);
		AIO("compare_and_write", SECTOR, 0, image.aio_compare_and_write(off, SECTOR, sector_a, sector_b, c, &mismatch, 0));
		AIO("writesame", 4 * BLOCK, 0, image.aio_writesame(off, 4 * BLOCK, a, c, 0));
		AIO("write_zeroes", BLOCK, 0, image.aio_write_zeroes(off, BLOCK, c, 0, 0));
		AIO("discard", BLOCK, 0, image.aio_discard(off, BLOCK, c));
		AIO("flush", 0, 0, image.aio_flush(c));
	}
}

int add_length(uint64_t, size_t length, const char *, void *arg)
{
	*static_cast<uint64_t *>(arg) += length;
	return 0;
}

void way_synchronous(int n)
{
	for (int i = 0; i < n; i++) {
		ceph::bufferlist a = filled('a'), sector_a = filled('a', SECTOR), sector_b = filled('b', SECTOR), seen, again;
		uint64_t off = place(4 * i), mismatch, sum = 0;

		count("write", BLOCK);
		MUST(image.write(off, BLOCK, a) == BLOCK);
		count("write", BLOCK);
		MUST(image.write2(off, BLOCK, a, 0) == BLOCK);
		count("read", BLOCK);
		MUST(image.read(off, BLOCK, seen) == BLOCK && !memcmp(seen.c_str(), a.c_str(), BLOCK));
		count("read", BLOCK);
		MUST(image.read2(off, BLOCK, again, 0) == BLOCK);
		count("compare_and_write", SECTOR);
		MUST(image.compare_and_write(off, SECTOR, sector_a, sector_b, &mismatch, 0) == SECTOR);
		count("read", 4 * BLOCK);
		MUST(image.read_iterate2(off, 4 * BLOCK, add_length, &sum) == 0 && sum == 4 * BLOCK);
		count("read", 2 * BLOCK);
		MUST(image.read_iterate(off, 2 * BLOCK, add_length, &sum) == 2 * BLOCK && sum == 6 * BLOCK);
		count("writesame", 4 * BLOCK);
		MUST(image.writesame(off, 4 * BLOCK, a, 0) == 4 * BLOCK);
		count("write_zeroes", BLOCK);
		MUST(image.write_zeroes(off, BLOCK, 0, 0) == BLOCK);
		count("discard", BLOCK);
		MUST(image.discard(off, BLOCK) == BLOCK);
		count("flush", 0);
		MUST(image.flush() == 0);
		count("invalidate_cache", 0);
		MUST(image.invalidate_cache() == 0);
	}
}

/* --- opening --- */

void read_once(librbd::Image &from)
{
	ceph::bufferlist data;

	count("read", BLOCK);
	MUST(from.read(0, BLOCK, data) == BLOCK);
}

/* Ten ways of opening and three of closing; one read of each image. The first object opens another image while it has one. */
void way_open(int n)
{
	std::string id;

	MUST(image.get_id(&id) == 0);
	for (int i = 0; i < n; i++) {
		librbd::Image images[10];
		completion *c[4];

		MUST(rbd.open_by_id(pool, images[0], id.c_str()) == 0);
		read_once(images[0]);
		MUST(rbd.open(pool, images[0], image_name) == 0);
		MUST(rbd.open(pool, images[1], image_name, nullptr) == 0);
		MUST(rbd.open_by_id(pool, images[2], id.c_str()) == 0);
		MUST(rbd.open_by_id(pool, images[3], id.c_str(), nullptr) == 0);
		MUST(rbd.open_read_only(pool, images[4], image_name, nullptr) == 0);
		MUST(rbd.open_by_id_read_only(pool, images[5], id.c_str(), nullptr) == 0);
		for (auto &one : c)
			one = new completion(nullptr, nullptr);
		MUST(rbd.aio_open(pool, images[6], image_name, nullptr, c[0]) == 0);
		MUST(rbd.aio_open_by_id(pool, images[7], id.c_str(), nullptr, c[1]) == 0);
		MUST(rbd.aio_open_read_only(pool, images[8], image_name, nullptr, c[2]) == 0);
		MUST(rbd.aio_open_by_id_read_only(pool, images[9], id.c_str(), nullptr, c[3]) == 0);
		for (auto *one : c)
			MUST(finished(one) == 0);
		for (auto &one : images)
			read_once(one);
		for (int k = 0; k < 3; k++)
			MUST(images[k].close() == 0);
		for (int k = 3; k < 6; k++) {
			completion *closed = new completion(nullptr, nullptr);

			MUST(images[k].aio_close(closed) == 0);
			MUST(finished(closed) == 0);
		}
		/* The others are closed by their destructors. */
	}
}

const std::map<std::string, void (*)(int)> ways = {
    {"wait", way_wait},   {"callback", way_callback},       {"release-early", way_release_early}, {"poll", way_poll},
    {"calls", way_calls}, {"synchronous", way_synchronous}, {"open", way_open},
};

} // namespace

int main(int argc, char **argv)
{
	librados::Rados cluster;

	if (argc != 5 || !ways.count(argv[1])) {
		fprintf(stderr, "usage: ways_cxx WAY POOL IMAGE N\n");
		return 2;
	}
	image_name = argv[3];
	MUST(cluster.init("admin") == 0 && cluster.conf_read_file(nullptr) == 0 && cluster.connect() == 0);
	MUST(cluster.ioctx_create(argv[2], pool) == 0 && rbd.open(pool, image, image_name) == 0);
	ways.at(argv[1])(atoi(argv[4]));
	MUST(image.close() == 0);
	pool.close();
	cluster.shutdown();
	for (const auto &kind : counted)
		printf("%s %ld %ld 0\n", kind.first.c_str(), kind.second.requests.load(), kind.second.bytes.load());
	return 0;
}
