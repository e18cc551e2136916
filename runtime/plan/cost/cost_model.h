#ifndef HY_RUNTIME_PLAN_COST_COST_MODEL_H
#define HY_RUNTIME_PLAN_COST_COST_MODEL_H

#include "runtime/plan/support/support_matrix.h"

/*
 * The cost function of the plan search, in nanoseconds, or in nanoseconds of halyard-cpu's power
 * under HY_PREFER_LOW_POWER. The cost of a plan is
 *
 *     least + for each step: launch + extra of its operations + bytes across its boundary * byte
 *
 * The constant `least` is separate, to keep sums exact beside a single very expensive operation.
 */
struct hy_cost_model {
    uint32_t device_count;
    uint32_t operation_count;
    double least;   /* sum of the cheapest cost of each operation */
    double *extra;  /* [operation * device_count + device]: cost above the cheapest; INFINITY: not
                       supported */
    double *launch; /* [device]: cost of a step's launch */
    double *byte;   /* [device]: cost of a byte transferred to or from a step */
    uint32_t *ranking; /* devices in the order of preference for ties */
};

/*
 * Makes a cost model from the current matrix. Excluded devices have no operations, and
 * nnapi-reference has only operations without another device. Every operation must have a device.
 * Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cost_model_make(const struct hy_support_matrix *support_matrix,
                                              struct hy_arena *arena, struct hy_cost_model *ret,
                                              struct hy_error *err);

/* Launch cost of a step in nanoseconds, measured or declared; 0 if unknown. */
double hy_launch_cost(const struct hy_runtime_device *device);

/* Nanoseconds for transferring a byte to or from the device. */
double hy_byte_cost(const struct hy_runtime_device *device);

static inline double hy_cost_model_extra(const struct hy_cost_model *cost_model, uint32_t device,
                                         uint32_t operation)
{
    return cost_model->extra[(size_t)operation * cost_model->device_count + device];
}

#endif
