#ifndef HY_SERVICE_WIRE_REQUEST_H
#define HY_SERVICE_WIRE_REQUEST_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Bodies of executions, the header's object being the prepared model or the reusable:
 *
 *   EXECUTE, REUSABLE_CREATE   request, run options
 *   EXECUTE_FENCED             request, run options, fences
 *   REUSABLE_EXECUTE           deadline (session.h)
 */

void hy_request_pack(struct hy_pack *out, const struct hy_request *request);

/* A view in the arena: ranks are at most HY_MAX_RANK, and arguments with bytes name one of the
 * pools. `pools` is the array behind request->pools, to be completed (pools.h). */
void hy_request_unpack(struct hy_unpack *in, struct hy_request *request, struct hy_pool **pools);

/* What a fenced execution waits for and what it signals. */
struct hy_fences {
    const int32_t *wait_for;
    uint32_t wait_count;
    int32_t signal; /* write end of the client's pipe: one byte = done, hang-up = failed */
};

HY_STRUCT(fences);

#endif
