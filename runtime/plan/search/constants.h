#ifndef HY_RUNTIME_PLAN_SEARCH_CONSTANTS_H
#define HY_RUNTIME_PLAN_SEARCH_CONSTANTS_H

#include "runtime/plan/search/partition.h"

/*
 * What is computed from constants alone is computed best where it is read: there it is a constant
 * as well, which is all that some drivers take for weights, and it crosses no boundary.
 * Moves each such operation to the step that reads it, if that is one step and its device takes the
 * operation for no more than the device that had it. Steps that are left empty go. A plan never
 * gets dearer. Linear. Errors: OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_partition_settle_constants(const struct hy_flow *flow,
                                                         const struct hy_cost_model *cost_model,
                                                         struct hy_arena *arena,
                                                         struct hy_partition *partition,
                                                         struct hy_error *err);

#endif
