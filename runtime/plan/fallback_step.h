#ifndef HY_RUNTIME_PLAN_FALLBACK_STEP_H
#define HY_RUNTIME_PLAN_FALLBACK_STEP_H

#include "runtime/plan/plan.h"

/*
 * The other device's version of a step whose device failed in an execution. There are two at most:
 * number 0 is halyard-cpu, if it takes the whole step; number 1 is what else there was to choose
 * from: a device, or a plan of its own over several, whose steps have fallback steps in turn.
 * Number HY_FALLBACK_ANEW is for a step whose prepared model reads a cache file that somebody has
 * cut: the same device, compiled anew without a cache.
 */
struct hy_fallback_step {
    const struct hy_runtime_device *device;
    void *prepared;
    struct hy_plan *plan;           /* NULL: the device is of the list */
    uint32_t *order;                /* of the operations in that plan */
    struct hy_runtime_device group; /* else `device` is this, with the names of all */
    char names[256];
};

/*
 * Made at the first call, then kept; from any thread. `*ret` is NULL where there is none of that
 * number. Errors: OUT_OF_MEMORY; what planning and preparing give.
 */
HY_MUST_CHECK enum hy_code hy_plan_fallback_step(const struct hy_plan *plan,
                                                 const struct hy_step *step, uint32_t number,
                                                 const struct hy_fallback_step **ret,
                                                 struct hy_error *err);

/* Takes NULL. */
void hy_fallback_step_destroy(struct hy_fallback_step *fallback);

#endif
