#ifndef HY_SERVICE_SENT_REQUEST_H
#define HY_SERVICE_SENT_REQUEST_H

#include "common/error.h"
#include "halyard/driver.h"

struct hy_connection;

/* FAILED for memory by address, which no device of a service has named in its pool_kinds. */
HY_MUST_CHECK enum hy_code hy_sent_pools_check(const struct hy_pool *pools, uint32_t count,
                                               struct hy_error *err);

/* A request as the process understands it: memory of the device has another token there. All zero
 * bytes is empty. */
struct hy_sent_request {
    struct hy_request request;
    struct hy_pool *pools;
    uint32_t room;
};

/*
 * Makes sent->request of a request, to which it points for the most part, and whose memory is that
 * of the caller. Errors: FAILED (memory by address), BAD_DATA (no such memory of the device), DEAD
 * (such memory, lost with its process), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_sent_request_bind(struct hy_sent_request *sent,
                                                struct hy_connection *connection,
                                                const struct hy_request *request,
                                                struct hy_error *err);
void hy_sent_request_finish(struct hy_sent_request *sent);

#endif
