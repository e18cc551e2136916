#ifndef HY_RUNTIME_PLAN_SEARCH_CONSTANTS_H
#define HY_RUNTIME_PLAN_SEARCH_CONSTANTS_H

#include "runtime/plan/search/partition.h"

/*
 * Moves operations with only constant inputs to the step that reads their result. In the reading
 * step the result is a constant, as some drivers require for weights, and crosses no boundary. An
 * operation moves if a single step reads its result, and the device of the reading step supports
 * the operation at no higher cost. Empty steps are removed. The cost of a plan never increases.
 * Linear. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_partition_move_constants(const struct hy_flow *flow,
                                                       const struct hy_cost_model *cost_model,
                                                       struct hy_arena *arena,
                                                       struct hy_partition *partition,
                                                       struct hy_error *err);

#endif
