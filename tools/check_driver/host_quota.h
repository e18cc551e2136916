#ifndef HY_TOOLS_CHECK_DRIVER_HOST_QUOTA_H
#define HY_TOOLS_CHECK_DRIVER_HOST_QUOTA_H

#include <halyard/driver.h>

/* The quota of memory of a host: grants every request but one, and counts the requests. */

/* Adds memory_reserve and memory_release to a host's table. */
void hy_host_quota_add(struct hy_host *host);

/* From now on the question of this number is refused, the next one being 1; 0: none. */
void hy_host_quota_refuse(unsigned number);

struct hy_host_quota_facts {
    unsigned asked;   /* questions so far */
    unsigned refused; /* of them */
    long held;        /* reservations that are not given back; below 0: more than there were */
};
struct hy_host_quota_facts hy_host_quota_facts(void);

#endif
