#include "analyzer/core/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ceph's client libraries; what follows is a version. */
static const char *const ceph[] = {"librbd.so", "librados.so", "libceph-common.so"};

static void module_fini(struct module *module)
{
	free(module->path);
	free(module->build_id);
}

void code_fini(struct code *code)
{
	struct stack *stack, *next;

	for (size_t i = 0; i < code->module_count; i++)
		module_fini(&code->modules[i]);
	free(code->modules);
	HASH_ITER(hh, code->stacks, stack, next)
	{
		HASH_DEL(code->stacks, stack);
		free(stack->frames);
		free(stack);
	}
	*code = (struct code){0};
}

/* The first module that ends behind the address. */
static size_t place_of(const struct code *code, uint64_t address)
{
	size_t low = 0, high = code->module_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (code->modules[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct module *code_module(const struct code *code, uint64_t address)
{
	size_t place = place_of(code, address);

	return place < code->module_count && code->modules[place].begin <= address ? &code->modules[place] : NULL;
}

static int module_init(struct module *module, const struct event *event)
{
	const char *slash;

	module->begin = event->module.begin;
	module->end = event->module.end;
	module->bias = event->module.bias;
	module->path = strdup(event->module.path);
	module->build_id = module->path ? strdup(event->module.build_id) : NULL;
	if (!module->build_id) {
		free(module->path);
		return -ENOMEM;
	}
	slash = strrchr(module->path, '/');
	module->name = slash ? slash + 1 : module->path;
	module->ceph = 0;
	module->shim = !strncmp(module->name, "librbdprof", strlen("librbdprof"));
	for (size_t i = 0; i < sizeof(ceph) / sizeof(*ceph); i++)
		module->ceph |= !strncmp(module->name, ceph[i], strlen(ceph[i]));
	return 0;
}

int code_feed_module(struct code *code, const struct event *event)
{
	size_t first = place_of(code, event->module.begin), end = first;
	const struct module *known = first < code->module_count ? &code->modules[first] : NULL;
	struct module *grown, module;

	if (event->module.begin >= event->module.end)
		return 0;
	if (known && known->begin == event->module.begin && known->end == event->module.end && !strcmp(known->path, event->module.path) &&
	    !strcmp(known->build_id, event->module.build_id))
		return 0;
	grown = realloc(code->modules, (code->module_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	code->modules = grown;
	if (module_init(&module, event))
		return -ENOMEM;
	for (; end < code->module_count && grown[end].begin < module.end; end++)
		module_fini(&grown[end]);
	memmove(&grown[first + 1], &grown[end], (code->module_count - end) * sizeof(*grown));
	grown[first] = module;
	code->module_count += 1 - (end - first);
	return 0;
}

int code_is_shim(const struct code *code, uint64_t address)
{
	const struct module *module = code_module(code, address);

	return module && module->shim;
}

const struct stack *code_stack(const struct code *code, uint64_t number)
{
	struct stack *stack;

	HASH_FIND(hh, code->stacks, &number, sizeof(number), stack);
	return stack;
}

int code_feed_stack(struct code *code, const struct event *event)
{
	size_t bytes = event->stack.count * sizeof(*event->stack.frames);
	struct stack *stack;

	if (!event->stack.count || code_stack(code, event->stack.stack))
		return 0;
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	stack->number = event->stack.stack;
	stack->count = event->stack.count;
	stack->frames = malloc(bytes);
	if (stack->frames) {
		memcpy(stack->frames, event->stack.frames, bytes);
		HASH_ADD(hh, code->stacks, number, sizeof(stack->number), stack);
		if (!hash_failed(stack))
			return 0;
	}
	free(stack->frames);
	free(stack);
	return -ENOMEM;
}
