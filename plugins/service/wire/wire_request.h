#ifndef HY_SERVICE_WIRE_REQUEST_H
#define HY_SERVICE_WIRE_REQUEST_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Bodies of executions. The header's object is the prepared model or the reusable:
 *
 *   EXECUTE, REUSABLE_CREATE   request, run options
 *   EXECUTE_FENCED             request, run options, fences
 *   REUSABLE_EXECUTE           deadline (session.h)
 */

void hy_request_pack(struct hy_pack *out, const struct hy_request *request);

/* Unpacks a request view into the arena. Checked: ranks are at most HY_MAX_RANK, and arguments with
 * bytes name a pool in range. `*pools` is the array behind request->pools, to be completed by the
 * caller (pools.h). */
void hy_request_unpack(struct hy_unpack *in, struct hy_request *request, struct hy_pool **pools);

/* The input fences and the output signal of a fenced execution. */
struct hy_fences {
    const int32_t *wait_for;
    uint32_t wait_count;
    int32_t signal; /* write end of the client's pipe: a byte = done, hang-up = failed */
};

HY_STRUCT(fences);

#endif
