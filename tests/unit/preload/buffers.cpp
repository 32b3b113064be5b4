/*
 * Real buffers, without Ceph's headers: all that is assumed is that a list is no larger than its room here, and that it is returned like
 * any class of that size. Its functions are the library's.
 */
#include "buffers.h"

#include <cstdlib>

namespace ceph
{
namespace buffer
{
inline namespace v15_2_0
{

class list
{
      public:
	static list static_from_mem(char *bytes, size_t length);
	void append(const list &other);

      private:
	alignas(16) char room[256];
};

} // namespace v15_2_0
} // namespace buffer
} // namespace ceph

using ceph::buffer::list;

static list *segment_of(const uint8_t *bytes, size_t length)
{
	char *block = static_cast<char *>(malloc(length));

	if (length)
		memcpy(block, bytes, length);
	return new list(list::static_from_mem(block, length));
}

void *buffer_of(const void *bytes, size_t length, size_t segment)
{
	const uint8_t *at = static_cast<const uint8_t *>(bytes);
	size_t first = segment && segment < length ? segment : length;
	list *all = segment_of(at, first);

	for (size_t done = first; done < length; done += segment)
		all->append(*segment_of(at + done, length - done < segment ? length - done : segment));
	return all;
}
