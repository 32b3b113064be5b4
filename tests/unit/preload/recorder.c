/* Emitting, saying again, forking, and the functions of a librbd that the shim does not know. */
#include "test.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "heard.h"
#include "preload/real.h"
#include "preload/record.h"
#include "preload/recorder.h"
#include "preload/said.h"
#include "preload/unseen.h"
#include "stubs.h"

static char handle;

static int setup(void **state)
{
	(void)state;
	heard_start(false);
	stubs_install();
	stub_open(&handle);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	heard_start(false);
	stub_answer = 0;
	return rbd_close(&handle);
}

static void callback(rbd_completion_t completion, void *arg)
{
	(void)completion, (void)arg;
}

static rbd_completion_t submit(void)
{
	static char data[512];
	rbd_completion_t completion = NULL;

	rbd_aio_create_completion(NULL, callback, &completion);
	rbd_aio_write(&handle, 1024, sizeof(data), data, completion);
	return completion;
}

static void finish(rbd_completion_t completion)
{
	stub_finish(completion, 0);
	rbd_aio_release(completion);
}

static void nested_emission_is_suppressed(void **state)
{
	uint64_t before;

	(void)state;
	heard_start(true);
	assert_true(recorder_enter());
	before = recorder_emitted();
	assert_false(recorder_enter());
	errno = EXDEV;
	EMIT(reap(before, before));
	assert_int_equal(errno, EXDEV);
	assert_int_equal(heard.count[HEARD_REAP], 0);
	assert_int_equal(recorder_emitted(), before); /* not counted: it is not in the trace */
	recorder_leave();
	EMIT(reap(before, before));
	assert_int_equal(errno, EXDEV); /* although the emitter spoils it */
	assert_int_equal(heard.count[HEARD_REAP], 1);
	assert_int_equal(recorder_emitted(), before + 1);
}

static void *emit_once(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	EMIT(reap(1, 1));
	EMIT(reap(1, 1));
	return NULL;
}

static void each_thread_says_its_name_once_a_round(void **state)
{
	char name[] = "worker-7", tracers[] = "fio-ust";
	pthread_t thread;

	(void)state;
	heard_start(true);
	emit_once(NULL);
	heard_start(true);
	recorder_describe_again();
	emit_once(NULL);
	assert_int_equal(heard.count[HEARD_THREAD], 1);
	assert_int_equal(heard.thread.thread, recorder_thread_number());
	assert_int_equal(heard.thread.tid, syscall(SYS_gettid));
	pthread_create(&thread, NULL, emit_once, name);
	pthread_join(thread, NULL);
	assert_int_equal(heard.count[HEARD_THREAD], 2);
	assert_string_equal(heard.thread.name, "worker-7");
	assert_int_not_equal(heard.thread.thread, recorder_thread_number());
	assert_int_equal(heard.count[HEARD_REAP], 4);
	/* The tracer's own threads emit nothing. */
	pthread_create(&thread, NULL, emit_once, tracers);
	pthread_join(thread, NULL);
	assert_int_equal(heard.count[HEARD_THREAD], 2);
	assert_int_equal(heard.count[HEARD_REAP], 4);
}

static void all_is_said_when_a_recording_begins(void **state)
{
	rbd_completion_t before = submit(), first;

	(void)state;
	assert_int_equal(heard.events, 0);
	heard_start(true);
	first = submit();
	assert_int_equal(heard.count[HEARD_PROCESS], 1);
	assert_int_equal(heard.process.schema, RBDPROF_SCHEMA);
	assert_int_equal(heard.process.pid, getpid());
	assert_string_equal(heard.process.version, RBDPROF_VERSION);
	assert_int_equal(heard.count[HEARD_THREAD], 1);
	assert_int_equal(heard.count[HEARD_IMAGE], 1);
	assert_int_equal(heard.count[HEARD_TOTALS], 1);
	assert_int_equal(heard.count[HEARD_REQUEST_OPEN], 1); /* the older one: the other is about to be said itself */
	assert_int_not_equal(heard.open.request, heard.request.request);
	assert_int_equal(heard.open.offset_bytes, 1024);
	assert_int_equal(heard.open.length_bytes, 512);
	assert_int_equal(heard.open.kind, RBDPROF_WRITE);
	assert_true(heard.open_age_ns < UINT64_C(60000000000));
	assert_int_equal(heard.order[heard.events - 1], HEARD_REQUEST);
	/* At once only once. */
	finish(submit());
	assert_int_equal(heard.count[HEARD_PROCESS], 1);
	/* Another recording hears it again, without a request in between. */
	finish(before);
	heard_start(true);
	finish(submit());
	assert_int_equal(heard.count[HEARD_PROCESS], 1);
	assert_int_equal(heard.count[HEARD_REQUEST_OPEN], 1);
	finish(first);
}

/* At once, then after 10 ms and at twice the age each time until that is a second. */
static void all_is_said_every_second_and_at_first_sooner(void **state)
{
	static const uint64_t due_ms[] = {0, 10, 20, 40, 80, 160, 320, 640, 1280, 2280, 3280};
	uint64_t now_ns = recorder_now_ns();

	(void)state;
	heard_start(true);
	for (int i = 0; i < 11; i++) {
		if (i > 0)
			said_when_due(now_ns + due_ms[i] * 1000000 - 1);
		assert_int_equal(heard.count[HEARD_PROCESS], i);
		said_when_due(now_ns + due_ms[i] * 1000000);
		said_when_due(now_ns + due_ms[i] * 1000000 + 1);
		assert_int_equal(heard.count[HEARD_PROCESS], i + 1);
	}
	assert_int_equal(heard.count[HEARD_IMAGE], 11);
	assert_int_equal(heard.count[HEARD_TOTALS], 11);
	assert_int_equal(heard.count[HEARD_THREAD], 11);
	/* The next recording begins anew. */
	said_nothing();
	said_when_due(now_ns + 5000000000);
	said_when_due(now_ns + 5010000000);
	assert_int_equal(heard.count[HEARD_PROCESS], 13);
}

static rbd_completion_t ending;
static pthread_t ender;
static int complete_while_open;

static void *end(void *completion)
{
	stub_finish(completion, 0);
	return NULL;
}

static void end_meanwhile(void)
{
	const struct timespec t = {.tv_nsec = 50000000};

	heard_during_open = NULL;
	pthread_create(&ender, NULL, end, ending);
	nanosleep(&t, NULL);
	complete_while_open = heard.count[HEARD_COMPLETE];
}

/* Behind its end a request would stay open for the reader. */
static void request_does_not_end_while_it_is_said_again(void **state)
{
	(void)state;
	ending = submit();
	heard_start(true);
	heard_during_open = end_meanwhile;
	records_say();
	pthread_join(ender, NULL);
	assert_int_equal(complete_while_open, 0);
	assert_int_equal(heard.count[HEARD_REQUEST_OPEN], 1);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	rbd_aio_release(ending);
}

/* D is the event's time: what is due is said behind it. */
static void completion_is_said_before_what_is_due(void **state)
{
	rbd_completion_t completion = submit();

	(void)state;
	heard_start(true);
	EMIT(unseen("")); /* now this thread has said its name */
	heard_start(true);
	stub_finish(completion, 0);
	assert_int_equal(heard.order[0], HEARD_COMPLETE);
	assert_int_equal(heard.count[HEARD_PROCESS], 1);
	assert_int_equal(heard.count[HEARD_REQUEST_OPEN], 0); /* it is over */
	rbd_aio_release(completion);
}

static void totals_count_what_was_emitted(void **state)
{
	uint64_t before;

	(void)state;
	heard_start(true);
	said_totals();
	before = heard.emitted;
	heard_start(true);
	finish(submit());
	assert_int_equal(heard.passed_through, records_passed_through());
	heard_requests = 1;
	said_totals();
	/* All events since, this one included. */
	assert_int_equal(heard.emitted - before, heard.events);
	heard_start(false);
	said_totals();
	assert_int_equal(heard.events, 0);
}

/* What a child did is told through shared memory: cmocka's asserts are of no use in it. */
static void child_of_fork_starts_anew(void **state)
{
	rbd_completion_t completion;
	struct heard *child;
	int status;

	(void)state;
	child = mmap(NULL, sizeof(*child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(child, MAP_FAILED);
	heard_start(true);
	completion = submit();
	memset(&heard, 0, sizeof(heard));
	if (!fork()) {
		static char data[512];

		/* Silent until an emitter comes; nothing of the parent's is its own. */
		if (recorder_wants_requests() || rbd_read(&handle, 0, 512, data) != 512 || heard.events || records_passed_through() != 1)
			_exit(1);
		heard_start(true);
		said_when_due(recorder_now_ns());
		*child = heard;
		_exit(recorder_emitted() == (uint64_t)heard.events ? 0 : 2);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(child->count[HEARD_PROCESS], 1);
	assert_int_not_equal(child->process.pid, getpid());
	assert_int_equal(child->count[HEARD_IMAGE], 0);
	assert_int_equal(child->count[HEARD_REQUEST_OPEN], 0);
	/* The parent goes on. */
	finish(completion);
	assert_int_equal(heard.count[HEARD_COMPLETE], 1);
	munmap(child, sizeof(*child));
}

/* How many were said whose names begin so. */
static int unseen(const char *beginning)
{
	int count = 0;

	for (int i = 0; i < heard.count[HEARD_UNSEEN]; i++)
		count += !strncmp(heard.unseen[i], beginning, strlen(beginning));
	return count;
}

static void unseen_functions_are_found(void **state)
{
	(void)state;
	unseen_find();
	heard_start(true);
	unseen_say();
	assert_int_equal(unseen("rbd_"), 2); /* and not what mirrors, or only asks */
	assert_int_equal(unseen("rbd_aio_teleport"), 1);
	assert_int_equal(unseen("rbd_write_backwards"), 1);
	assert_true(unseen("") > 2); /* the boundary below librbd, which the fake one does not have */
}

/* A function that this librbd lacks must not seem to succeed. */
static void lacking_function_answers_so(void **state)
{
	static char data[512];
	rbd_completion_t completion = NULL;

	(void)state;
	heard_start(true);
	rbd_aio_create_completion(NULL, callback, &completion);
	assert_null(real.rbd_aio_write_with_crc32c);
	assert_int_equal(rbd_aio_write_with_crc32c(&handle, 0, 512, data, 0, completion, 0), -ENOSYS);
	assert_int_equal(heard.complete.result, -ENOSYS);
	rbd_aio_release(completion);
}

/* Long before a program may hold a lock that another thread's loader waits for. */
static void lock_functions_are_found_early(void **state)
{
	(void)state;
#define FN_PTHREAD(name) assert_non_null(real.name);
#define FN_RBD(name)
#define FN_RADOS(name)
#define FN_COMMON(name)
#define FN(family, need, name) FN_##family(name)
#include "tracepoints/functions.def"
#undef FN
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lock_functions_are_found_early),
	    TEST(nested_emission_is_suppressed),
	    TEST(each_thread_says_its_name_once_a_round),
	    TEST(all_is_said_when_a_recording_begins),
	    TEST(all_is_said_every_second_and_at_first_sooner),
	    TEST(request_does_not_end_while_it_is_said_again),
	    TEST(completion_is_said_before_what_is_due),
	    TEST(totals_count_what_was_emitted),
	    TEST(child_of_fork_starts_anew),
	    TEST(unseen_functions_are_found),
	    TEST(lacking_function_answers_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
