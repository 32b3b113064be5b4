/*
 * A small trace for the tests of the writers, chosen so that every number of its report follows from a line of arithmetic:
 *
 *	write 1: S 1.0 ms, C 2.5, D 3.0, A 3.5;  write 2: S 3.5, C 5.0, D 5.5, A 6.0
 *	each: latency 1.5 ms (60 % of total), c2d 0.5 (20 %), d2a 0.5 (20 %), total 2.5
 *	2 writes of 4096 bytes in 5.0 − 1.0 = 4 ms: 500 IOPS, 2 048 000 bytes/s = 1.953 MiB/s
 *	in flight between S and C: (1.5 + 1.5) / (6.5 − 1.0), the flush counted from 6.0 to 6.5 with its 0.5: 3.5 / 5.5 = 0.636
 *	flush: S 6.0, D = A 6.5, C = D, failed: latency 0.5 ms
 *	of all requests' total, 2 × 2.5 + 0.5, 2 × 1.5 + 0.5 are told apart no further: 3.5 / 5.5 = 64 %
 *	mutex 0x1000: waits of 10 and 30 µs in thread 1; rwlock 0x2000 read for 5 µs in thread 1
 */
#ifndef RBDPROF_TESTS_REPORT_H
#define RBDPROF_TESTS_REPORT_H

#define REPORT_EVENTS                                                                                                                      \
	"1 p0 process schema=1 pid=77 version=0.1.0 comm=fio host=alpha clock_offset_ns=1000\n"                                            \
	"1 p0 thread thread=1 tid=78 name=worker\n"                                                                                        \
	"1 p0 image image=1 open_ns=12000000 client=4001 cluster=c1 release=16.2.15 pool_id=2 pool=rbd name=one id=10ab "                  \
	"size_bytes=67108864 features=69 object_size_bytes=4194304 stripe_unit_bytes=4194304 stripe_count=1 prefix=rbd_data.10ab\n"        \
	"1 p0 config image=1 option=rbd_cache value=false\n"                                                                               \
	"1 p0 unseen function=rbd_aio_of_tomorrow\n"                                                                                       \
	"1000000 p0 request request=1:1 image=1 kind=write length_bytes=4096\n"                                                            \
	"3000000 p0 complete request=1:1 thread=1 c2d_ns=500000\n"                                                                         \
	"3500000 p0 reap requests=1:1\n"                                                                                                   \
	"3500000 p0 request request=1:2 image=1 kind=write length_bytes=4096\n"                                                            \
	"4000000 p0 lock_wait lock=4096 thread=1 kind=mutex wait_ns=10000\n"                                                               \
	"4100000 p0 lock_wait lock=4096 thread=1 kind=mutex wait_ns=30000\n"                                                               \
	"4200000 p0 lock_wait lock=8192 thread=1 kind=rwlock_read wait_ns=5000\n"                                                          \
	"5500000 p0 complete request=1:2 thread=1 c2d_ns=500000\n"                                                                         \
	"6000000 p0 reap requests=1:2\n"                                                                                                   \
	"6000000 p0 request request=1:3 image=1 kind=flush\n"                                                                              \
	"6500000 p0 complete request=1:3 thread=1 result=-5 looked=1\n"

#endif
