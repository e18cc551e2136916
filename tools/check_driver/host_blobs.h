#ifndef HY_TOOLS_CHECK_DRIVER_HOST_BLOBS_H
#define HY_TOOLS_CHECK_DRIVER_HOST_BLOBS_H

#include <halyard/driver.h>

/* The cache engine of check-driver's host, in memory of this process. */

/* Adds blob_store, blob_load and blob_remove to the table of a host. */
void hy_host_blobs_add(struct hy_host *host);

/* What happens to blobs; a host of an app may do each of it at any time. */
enum hy_host_blobs {
    HY_BLOBS_KEPT,    /* what was stored is found */
    HY_BLOBS_LOST,    /* there are none, though they can be stored */
    HY_BLOBS_GOING,   /* a blob is gone between the call that tells its length and the next */
    HY_BLOBS_REFUSED, /* every call answers GENERAL_FAILURE */
};

/* From now on, for all drivers of this process. */
void hy_host_blobs_set(enum hy_host_blobs blobs);

/* How many calls have stored a blob, or tried to. */
unsigned hy_host_blobs_stored(void);

#endif
