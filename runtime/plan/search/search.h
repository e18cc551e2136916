#ifndef HY_RUNTIME_PLAN_SEARCH_SEARCH_H
#define HY_RUNTIME_PLAN_SEARCH_SEARCH_H

#include "runtime/plan/search/partition.h"

/* Up to this many operations the search also tries every change of one operation. */
#define HY_SEARCH_SMALL 16u

struct hy_search_result {
    double cost;      /* of the partition, by the cost model, with `least` */
    uint64_t visited; /* operations, over all passes: for each at most a fixed number per device */
};

/* False where these devices are one, and none has a cheaper launch, link or operation: one step
 * with everything is the best there is. */
bool hy_search_is_needed(const struct hy_cost_model *cost_model, const uint32_t *device_of);

/*
 * Looks for the partition of least cost. It starts from `device_of`, a device for each operation,
 * and from each device with all that it takes; forms steps from the inputs and from the outputs on;
 * divides the order of those steps anew, at the least cost; and goes on while that helps, for a
 * fixed number of rounds. The result never costs more than the steps formed from any of the starts.
 * Equal costs: fewer steps, halyard-cpu, the earlier device. `ret` has its room already, and may
 * hold `device_of`; all other memory comes from the arena. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_search_run(const struct hy_flow *flow,
                                         const struct hy_cost_model *cost_model,
                                         const uint32_t *device_of, struct hy_arena *arena,
                                         struct hy_partition *ret, struct hy_search_result *result,
                                         struct hy_error *err);

#endif
