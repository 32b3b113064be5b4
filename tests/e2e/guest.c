/*
 * The first process of a test's guest, and its only one: loads the modules of its disk, says "ready" on the serial line, and does what it is
 * told there, a line a command, each answered by "done COUNT" or "failed ERRNO". All of it is direct I/O on the disk, or, once that is mounted,
 * on the file "data" in it, 4 KiB a piece where nothing else is said.
 *
 *   write COUNT THREADS | read COUNT THREADS     at places of their own for each thread, in an order that looks random
 *   flush COUNT                                  after a write each, since QEMU leaves out a flush that has nothing to flush
 *   discard COUNT | zero COUNT                   of 4 MiB, one object, each
 *   loop SECONDS THREADS                         writes for that long
 *   sequence SECONDS THREADS                     the same, one block after the other, in the second half: a file system may be in the first
 *   mount                                        as ext4, which is no module of this kernel
 *   off
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLOCK        4096
#define OBJECT       (UINT64_C(4) << 20)
#define MOST_THREADS 64

static const char *const modules[] = {"virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk"};

static int disk;
static uint64_t blocks;

struct work {
	pthread_t thread;
	uint64_t number, count;
	uint64_t end_ms;   /* 0: by the count */
	atomic_uint *next; /* block of the sequence; NULL: at places of its own */
	int writes, error;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void *work(void *argument)
{
	struct work *w = argument;
	uint64_t at = w->number * 7919, done = 0;
	void *buffer;

	if (posix_memalign(&buffer, BLOCK, BLOCK))
		return NULL;
	memset(buffer, (int)w->number + 1, BLOCK);
	for (; w->end_ms ? now_ms() < w->end_ms : done < w->count; done++) {
		off_t offset;

		at = w->next ? blocks / 2 + atomic_fetch_add(w->next, 1) % (blocks / 2) : (at * 1103515245 + 12345) % (UINT64_C(1) << 31);
		offset = (off_t)(at % blocks * BLOCK);
		if ((w->writes ? pwrite(disk, buffer, BLOCK, offset) : pread(disk, buffer, BLOCK, offset)) != BLOCK)
			w->error = errno ? errno : EIO;
	}
	w->count = done;
	free(buffer);
	return NULL;
}

/* Returns an errno; *count: of each thread, and then of all that was done. */
static int run(uint64_t *count, unsigned int threads, struct work how)
{
	struct work works[MOST_THREADS] = {0};
	int error = 0;

	how.count = *count / threads;
	for (unsigned int t = 0; t < threads && t < MOST_THREADS; t++) {
		works[t] = how;
		works[t].number = t;
		pthread_create(&works[t].thread, NULL, work, &works[t]);
	}
	*count = 0;
	for (unsigned int t = 0; t < threads && t < MOST_THREADS; t++) {
		pthread_join(works[t].thread, NULL);
		error = works[t].error ? works[t].error : error;
		*count += works[t].count;
	}
	return error;
}

static int flush(uint64_t count)
{
	uint64_t one;
	int error = 0;

	for (uint64_t i = 0; i < count && !error; i++) {
		one = 1;
		error = run(&one, 1, (struct work){.writes = 1});
		if (!error && fsync(disk))
			error = errno;
	}
	return error;
}

static int use_file(void)
{
	struct stat found;

	if (mount("/dev/vda", "/mnt", "ext4", 0, ""))
		return errno;
	close(disk);
	disk = open("/mnt/data", O_RDWR | O_DIRECT);
	if (disk < 0 || fstat(disk, &found))
		return errno;
	blocks = (uint64_t)found.st_size / BLOCK;
	return 0;
}

static int ranges(uint64_t count, unsigned long request)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t range[2] = {i * OBJECT, OBJECT};

		if (ioctl(disk, request, range))
			return errno;
	}
	return 0;
}

static int load(const char *module)
{
	char path[64];
	int file, result;

	snprintf(path, sizeof(path), "/%s.ko", module);
	file = open(path, O_RDONLY);
	result = (int)syscall(SYS_finit_module, file, "", 0);
	close(file);
	return result;
}

/* Whether there is a line to be told anything on. */
static int set_up(void)
{
	uint64_t bytes = 0;

	mount("none", "/dev", "devtmpfs", 0, "");
	for (size_t m = 0; m < sizeof(modules) / sizeof(modules[0]); m++)
		load(modules[m]);
	for (int i = 0; i < 1000 && (disk = open("/dev/vda", O_RDWR | O_DIRECT)) < 0; i++)
		usleep(10000);
	ioctl(disk, BLKGETSIZE64, &bytes);
	blocks = bytes / BLOCK;
	return freopen("/dev/ttyS0", "r", stdin) && freopen("/dev/ttyS0", "w", stdout);
}

int main(void)
{
	char line[128], word[32];

	if (!set_up())
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		unsigned long long number = 0;
		unsigned int threads = 1;
		uint64_t count;
		int error = EINVAL;

		if (sscanf(line, "%31s %llu %u", word, &number, &threads) < 1)
			continue;
		count = number;
		if (!strcmp(word, "off"))
			reboot(RB_POWER_OFF);
		else if (!strcmp(word, "write") || !strcmp(word, "read"))
			error = run(&count, threads, (struct work){.writes = *word == 'w'});
		else if (!strcmp(word, "loop"))
			error = run(&count, threads, (struct work){.writes = 1, .end_ms = now_ms() + 1000 * number});
		else if (!strcmp(word, "sequence"))
			error = run(&count, threads, (struct work){.writes = 1, .end_ms = now_ms() + 1000 * number, .next = &(atomic_uint){0}});
		else if (!strcmp(word, "mount"))
			error = use_file();
		else if (!strcmp(word, "flush"))
			error = flush(count);
		else if (!strcmp(word, "discard"))
			error = ranges(count, BLKDISCARD);
		else if (!strcmp(word, "zero"))
			error = ranges(count, BLKZEROOUT);
		if (error)
			printf("failed %d\n", error);
		else
			printf("done %llu\n", (unsigned long long)count);
		fflush(stdout);
	}
	return 0;
}
