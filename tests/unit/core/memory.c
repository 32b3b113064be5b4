/* When memory runs out, at whichever allocation: -ENOMEM, nothing leaked, nothing broken. The linker sends every allocation here. */
#include "tests/unit/core/test.h"

#include "tests/unit/core/events_text.h"

/* One event of each kind that allocates, and enough requests and locks for tables to grow. */
static const char text[] =
    TEXT_IMAGE "1 p0 image image=2 client=4002 cluster=c1 pool_id=2 pool=rbd name=one id=10ab\n"
	       "1 p0 image image=3 client=4002 cluster=c1 pool_id=2 pool=rbd name=two id=10ac\n"
	       "2 p0 config image=1 option=rbd_cache value=true\n"
	       "2 p0 config image=1 option=rbd_cache value=false\n"
	       "2 p1 process pid=1 comm=other\n"
	       "2 p0 thread thread=1 tid=3 name=fio\n"
	       "3 p0 unseen function=rbd_aio_new\n"
	       "3 p0 undecoded what=entry\n"
	       "3 p0 image image=4 client=4003 cluster=c1 pool_id=2 pool=rbd name=three id=10ad features=69 prefix=rbd_data.10ad "
	       "object_size_bytes=4096 stripe_unit_bytes=4096 stripe_count=1\n"
	       "3 p0 object object=1 name=rbd_header.10ad\n"
	       "3 p0 object object=2 name=journal_data.2.10ad.0\n"
	       "3 p0 watching client=4003 object=1 watch=5\n"
	       "3 p0 throttled bucket=1 wanted=1\n"
	       "3 p0 request request=2:1 image=4 kind=write offset_bytes=4000 length_bytes=200\n"
	       "3 p0 lock_call operation=9:1 watch=5 lock_type=1 method=3\n"
	       "3 p0 operation operation=9:1 client=4003 pool_id=2 object=1 methods=lock.lock kind=write tracked=1\n"
	       "3 p0 operation_done operation=9:1\n"
	       "3 p0 lock_acquired image=4\n"
	       "4 p0 journal_append operation=9:2 entries=0,1 offsets_bytes=4000,4050 lengths_bytes=40,50 kinds=1,1\n"
	       "4 p0 operation operation=9:2 client=4003 object=2 methods=journal.append kind=write tracked=1\n"
	       "4 p0 operation_done operation=9:2\n"
	       /* The hash of rbd_data.10ad.0000000000000000, by `ceph osd map`. */
	       "4 p0 sent client=4003 transaction=1 pool_id=2 object_hash=0xb8261 flags=0x20 code=0x2201 extents=1 offset_bytes=4040 "
	       "length_bytes=10\n"
	       "4 p0 complete request=2:1 looked=1\n"
	       "4 p0 request request=1:1 image=1 kind=write\n"
	       "4 p0 request request=1:2 image=9 kind=write\n"
	       "4 p0 request_open request=1:3 image=2 kind=read age_ns=3\n"
	       "5 p0 complete request=1:1\n"
	       "6 p0 reap requests=1:1\n"
	       "7 p0 lost begin_ns=6 events=1\n"
	       "8 p0 lock_wait lock=1 thread=1 wait_ns=1000000 kind=mutex holder=9 request=1:2 stack=7\n"
	       "8 p0 module begin=16 end=32 path=/lib/librbd.so.1 build_id=ab\n"
	       "8 p0 module begin=64 end=96 path=/lib/other.so\n"
	       "8 p0 module begin=16 end=24 path=/lib/third.so\n"
	       "8 p0 stack stack=7 frames=17,18\n"
	       "8 p0 thread thread=5 tid=6 name=msgr-worker-0\n"
	       "8 p0 lock_wait lock=1 thread=5 wait_ns=1 kind=mutex caller=17\n"
	       "8 p0 lock_name lock=1 offset_bytes=8 type=1L\n"
	       "8 p0 lock_wait lock=1 thread=5 wait_ns=2 kind=rwlock_read caller=17\n"
	       "8 p0 lock_hold lock=1 thread=5 hold_ns=1 kind=mutex\n"
	       "8 p0 lock_hold lock=1 thread=5 hold_ns=1000000 kind=rwlock_write\n"
	       "8 p0 lock_pair lock=1 thread=5 hold_ns=1000000 kind=mutex\n"
	       "8 p0 lock_counts lock=2 thread=5 acquisitions=1 kind=mutex\n"
	       "8 p0 usage tid=6 cpu_ns=1 name=msgr-worker-0\n"
	       "8 p0 usage tid=6 cpu_ns=0 name=again\n"
	       "8 p0 cond_wait lock=1 thread=1 wait_ns=1000000 kind=cond result=110\n"
	       "9 p0 totals emitted=3\n"
	       "10 p0 image_closed image=2\n";

static long left = -1; /* allocations until one fails; below 0: none will */

static int may(void)
{
	return left < 0 || left-- > 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *string);
int __wrap_asprintf(char **string, const char *format, ...);

void *__wrap_malloc(size_t size)
{
	return may() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
	return may() ? __real_realloc(memory, size) : NULL;
}

char *__wrap_strdup(const char *string)
{
	return may() ? __real_strdup(string) : NULL;
}

int __wrap_asprintf(char **string, const char *format, ...)
{
	va_list arguments;
	int length;

	if (!may())
		return -1;
	va_start(arguments, format);
	length = vasprintf(string, format, arguments);
	va_end(arguments);
	return length;
}

static int feed(void *context, const struct event *event)
{
	return model_feed(context, event);
}

/* What a reader would do; NULL is the same as -ENOMEM. */
static int run(void)
{
	struct model *model = model_create();
	int status = model ? events_text_each(text, feed, model) : -ENOMEM;

	if (!status)
		status = model_finish(model);
	left = -1;
	model_destroy(model);
	return status;
}

static void test_each_fails_in_turn(void **unused)
{
	long failed = 0;

	(void)unused;
	for (;; failed++) {
		int status;

		left = failed;
		status = run();
		if (!status)
			break;
		assert_int_equal(status, -ENOMEM);
	}
	/* At the least one for each of: model, table, processes, image, clients, names, requests. */
	assert_in_range(failed, 40, 400);
}

int main(void)
{
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_fails_in_turn),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, NULL, NULL);
}
