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

/* What a plan is made for. Everything that a request points to outlives the plan, except the list
 * of devices, which is copied. */
struct hy_plan_request {
    const struct hy_model *model;    /* finished */
    const uint32_t *operation_order; /* [operation]: its number as the app added it */
    const struct hy_runtime_device *const *devices; /* to choose from */
    uint32_t device_count;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_* */
    int64_t deadline;   /* of planning and preparing; HY_NO_DEADLINE: none */
    const struct hy_attributes *attributes;
    const struct hy_caching *caching;          /* NULL: nothing is cached */
    const struct hy_plan_overrides *overrides; /* see overrides.h; NULL: none */
    const struct hy_sub_executor *executor;    /* NULL: no plan of the answer has another inside */
    bool split_operations; /* each a step of its own, on the first device that takes it */
    bool is_part;          /* of another plan: there is nobody to warn */
    bool only_cached;      /* a step that is not in the cache fails the plan */
    const struct hy_pool *shared_pools; /* see shared_pools.h; NULL: none */
    struct hy_bodies *bodies; /* of the plan that this is the plan of a body of; else NULL */
};

#endif
