#ifndef HY_RUNTIME_MEMORY_BYTES_H
#define HY_RUNTIME_MEMORY_BYTES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Copies all bytes of a mapped memory to another mapped memory of the same size; both may map the
 * same file. Another process may truncate the files during the copy. If a file is involved, the
 * kernel copies, so a truncated file is an error instead of a SIGBUS. Errors: UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_memory_move_bytes(const struct hy_pool *source,
                                                const struct hy_pool *destination,
                                                struct hy_error *err);

/* A part of a mapped memory, as an argument of hy_memory_move_bytes. */
static inline struct hy_pool hy_pool_part(const struct hy_pool *pool, uint64_t offset,
                                          uint64_t length)
{
    struct hy_pool part = *pool;

    part.offset += offset;
    part.address = (char *)pool->address + offset;
    part.size = length;
    return part;
}

#endif
