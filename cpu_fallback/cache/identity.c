#include "cpu_fallback/cache/cpu_cache.h"
#include "cpu_fallback/cache/format.h"

#include <stdio.h>

static_assert(sizeof(struct hy_cpu_cache_identity) ==
                  sizeof((struct hy_cpu_cache_header *)0)->identity,
              "it is what the header has");

struct hy_cpu_cache_identity hy_cpu_cache_identity_of(const struct hy_cpu_device *device)
{
    struct hy_cpu_cache_identity identity = {{0}};

    snprintf(identity.text, sizeof identity.text, "%s %s %s", device->name, HY_CPU_VERSION,
             device->build_id);
    return identity;
}

bool hy_cpu_cache_is_offered(const struct hy_cpu_device *device)
{
    const struct hy_host *host = device->host;

    return device->is_caching && HY_HAS(host, cache_save) && HY_HAS(host, cache_restore) &&
           HY_HAS(host, cache_release);
}
