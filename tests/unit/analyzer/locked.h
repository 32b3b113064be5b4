/*
 * A small trace for the tests of what is told of locks; numbers in ns. Modules without files, so that nothing has a symbol:
 *
 *	librbd.so.1 at 0x10000, bias 0x8000: 0x10010 is librbd.so.1+0x8010; app at 0x40000, bias 0x40000; the preloaded library at 0x60000
 *	io, thread 5, waits twice for 0x90000, 100 and 300, held by worker, who lets go at 0x40044; while io waits the second time
 *	worker waits 50 for 0x40100 (in app's data). 0x90000 lies 32 behind the begin of a Lock<Image> (4LockI5ImageE).
 *	Request 1:1, 1000 to 11000, overlaps with 300 of the second; request 1:2 waits 700 for 0x90000 in its own call.
 *	main, thread 1, waits 20 for 0xa0000, which has no type, outside of librbd
 *	0x90000: 640 acquisitions of which 2 contended are counted, 10 holds of 40 in all; blocking holds 90 and 210
 *	threads: io 0.9 of its second, worker 0.3 and 0.6 waiting; 2 processors, 1.5 of quota; throttled 0.1, stolen 0.02 of 2 s
 */
#ifndef RBDPROF_TESTS_LOCKED_H
#define RBDPROF_TESTS_LOCKED_H

#define LOCKED_EVENTS                                                                                                                      \
	"1 p0 process schema=1 pid=77 version=0.1.0 comm=app host=alpha\n"                                                                 \
	"1 p0 module begin=0x10000 end=0x20000 bias=0x8000 path=/nowhere/librbd.so.1 build_id=abcd\n"                                      \
	"1 p0 module begin=0x40000 end=0x50000 bias=0x40000 path=/nowhere/app build_id=abce\n"                                             \
	"1 p0 module begin=0x60000 end=0x70000 bias=0x60000 path=/nowhere/librbdprof.so build_id=abcf\n"                                   \
	"1 p0 image image=1 client=4001 cluster=c1 pool_id=2 pool=rbd name=one id=10ab\n"                                                  \
	"1 p0 image image=2 client=4001 cluster=c1 pool_id=2 pool=rbd name=two id=10ac\n"                                                  \
	"1 p0 thread thread=1 tid=77 name=main\n"                                                                                          \
	"1 p0 thread thread=5 tid=15 name=io\n"                                                                                            \
	"1 p0 thread thread=6 tid=16 name=worker\n"                                                                                        \
	"1 p0 usage tid=15 cpu_ns=0 name=io\n"                                                                                             \
	"1 p0 usage tid=16 cpu_ns=0 name=worker\n"                                                                                         \
	"1 p0 usage tid=99 cpu_ns=0 name=idle\n"                                                                                           \
	"1 p0 host throttled_ns=0 steal_ns=0 processors=2 quota_milli=1500\n"                                                              \
	"2 p0 lock_name lock=0x90000 offset_bytes=32 type=4LockI5ImageE\n"                                                                 \
	"500 p0 lock_hold lock=0x90000 thread=6 caller=0x40044 hold_ns=90 kind=mutex\n"                                                    \
	"510 p0 lock_wait lock=0x90000 thread=5 caller=0x10010 holder=16 wait_ns=100 kind=mutex stack=3\n"                                 \
	"520 p0 stack stack=3 frames=0x10010,0x60010,0x10020,0x40010\n"                                                                            \
	"1000 p0 request request=1:1 image=1 kind=write length_bytes=4096\n"                                                               \
	"2000 p0 lock_wait lock=0x40100 thread=6 caller=0x10030 wait_ns=50 kind=rwlock_write\n"                                            \
	"2050 p0 lock_hold lock=0x90000 thread=6 caller=0x40044 hold_ns=210 kind=mutex\n"                                                  \
	"2100 p0 lock_wait lock=0x90000 thread=5 caller=0x10010 holder=16 wait_ns=300 kind=mutex stack=3\n"                                \
	"3000 p0 lock_wait lock=0xa0000 thread=1 caller=0x40020 holder=15 wait_ns=20 kind=mutex\n"                                         \
	"11000 p0 complete request=1:1 thread=5 looked=1\n"                                                                                \
	"12000 p0 request request=1:2 image=1 kind=write length_bytes=4096\n"                                                              \
	"13000 p0 lock_wait lock=0x90000 thread=1 caller=0x10010 request=1:2 wait_ns=700 kind=mutex result=110\n"                          \
	"22000 p0 complete request=1:2 thread=5 looked=1\n"                                                                                \
	"23000 p0 lock_counts lock=0x90000 thread=5 acquisitions=640 contended=2 wait_ns=400 holds=10 hold_ns=40 kind=mutex\n"             \
	"24000 p0 cond_wait lock=0xb0000 mutex=0xb0100 thread=5 caller=0x10040 wait_ns=5000 kind=cond\n"                                   \
	"25000 p0 lock_counts lock=0xc0000 thread=5 acquisitions=1234 kind=mutex\n"                                                        \
	"1000000001 p0 usage tid=15 cpu_ns=900000000 run_queue_ns=10000000 name=io\n"                                                      \
	"1000000001 p0 usage tid=16 cpu_ns=300000000 run_queue_ns=600000000 name=worker\n"                                                 \
	"1000000001 p0 usage tid=99 cpu_ns=1000 name=idle\n"                                                                               \
	"1000000001 p0 host throttled_ns=200000000 steal_ns=40000000 processors=2 quota_milli=1500\n"

#endif
