#ifndef HY_RUNTIME_PLAN_SEARCH_PLANNER_H
#define HY_RUNTIME_PLAN_SEARCH_PLANNER_H

#include "runtime/plan/support/support_matrix.h"

#define HY_NO_DEVICE UINT32_MAX

/* The choice of a device for an operation. Devices are rows of the matrix. */
struct hy_plan_assignment {
    uint32_t device;    /* HY_NO_DEVICE: no device supports the operation */
    uint32_t runner_up; /* second choice, or HY_NO_DEVICE */
};

/* A planner fills one choice per operation from the properties of model and devices. */
typedef void hy_planner(const struct hy_model *model,
                        const struct hy_support_matrix *support_matrix,
                        struct hy_plan_assignment *assigned);

/* Uses the devices of a plan as choices, and finds the second choice for each. */
void hy_planner_adopt(const struct hy_support_matrix *support_matrix, const uint32_t *device_of,
                      struct hy_plan_assignment *assigned);

/*
 * Chooses the device with the lowest cost for each operation separately. On a tie halyard-cpu wins,
 * followed by the earlier device; nnapi-reference is chosen only without another device.
 */
hy_planner hy_planner_cheapest;

/* Chooses the first supporting device of the list for each operation. */
hy_planner hy_planner_first;

#endif
