#ifndef HY_RUNTIME_PLAN_SEARCH_SEARCH_H
#define HY_RUNTIME_PLAN_SEARCH_SEARCH_H

#include "runtime/plan/search/partition.h"

/* Up to this number of operations the search also tries every change of one operation. */
#define HY_SEARCH_SMALL 16u

struct hy_search_result {
    double cost;      /* of the partition, including `least` */
    uint64_t visited; /* operations in all passes; bounded by a constant per operation and device */
};

/* False if all operations are on one device, and no device has a cheaper launch, link or operation.
 * A single step is optimal in this case. */
bool hy_search_is_needed(const struct hy_cost_model *cost_model, const uint32_t *device_of);

/*
 * Searches the partition of lowest cost. The starts are `device_of`, one device per operation, and
 * for each device a variant with all its supported operations. The search forms steps from the
 * inputs and from the outputs, divides the order of the steps again at the lowest cost, and repeats
 * up to a fixed number of rounds while the cost falls. The result never costs more than the steps
 * formed from a start. Ties: fewer steps, halyard-cpu, the earlier device. `ret` must be allocated
 * and may hold `device_of`; all other memory comes from the arena. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_search_run(const struct hy_flow *flow,
                                         const struct hy_cost_model *cost_model,
                                         const uint32_t *device_of, struct hy_arena *arena,
                                         struct hy_partition *ret, struct hy_search_result *result,
                                         struct hy_error *err);

#endif
