#ifndef HY_TESTS_UNIT_CPU_FALLBACK_KIT_QUOTA_HOST_H
#define HY_TESTS_UNIT_CPU_FALLBACK_KIT_QUOTA_HOST_H

#include "cache_host.h"

/* A host with cache files and a memory quota with counters. */
struct hy_quota_host {
    struct hy_cache_host cache; /* must be first, as the context of the cache functions */
    uint64_t most;              /* most bytes at one time; UINT64_MAX: unlimited */
    unsigned long refuse_at;    /* number of the refused request; 0: none */
    unsigned long asked;        /* requests so far, refusals included */
    unsigned long refused;
    uint64_t reserved, held; /* current bytes and reservations */
};

/* Open the device on &host->cache.host. */
void hy_quota_host_init(struct hy_quota_host *host);
void hy_quota_host_finish(struct hy_quota_host *host);

#endif
