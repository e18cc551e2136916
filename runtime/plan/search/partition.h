#ifndef HY_RUNTIME_PLAN_SEARCH_PARTITION_H
#define HY_RUNTIME_PLAN_SEARCH_PARTITION_H

#include "runtime/plan/cost/cost_model.h"
#include "runtime/plan/search/flow.h"

/* Operations grouped into steps. Steps, and the operations of each step, are in an executable
 * order. The arrays have a capacity of one entry per operation. */
struct hy_partition {
    uint32_t operation_count;
    uint32_t step_count;
    uint32_t *operations; /* of the main subgraph: operations of step 0, of step 1, … */
    uint32_t *first;      /* [step]: start in `operations`; one entry more at the end */
    uint32_t *device_of;  /* [operation]: row of the matrix; equal within a step */
    uint32_t *step_of;    /* [operation] */
};

/* Allocates an empty partition. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_partition_alloc(uint32_t operation_count, struct hy_arena *arena,
                                              struct hy_partition *ret, struct hy_error *err);

/* Makes one step of all operations, or one step of each operation, on the devices in device_of. */
void hy_partition_join(struct hy_partition *partition);
void hy_partition_split(struct hy_partition *partition);

/* Makes each operation on the given device a separate step. */
void hy_partition_isolate(struct hy_partition *partition, uint32_t device);

/* Copies a partition to another partition with the same number of operations. */
void hy_partition_copy(struct hy_partition *to, const struct hy_partition *from);

static inline uint32_t hy_partition_device(const struct hy_partition *partition, uint32_t step)
{
    return partition->device_of[partition->operations[partition->first[step]]];
}

/*
 * Returns the cost without cost_model.least, or a value above `limit` if the cost exceeds `limit`.
 * Fills step_of. `mark` needs one entry per operand.
 */
double hy_partition_cost(struct hy_partition *partition, const struct hy_flow *flow,
                         const struct hy_cost_model *cost_model, double limit, uint32_t *mark);

#endif
