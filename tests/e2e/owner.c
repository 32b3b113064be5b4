/*
 * Owns an image's exclusive lock and does nothing with it, until it is killed.   owner POOL IMAGE write|acquire
 *   write     writes one block, as any writer that then falls idle
 *   acquire   takes the lock by hand: peers are refused
 * Prints its global id once it owns the lock.
 */
#include <inttypes.h>
#include <rbd/librbd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char block[4096];
	rados_t cluster;
	rados_ioctx_t pool;
	rbd_image_t image;
	int result;

	if (argc != 4 || rados_create(&cluster, "admin") || rados_conf_read_file(cluster, getenv("CEPH_CONF")) || rados_connect(cluster) ||
	    rados_ioctx_create(cluster, argv[1], &pool) || rbd_open(pool, argv[2], &image, NULL)) {
		fprintf(stderr, "owner: cannot open the image\n");
		return 1;
	}
	if (!strcmp(argv[3], "acquire"))
		result = rbd_lock_acquire(image, RBD_LOCK_MODE_EXCLUSIVE);
	else
		result = rbd_write(image, 0, sizeof(block), block) == sizeof(block) ? 0 : -1;
	if (result < 0) {
		fprintf(stderr, "owner: cannot get the lock: %d\n", result);
		return 1;
	}
	printf("%" PRIu64 "\n", rados_get_instance_id(cluster));
	fflush(stdout);
	pause();
	return 0;
}
