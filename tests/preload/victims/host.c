/* A program without librbd that loads a plugin with it, closes it and loads it again; the paths of plugins are its arguments. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int count, char **paths)
{
	for (int round = 0; round < 3; round++) {
		for (int i = 1; i < count; i++) {
			void *handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
			int (*run)(void) = handle ? (int (*)(void))dlsym(handle, "plugin_run") : NULL;

			if (!run) {
				printf("%s\n", dlerror());
				return 1;
			}
			printf("plugin: %d\n", run());
			dlclose(handle);
			/* Where it lay, if it is gone, something else lies now. */
			mmap(NULL, 16 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		}
	}
	return 0;
}
