#ifndef HY_SERVICE_LAUNCH_COST_H
#define HY_SERVICE_LAUNCH_COST_H

#include <stdint.h>

/*
 * Cost in nanoseconds of an execution in another process, in addition to the launch time of the
 * driver: two thread switches and their system calls. docs/services.md has measurements. The value
 * is a constant, because plans must be the same in every run: cache entries are found by the plan.
 */
#define HY_SERVICE_BOUNDARY_NS UINT64_C(10000)

/* Returns hy_capabilities.launch_ns as the app sees it, saturated at UINT64_MAX. */
static inline uint64_t hy_service_launch_cost(uint64_t launch_ns)
{
    return launch_ns > UINT64_MAX - HY_SERVICE_BOUNDARY_NS ? UINT64_MAX
                                                           : launch_ns + HY_SERVICE_BOUNDARY_NS;
}

#endif
