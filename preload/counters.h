/*
 * librbd's performance counters as beacons: the moment at which it counts a request is the one at which the request is complete, before
 * the callback is queued; the moment at which it notes that the exclusive lock was acquired is the one at which requests may go on.
 */
#ifndef RBDPROF_PRELOAD_COUNTERS_H
#define RBDPROF_PRELOAD_COUNTERS_H

#include <stdint.h>

#include "preload/images.h"

/*
 * An image was opened and can be found. Its group of counters was made meanwhile, and is tied to it now, while no other can be meant: an
 * image may be open twice, by one client. Any thread.
 */
void counters_image_opened(void);

/*
 * The moment at which librbd completed the oldest request of this kind that has not been asked for yet and was not complete before
 * start_ns; 0 when no such moment is known. The k-th count of a kind is the k-th callback. number: of the image, which may be
 * closed by now. Any thread.
 */
uint64_t counters_completed_ns(const struct image *image, uint32_t number, uint8_t kind, uint64_t start_ns);

#endif
