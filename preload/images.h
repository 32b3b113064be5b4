/*
 * The images that this process has open, with their descriptions, kept while nobody records too: a recording that begins later hears
 * them again. Knows what is asked of librbd and librados about an image, and nothing of requests.
 */
#ifndef RBDPROF_PRELOAD_IMAGES_H
#define RBDPROF_PRELOAD_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include <rbd/librbd.h>

struct image;

/*
 * Describes an image that was just opened (by functions of librbd and librados that do no I/O) and says so to a recording. pool and
 * snapshot: as given to the open call. open_ns: how long opening took. When the table is full the image stays unknown, and its
 * requests are passed through.
 */
void images_opened(rbd_image_t handle, rados_ioctx_t pool, const char *snapshot, bool read_only, uint64_t open_ns);

/* Forgets a handle that is about to be closed; returns its number for images_closed(), 0 when it was unknown. */
uint32_t images_forget(rbd_image_t handle);

/* Says that an image is closed. close_ns: how long it took. */
void images_closed(uint32_t number, uint64_t close_ns, int32_t result);

/* The image behind a handle, NULL when unknown. It stays valid until its close begins. */
struct image *images_find(rbd_image_t handle);

uint32_t images_number(const struct image *image);

/* Whether the application learns of completions through rbd_poll_io_events on this image. */
bool images_notifies(const struct image *image);
void images_set_notifies(struct image *image);

/*
 * Ties a group of librbd's counters to the image that it belongs to: open, of the client with this context, with an id that
 * begins id_and_more and is followed by a dash, and not tied yet. Returns the image's number, 0 when there is none.
 */
uint32_t images_link(const void *cct, const char *id_and_more, void *group);

/* The group that is tied to the image of this number, which may be closed by now; NULL when there is none. */
void *images_group(const struct image *image, uint32_t number);

/* Says every open image and its settings to the recording. */
void images_say(void);

/* In a child of fork(): its parent's images are none of its own. */
void images_reset(void);

#endif
