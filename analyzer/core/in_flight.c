#include "analyzer/core/in_flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void in_flight_fini(struct in_flight *in_flight)
{
	free(in_flight->rises);
	*in_flight = (struct in_flight){0};
}

int in_flight_enter(struct in_flight *in_flight, uint64_t s_ns)
{
	if (in_flight->now == in_flight->rise_count) {
		if (in_flight->rise_count == in_flight->rise_room) {
			size_t room = in_flight->rise_room ? in_flight->rise_room * 2 : 16;
			uint64_t *rises = realloc(in_flight->rises, room * sizeof(*rises));

			if (!rises)
				return -ENOMEM;
			in_flight->rises = rises;
			in_flight->rise_room = room;
		}
		in_flight->rises[in_flight->rise_count++] = s_ns;
	}
	in_flight->now++;
	return 0;
}

/* Index of the first rise at or after `time_ns`; their number if there is none. */
static size_t find_rise(const struct in_flight *in_flight, uint64_t time_ns)
{
	size_t low = 0, high = in_flight->rise_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (in_flight->rises[middle] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void in_flight_leave(struct in_flight *in_flight, uint64_t s_ns, uint64_t c_ns)
{
	size_t rise = find_rise(in_flight, c_ns > s_ns ? c_ns : s_ns + 1);

	if (rise < in_flight->rise_count) {
		in_flight->rise_count--;
		memmove(&in_flight->rises[rise], &in_flight->rises[rise + 1], (in_flight->rise_count - rise) * sizeof(*in_flight->rises));
	}
	in_flight->now--;
	if (c_ns > s_ns)
		in_flight->sum_ns += c_ns - s_ns;
}

uint64_t in_flight_max(const struct in_flight *in_flight)
{
	return in_flight->rise_count;
}
