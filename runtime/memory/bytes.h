#ifndef HY_RUNTIME_MEMORY_BYTES_H
#define HY_RUNTIME_MEMORY_BYTES_H

#include "common/error.h"
#include "halyard/driver.h"

/*
 * Copies all bytes of one mapped memory to another of the same size, which may show the same file.
 * Others may make the files smaller meanwhile: where the source is a file, and the destination
 * another, the kernel copies, and that is an error and not the end of the process. Errors:
 * UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_memory_move_bytes(const struct hy_pool *source,
                                                const struct hy_pool *destination,
                                                struct hy_error *err);

/* A part of a mapped memory, for such a copy. */
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
