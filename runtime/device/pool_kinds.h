#ifndef HY_RUNTIME_POOL_KINDS_H
#define HY_RUNTIME_POOL_KINDS_H

#include "runtime/device/device.h"

#include <stdbool.h>

/*
 * Kinds of memory as sets, a bit 1 << HY_POOL_* for each: what a device decodes, and what a request
 * consists of. Where they do not agree nobody is asked. Only memory whose place is not the app's to
 * say may lie elsewhere then: what it gave by address, and what goes from step to step.
 */

/* What the device has said, or what holds for those that say nothing. */
static inline uint32_t hy_pool_kinds_of(const struct hy_runtime_device *device)
{
    const uint32_t unsaid = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                            1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    const uint32_t said = device->info.pool_kinds ? device->info.pool_kinds : unsaid;

    return device->table && HY_HAS(device->table, buffer_destroy) ? said | 1u << HY_POOL_BUFFER
                                                                  : said;
}

static inline bool hy_pool_kind_is_known(const struct hy_runtime_device *device, uint32_t kind)
{
    return hy_pool_kinds_of(device) >> kind & 1;
}

/* Those of a request. */
static inline uint32_t hy_pools_kinds(const struct hy_pool *pools, uint32_t count)
{
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < count; i++)
        kinds |= 1u << pools[i].kind;
    return kinds;
}

/* FAILED if the device does not decode all of these kinds; the words name it and one of them. */
HY_MUST_CHECK enum hy_code hy_pool_kinds_check(const struct hy_runtime_device *device,
                                               uint32_t kinds, struct hy_error *err);

#endif
