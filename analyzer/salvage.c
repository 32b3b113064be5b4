#include "analyzer/salvage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define METADATA_MAGIC 0x75d11d57u
#define PACKET_MAGIC   0xc1fc1fc1u

/* The first bytes of a packet, little or big endian as the traced host; LTTng-UST's struct packet_header. */
struct packet_head {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size; /* bits */
	uint64_t packet_size;  /* bits, padding included */
} __attribute__((packed));

enum salvage_metadata salvage_metadata(const char *folder)
{
	/* CTF 2 is JSON text sequences (RFC 7464), bare or in packets; a packet's head has sizes in bits and the major version. */
	struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t checksum;
		uint32_t content_size;
		uint32_t packet_size;
		uint8_t compression, encryption, checksum_scheme, major, minor;
	} __attribute__((packed)) head;
	enum salvage_metadata found = SALVAGE_METADATA_WHOLE;
	char path[4096];
	struct stat st;
	uint64_t at = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return SALVAGE_METADATA_MISSING;
	if (fstat(fd, &st) < 0 || st.st_size == 0)
		found = SALVAGE_METADATA_MISSING;
	while (found == SALVAGE_METADATA_WHOLE && at < (uint64_t)st.st_size) {
		ssize_t got = pread(fd, &head, sizeof(head), (off_t)at);
		bool swapped = got >= 4 && head.magic == __builtin_bswap32(METADATA_MAGIC);
		uint64_t packet = (swapped ? __builtin_bswap32(head.packet_size) : head.packet_size) / 8;

		if (at == 0 && got > 0 && *(uint8_t *)&head == 0x1e)
			found = SALVAGE_METADATA_NEWER;
		else if (at == 0 && head.magic != METADATA_MAGIC && !swapped)
			break; /* plain text */
		else if (got < (ssize_t)sizeof(head) || packet < sizeof(head) || packet > (uint64_t)st.st_size - at)
			found = SALVAGE_METADATA_TORN;
		else if (head.major >= 2)
			found = SALVAGE_METADATA_NEWER;
		at += packet;
	}
	close(fd);
	return found;
}

/* The bytes of the file's whole packets. */
static uint64_t whole_bytes(int fd, uint64_t size)
{
	struct packet_head head;
	uint64_t at = 0;

	while (at < size && pread(fd, &head, sizeof(head), (off_t)at) == sizeof(head)) {
		bool swapped = head.magic == __builtin_bswap32(PACKET_MAGIC);
		uint64_t packet = swapped ? __builtin_bswap64(head.packet_size) : head.packet_size;
		uint64_t content = swapped ? __builtin_bswap64(head.content_size) : head.content_size;

		if ((head.magic != PACKET_MAGIC && !swapped) || content > packet || packet < sizeof(head) * 8 || packet / 8 > size - at)
			break;
		at += packet / 8;
	}
	return at;
}

static bool is_zero(const struct packet_head *head, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const uint8_t *)head)[i])
			return false;
	return true;
}

/* Whether zeroes follow the file's whole packets. */
static bool has_zeroes(int fd)
{
	struct packet_head head;
	struct stat st;
	ssize_t got = 0;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		got = pread(fd, &head, sizeof(head), (off_t)whole_bytes(fd, (uint64_t)st.st_size));
	return got > 0 && is_zero(&head, (size_t)got);
}

bool salvage_has_zeroes(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		int fd = strcmp(entry->d_name, "metadata") ? openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC) : -1;

		found = fd >= 0 && has_zeroes(fd);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return found;
}

static int copy_bytes(int from, const char *path, uint64_t bytes)
{
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	off_t at = 0;
	int err = 0;

	if (to < 0)
		return -errno;
	while (!err && (uint64_t)at < bytes) {
		ssize_t sent = sendfile(to, from, &at, bytes - (uint64_t)at);

		if (sent <= 0)
			err = sent < 0 ? -errno : -EIO;
	}
	close(to);
	return err;
}

/* Puts one file of the trace into the shadow: a link, or a copy of its whole packets. *torn_bytes grows by what was left out. */
static int shadow_file(int dir, const char *folder, const char *name, const char *shadow, uint64_t *torn_bytes)
{
	char to[4096 + 256], target[4096 + 256];
	struct stat st;
	uint64_t whole;
	int fd, err = 0;

	snprintf(to, sizeof(to), "%s/%s", shadow, name);
	snprintf(target, sizeof(target), "%s/%s", folder, name);
	if (fstatat(dir, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (strcmp(name, "metadata") == 0)
		return symlink(target, to) < 0 ? -errno : 0;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	whole = whole_bytes(fd, (uint64_t)st.st_size);
	*torn_bytes += (uint64_t)st.st_size - whole;
	if (whole == (uint64_t)st.st_size)
		err = symlink(target, to) < 0 ? -errno : 0;
	else if (whole > 0)
		err = copy_bytes(fd, to, whole);
	close(fd);
	return err;
}

int salvage_make(const char *folder, char **shadow, char *what, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	char *absolute = realpath(folder, NULL);
	uint64_t torn_bytes = 0;
	struct dirent *entry;
	DIR *dir = NULL;
	int err = 0;

	snprintf(path, sizeof(path), "%s/rbdprof-torn-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (absolute)
		dir = opendir(absolute);
	if (!dir || !mkdtemp(path)) {
		err = -errno;
		if (dir)
			closedir(dir);
		free(absolute);
		return err;
	}
	while (!err && (entry = readdir(dir)))
		err = shadow_file(dirfd(dir), absolute, entry->d_name, path, &torn_bytes);
	closedir(dir);
	free(absolute);

	if (!err && torn_bytes == 0)
		err = -ENOENT;
	if (!err && !(*shadow = strdup(path)))
		err = -ENOMEM;
	if (err)
		salvage_remove(path);
	else
		snprintf(what, size, "torn: its last %llu bytes are no whole packets and are left out", (unsigned long long)torn_bytes);
	return err;
}

void salvage_remove(const char *shadow)
{
	DIR *dir = shadow ? opendir(shadow) : NULL;
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(shadow);
}
