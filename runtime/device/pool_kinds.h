#ifndef HY_RUNTIME_POOL_KINDS_H
#define HY_RUNTIME_POOL_KINDS_H

#include "runtime/device/runtime_device.h"

#include <stdbool.h>

/*
 * Kinds of memory as bit sets, with bit 1 << HY_POOL_* for each kind: the kinds that a device
 * supports and the kinds in a request. The runtime does not call a device with an unsupported kind.
 * The runtime may stage only arguments passed by address and tensors between steps in other memory,
 * because the app chooses the location of all other memory.
 */

/* The kinds that the device reports, or the default kinds. */
static inline uint32_t hy_pool_kinds_of(const struct hy_runtime_device *device)
{
    const uint32_t unreported = 1u << HY_POOL_HOST | 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                                1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    const uint32_t reported = device->info.pool_kinds ? device->info.pool_kinds : unreported;

    return device->table && HY_HAS(device->table, buffer_destroy) ? reported | 1u << HY_POOL_BUFFER
                                                                  : reported;
}

static inline bool hy_pool_kind_is_known(const struct hy_runtime_device *device, uint32_t kind)
{
    return hy_pool_kinds_of(device) >> kind & 1;
}

/* The kinds of a request's pools. */
static inline uint32_t hy_pools_kinds(const struct hy_pool *pools, uint32_t count)
{
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < count; i++)
        kinds |= 1u << pools[i].kind;
    return kinds;
}

/* FAILED if the device lacks one of these kinds. The text names the device and the kind. */
HY_MUST_CHECK enum hy_code hy_pool_kinds_check(const struct hy_runtime_device *device,
                                               uint32_t kinds, struct hy_error *err);

#endif
