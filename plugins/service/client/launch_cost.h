#ifndef HY_SERVICE_LAUNCH_COST_H
#define HY_SERVICE_LAUNCH_COST_H

#include <stdint.h>

/*
 * What an execution in another process costs besides what the driver says of itself: two changes of
 * thread and the system calls for them, docs/services.md has measurements. A constant, for plans
 * have to be the same in every run: what is in the cache is found by them.
 */
#define HY_SERVICE_BORDER_NS UINT64_C(10000)

/* hy_capabilities.launch_ns as the app sees it. */
static inline uint64_t hy_service_launch_cost(uint64_t launch_ns)
{
    return launch_ns > UINT64_MAX - HY_SERVICE_BORDER_NS ? UINT64_MAX
                                                         : launch_ns + HY_SERVICE_BORDER_NS;
}

#endif
