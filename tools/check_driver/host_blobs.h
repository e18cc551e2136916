#ifndef HY_TOOLS_CHECK_DRIVER_HOST_BLOBS_H
#define HY_TOOLS_CHECK_DRIVER_HOST_BLOBS_H

#include <halyard/driver.h>

/* The cache engine of check-driver's host, in memory of this process. */

/* Adds blob_store, blob_load and blob_remove to the table of a host. */
void hy_host_blobs_add(struct hy_host *host);

/* The treatment of blobs; the host of an app may do each at any time. */
enum hy_host_blobs {
    HY_BLOBS_STORED,  /* stored blobs are found */
    HY_BLOBS_LOST,    /* no blob is found, and storing succeeds */
    HY_BLOBS_GOING,   /* a blob disappears between the call for its length and the next call */
    HY_BLOBS_REFUSED, /* every call returns GENERAL_FAILURE */
};

/* Sets the treatment from now on, for all drivers of this process. */
void hy_host_blobs_set(enum hy_host_blobs blobs);

/* The number of calls that store a blob, failed calls included. */
unsigned hy_host_blobs_stored(void);

#endif
