#include "analyzer/core/layout.h"

#include <string.h>

#define NAME_MAX_BYTES 320 /* what the shim says of a namespace and of a prefix is shorter */

int layout_valid(const struct layout *layout)
{
	return layout->object_size_bytes && layout->stripe_count && layout->stripe_unit_bytes &&
	       layout->object_size_bytes % layout->stripe_unit_bytes == 0;
}

struct extent layout_extent(const struct layout *layout, uint64_t offset_bytes, uint64_t length_bytes)
{
	/* With one object a set, units follow each other in it: as good as one unit. */
	uint64_t unit_bytes = layout->stripe_count == 1 ? layout->object_size_bytes : layout->stripe_unit_bytes;
	uint64_t units_per_object = layout->object_size_bytes / unit_bytes;
	uint64_t unit = offset_bytes / unit_bytes, within = offset_bytes % unit_bytes;
	uint64_t row = unit / layout->stripe_count; /* of units with the same place in their objects */
	uint64_t left = unit_bytes - within;

	return (struct extent){
	    .object = row / units_per_object * layout->stripe_count + unit % layout->stripe_count,
	    .offset_bytes = row % units_per_object * unit_bytes + within,
	    .length_bytes = length_bytes < left ? length_bytes : left,
	};
}

static uint32_t word_at(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Three words, each changed by the other two in turn, with these shifts. */
static void mix(uint32_t word[3])
{
	static const struct {
		uint8_t left, by;
	} rounds[] = {{0, 13}, {1, 8}, {0, 13}, {0, 12}, {1, 16}, {0, 5}, {0, 3}, {1, 10}, {0, 15}};

#pragma GCC unroll 9
	for (unsigned i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		uint32_t last = word[(i + 2) % 3];

		word[i % 3] -= word[(i + 1) % 3];
		word[i % 3] -= last;
		word[i % 3] ^= rounds[i].left ? last << rounds[i].by : last >> rounds[i].by;
	}
}

uint32_t layout_hash(const char *name, size_t length)
{
	const unsigned char *at = (const unsigned char *)name;
	uint32_t word[3] = {0x9e3779b9, 0x9e3779b9, 0}; /* the golden ratio, an arbitrary value */
	size_t left = length;

	for (; left >= 12; left -= 12, at += 12) {
		for (unsigned i = 0; i < 3; i++)
			word[i] += word_at(at + 4 * i);
		mix(word);
	}
	/* The rest; the lowest byte of the last word is the length's. */
	word[2] += (uint32_t)length;
	for (size_t i = 0; i < left; i++)
		word[i / 4] += (uint32_t)at[i] << 8 * (i < 8 ? i % 4 : i - 7);
	mix(word);
	return word[2];
}

uint32_t layout_object_hash(const char *namespace_, const char *prefix, uint64_t object)
{
	static const char digits[] = "0123456789abcdef";
	unsigned width = strncmp(prefix, "rb.", 3) ? 16 : 12;
	size_t namespace_length = strlen(namespace_), prefix_length = strlen(prefix), length = 0;
	char name[NAME_MAX_BYTES];

	if (namespace_length + prefix_length + width + 2 > sizeof(name))
		return 0;
	if (namespace_length) {
		memcpy(name, namespace_, namespace_length);
		length = namespace_length;
		name[length++] = '\037';
	}
	memcpy(name + length, prefix, prefix_length);
	length += prefix_length;
	name[length++] = '.';
	for (unsigned i = 0; i < width; i++)
		name[length + i] = digits[object >> 4 * (width - 1 - i) & 15];
	return layout_hash(name, length + width);
}
