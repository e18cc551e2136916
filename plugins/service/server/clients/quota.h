#ifndef HY_SERVICE_SERVER_QUOTA_H
#define HY_SERVICE_SERVER_QUOTA_H

#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "plugins/service/server/clients/ration.h"

/*
 * Memory that is allocated for clients, by the driver and by the server itself: charged to the
 * client, its user and the service (HY_RATION_ALLOCATED) before it is allocated.
 */
struct hy_server;
struct hy_server_driver;
struct hy_server_reservation;

/*
 * Charges so many bytes to the client; NULL: to the service alone. The reservation keeps what the
 * client is known by, so that it can be released from any thread and after the client has gone.
 * Errors: EXHAUSTED (for now), EXHAUSTED_FOR_GOOD (more than the client may ever have),
 * OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_server_reserve(struct hy_server *server, uint64_t bytes,
                                             struct hy_server_reservation **ret,
                                             struct hy_error *err);
void hy_server_release(struct hy_server_reservation *reservation); /* takes NULL */

/* An empty arena whose blocks are charged to the client of the ration, or to nobody (NULL). It is
 * finished before the client is. */
struct hy_arena hy_server_arena(struct hy_ration *ration);

/* The members of the driver's host that charge the client for whom the thread acts. */
void hy_server_quota_fill(struct hy_host *face, const struct hy_server_driver *driver);

/* A refusal is remembered by its thread: begin forgets it, and explain puts its numbers behind the
 * text of a call that fails for want of resources. */
void hy_server_quota_begin(void);
void hy_server_quota_explain(int32_t status, struct hy_error *err);

#endif
