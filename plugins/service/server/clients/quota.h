#ifndef HY_SERVICE_SERVER_QUOTA_H
#define HY_SERVICE_SERVER_QUOTA_H

#include "common/memory/arena.h"
#include "halyard/driver.h"
#include "plugins/service/server/clients/quota_levels.h"

/*
 * Accounts for memory allocated on behalf of clients, by the driver and by the server. Each
 * allocation is charged in advance to the client, its user and the service
 * (HY_SERVER_QUOTA_ALLOCATED).
 */
struct hy_server;
struct hy_server_driver;
struct hy_server_reservation;

/*
 * Charges `bytes` to the client of `server` (one connection), or with a NULL `server` only to the
 * service. The reservation holds `server` until hy_server_release, which any thread may call, also
 * after the client has disconnected. Errors: HY_EXHAUSTED (temporarily), HY_EXHAUSTED_FOR_GOOD
 * (above a limit of the client), HY_OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_server_reserve(struct hy_server *server, uint64_t bytes,
                                             struct hy_server_reservation **ret,
                                             struct hy_error *err);
void hy_server_release(struct hy_server_reservation *reservation); /* accepts NULL */

/* Returns an empty arena whose blocks are charged to `quotas` of a client; NULL: not charged.
 * Finish the arena before the client. */
struct hy_arena hy_server_arena(struct hy_server_quota *quotas);

/* Sets the members of the driver's host that charge the client of the current call (caller.h).
 * `driver` must outlive the host. */
void hy_server_quota_fill(struct hy_host *face, const struct hy_server_driver *driver);

/* Explains quota refusals in error texts. Each thread records its last refusal. Call
 * hy_server_quota_begin before each call of the driver: the function clears the record.
 * hy_server_quota_explain appends the record to the text of a call that ended with `status`
 * HY_STATUS_RESOURCE_EXHAUSTED_*. */
void hy_server_quota_begin(void);
void hy_server_quota_explain(int32_t status, struct hy_error *err);

#endif
