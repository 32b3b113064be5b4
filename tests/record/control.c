/* The door, with a host that only counts: who is let in, who is not, and that nobody holds it up. */
#include "analyzer/control.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/deadline.h"

static bool admitting;
static unsigned int admitted, released;

static bool admit(pid_t vpid)
{
	(void)vpid;
	admitted += admitting;
	return admitting;
}

static void release(pid_t vpid)
{
	(void)vpid;
	released++;
}

static int open_door(void **state)
{
	static struct control control;

	admitting = true;
	admitted = released = 0;
	*state = &control;
	return control_init(&control, 2, admit, release);
}

static int close_door(void **state)
{
	control_fini(*state);
	return 0;
}

static int knock(const struct control *control)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	memcpy(address.sun_path + 1, control->name, strlen(control->name));
	assert_int_equal(
	    connect(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(control->name))), 0);
	return fd;
}

/* Serves until the door has nothing to do for a while. */
static void serve(struct control *control)
{
	struct pollfd work = {.fd = control->epoll, .events = POLLIN};

	while (poll(&work, 1, 50) > 0)
		control_serve(control);
}

/* A process that asks and then lives until it is killed. */
static pid_t guest(const struct control *control)
{
	pid_t pid = fork();

	if (!pid) {
		uint32_t own = (uint32_t)getpid();

		send(knock(control), &own, sizeof(own), MSG_NOSIGNAL);
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Serves until so many have been answered. */
static void await(struct control *control, unsigned int answers)
{
	uint64_t patience = deadline_now_ms() + 5000;

	while (control->traced + control->refused < answers && deadline_now_ms() < patience)
		serve(control);
	assert_int_equal(control->traced + control->refused, answers);
}

static void shares_are_for_the_living(void **state)
{
	struct control *control = *state;
	pid_t guests[4];

	guests[0] = guest(control);
	guests[1] = guest(control);
	await(control, 2);
	guests[2] = guest(control);
	await(control, 3);
	assert_int_equal(control->traced, 2);
	assert_int_equal(control->refused, 1);
	assert_int_equal(control_living(control), 2);

	/* A death makes room at once, and the number is released only when the tracer is done with it. */
	end(guests[0]);
	guests[3] = guest(control);
	await(control, 4);
	assert_int_equal(control->traced, 3);
	assert_int_equal(control_living(control), 2);
	control_tick(control);
	assert_int_equal(released, 0);
	deadline_sleep_ms(CONTROL_FORGET_MS + 50);
	control_tick(control);
	assert_int_equal(released, 1);
	assert_int_equal(admitted, 3);
	for (int g = 1; g < 4; g++)
		end(guests[g]);
}

/* After an exec a process is let in again with the share it has. */
static void asking_twice(void **state)
{
	struct control *control = *state;
	uint32_t pid = (uint32_t)getpid();
	char answer;

	for (int n = 0; n < 3; n++) {
		int fd = knock(control);

		send(fd, &pid, sizeof(pid), 0);
		serve(control);
		answer = 0;
		assert_int_equal(recv(fd, &answer, 1, MSG_DONTWAIT), 1);
		assert_int_equal(answer, 'y');
		close(fd);
	}
	assert_int_equal(control->traced, 1);
	assert_int_equal(admitted, 1);
}

static void a_host_that_cannot(void **state)
{
	struct control *control = *state;
	uint32_t pid = (uint32_t)getpid();
	int fd = knock(control);
	char answer = 0;

	admitting = false;
	send(fd, &pid, sizeof(pid), 0);
	serve(control);
	assert_int_equal(recv(fd, &answer, 1, MSG_DONTWAIT), 1);
	assert_int_equal(answer, 'n');
	assert_int_equal(control_living(control), 0);
	close(fd);
}

static void nonsense(void **state)
{
	static const uint32_t words[] = {0, UINT32_MAX, 1, 1};
	static const size_t offsets[] = {0, 1, 2}, sizes[] = {4, 4, 8};
	struct control *control = *state;
	char answer;

	for (size_t n = 0; n < 3; n++) {
		int fd = knock(control);

		send(fd, words + offsets[n], sizes[n], 0);
		serve(control);
		assert_int_equal(recv(fd, &answer, 1, MSG_DONTWAIT), 0); /* hung up on, without an answer */
		close(fd);
	}
	assert_int_equal(control->traced + control->refused, 0);
}

static void the_silent(void **state)
{
	struct control *control = *state;
	uint32_t pid = (uint32_t)getpid();
	int silent[CONTROL_PEERS + 1], fd;
	char answer = 0;

	for (size_t n = 0; n < CONTROL_PEERS; n++) {
		silent[n] = knock(control);
		serve(control);
	}
	silent[CONTROL_PEERS] = knock(control);
	serve(control);
	assert_int_equal(recv(silent[CONTROL_PEERS], &answer, 1, MSG_DONTWAIT), 0); /* one too many */
	close(silent[0]);
	serve(control);
	fd = knock(control);
	send(fd, &pid, sizeof(pid), 0);
	serve(control);
	assert_int_equal(recv(fd, &answer, 1, MSG_DONTWAIT), 1);
	assert_int_equal(answer, 'y');
	deadline_sleep_ms(CONTROL_SILENT_MS + 50);
	control_tick(control);
	assert_int_equal(recv(silent[1], &answer, 1, MSG_DONTWAIT), 0);
	for (size_t n = 1; n <= CONTROL_PEERS; n++)
		close(silent[n]);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(shares_are_for_the_living, open_door, close_door),
	    cmocka_unit_test_setup_teardown(asking_twice, open_door, close_door),
	    cmocka_unit_test_setup_teardown(a_host_that_cannot, open_door, close_door),
	    cmocka_unit_test_setup_teardown(nonsense, open_door, close_door),
	    cmocka_unit_test_setup_teardown(the_silent, open_door, close_door),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
