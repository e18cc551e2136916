#ifndef HY_RUNTIME_PLAN_SEARCH_PLANNER_H
#define HY_RUNTIME_PLAN_SEARCH_PLANNER_H

#include "runtime/plan/support/support_matrix.h"

#define HY_NO_DEVICE UINT32_MAX

/* What a planner says about one operation; devices are rows of the matrix. */
struct hy_plan_choice {
    uint32_t device;    /* HY_NO_DEVICE: nobody can */
    uint32_t runner_up; /* next best that could, or HY_NO_DEVICE */
};

/* A planner fills one choice per operation from what it knows of model and devices. */
typedef void hy_planner(const struct hy_model *model, const struct hy_support_matrix *matrix,
                        struct hy_plan_choice *choices);

/* Takes the devices of a plan as choices, and finds the next best for each. */
void hy_planner_adopt(const struct hy_support_matrix *matrix, const uint32_t *device_of,
                      struct hy_plan_choice *choices);

/*
 * Each operation for itself: the device of lowest cost. Of equal ones halyard-cpu is taken, then
 * the earlier device; nnapi-reference only where no other device can serve.
 */
hy_planner hy_planner_cheapest;

/* Each operation on the first device of the list that takes it. */
hy_planner hy_planner_first;

#endif
