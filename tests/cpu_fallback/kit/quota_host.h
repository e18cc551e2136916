#ifndef HY_TESTS_CPU_FALLBACK_KIT_QUOTA_HOST_H
#define HY_TESTS_CPU_FALLBACK_KIT_QUOTA_HOST_H

#include "cache_host.h"

/* A host with cache files and a quota of memory, which it counts. */
struct hy_quota_host {
    struct hy_cache_host cache; /* first: the context of its functions */
    uint64_t most;              /* bytes at once; UINT64_MAX: any */
    unsigned long refuse_at;    /* the question of this number is refused; 0: none */
    unsigned long asked;        /* questions so far, refused ones too */
    unsigned long refused;
    uint64_t reserved, held; /* bytes and reservations that are out at the moment */
};

/* The device is opened on &host->cache.host. */
void hy_quota_host_init(struct hy_quota_host *host);
void hy_quota_host_finish(struct hy_quota_host *host);

#endif
