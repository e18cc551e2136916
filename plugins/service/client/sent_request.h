#ifndef HY_SERVICE_SENT_REQUEST_H
#define HY_SERVICE_SENT_REQUEST_H

#include "common/error.h"
#include "halyard/driver.h"

struct hy_connection;

/* Fails with FAILED if a pool is memory by address. No device of a service lists memory by address
 * in its pool_kinds. */
HY_MUST_CHECK enum hy_code hy_sent_pools_check(const struct hy_pool *pools, uint32_t count,
                                               struct hy_error *err);

/* A request as sent to the driver's process, with the process's tokens for memory of the device.
 * All zero bytes is an empty value. */
struct hy_sent_request {
    struct hy_request request;
    struct hy_pool *pools;
    uint32_t space;
};

/*
 * Makes sent->request from `request`, with the process's buffer tokens. sent->request points into
 * `request`, whose memory stays the caller's. Errors: FAILED (memory by address), BAD_DATA (no such
 * buffer), DEAD (the buffer was lost with its process), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sent_request_bind(struct hy_sent_request *sent,
                                                struct hy_connection *connection,
                                                const struct hy_request *request,
                                                struct hy_error *err);
void hy_sent_request_finish(struct hy_sent_request *sent);

#endif
