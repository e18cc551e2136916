/*
 * Caches the addresses of pools by pool id, for a burst.
 *
 * An address comes from hy_host.map and stays cached until the id is released. The host maps the
 * memory only once, and the SIGBUS guard of the host stays active. A host of ABI 1.0 guarantees an
 * address for one call only, so no address of a 1.0 host is cached.
 *
 * Only one thread at a time looks up addresses, as a burst runs one call at a time (R7). Any thread
 * may release an id at the same time, except ids of the running request. No function allocates,
 * locks or makes a system call, apart from hy_host.map.
 */
#ifndef HY_DRIVER_KIT_POOL_MAP_H
#define HY_DRIVER_KIT_POOL_MAP_H

#include <halyard/driver.h>

#include <stdatomic.h>

/* The number of cached ids. The lower bits of an id select its slot. A new id replaces the old id
 * of its slot. */
#define HY_POOL_MAP_SLOTS 64u

struct hy_pool_map {
    const struct hy_host *host;
    struct hy_pool_map_slot {
        _Atomic uint64_t id; /* 0: empty */
        struct hy_pool pool; /* the pool as passed to hy_host.map */
        uint32_t protection; /* HY_PROTECT_*, as passed to hy_host.map */
        void *address;
    } slots[HY_POOL_MAP_SLOTS];
};

/* Initializes an empty map. `host` must outlive the map. No cleanup is needed. */
void hy_pool_map_init(struct hy_pool_map *map, const struct hy_host *host);

/*
 * Finds the address of a pool for `protection` (HY_PROTECT_*). Returns the cached address, or calls
 * hy_host.map and caches the result if the pool has an id. A pool with the same id but another
 * kind, offset, size or protection is mapped again. Errors: those of hy_host.map.
 */
int32_t hy_pool_map_find(struct hy_pool_map *map, const struct hy_pool *pool, uint32_t protection,
                         void **address);

/* Drops the cached address of `id`, for hy_device.burst_release. Unknown ids are ignored. */
void hy_pool_map_release(struct hy_pool_map *map, uint64_t id);

#endif
