/*
 * Makes a torn CTF trace readable. A program, a consumer or a disk that stopped in mid-write leaves a stream file whose last packet is
 * not whole, and babeltrace2 then refuses the whole trace. This knows the head of a packet as LTTng-UST 2 writes it, and
 * makes a shadow folder in which such files end with their last whole packet; whole files are only linked. It knows nothing
 * of events. The original is never written to.
 */
#ifndef RBDPROF_ANALYZER_SALVAGE_H
#define RBDPROF_ANALYZER_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>

enum salvage_metadata {
	SALVAGE_METADATA_WHOLE,   /* as far as its packets go; the text may still be wrong */
	SALVAGE_METADATA_MISSING, /* cannot be opened, or empty */
	SALVAGE_METADATA_TORN,    /* its last packet is not whole: babeltrace2 2.0.4 would read it for ever */
	SALVAGE_METADATA_NEWER,   /* CTF 2 or later */
};

/* Looks at the folder's metadata; to be asked before babeltrace2 is. */
enum salvage_metadata salvage_metadata(const char *folder);

/* Whether a stream file goes on in zeroes behind its whole packets, or is nothing else: babeltrace2 2.1 would read it for ever. */
bool salvage_has_zeroes(const char *folder);

/*
 * Sets *shadow to the path of a new folder (the caller's, to be freed after salvage_remove) and what to a phrase that says how much
 * was cut off. Returns 0; -ENOENT when no file is torn, so that a shadow would not help; another negative errno.
 */
int salvage_make(const char *folder, char **shadow, char *what, size_t size);

/* Deletes the shadow folder; NULL is fine. */
void salvage_remove(const char *shadow);

#endif
