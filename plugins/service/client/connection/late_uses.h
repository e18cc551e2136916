#ifndef HY_SERVICE_LATE_USES_H
#define HY_SERVICE_LATE_USES_H

#include "halyard/driver.h"

#include <stdbool.h>

/*
 * What executions that were given up at their deadlines may still read and write: pieces of memory,
 * by the names that the process has for it, so that those that come later keep away until they are
 * over.
 */
struct hy_late_use {
    uint32_t kind; /* of the pool, as what follows */
    uint32_t buffer_token;
    uint64_t id;
    uint64_t offset;
    uint64_t length;     /* without meaning for memory that is used whole */
    uint64_t is_written; /* so wide that nothing is between: uses are compared as bytes */
};

struct hy_late_uses {
    struct hy_late_use *uses;
    uint32_t count;
    bool are_unknown; /* there was no memory to note some: they may be anywhere */
};

/* All zero bytes is empty. */
void hy_late_uses_add(struct hy_late_uses *late, const struct hy_request *request);
void hy_late_uses_finish(struct hy_late_uses *late);

static inline bool hy_late_uses_are_none(const struct hy_late_uses *late)
{
    return late->count == 0 && !late->are_unknown;
}

/* Whether the request reads or writes something that is written there, or writes what is read. */
bool hy_late_uses_meet(const struct hy_late_uses *late, const struct hy_request *request);

#endif
