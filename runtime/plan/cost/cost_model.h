#ifndef HY_RUNTIME_PLAN_COST_COST_MODEL_H
#define HY_RUNTIME_PLAN_COST_COST_MODEL_H

#include "runtime/plan/support/support_matrix.h"

/*
 * What a search compares plans by: nanoseconds, or those of halyard-cpu's power under
 * HY_PREFER_LOW_POWER. A plan costs
 *   least + for each step: launch + the extra of its operations + bytes across its boundary
 * * byte Splitting off `least`, which is the same for all plans, keeps the sums exact where one
 * operation is out of proportion.
 */
struct hy_cost_model {
    uint32_t device_count;
    uint32_t operation_count;
    double least;      /* of all operations, each where it costs least */
    double *extra;     /* [operation * device_count + device]: above that; INFINITY: not here */
    double *launch;    /* [device]: of a step */
    double *byte;      /* [device]: of a byte that a step takes or gives */
    uint32_t *ranking; /* devices, those first that win ties */
};

/*
 * From the matrix as it stands: excluded devices have no operations, and nnapi-reference has those
 * that nobody else takes. Every operation has a device. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_cost_model_make(const struct hy_support_matrix *matrix,
                                              struct hy_arena *arena, struct hy_cost_model *ret,
                                              struct hy_error *err);

/* Nanoseconds of starting a step there, measured or declared; 0 where neither is known. */
double hy_launch_cost(const struct hy_runtime_device *device);

/* Nanoseconds of moving a byte there or back. */
double hy_byte_cost(const struct hy_runtime_device *device);

static inline double hy_cost_model_extra(const struct hy_cost_model *cost_model, uint32_t device,
                                         uint32_t operation)
{
    return cost_model->extra[(size_t)operation * cost_model->device_count + device];
}

#endif
