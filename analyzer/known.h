/*
 * The shim's events as they stand in a trace: their names, their fields, and where each goes in struct event. A table that knows nothing of
 * the library that reads traces; decode.c goes by it.
 */
#ifndef RBDPROF_ANALYZER_KNOWN_H
#define RBDPROF_ANALYZER_KNOWN_H

#include <stdint.h>

#include "analyzer/event.h"

#define KNOWN_PROVIDER    "rbdprof:"
#define KNOWN_MEMBERS_MAX 20

/* How a field of a trace becomes a member of struct event. The numbers' width is the member's. */
enum member_type {
	MEMBER_U8,
	MEMBER_U16,
	MEMBER_U32,
	MEMBER_U64,
	MEMBER_I32,
	MEMBER_I64,
	MEMBER_MOMENT, /* of the event's clock; kept is how long before the event it was, in ns */
	MEMBER_STRING,
	MEMBER_NUMBERS, /* a sequence of numbers, as 64 bits each; its length is kept where `count` says */
	MEMBER_ROWS,    /* such a sequence in which RBDPROF_COUNTS_WORDS are a struct event_counts; kept is how many of these there are */
};

struct member {
	const char *field;
	enum member_type type;
	uint16_t offset; /* within struct event */
	uint16_t count;  /* NUMBERS, ROWS: where their count goes */
	uint8_t word;    /* 0: a field of its own. Else the member is in that word of an array, from 1, and begins at this bit: */
	uint8_t bit;
};

struct known_event {
	const char *name; /* with the provider's */
	enum event_type type;
	struct member members[KNOWN_MEMBERS_MAX]; /* ends with the first that has no field */
};

/* Ends with one that has no name. An event that looked different in an earlier schema has a row for each, the newest first. */
extern const struct known_event known_events[];

/* What a record is when it is an event of its own; all its members are in words. */
static inline const struct known_event *known_record(enum rbdprof_record record)
{
	return &known_events[record - 1];
}

#endif
