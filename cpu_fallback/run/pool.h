#ifndef HY_CPU_FALLBACK_RUN_POOL_H
#define HY_CPU_FALLBACK_RUN_POOL_H

#include "common/error.h"
#include "driver_kit/pool_map.h"

/*
 * Maps a pool through the address cache of a burst, or through the host if `pools` is NULL. `index`
 * names the pool in messages. Errors: HY_BAD_DATA (a kind or access that no host could map),
 * HY_UNMAPPABLE.
 */
HY_MUST_CHECK enum hy_code hy_cpu_pool_map(const struct hy_host *host, struct hy_pool_map *pools,
                                           const struct hy_pool *pool, uint32_t index,
                                           uint32_t protection, void **address,
                                           struct hy_error *err);

/* The same for the pool of an argument, which may be an image. */
HY_MUST_CHECK enum hy_code hy_cpu_pool_map_argument(const struct hy_host *host,
                                                    struct hy_pool_map *pools,
                                                    const struct hy_pool *pool, uint32_t index,
                                                    uint32_t protection, void **address,
                                                    struct hy_error *err);

/* HY_BAD_DATA unless the location with its padding lies inside its pool. */
HY_MUST_CHECK enum hy_code hy_cpu_location_check(const struct hy_location *location,
                                                 const struct hy_pool *pools, uint32_t pool_count,
                                                 struct hy_error *err);

#endif
