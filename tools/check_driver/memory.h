#ifndef HY_TOOLS_CHECK_DRIVER_MEMORY_H
#define HY_TOOLS_CHECK_DRIVER_MEMORY_H

#include <halyard/driver.h>

#include "common/error.h"

/*
 * Memory to try a driver with: a memfd, mapped between two pages that nobody may touch. The bytes
 * end where the mapping ends, up to the size of a page.
 */
struct hy_memory {
    uint8_t *bytes;
    size_t size;
    int fd;
    size_t skipped; /* bytes of the fd before the first */
    void *place;    /* with the pages around */
    size_t place_size;
    void *former_place; /* before it was moved, or NULL */
};

/* Of kind HY_POOL_HOST, _ASHMEM, _MMAP_FD (at an offset), _HARDWARE_BUFFER_BLOB or
 * _HARDWARE_BUFFER, where the caller sees to the image. */
HY_MUST_CHECK enum hy_code hy_memory_create(uint32_t kind, size_t size, struct hy_memory *out,
                                            struct hy_error *err);
void hy_memory_destroy(struct hy_memory *memory); /* a zeroed one is fine */

/* The handle of the memory for a driver. */
struct hy_pool hy_memory_pool(const struct hy_memory *memory, uint32_t kind, uint32_t protection);

/* From now on, writing to it ends the process; or not any more. */
void hy_memory_protect(const struct hy_memory *memory, int read_only);

/* Maps it somewhere else, once; touching the place of before ends the process. */
HY_MUST_CHECK enum hy_code hy_memory_move(struct hy_memory *memory, struct hy_error *err);

/* The host that check-driver offers: quiet, one thread, a cache in memory (host_cache.h). The first
 * call is made before there are threads. */
const struct hy_host *hy_check_host(void);

#endif
