#include "cpu_fallback/run/pool.h"

#include "common/checked.h"

static enum hy_code map(const struct hy_host *host, struct hy_pool_map *pools,
                        const struct hy_pool *pool, uint32_t index, uint32_t protection,
                        void **address, struct hy_error *err)
{
    void *mapped = NULL;

    if ((pool->protection & protection) != protection)
        return hy_fail(err, HY_BAD_DATA, "pool %u may be mapped for %u, needs %u", index,
                       pool->protection, protection);
    int32_t status = pools ? hy_pool_map_find(pools, pool, protection, &mapped)
                           : host->map(host->context, pool, protection, &mapped);
    if (status != HY_STATUS_OK || !mapped)
        return hy_fail(err, HY_UNMAPPABLE, "pool %u of kind %u cannot be mapped (status %d)", index,
                       pool->kind, status);
    *address = mapped;
    return HY_OK;
}

enum hy_code hy_cpu_pool_map(const struct hy_host *host, struct hy_pool_map *pools,
                             const struct hy_pool *pool, uint32_t index, uint32_t protection,
                             void **address, struct hy_error *err)
{
    if (pool->kind < HY_POOL_HOST || pool->kind > HY_POOL_BUFFER)
        return hy_fail(err, HY_BAD_DATA, "pool %u has the unknown kind %u", index, pool->kind);
    if (pool->kind == HY_POOL_BUFFER)
        return hy_fail(err, HY_BAD_DATA, "pool %u: buffer %u does not exist on the device", index,
                       pool->buffer_token);
    if (pool->kind == HY_POOL_HARDWARE_BUFFER)
        return hy_fail(err, HY_UNMAPPABLE, "pool %u is an image, which cannot hold constants",
                       index);
    return map(host, pools, pool, index, protection, address, err);
}

enum hy_code hy_cpu_pool_map_argument(const struct hy_host *host, struct hy_pool_map *pools,
                                      const struct hy_pool *pool, uint32_t index,
                                      uint32_t protection, void **address, struct hy_error *err)
{
    return pool->kind == HY_POOL_HARDWARE_BUFFER
               ? map(host, pools, pool, index, protection, address, err)
               : hy_cpu_pool_map(host, pools, pool, index, protection, address, err);
}

enum hy_code hy_cpu_location_check(const struct hy_location *location, const struct hy_pool *pools,
                                   uint32_t pool_count, struct hy_error *err)
{
    uint64_t length;

    if (location->pool >= pool_count)
        return hy_fail(err, HY_BAD_DATA, "pool %u does not exist, there are %u", location->pool,
                       pool_count);
    uint64_t size = pools[location->pool].size;
    if (!hy_add_u64(location->length, location->padding, &length) ||
        !hy_range_inside(location->offset, length, size))
        return hy_fail(err, HY_BAD_DATA,
                       "offset %llu and length %llu do not fit pool %u of %llu bytes",
                       (unsigned long long)location->offset, (unsigned long long)location->length,
                       location->pool, (unsigned long long)size);
    return HY_OK;
}
