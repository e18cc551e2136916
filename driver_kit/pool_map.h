/*
 * The addresses of memory by the id of its pool: what a burst keeps from one execution to the next.
 *
 * An address comes from hy_host.map and is kept until the id is released. So the memory is mapped
 * once, by the host, and the host's guard against memory that a client cuts short stays in force. A
 * host of ABI 1.0 promises an address for one call alone: of such a host nothing is kept.
 *
 * One thread at a time looks up addresses, as a burst serves one call at a time (R7). Any thread
 * may release an id meanwhile, but not one that the request in progress names. Nothing here
 * allocates, locks or makes a system call, apart from what hy_host.map does.
 */
#ifndef HY_DRIVER_KIT_POOL_MAP_H
#define HY_DRIVER_KIT_POOL_MAP_H

#include <halyard/driver.h>

#include <stdatomic.h>

/* Ids kept at once. Each id has one slot, by its lower bits: an id whose slot is in use by another
 * id takes the slot over. */
#define HY_POOL_MAP_SLOTS 64u

struct hy_pool_map {
    const struct hy_host *host;
    struct hy_pool_map_slot {
        _Atomic uint64_t id; /* 0: empty */
        struct hy_pool pool; /* the view that the address was asked for with */
        uint32_t protection; /* HY_PROTECT_*: what the address was asked for */
        void *address;
    } slots[HY_POOL_MAP_SLOTS];
};

/* An empty map. The host outlives the map. There is nothing to finish. */
void hy_pool_map_init(struct hy_pool_map *map, const struct hy_host *host);

/*
 * The address of a pool for `protection` (HY_PROTECT_*): the kept one, else that of hy_host.map,
 * which is kept if the pool has an id. A pool that differs in kind, offset, size or protection from
 * the pool that was kept under the same id is asked for anew. Errors: those of hy_host.map.
 */
int32_t hy_pool_map_find(struct hy_pool_map *map, const struct hy_pool *pool, uint32_t protection,
                         void **address);

/* Drops what is kept under the id: hy_device.burst_release. An unknown id is ignored. */
void hy_pool_map_release(struct hy_pool_map *map, uint64_t id);

#endif
