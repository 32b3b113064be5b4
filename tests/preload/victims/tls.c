/* A plugin that needs room in the static thread-local block, of which the loader keeps little: the shim must not have used it up. */
#include <string.h>

#define BYTES 1024 /* of the 1664 that glibc keeps by default, of which some belong to the C library's own modules */

static __thread char room[BYTES] __attribute__((tls_model("initial-exec")));

int plugin_run(void);
int plugin_run(void)
{
	int sum = 0;

	memset(room, 1, sizeof(room));
	for (int i = 0; i < BYTES; i++)
		sum += room[i];
	return sum;
}
