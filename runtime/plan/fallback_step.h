#ifndef HY_RUNTIME_PLAN_FALLBACK_STEP_H
#define HY_RUNTIME_PLAN_FALLBACK_STEP_H

#include "runtime/plan/plan.h"

/*
 * A fallback step: the version of a step for another device, used after the step's device has
 * failed in an execution. Number 0 is halyard-cpu, if halyard-cpu supports the whole step. Number 1
 * uses the remaining devices: a single device, or a plan over several devices, whose steps have
 * fallback steps as well. Number HY_FALLBACK_ANEW is for a step whose prepared model reads a
 * truncated cache file: the same device, compiled anew without a cache.
 */
struct hy_fallback_step {
    const struct hy_runtime_device *device;
    void *prepared;
    struct hy_plan *plan;           /* NULL: `device` is a single device */
    uint32_t *order;                /* order of the operations for `plan` */
    struct hy_runtime_device group; /* `device` for `plan`, with the names of all devices */
    char names[256];
};

/*
 * Returns a fallback step. The first call makes the fallback step, later calls return the same one;
 * any thread may call. `*ret` is NULL without a fallback step of the number. Errors: OUT_OF_MEMORY;
 * those of planning and preparing.
 */
HY_MUST_CHECK enum hy_code hy_plan_fallback_step(const struct hy_plan *plan,
                                                 const struct hy_step *step, uint32_t number,
                                                 const struct hy_fallback_step **ret,
                                                 struct hy_error *err);

/* NULL is allowed. */
void hy_fallback_step_destroy(struct hy_fallback_step *fallback);

#endif
