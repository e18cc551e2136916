#ifndef HY_RUNTIME_PLAN_PARTITION_H
#define HY_RUNTIME_PLAN_PARTITION_H

#include "runtime/plan/planner.h"
#include "runtime/plan/uses.h"

/* Operations grouped into steps, in an order in which the steps can run. */
struct hy_partition {
    uint32_t step_count;
    uint32_t *operations; /* of the main subgraph: those of step 0, of step 1, … */
    uint32_t *first;      /* [step]: where its operations start; one entry more at the end */
    uint32_t *device;     /* [step]: row of the matrix */
    uint32_t *step_of;    /* [operation] */
};

/*
 * Merges operations of one device into as few steps as a greedy walk finds: all that can run on the
 * device now, and all that this makes possible, make one step. Linear in operations and operands.
 * Every operation has a device. Errors: OUT_OF_MEMORY, FAILED (the operations form a cycle).
 */
HY_MUST_CHECK enum hy_code hy_partition_make(const struct hy_subgraph *graph,
                                             const struct hy_operand_uses *uses,
                                             const struct hy_plan_choice *choices,
                                             uint32_t device_count, struct hy_arena *arena,
                                             struct hy_partition *ret, struct hy_error *err);

#endif
