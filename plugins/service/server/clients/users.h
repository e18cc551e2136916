#ifndef HY_SERVICE_SERVER_USERS_H
#define HY_SERVICE_SERVER_USERS_H

#include "common/list.h"
#include "halyard/driver.h"
#include "plugins/service/server/calls/call_scheduler.h"
#include "plugins/service/server/clients/quota_levels.h"

#include <sys/types.h>

/* The users (tenants) of a shared service. Data saved by the driver for a user is not visible to
 * other users, and each user has a quota of its own. */
struct hy_server_driver;

struct hy_server_user {
    uid_t id;
    struct hy_server_quota quotas;
    const struct hy_host *host; /* stores the driver's data for this user; NULL: no storage */
    struct hy_server_usage usage;
    uint32_t references;
    LIST_ENTRY(hy_server_user) entry;
};

/* Returns the user with a new reference, and creates the user if necessary; NULL: out of memory. */
struct hy_server_user *hy_server_user_find(const struct hy_server_driver *driver, uid_t id,
                                           struct hy_server_quota *service);
void hy_server_user_release(const struct hy_server_driver *driver, struct hy_server_user *user);

/* Returns the number of users. */
uint32_t hy_server_users_count(void);

/* Returns the host that stores data for the current client's user (caller.h); NULL: none. Outside
 * of calls, the host belongs to the user of this process. */
const struct hy_host *hy_server_users_caller_host(void);

/* Sets the members of the driver's host that store data for the user of the current client. */
void hy_server_users_fill(struct hy_host *face, const struct hy_host *inner);

#endif
