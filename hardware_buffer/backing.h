#ifndef HY_HARDWARE_BUFFER_BACKING_H
#define HY_HARDWARE_BUFFER_BACKING_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The memory of a buffer. */
struct hy_backing {
    int fd; /* owned */
    bool is_dma_buf;
    bool is_writable; /* it can be mapped for writing */
    uint64_t id;      /* of the memory on this machine while it lives; not 0 */
};

/*
 * Memory of at least `bytes` > 0, all zero: a dma-buf of a dma-heap, else of udmabuf, else, unless
 * a dma-buf is needed, anonymous memory that nobody can make shorter. What the system says to the
 * last of them is the error.
 */
HY_MUST_CHECK int hy_backing_allocate(uint64_t bytes, bool needs_dma_buf, struct hy_backing *ret,
                                      struct hy_error *err);

/*
 * Takes memory that somebody else has made. Nothing is believed: it is a dma-buf, or anonymous
 * memory sealed against shrinking; it has at least `bytes`; it can be read. `fd` goes over on
 * success. -EINVAL.
 */
HY_MUST_CHECK int hy_backing_adopt(int fd, uint64_t bytes, struct hy_backing *ret,
                                   struct hy_error *err);

void hy_backing_finish(struct hy_backing *backing);

/* Whether a device is there that makes dma-bufs. */
bool hy_backing_makes_dma_bufs(void);

#define HY_SYNC_READ  1u
#define HY_SYNC_WRITE 2u

/*
 * Begins or ends a use by the CPU: a dma-buf is made to show what devices have written, and what
 * the CPU has written is made visible to them. Nothing else needs it. What the system says.
 */
HY_MUST_CHECK int hy_backing_sync_begin(int fd, uint32_t access);
HY_MUST_CHECK int hy_backing_sync_end(int fd, uint32_t access);

#endif
