#ifndef HY_RUNTIME_PLAN_SEARCH_PARTITION_H
#define HY_RUNTIME_PLAN_SEARCH_PARTITION_H

#include "runtime/plan/cost/cost_model.h"
#include "runtime/plan/search/flow.h"

/* Operations grouped into steps, in an order in which the steps, and the operations of each, can
 * run. Arrays have room for as many operations as there are. */
struct hy_partition {
    uint32_t operation_count;
    uint32_t step_count;
    uint32_t *operations; /* of the main subgraph: those of step 0, of step 1, … */
    uint32_t *first;      /* [step]: where its operations start; one entry more at the end */
    uint32_t *device_of;  /* [operation]: row of the matrix; the same for all of a step */
    uint32_t *step_of;    /* [operation] */
};

/* An empty partition with all its room. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_partition_alloc(uint32_t operation_count, struct hy_arena *arena,
                                              struct hy_partition *ret, struct hy_error *err);

/* One step with everything, and one step for each operation, on the devices in device_of. */
void hy_partition_join(struct hy_partition *partition);
void hy_partition_split(struct hy_partition *partition);

/* Makes each operation on one device a step of its own. */
void hy_partition_isolate(struct hy_partition *partition, uint32_t device);

/* Between partitions of the same number of operations. */
void hy_partition_copy(struct hy_partition *to, const struct hy_partition *from);

static inline uint32_t hy_partition_device(const struct hy_partition *partition, uint32_t step)
{
    return partition->device_of[partition->operations[partition->first[step]]];
}

/*
 * Its cost without cost_model.least, or something above `limit` if it costs more than that; fills
 * step_of on the way. `mark` has room for an entry for each operand.
 */
double hy_partition_cost(struct hy_partition *partition, const struct hy_flow *flow,
                         const struct hy_cost_model *cost_model, double limit, uint32_t *mark);

#endif
