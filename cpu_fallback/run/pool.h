#ifndef HY_CPU_FALLBACK_RUN_POOL_H
#define HY_CPU_FALLBACK_RUN_POOL_H

#include "common/error.h"
#include "driver_kit/pool_map.h"

/*
 * The address of a pool, by the map of a burst or, with `pools` NULL, by the host. `index` names
 * the pool in messages. Errors: HY_BAD_DATA for a pool that no host could map that way,
 * HY_UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_cpu_pool_map(const struct hy_host *host, struct hy_pool_map *pools,
                                           const struct hy_pool *pool, uint32_t index,
                                           uint32_t protection, void **address,
                                           struct hy_error *err);

/* The same for arguments, which may lie in images. */
HY_MUST_CHECK enum hy_code hy_cpu_pool_map_argument(const struct hy_host *host,
                                                    struct hy_pool_map *pools,
                                                    const struct hy_pool *pool, uint32_t index,
                                                    uint32_t protection, void **address,
                                                    struct hy_error *err);

/* HY_BAD_DATA unless the location lies inside its pool, padding included. */
HY_MUST_CHECK enum hy_code hy_cpu_location_check(const struct hy_location *location,
                                                 const struct hy_pool *pools, uint32_t pool_count,
                                                 struct hy_error *err);

#endif
