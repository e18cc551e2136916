#ifndef HY_HARDWARE_BUFFER_BACKING_H
#define HY_HARDWARE_BUFFER_BACKING_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The memory of a buffer. */
struct hy_backing {
    int fd; /* owned */
    bool is_dma_buf;
    bool is_writable; /* can be mapped for writing */
    uint64_t id;      /* unique on the machine while the memory lives; not 0 */
};

/*
 * Allocates at least `bytes` > 0 of zeroed memory: a dma-buf from a dma-heap, or from udmabuf, or,
 * unless a dma-buf is needed, anonymous memory sealed against shrinking. The last failure is
 * returned, as a negative errno value.
 */
HY_MUST_CHECK int hy_backing_allocate(uint64_t bytes, bool needs_dma_buf, struct hy_backing *ret,
                                      struct hy_error *err);

/*
 * Imports foreign memory after checks: the memory must be a dma-buf, or anonymous memory sealed
 * against shrinking, with at least `bytes` and readable. Takes ownership of `fd` on success.
 * Errors: -EINVAL.
 */
HY_MUST_CHECK int hy_backing_adopt(int fd, uint64_t bytes, struct hy_backing *ret,
                                   struct hy_error *err);

void hy_backing_finish(struct hy_backing *backing);

/* True if a device of the machine makes dma-bufs. */
bool hy_backing_makes_dma_bufs(void);

#define HY_SYNC_READ  1u
#define HY_SYNC_WRITE 2u

/*
 * Begins or ends CPU access to a dma-buf: begin makes writes of devices visible to the CPU, end
 * makes writes of the CPU visible to devices. Other memory needs no calls. Returns 0 or the
 * negative errno value of the system.
 */
HY_MUST_CHECK int hy_backing_sync_begin(int fd, uint32_t access);
HY_MUST_CHECK int hy_backing_sync_end(int fd, uint32_t access);

#endif
