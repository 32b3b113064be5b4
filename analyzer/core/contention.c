#include "analyzer/core/contention.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/core/images.h"
#include "analyzer/core/locks.h"
#include "analyzer/core/requests.h"

void contention_fini(struct contention *contention)
{
	struct stack_wait *stack, *next;

	HASH_ITER(hh, contention->stacks, stack, next)
	{
		HASH_DEL(contention->stacks, stack);
		free(stack);
	}
	histogram_fini(&contention->wait);
	histogram_fini(&contention->failed);
	histogram_fini(&contention->open);
	histogram_fini(&contention->blocking);
	edges_fini(&contention->edges);
}

/* The caller has the lock, or was woken. A lock whose owner died is had all the same. */
static int succeeded(int32_t result)
{
	return result == 0 || result == EOWNERDEAD;
}

static int add_stack(struct contention *contention, const struct event *event, const char *thread)
{
	struct stack_wait_key key = {.stack = event->wait.stack, .site = event->wait.stack ? 0 : event->wait.caller, .thread = thread};
	struct stack_wait *stack;

	HASH_FIND(hh, contention->stacks, &key, sizeof(key), stack);
	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			return -ENOMEM;
		stack->key = key;
		HASH_ADD(hh, contention->stacks, key, sizeof(stack->key), stack);
		if (hash_failed(stack)) {
			free(stack);
			return -ENOMEM;
		}
	}
	stack->count++;
	stack->wait_ns += event->wait.wait_ns;
	if (event->wait.wait_ns > stack->max_ns)
		stack->max_ns = event->wait.wait_ns;
	return 0;
}

/* What the holder itself waited for within the wait. */
static void find_nested(struct waited *waited, const struct lock *lock)
{
	const struct task *holder = waited->holder;
	unsigned found = 0;

	for (unsigned i = 0; holder && i < TASK_WAITS; i++) {
		const struct task_wait *inner = &holder->waits[i];
		uint64_t begin_ns = inner->begin_ns > waited->begin_ns ? inner->begin_ns : waited->begin_ns;
		uint64_t end_ns = inner->end_ns < waited->end_ns ? inner->end_ns : waited->end_ns;
		unsigned at = 0;

		/* Its wait for this same lock was over when it held it. */
		if (!inner->lock || begin_ns >= end_ns || inner->lock->key.address == lock->key.address)
			continue;
		while (at < found && waited->nested[at].lock != inner->lock)
			at++;
		if (at == NESTED_MAX)
			continue;
		found += at == found;
		waited->nested[at].lock = inner->lock;
		waited->nested[at].count = 1;
		waited->nested[at].wait_ns += end_ns - begin_ns;
	}
}

static void remember(struct task *task, const struct lock *lock, const struct waited *waited)
{
	task->waits[task->wait_count++ % TASK_WAITS] = (struct task_wait){lock, waited->begin_ns, waited->end_ns};
}

/* The thread makes requests. */
static int is_submitter(const struct thread *thread)
{
	return thread && thread->first_request != NO_REQUEST;
}

/*
 * Whether what the thread does is for all requests in flight: one that makes none, and was met waiting inside of Ceph's libraries. The main
 * thread opens and closes images there, but is never librbd's. Where modules are not known, every such thread is taken for one.
 */
static int serves_all(const struct process *process, struct thread *thread, const struct module *module)
{
	if (!thread || is_submitter(thread) || thread->tid == process->pid)
		return 0;
	thread->serves |= module && module->ceph;
	return thread->serves || !process->code.module_count;
}

static void note_image(struct contention *contention, const struct request *request)
{
	const struct image *image = request->client ? request->client->image : NULL;

	if (!image || contention->image == image || contention->of_images)
		return;
	contention->of_images = contention->image != NULL;
	contention->image = contention->image ? NULL : image;
}

/* What the wait did to requests. Waiting on a condition variable is waiting for work, unless a request's own call does it. */
static int delay_requests(struct contention *contention, struct process *process, struct thread *thread, const struct waited *waited,
			  const struct event *event, const struct request *request, uint64_t oldest_ns)
{
	const struct module *module = code_module(&process->code, event->wait.caller);

	if (event->wait.request) {
		if (!request || moments_know(&request->moments, MOMENT_C))
			return 0;
		note_image(contention, request);
		return delays_exact(&process->delays, contention->delay, event->wait.request, event->wait.wait_ns);
	}
	if (event->wait.kind == RBDPROF_COND)
		return 0;
	if (serves_all(process, thread, module))
		return delays_overlap(&process->delays, contention->delay, waited->begin_ns, waited->end_ns, oldest_ns);
	if (!is_submitter(thread)) {
		contention->others_count++;
	} else if (!module || !module->ceph) {
		contention->submitters_count++;
		contention->submitters_ns += event->wait.wait_ns;
	}
	return 0;
}

static struct waited waited_of(const struct event *event, const struct task *task)
{
	return (struct waited){
	    .begin_ns = event->time_ns > event->wait.wait_ns ? event->time_ns - event->wait.wait_ns : 0,
	    .end_ns = event->time_ns,
	    .site = event->wait.caller,
	    .waiter = task ? task->name : "",
	};
}

int contention_is_over(struct process *process, const struct event *event)
{
	const struct thread *thread = process_thread_known(process, event->wait.thread);
	const struct task *task = thread ? thread->task : NULL;

	return task && task->wait_count && task->waits[(task->wait_count - 1) % TASK_WAITS].end_ns > waited_of(event, task).begin_ns;
}

void contention_open(const struct lock *lock, struct process *process, const struct event *event)
{
	struct thread *thread = process_thread_known(process, event->wait.thread);
	struct waited waited = waited_of(event, NULL);

	if (thread && thread->task)
		remember(thread->task, lock, &waited);
}

/* Where the wait's time goes. */
static struct histogram *times_of(struct contention *contention, const struct event *event)
{
	if (event->type == EVENT_LOCK_WAIT_OPEN)
		return &contention->open;
	return succeeded(event->wait.result) ? &contention->wait : &contention->failed;
}

int contention_wait(struct contention *contention, const struct lock *lock, struct process *process, const struct event *event,
		    const struct request *request, uint64_t oldest_ns)
{
	struct thread *thread = process_thread_known(process, event->wait.thread);
	struct task *task = thread ? thread->task : NULL;
	struct waited waited = waited_of(event, task);

	if (event->wait.holder) {
		waited.holder = threads_get(&process->tasks, event->wait.holder);
		if (!waited.holder)
			return -ENOMEM;
		find_nested(&waited, lock);
	}
	if (task && event->type != EVENT_LOCK_WAIT_OPEN)
		remember(task, lock, &waited);
	if (histogram_add(times_of(contention, event), event->wait.wait_ns) || edges_wait(&contention->edges, &waited) ||
	    add_stack(contention, event, waited.waiter))
		return -ENOMEM;
	/* A request that such a wait holds up is not over either. */
	if (event->type == EVENT_LOCK_WAIT_OPEN)
		return 0;
	return delay_requests(contention, process, thread, &waited, event, request, oldest_ns);
}

int contention_hold(struct contention *contention, const struct lock *lock, const struct process *process, const struct event *event)
{
	const struct thread *thread = process_thread_find(process, event->hold.thread);
	struct released released = {
	    .at_ns = event->time_ns > event->hold.ago_ns ? event->time_ns - event->hold.ago_ns : 0,
	    .site = event->hold.caller,
	    .holder = thread ? thread->task : NULL,
	};

	edges_release(&contention->edges, &released);
	return event->hold.kind == lock->key.kind ? histogram_add(&contention->blocking, event->hold.hold_ns) : 0;
}

const struct stack_wait *stack_wait_next(const struct contention *contention, const struct stack_wait *previous)
{
	return previous ? previous->hh.next : contention->stacks;
}
