#ifndef HY_RUNTIME_PLAN_REQUEST_H
#define HY_RUNTIME_PLAN_REQUEST_H

#include "halyard/driver.h"

#include <stdbool.h>

struct hy_attributes;
struct hy_bodies;
struct hy_caching;
struct hy_plan_overrides;
struct hy_runtime_device;
struct hy_sub_executor;

/* The inputs of planning. All pointers must outlive the plan, except the list of devices, which is
 * copied. */
struct hy_plan_request {
    const struct hy_model *model;    /* finished */
    const uint32_t *operation_order; /* [operation]: its number in the order of addition */
    const struct hy_runtime_device *const *devices; /* candidate devices */
    uint32_t device_count;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_* */
    int64_t deadline;   /* of planning and preparing; HY_NO_DEADLINE: none */
    const struct hy_attributes *attributes;
    const struct hy_caching *caching;          /* NULL: nothing is cached */
    const struct hy_plan_overrides *overrides; /* see overrides.h; NULL: none */
    const struct hy_sub_executor *executor;    /* NULL: no nested plans */
    bool split_operations; /* each operation is a step on the first supporting device */
    bool is_part;          /* of another plan: no warnings */
    bool only_cached;      /* a step without a cache entry fails the plan */
    const struct hy_pool *shared_pools; /* see shared_pools.h; NULL: none */
    struct hy_bodies *bodies; /* for the plan of a body: bodies of the outer plan; else NULL */
};

#endif
