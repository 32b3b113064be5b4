/* The shim's one thread: when it lives, what it says in a pass, and how it ends, at the recording's end, at the process's, and around
 * fork(). */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>

#include "heard.h"
#include "preload/contended.h"
#include "preload/flusher.h"

#define PATIENCE_MS 5000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);

	text[length > 0 ? length : 0] = '\0';
	close(fd);
}

/* The kernel's number of the thread; 0: there is none. */
static int find_flusher(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int found = 0;

	while ((entry = readdir(tasks))) {
		char path[300], name[32];

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		read_file(path, name, sizeof(name));
		if (!strcmp(name, FLUSHER_NAME "\n"))
			found = atoi(entry->d_name);
	}
	closedir(tasks);
	return found;
}

static bool lives(void)
{
	return find_flusher() != 0;
}

static bool is_gone(void)
{
	return !lives();
}

static bool passed_twice(void)
{
	return heard.count[HEARD_HOST] >= 2;
}

/* Whether it becomes true in time. */
static bool soon(bool (*condition)(void))
{
	for (int i = 0; i < PATIENCE_MS && !condition(); i++)
		usleep(1000);
	return condition();
}

static void take(int times)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

static uint64_t acquisitions(void)
{
	const struct rbdprof_lock_counts *counts = heard_counts(&mutex, RBDPROF_MUTEX, recorder_thread_number());

	return counts ? counts->acquisitions : 0;
}

static uint64_t expected;

static bool counted(void)
{
	return acquisitions() == expected;
}

/* Takes the lock so often, and waits until so many are said in all. */
static void take_and_hear(int times, uint64_t in_all)
{
	take(times);
	expected = in_all;
	assert_true(soon(counted));
}

static int setup(void **state)
{
	(void)state;
	heard_start_locks(true);
	return 0;
}

/* The recording ends, and with it the thread. */
static int teardown(void **state)
{
	(void)state;
	heard_requests = 0;
	return soon(is_gone) ? 0 : -1;
}

static void lives_only_while_requests_are_wanted(void **state)
{
	(void)state;
	heard_start_locks(false);
	flusher_ensure();
	assert_true(is_gone());
	take(1);
	assert_int_equal(lockstat_state.epoch, 0);
	heard_start_locks(true);
	flusher_ensure();
	flusher_ensure();
	assert_true(soon(lives));
	assert_int_not_equal(lockstat_state.epoch, 0);
	heard_requests = 0;
	assert_true(soon(is_gone));
	assert_int_equal(lockstat_state.epoch, 0);
	/* For the next recording there is another. */
	heard_start_locks(true);
	flusher_ensure();
	assert_true(soon(lives));
}

static bool told_often(void)
{
	return heard.batches > 3;
}

/* Threads keep what they tell together while it lives, and no longer. */
static void counts_no_locks_where_they_are_not_wanted(void **state)
{
	(void)state;
	heard_start(true);
	flusher_ensure();
	assert_true(soon(told_often));
	assert_true(heard.keeping);
	take(1);
	assert_int_equal(lockstat_state.epoch, 0);
	assert_true(heard.count[HEARD_USAGE] >= 1);
	assert_int_equal(heard.count[HEARD_LOCK_COUNTS], 0);
	assert_int_equal(heard.count[HEARD_MODULE], 0);
	heard_lock_waits = 1;
	assert_true(soon(passed_twice));
	assert_int_not_equal(lockstat_state.epoch, 0);
	heard_requests = 0;
	assert_true(soon(is_gone));
	assert_false(heard.keeping);
}

/* Six acquisitions, of which the last four are still to be said. */
static void leave_four(void)
{
	flusher_ensure();
	take_and_hear(2, 2);
	take(4);
	assert_int_equal(acquisitions(), 2); /* its next pass is most of a second away */
}

/* Whoever ends a recording lets requests go first. */
static void says_what_is_left_when_requests_are_no_more_wanted(void **state)
{
	(void)state;
	leave_four();
	heard_requests = 0;
	assert_true(soon(is_gone));
	assert_int_equal(acquisitions(), 6);
}

static void says_all_of_a_pass_about_once_a_second(void **state)
{
	uint64_t begin_ns = recorder_now_ns();
	int passes;

	(void)state;
	flusher_ensure();
	take_and_hear(5, 5);
	assert_true(heard.count[HEARD_MODULE] > 3); /* the program, the C library, the loader, the fake librbd */
	assert_true(soon(passed_twice));
	assert_true(heard.count[HEARD_USAGE] >= 2);
	for (int i = 0; i < heard.usage_count; i++)
		assert_string_not_equal(heard.usages[i].name, FLUSHER_NAME);
	passes = heard.count[HEARD_HOST];
	assert_in_range(passes, 1, (recorder_now_ns() - begin_ns) / 900000000 + 1);
}

static void handlers_of_the_program_do_not_run_on_it(void **state)
{
	unsigned long long blocked = 0;
	char path[64], status[4096];
	const char *line;

	(void)state;
	flusher_ensure();
	assert_true(soon(lives));
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", find_flusher());
	read_file(path, status, sizeof(status));
	line = strstr(status, "SigBlk:");
	assert_non_null(line);
	assert_int_equal(sscanf(line, "SigBlk: %llx", &blocked), 1);
	/* All but those that cannot be. */
	for (int number = 1; number <= 31; number++)
		if (number != SIGKILL && number != SIGSTOP)
			assert_true(blocked & 1ull << (number - 1));
}

static void counts_as_is_asked_for_in_mid_recording(void **state)
{
	(void)state;
	heard_all_holds = 1;
	flusher_ensure();
	take_and_hear(100, 100);
	assert_int_equal(heard.count[HEARD_LOCK_COUNTS], 0);
	assert_true(heard.count[HEARD_HOLD_COUNTS] > 0);
	assert_int_equal(heard_counts(&mutex, RBDPROF_MUTEX, recorder_thread_number())->holds, 100);
	assert_int_equal(lockstat_state.timed, LOCKSTAT_EVERY);
	heard_all_holds = 0;
	for (int i = 0; i < PATIENCE_MS && lockstat_state.timed == LOCKSTAT_EVERY; i++)
		usleep(1000);
	assert_int_equal(lockstat_state.timed, LOCKSTAT_SOME);
}

/* A counter that does not keep time: one hold in 64 is timed by the clock, and why is said once. */
static void says_once_why_holds_are_not_timed(void **state)
{
	int invariant = ticks_invariant;

	(void)state;
	ticks_invariant = 0;
	heard_all_holds = 1;
	flusher_ensure();
	take_and_hear(10, 10);
	assert_true(soon(passed_twice));
	assert_int_equal(heard.count[HEARD_UNDECODED], 1);
	assert_true(!strncmp(heard.undecoded, "cycle counter: ", 15));
	assert_int_equal(heard.count[HEARD_HOLD_COUNTS], 0);
	assert_int_equal(heard_counts(&mutex, RBDPROF_MUTEX, recorder_thread_number())->holds, 1);
	heard_requests = 0;
	assert_true(soon(is_gone));
	ticks_invariant = invariant;
}

/* The child has no such thread until it starts one of its own; the parent's goes on. */
static void fork_leaves_it_to_the_parent(void **state)
{
	int status, before;

	(void)state;
	flusher_ensure();
	assert_true(soon(lives));
	flusher_pause();
	before = heard.count[HEARD_HOST];
	usleep(1500000);
	assert_in_range(heard.count[HEARD_HOST], before, before); /* nothing is said meanwhile */
	if (!fork()) {
		bool alone = is_gone();

		recorder_thread.tid = 0; /* as recorder.c does it */
		flusher_reset();
		lockstat_reset();
		heard_start_locks(true);
		flusher_ensure();
		take(3);
		expected = 3;
		_exit(!alone || !soon(lives) || !soon(counted));
	}
	flusher_resume();
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_true(lives());
	heard.counts_count = 0;
	take_and_hear(1, 1);
}

/* The last test: then the process is as good as over. */
static void says_what_is_left_at_the_end(void **state)
{
	(void)state;
	leave_four();
	flusher_finish();
	assert_int_equal(acquisitions(), 6);
	assert_true(soon(is_gone));
	assert_int_equal(lockstat_state.epoch, 0);
	flusher_ensure();
	assert_true(is_gone());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(lives_only_while_requests_are_wanted),
	    TEST(counts_no_locks_where_they_are_not_wanted),
	    TEST(says_what_is_left_when_requests_are_no_more_wanted),
	    TEST(says_all_of_a_pass_about_once_a_second),
	    TEST(handlers_of_the_program_do_not_run_on_it),
	    TEST(counts_as_is_asked_for_in_mid_recording),
	    TEST(says_once_why_holds_are_not_timed),
	    TEST(fork_leaves_it_to_the_parent),
	    TEST(says_what_is_left_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
