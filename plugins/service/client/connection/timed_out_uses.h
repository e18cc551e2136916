#ifndef HY_SERVICE_TIMED_OUT_USES_H
#define HY_SERVICE_TIMED_OUT_USES_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * The memory of abandoned executions, which may read and write the memory after their deadlines.
 * The memory is recorded by the names of the driver's process. Later executions wait until the
 * abandoned executions have ended.
 */
struct hy_timed_out_use {
    uint32_t kind; /* of the pool, like the members below */
    uint32_t buffer_token;
    uint64_t id;
    uint64_t offset;
    uint64_t length;     /* bytes; ignored for memory that is used whole */
    uint64_t is_written; /* a bool, 64 bits wide to avoid padding: uses are compared as bytes */
};

struct hy_timed_out_uses {
    struct hy_timed_out_use *uses;
    uint32_t count;
    bool are_unknown; /* an allocation failed: any memory may be in use */
};

/* All zero bytes is an empty list. hy_timed_out_uses_add records the memory of all arguments. */
void hy_timed_out_uses_add(struct hy_timed_out_uses *timed_out, const struct hy_request *request);
void hy_timed_out_uses_finish(struct hy_timed_out_uses *timed_out);

static inline bool hy_timed_out_uses_are_none(const struct hy_timed_out_uses *timed_out)
{
    return timed_out->count == 0 && !timed_out->are_unknown;
}

/* Returns whether the request conflicts with a recorded use: both use the same memory, and at least
 * one side writes. */
bool hy_timed_out_uses_conflict(const struct hy_timed_out_uses *timed_out,
                                const struct hy_request *request);

#endif
