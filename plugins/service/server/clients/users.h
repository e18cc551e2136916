#ifndef HY_SERVICE_SERVER_USERS_H
#define HY_SERVICE_SERVER_USERS_H

#include "common/list.h"
#include "halyard/driver.h"
#include "plugins/service/server/calls/turns.h"
#include "plugins/service/server/clients/ration.h"

#include <sys/types.h>

/* Those whose clients share a service: what one of them has the driver remember is not found by
 * another one, and what one takes is not missed by the others. */
struct hy_server_driver;

struct hy_server_user {
    uid_t id;
    struct hy_ration ration;
    const struct hy_host *host; /* what the driver has kept for this user; NULL: nothing */
    struct hy_server_usage usage;
    uint32_t references;
    LIST_ENTRY(hy_server_user) entry;
};

/* The user of this number, retained; NULL: no memory. */
struct hy_server_user *hy_server_user_find(const struct hy_server_driver *driver, uid_t id,
                                           struct hy_ration *service);
void hy_server_user_release(const struct hy_server_driver *driver, struct hy_server_user *user);

/* How many users there are. */
uint32_t hy_server_users_count(void);

/* The host that remembers for whom the thread acts; NULL: none. */
const struct hy_host *hy_server_users_keeper(void);

/* The members of the driver's host that remember, for the user of the client for whom they are
 * called. */
void hy_server_users_fill(struct hy_host *face, const struct hy_host *inner);

#endif
