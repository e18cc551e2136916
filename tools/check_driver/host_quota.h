#ifndef HY_TOOLS_CHECK_DRIVER_HOST_QUOTA_H
#define HY_TOOLS_CHECK_DRIVER_HOST_QUOTA_H

#include <halyard/driver.h>

/* The memory quota of a host: grants every request except for the refused request, and counts all
 * requests. */

/* Adds memory_reserve and memory_release to a host's table. */
void hy_host_quota_add(struct hy_host *host);

/* Refuses request number `number`, counted from 1 for the next request; 0: refuses no request. */
void hy_host_quota_refuse(unsigned number);

struct hy_host_quota_counts {
    unsigned asked;   /* requests so far */
    unsigned refused; /* refused requests */
    long held;        /* outstanding reservations; below 0: more were released than granted */
};
struct hy_host_quota_counts hy_host_quota_counts(void);

#endif
